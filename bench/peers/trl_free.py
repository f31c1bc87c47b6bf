#!/usr/bin/env python3
"""Trains the same tiny model with the same delta module, problems, rewards and settings in TRL and in plumbline, freely
and with n seeds each, and asks whether the reward curves are equivalent.

    python bench/peers/trl_free.py --plumbline build/release/plumbline --out FOLDER [--reward length] [--seeds 8]

A curve is a run's mean reward in windows of ten steps (80 prompts, 640 completions). Stated before any run of TRL with
that reward: the trainers are equivalent when in every window the 90% interval (Welch, so two one-sided tests at 5% each;
asking it of every window keeps the whole test at 5%) of the difference of their means over seeds lies within the margin.

| reward | what it pays | from, to | margin | steps |
|---|---|---|---|---|
| length | min(characters, 120) / 120, the same Python function on both sides: a curve that rises steeply | 0, 1 | .05 | 60 |
| grade | .5 for code that compiles and 3 more for passing the tests, by the same grader (TRL's through the stream of `plumbline grade`): the rewards of the demonstration, slow to rise without a hint | 0, 3.5 | .30 | 40 |

Eight seeds left the steep windows of `length` undecided (bench/README.md); 32 further seeds (--first-seed 9) were run
by the same rule.

No hint is in the prompts. Seeds are not paired: the trainers draw problems and tokens from generators of their own.

Needs what trl_fed.py needs.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL, PROBLEMS = ROOT / "models" / "tiny", ROOT / "data" / "tiny" / "problems.jsonl"
WINDOW = 10
MARGINS, STEPS = {"length": 0.05, "grade": 0.30}, {"length": 60, "grade": 40}
GROUP, PROMPTS, NEW_TOKENS, LR = 8, 8, 48, 0.02
# Student's t at .95, by degrees of freedom.
T95 = {4: 2.132, 5: 2.015, 6: 1.943, 7: 1.895, 8: 1.860, 9: 1.833, 10: 1.812, 11: 1.796, 12: 1.782, 13: 1.771,
       14: 1.761, 16: 1.746, 18: 1.734, 20: 1.725, 25: 1.708, 30: 1.697, 40: 1.684, 50: 1.676, 60: 1.671}


def length(completions, **kwargs):
    """The reward "length", here and as plumbline's custom reward."""
    texts = [text if isinstance(text, str) else text[0]["content"] for text in completions]
    return [min(len(text), 120) / 120 for text in texts]


class Grader:
    """One `plumbline grade` that answers a stream of completions."""

    def __init__(self, plumbline):
        self.process = subprocess.Popen(
            [plumbline, "grade", str(PROBLEMS), "-", "--cpu-s", "1", "--workers", "2"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.count = 0

    def rewards(self, ids, texts):
        first = self.count
        for problem_id, text in zip(ids, texts):
            row = {"problem_id": problem_id, "sample": self.count, "completion": text, "request_id": self.count}
            self.process.stdin.write(json.dumps(row) + "\n")
            self.count += 1
        self.process.stdin.flush()
        found = {}
        while len(found) < len(texts):
            verdict = json.loads(self.process.stdout.readline())
            if verdict["reward"] is None:
                sys.exit("a completion was not graded")
            found[verdict["sample"]] = verdict["reward"]
        return [found[first + i] for i in range(len(texts))]


def train_trl(plumbline, reward_name, seed):
    import datasets
    import torch
    import transformers
    import trl

    from trl_fed import inject

    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODEL)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = transformers.AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32)
    linears = [name for name, module in model.named_modules()
               if isinstance(module, torch.nn.Linear) and name.split(".")[-1].endswith("_proj")]
    inject(model, {"delta." + name: None for name in linears})
    rows = [json.loads(line) for line in PROBLEMS.open()]
    data = datasets.Dataset.from_list([{"prompt": row["prompt"], "problem": row["id"]} for row in rows
                                       if row["split"] == "train"])
    grader, means = Grader(plumbline) if reward_name == "grade" else None, []

    def reward(completions, problem, **kwargs):
        if grader:
            values = grader.rewards(problem, [completion[0]["content"] for completion in completions])
        else:
            values = length(completions)
        means.append(statistics.fmean(values))
        return values

    config = trl.GRPOConfig(
        output_dir="/tmp/trl_free", use_cpu=True, bf16=False, gradient_checkpointing=False, report_to=[],
        save_strategy="no", logging_steps=1000, disable_tqdm=True, seed=seed, data_seed=seed,
        per_device_train_batch_size=GROUP * PROMPTS, gradient_accumulation_steps=1, num_generations=GROUP,
        max_completion_length=NEW_TOKENS, temperature=1.0, top_p=1.0, top_k=0, num_iterations=1, loss_type="dr_grpo",
        beta=0.0, scale_rewards="none", mask_truncated_completions=False, max_steps=STEPS[reward_name], learning_rate=LR,
        lr_scheduler_type="constant", warmup_steps=0, max_grad_norm=1.0, optim="adamw_torch", adam_beta1=0.9,
        adam_beta2=0.99, adam_epsilon=1e-8, weight_decay=0.0)
    trl.GRPOTrainer(model=model, reward_funcs=reward, args=config, processing_class=tokenizer,
                    train_dataset=data).train()
    return means


def train_plumbline(plumbline, reward_name, seed, folder):
    settings = {"run.seed": seed, "data.order_seed": seed, "data.hint": "none", "eval.every": 0, "train.steps": STEPS[reward_name],
                "train.lr": LR, "train.warmup_steps": 0, "train.checkpoint_every": 0, "rollout.group_size": GROUP,
                "rollout.prompts_per_step": PROMPTS, "rollout.max_new_tokens": NEW_TOKENS}
    if reward_name == "length":
        settings.update({"grade.reward": "custom", "grade.rewards": [str(pathlib.Path(__file__).resolve()) + ":length"],
                         "grade.reward_python": sys.executable})
    words = [plumbline, "train", "demo", "--out", str(folder)]
    for key, value in settings.items():
        words += ["--set", "{}={}".format(key, json.dumps(value) if isinstance(value, (str, list)) else value)]
    subprocess.run(words, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if not (folder / "COMPLETE").exists():
        sys.exit("the run in {} did not end".format(folder))
    return [json.loads(line)["reward"] for line in (folder / "metrics.jsonl").open()]


def interval(ours, theirs):
    """Welch's 90% interval of the difference of means."""
    variances = [statistics.variance(side) / len(side) for side in (ours, theirs)]
    difference, error = statistics.fmean(ours) - statistics.fmean(theirs), math.sqrt(sum(variances))
    freedom = sum(variances) ** 2 / sum(v * v / (len(ours) - 1) for v in variances) if error > 0 else len(ours) - 1
    t = T95[max(key for key in T95 if key <= max(4, freedom))]
    return difference, difference - t * error, difference + t * error


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--plumbline", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--reward", choices=sorted(MARGINS), default="length")
    parser.add_argument("--one", type=int, help="train TRL with this seed alone")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.one is not None:
        means = train_trl(arguments.plumbline, arguments.reward, arguments.one)
        (arguments.out / "trl-{}.json".format(arguments.one)).write_text(json.dumps(means))
        return 0
    curves = {"plumbline": [], "trl": []}
    for seed in range(arguments.first_seed, arguments.first_seed + arguments.seeds):
        stored = arguments.out / "trl-{}.json".format(seed)
        if not stored.exists():
            subprocess.run([sys.executable, __file__, "--plumbline", arguments.plumbline, "--out", str(arguments.out),
                            "--reward", arguments.reward, "--one", str(seed)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        curves["trl"].append(json.loads(stored.read_text()))
        folder = arguments.out / "plumbline-{}".format(seed)
        if (folder / "COMPLETE").exists():
            curves["plumbline"].append([json.loads(line)["reward"] for line in (folder / "metrics.jsonl").open()])
        else:
            curves["plumbline"].append(train_plumbline(arguments.plumbline, arguments.reward, seed, folder))
    print("| steps | plumbline, mean (sd) | TRL, mean (sd) | difference, 90% interval |\n|---|---|---|---|")
    good, margin = True, MARGINS[arguments.reward]
    for begin in range(0, STEPS[arguments.reward], WINDOW):
        sides = [[statistics.fmean(run[begin:begin + WINDOW]) for run in curves[name]] for name in curves]
        difference, low, high = interval(*sides)
        good = good and -margin < low and high < margin
        print("| {}-{} | {} | {:+.3f} [{:+.3f}, {:+.3f}] |".format(
            begin + 1, begin + WINDOW,
            " | ".join("{:.3f} ({:.3f})".format(statistics.fmean(side), statistics.stdev(side)) for side in sides),
            difference, low, high))
    print("{} seeds each, margin {:.2f}: {}".format(arguments.seeds, margin,
                                                    "equivalent" if good else "NOT SHOWN to be equivalent"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

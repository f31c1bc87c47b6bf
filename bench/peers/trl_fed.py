#!/usr/bin/env python3
"""Feeds a plumbline run's own completions and rewards to TRL's GRPOTrainer and compares loss, KL and gradients.

    plumbline train demo --out RUN --set data.hint=none --set train.beta=0.05 --set train.zero_spread=keep \
      --set train.checkpoint_every=1 --set train.keep_checkpoints=1000 --set eval.every=0 --set train.steps=20 \
      --set train.warmup_steps=0 --set train.weight_decay=0.1 --set rollout.temperature=0.7 --set train.lr=0.01
    python bench/peers/trl_fed.py RUN --weights ours
    python bench/peers/trl_fed.py RUN --weights own

The model is loaded by transformers in float32 on the CPU; every adapted linear gets the same module as here,
y + U[delta * (Vh x)], with a basis from torch's own SVD (the joint sign of a pair of singular vectors cancels). Prompts are rendered by transformers and checked by the hash that every rollout carries. TRL computes
advantages, log-probabilities, KL against its own copy of the base, loss, gradient, clip and AdamW itself. With
--weights ours every step starts from our checkpoint's delta, so that a step is compared with the same step; with own its
delta is its own from the first step to the last. Our gradient is read from the first moments of our checkpoints.

Needs torch, transformers, trl, datasets, safetensors, numpy.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sys
import tomllib

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import datasets
import safetensors.torch
import torch
import transformers
import trl

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MAX_RELATIVE, MIN_COSINE = 1e-3, 0.9999
ROUNDING = 1e-7  # on-policy terms of order 1 cancel in a loss; what is below this is their rounding, not a difference


class Run:
    """What a run directory says."""

    def __init__(self, folder):
        self.folder = folder
        self.preset = tomllib.loads((folder / "resolved.toml").read_text())
        self.metrics = [json.loads(line) for line in (folder / "metrics.jsonl").open()]
        self.rollouts = {}
        for line in (folder / "rollouts.jsonl").open():
            row = json.loads(line)
            self.rollouts.setdefault(row["step"], []).append(row)
        self.size = self.preset["rollout"]["group_size"]
        for rows in self.rollouts.values():
            rows.sort(key=lambda row: (row["group_id"], row["sample"]))
            if any(row["reward"] is None for row in rows):
                sys.exit("a completion has no reward; TRL has no such thing")

    def checkpoint(self, step):
        return self.folder / "checkpoints" / "step_{:06d}".format(step)

    def gradient(self, step):
        """What the optimizer saw (after the clip), from its first moment before and after."""
        beta = self.preset["train"]["betas"][0]
        name = "optimizer/exp_avg."
        after = safetensors.torch.load_file(self.checkpoint(step) / "optimizer.safetensors")
        before = {} if step == 1 else safetensors.torch.load_file(self.checkpoint(step - 1) / "optimizer.safetensors")
        moments = {key[len(name):]: value.double() for key, value in after.items() if key.startswith(name)}
        if not moments:
            sys.exit("no first moments in {}: {}".format(self.checkpoint(step), list(after)[:3]))
        return {module: (value - beta * before[name + module].double() if before else value) / (1 - beta)
                for module, value in moments.items()}


def prompt_messages(run):
    path = ROOT / run.preset["data"]["problems"]
    if run.preset["data"]["hint"] != "none":
        sys.exit("this script renders prompts without a hint: set data.hint = \"none\"")
    rows = [json.loads(line) for line in path.open()]
    return {str(row["id"]): row["prompt"] for row in rows}


def inject(model, deltas):
    """A float32 delta on every adapted linear; everything else is frozen."""
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    modules = dict(model.named_modules())
    names = [key[len("delta."):] for key in deltas if key.startswith("delta.")]
    for name in names:
        linear = modules[name]
        u, s, vh = torch.linalg.svd(linear.weight.detach().double(), full_matrices=False)
        u, vh = u.float(), vh.float()
        delta = torch.nn.Parameter(torch.zeros(len(s)))
        linear.register_parameter("delta_s", delta)
        linear.register_forward_hook(
            lambda module, inputs, output, u=u, vh=vh: output + ((inputs[0] @ vh.T) * module.delta_s) @ u.T)
    print("{} modules carry delta".format(len(names)))
    return names


class FedTrainer(trl.GRPOTrainer):
    def _compute_loss(self, model, inputs):
        loss = super()._compute_loss(model, inputs)
        self.seen_loss = loss.item()
        self.seen_kl = self._metrics["train"]["kl"][-1]
        return loss


class Comparison(transformers.TrainerCallback):
    """Runs between backward (and clip) and the optimizer step."""

    def __init__(self, run, names, same_weights):
        self.run, self.names, self.same_weights, self.trainer = run, names, same_weights, None
        self.rows = []

    def on_step_begin(self, args, state, control, model=None, **kwargs):
        if not self.same_weights or state.global_step == 0:
            return
        stored = safetensors.torch.load_file(
            self.run.checkpoint(state.global_step) / "adapter" / "delta.safetensors")
        modules = dict(self.trainer.accelerator.unwrap_model(model).named_modules())
        for name in self.names:
            modules[name].delta_s.data.copy_(stored["delta." + name])

    def on_pre_optimizer_step(self, args, state, control, model=None, **kwargs):
        step = state.global_step + 1
        modules = dict(self.trainer.accelerator.unwrap_model(model).named_modules())
        ours = self.run.gradient(step)
        theirs = {name: modules[name].delta_s.grad.double() for name in self.names}
        dot = sum((ours[name] * theirs[name]).sum() for name in self.names)
        norms = [sum(value.square().sum() for value in side.values()).sqrt() for side in (ours, theirs)]
        metrics = self.run.metrics[step - 1]
        self.rows.append({
            "step": step,
            "loss": (metrics["loss"], self.trainer.seen_loss),
            "kl": (metrics["kl"], self.trainer.seen_kl),
            "norm": (norms[0].item(), norms[1].item()),
            "cosine": (dot / norms[0] / norms[1]).item() if norms[0] > 0 and norms[1] > 0 else 1.0,
            "worst_module": min((torch.nn.functional.cosine_similarity(ours[n], theirs[n], dim=0).item()
                                 for n in self.names if ours[n].norm() > 0), default=1.0),
        })


def relative(pair, rounding=0.0):
    ours, theirs = pair
    return max(abs(ours - theirs) - rounding, 0) / max(abs(ours), abs(theirs), 1e-12)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--trl-kl", action="store_true", help="TRL's default gradient of the KL, which is not GRPO's")
    parser.add_argument("--weights", choices=("ours", "own"), default="ours")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run = Run(arguments.run)
    preset, train, rollout = run.preset, run.preset["train"], run.preset["rollout"]
    model_path = preset["model"]["path"]
    model_path = str(ROOT / model_path) if not os.path.isabs(model_path) else model_path
    tokenizer = transformers.AutoTokenizer.from_pretrained(model_path)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model = transformers.AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32)
    names = inject(model, safetensors.torch.load_file(run.checkpoint(1) / "adapter" / "delta.safetensors"))

    messages = prompt_messages(run)
    prompts = []
    for step in sorted(run.rollouts):
        rows = run.rollouts[step]
        for begin in range(0, len(rows), run.size):
            row = rows[begin]
            text = tokenizer.apply_chat_template(messages[str(row["problem_id"])], tokenize=False,
                                                 add_generation_prompt=True)
            if hashlib.sha256(text.encode()).hexdigest() != row["prompt_hash"]:
                sys.exit("the prompt of {} renders differently".format(row["problem_id"]))
            prompts.append({"prompt": "{}:{}".format(step, begin), "text": text})
    texts = {row["prompt"]: row["text"] for row in prompts}
    turn = {"step": 0}

    def feed(keys, trainer):
        """The completions of the next step, in the order of the keys, each of which comes group_size times."""
        turn["step"] += 1
        rows, used, out = run.rollouts[turn["step"]], {}, {"prompt_ids": [], "completion_ids": [], "logprobs": None}
        fed = []
        for key in keys:
            step, begin = map(int, key.split(":"))
            assert step == turn["step"], (key, turn)
            row = rows[begin + used.get(key, 0)]
            used[key] = used.get(key, 0) + 1
            out["prompt_ids"].append(tokenizer(texts[key], add_special_tokens=False)["input_ids"])
            out["completion_ids"].append(row["token_ids"])
            fed.append(row["reward"])
        turn["rewards"] = fed
        return out

    def stored(completions, **kwargs):
        return turn["rewards"]

    config = trl.GRPOConfig(
        output_dir="/tmp/trl_fed", use_cpu=True, bf16=False, gradient_checkpointing=False, report_to=[],
        save_strategy="no", logging_steps=1, disable_tqdm=True, seed=0, shuffle_dataset=False,
        per_device_train_batch_size=run.size * rollout["prompts_per_step"], gradient_accumulation_steps=1,
        num_generations=run.size, max_completion_length=rollout["max_new_tokens"], temperature=rollout["temperature"],
        num_iterations=1, loss_type=train["loss"], beta=train["beta"], epsilon=train["clip_low"],
        epsilon_high=train["clip_high"], scale_rewards="none" if train["loss"] == "dr_grpo" else "group",
        # TRL multiplies the KL by the ratio, whose gradient then adds KL grad logp: DeepSeek-V3.2's, not GRPO's.
        use_bias_correction_kl=arguments.trl_kl,
        mask_truncated_completions=False, max_steps=len(run.metrics), learning_rate=train["lr"],
        lr_scheduler_type="constant", warmup_steps=0, max_grad_norm=train["grad_clip"], optim="adamw_torch",
        adam_beta1=train["betas"][0], adam_beta2=train["betas"][1], adam_epsilon=train["eps"],
        weight_decay=train["weight_decay"])
    if train["warmup_steps"] or train["schedule"] != "constant" or train["zero_spread"] != "keep":
        sys.exit("needs train.warmup_steps = 0, train.schedule = \"constant\" and train.zero_spread = \"keep\"")
    comparison = Comparison(run, names, arguments.weights == "ours")
    trainer = FedTrainer(model=model, reward_funcs=stored, args=config, processing_class=tokenizer,
                         train_dataset=datasets.Dataset.from_list([{"prompt": row["prompt"]} for row in prompts]),
                         rollout_func=feed, callbacks=[comparison])
    comparison.trainer = trainer
    trainer.train()

    final = safetensors.torch.load_file(run.checkpoint(len(run.metrics)) / "adapter" / "delta.safetensors")
    modules = dict(model.named_modules())
    ours = torch.cat([final["delta." + name].double() for name in names])
    theirs = torch.cat([modules[name].delta_s.detach().double() for name in names])
    print("trl {}, transformers {}, torch {}".format(trl.__version__, transformers.__version__, torch.__version__))
    print("| step | loss, plumbline | loss, TRL | KL, plumbline | KL, TRL | gradient norm (after clip) | cosine | "
          "lowest of a module |")
    print("|---|---|---|---|---|---|---|---|")
    for row in comparison.rows:
        print("| {} | {:.7f} | {:.7f} | {:.3e} | {:.3e} | {:.5f}, {:.5f} | {:.8f} | {:.6f} |".format(
            row["step"], *row["loss"], *row["kl"], *row["norm"], row["cosine"], row["worst_module"]))
    loss = max(relative(row["loss"], ROUNDING) for row in comparison.rows)
    kl = max(relative(row["kl"]) for row in comparison.rows if max(row["kl"]) > 0)
    cosine = min(row["cosine"] for row in comparison.rows)
    print("largest relative difference: loss {:.1e}, KL {:.1e}; lowest cosine {:.8f}; delta after {} steps: cosine "
          "{:.8f}, relative distance {:.1e}".format(
              loss, kl, cosine, len(comparison.rows),
              torch.nn.functional.cosine_similarity(ours, theirs, dim=0).item(),
              ((ours - theirs).norm() / ours.norm()).item()))
    good = loss <= MAX_RELATIVE and kl <= MAX_RELATIVE and cosine >= MIN_COSINE
    print("agree" if good else "DISAGREE")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

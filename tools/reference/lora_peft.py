#!/usr/bin/env python3
"""Loads the LoRA adapter of a run in PEFT and compares log-probabilities of the run's own completions.

    plumbline train tiny_lora --out RUN --set data.hint=none --set eval.every=0 --set train.steps=6 \
      --set train.checkpoint_every=1 --set train.keep_checkpoints=100 --set train.lr=0.02
    python tools/reference/lora_peft.py RUN 5

The completions of step N + 1 were sampled on the weights of checkpoint N, and rollouts.jsonl has the sum of their
log-probabilities. transformers and PEFT compute it again, with the adapter and without it.
Needs torch, transformers, peft, safetensors.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sys
import tomllib

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import peft
import torch
import transformers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOLERANCE = 1e-3  # nats a completion, of sums around 10


def logprob_sum(model, prompt_ids, completion_ids, temperature):
    ids = torch.tensor([prompt_ids + completion_ids])
    with torch.no_grad():
        logits = model(ids).logits[0].double() / temperature
    logp = torch.log_softmax(logits, -1)
    first = len(prompt_ids)
    return sum(logp[first + t - 1][token].item() for t, token in enumerate(completion_ids))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("step", type=int)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    preset = tomllib.loads((arguments.run / "resolved.toml").read_text())
    folder = arguments.run / "checkpoints" / "step_{:06d}".format(arguments.step) / "adapter"
    path = str(ROOT / preset["model"]["path"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(path)
    base = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    model = peft.PeftModel.from_pretrained(base, folder).eval()
    num_modules = sum(1 for name, _ in model.named_parameters() if name.endswith("lora_A.default.weight"))
    prompts = {str(row["id"]): row["prompt"]
               for row in map(json.loads, (ROOT / preset["data"]["problems"]).open())}
    worst = largest_change = None
    count = 0
    for row in map(json.loads, (arguments.run / "rollouts.jsonl").open()):
        if row["weight_version"] != arguments.step:
            continue
        text = tokenizer.apply_chat_template(prompts[str(row["problem_id"])], tokenize=False, add_generation_prompt=True)
        if hashlib.sha256(text.encode()).hexdigest() != row["prompt_hash"]:
            sys.exit("the prompt of {} renders differently; set data.hint=none".format(row["problem_id"]))
        prompt_ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        value = logprob_sum(model, prompt_ids, row["token_ids"], preset["rollout"]["temperature"])
        with model.disable_adapter():
            without = logprob_sum(model, prompt_ids, row["token_ids"], preset["rollout"]["temperature"])
        error, change = abs(value - row["logprob_sum"]), abs(value - without)
        worst = error if worst is None else max(worst, error)
        largest_change = change if largest_change is None else max(largest_change, change)
        count += 1
    if not count:
        sys.exit("no completions of weight version {}".format(arguments.step))
    print("peft {}: {} modules; {} completions: largest difference {:.1e}, largest change by the adapter {:.2f} nats".format(
        peft.__version__, num_modules, count, worst, largest_change))
    good = worst <= TOLERANCE and largest_change > 100 * TOLERANCE
    print("agree" if good else "DISAGREE")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

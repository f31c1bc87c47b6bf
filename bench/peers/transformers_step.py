#!/usr/bin/env python3
"""The work of bench/step_bench.cc in transformers, a round for every line of stdin:

  transformers_step.py MODEL.gguf DTYPE DEVICE THREADS hooks|plain

hooks: an SVD adapter as people write it, a forward hook on every linear that adds U (delta * (V x)), delta trained.
plain: no adapter; the gradient is that of the linears' weights.
The hooks' U and V are random: what they hold does not change the time.
"""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "reference"))
from smollm2_logits import load_model  # noqa: E402

PROMPTS, GROUP, PROMPT_TOKENS, NEW_TOKENS = 2, 8, 128, 128


def report(what, start, tokens):
    wall_s, cpu_s = time.monotonic() - start[0], time.process_time() - start[1]
    print(f"{what} wall_s {wall_s:.4f} cpu_s {cpu_s:.4f} tokens {tokens}", flush=True)


def add_hooks(model):
    deltas = []
    for name, module in model.named_modules():
        if not name.endswith("_proj"):
            continue
        rank, weight = min(module.weight.shape), module.weight
        options = {"dtype": weight.dtype, "device": weight.device}
        u_OR = torch.randn(weight.shape[0], rank, **options) / weight.shape[0] ** 0.5
        v_RI = torch.randn(rank, weight.shape[1], **options) / weight.shape[1] ** 0.5
        delta_R = torch.zeros(rank, **options, requires_grad=True)
        deltas.append(delta_R)

        def hook(_, inputs, output, u_OR=u_OR, v_RI=v_RI, delta_R=delta_R):
            return output + torch.nn.functional.linear(torch.nn.functional.linear(inputs[0], v_RI) * delta_R, u_OR)

        module.register_forward_hook(hook)
    return deltas


def train_step(model, optimizer, ids, advantages):
    logits = model(ids, logits_to_keep=NEW_TOKENS + 1).logits[:, :-1].float()
    chosen = torch.log_softmax(logits, -1).gather(-1, ids[:, -NEW_TOKENS:, None]).squeeze(-1)
    loss = -(torch.exp(chosen - chosen.detach()) * advantages[:, None]).sum() / chosen.numel()
    loss.backward()
    if optimizer:
        optimizer.step()
    model.zero_grad(set_to_none=True)
    return loss.item()


def main(path, dtype, device, threads, kind):
    torch.set_num_threads(int(threads))
    torch.manual_seed(0)
    model = load_model(path).to(device=device, dtype=getattr(torch, dtype))
    model.set_attn_implementation("sdpa")
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(kind == "plain" and "_proj" in name)
    optimizer = torch.optim.AdamW(add_hooks(model), lr=1e-3) if kind == "hooks" else None
    prompts = torch.tensor([[100 + p + t * 7 for t in range(PROMPT_TOKENS)] for p in range(PROMPTS)], device=device)
    prompts = prompts.repeat_interleave(GROUP, 0)
    advantages = torch.tensor([1.0, -1.0], device=device).repeat(PROMPTS * GROUP // 2)
    for _ in sys.stdin:
        start = time.monotonic(), time.process_time()
        with torch.no_grad():
            ids = model.generate(prompts, max_new_tokens=NEW_TOKENS, min_new_tokens=NEW_TOKENS, do_sample=True, temperature=1.0,
                                 top_k=0, top_p=1.0, eos_token_id=None, pad_token_id=0)
        ids[0, 0].item()
        report("rollout", start, PROMPTS * GROUP * NEW_TOKENS)
        start = time.monotonic(), time.process_time()
        train_step(model, optimizer, ids, advantages)
        report("training", start, PROMPTS * GROUP * (PROMPT_TOKENS + NEW_TOKENS))


if __name__ == "__main__":
    main(*sys.argv[1:])

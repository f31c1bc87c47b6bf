#!/usr/bin/env python3
"""The work of bench/decoder_bench.cc in transformers: transformers_decoder.py MODEL.gguf DTYPE DEVICE THREADS."""
import pathlib
import sys
import time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "reference"))
from smollm2_logits import load_model  # noqa: E402

SEQUENCES, PROMPT_TOKENS, NEW_TOKENS = 8, 64, 64
ROWS, ROW_TOKENS, SCORED_TOKENS = 4, 256, 128


def now():
    """Wall and CPU seconds."""
    return torch.tensor([time.monotonic(), time.process_time()], dtype=torch.float64)


def decode_step(model, device):
    ids = torch.tensor([[100 + i + t * 7 for t in range(PROMPT_TOKENS)] for i in range(SEQUENCES)], device=device)

    def seconds(count):
        start = now()
        model.generate(ids, max_new_tokens=count, min_new_tokens=count, do_sample=False, eos_token_id=None, pad_token_id=0)
        return now() - start

    return (seconds(NEW_TOKENS) - seconds(2)) / (NEW_TOKENS - 2)


def train_pass(model, device):
    ids = (torch.arange(ROWS * ROW_TOKENS, device=device) * 31 % 5000).view(ROWS, ROW_TOKENS)
    start = now()
    logits = model(ids, logits_to_keep=SCORED_TOKENS + 1).logits[:, :-1].float()
    loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, -SCORED_TOKENS:].flatten())
    loss.backward()
    model.model.layers[0].self_attn.q_proj.weight.grad.abs().max().item()
    seconds = now() - start
    model.zero_grad(set_to_none=True)
    return seconds


def main(path, dtype, device, threads):
    torch.set_num_threads(int(threads))
    model = load_model(path).to(device=device, dtype=getattr(torch, dtype))
    model.set_attn_implementation("sdpa")
    for name, parameter in model.named_parameters():
        parameter.requires_grad_("_proj" in name)
    decode = torch.stack([decode_step(model, device) for _ in range(3)]).amin(0).tolist()
    train = torch.stack([train_pass(model, device) for _ in range(3)]).amin(0).tolist()
    print(f"transformers decode {dtype}: {SEQUENCES / decode[0]:.1f} tok/s, {1e3 * decode[0]:.1f} ms a step, CPU {1e3 * decode[1]:.1f} ms")
    print(f"transformers train {dtype}: {ROWS * ROW_TOKENS / train[0]:.0f} tok/s, {train[0]:.2f} s, CPU {train[1]:.2f} s")


if __name__ == "__main__":
    main(*sys.argv[1:])

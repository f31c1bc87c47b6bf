#!/usr/bin/env python3
"""Tiny random checkpoints and what transformers computes with them, for tests/golden/models.

  tiny_checkpoints.py OUT [CASE ...]       writes OUT/<case> for every case, or for those named

Each folder is a checkpoint (config.json as transformers 5 writes it, config.hub.json as most published ones have it,
model.safetensors) with golden.safetensors and case.json: per row hidden states, router logits, logits, log-probabilities
and a greedy continuation with transformers' own cache, and over the batch loss and the gradient of every weight. All in
float32, eager attention, one thread. Weights are redrawn from the next seed until no greedy choice is closer than 2e-3
in logits and no choice of experts closer than 3e-4 in probability. Tolerances are ten times the largest difference from
the same model in float64, rounded up to one digit.

Needs torch and transformers (5.24 was used); neither is part of plumbline's build or tests.
"""
import json
import math
import os
import sys

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM

LENGTHS = (21, 9, 24)
NUM_GREEDY = 24
COMMON = dict(vocab_size=64, hidden_size=32, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=128, bos_token_id=1, eos_token_id=2, pad_token_id=0)
PLAIN_ROPE = {"rope_type": "default", "rope_theta": 10000.0}

# name -> model type, fields beside COMMON, whether experts stay in transformers' own fused tensors
CASES = {
    "mistral-window": ("mistral", dict(num_hidden_layers=2, sliding_window=5, head_dim=16,
                                       rope_parameters=PLAIN_ROPE), False),
    "qwen2-window": ("qwen2", dict(sliding_window=6, use_sliding_window=True, max_window_layers=1,
                                   rope_parameters=PLAIN_ROPE), False),
    "qwen2-yarn": ("qwen2", dict(tie_word_embeddings=True, rope_parameters={
        "rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 12}), False),
    "llama-linear": ("llama", dict(attention_bias=True, mlp_bias=True, rope_parameters={
        "rope_type": "linear", "rope_theta": 10000.0, "factor": 3.0}), False),
    "smollm3": ("smollm3", dict(no_rope_layers=[1, 0, 1], tie_word_embeddings=True,
                                rope_parameters={"rope_type": "default", "rope_theta": 50000.0}), False),
    "phi3": ("phi3", dict(sliding_window=7, tie_word_embeddings=False, rope_parameters=PLAIN_ROPE), False),
    "qwen3-moe-sparse": ("qwen3_moe", dict(
        num_hidden_layers=4, head_dim=8, decoder_sparse_step=2, mlp_only_layers=[3], num_experts=5,
        num_experts_per_tok=2, moe_intermediate_size=12, norm_topk_prob=True, intermediate_size=24,
        rope_parameters=PLAIN_ROPE), True),
}


def draw_weights(model, seed):
    """Weights large enough that layers matter and logits differ; norms near 1, biases near 0."""
    generator = torch.Generator().manual_seed(seed)
    tied = model.config.tie_word_embeddings
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            fan_in = weight.shape[-1]
            if name.endswith("norm.weight"):
                weight.copy_(1 + 0.2 * noise)
            elif name.endswith(".bias"):
                weight.copy_(0.3 * noise)
            elif "embed_tokens" in name:
                weight.copy_(noise * (2.5 / math.sqrt(fan_in) if tied else 1))
            elif "lm_head" in name:
                weight.copy_(noise * 2.5 / math.sqrt(fan_in))
            else:
                weight.copy_(noise * 1.5 / math.sqrt(fan_in))


def draw_rows(vocab_size, seed):
    generator = torch.Generator().manual_seed(seed + 1)
    rows = [torch.randint(3, vocab_size, (length,), generator=generator) for length in LENGTHS]
    masks = []
    for row in rows:
        mask = torch.zeros(len(row), dtype=torch.int64)
        mask[len(row) // 3:] = 1
        masks.append(mask)
    return rows, masks


def forward(model, ids):
    """Logits, residual stream before every layer and after the last, final norm, router logits of one row."""
    kept, hooks = {}, []

    def keep(key, take):
        return lambda module, inputs, output: kept.__setitem__(key, take(inputs, output).detach()[..., :])

    layers = model.model.layers
    hooks.append(model.model.norm.register_forward_hook(keep("hidden.final", lambda i, o: o[0])))
    hooks.append(model.model.norm.register_forward_hook(keep(f"hidden.{len(layers)}", lambda i, o: i[0][0])))
    for index, layer in enumerate(layers):
        hooks.append(layer.input_layernorm.register_forward_hook(keep(f"hidden.{index}", lambda i, o: i[0][0])))
        if hasattr(layer.mlp, "experts"):
            hooks.append(layer.mlp.gate.register_forward_hook(keep(f"router.{index}", lambda i, o: o[0])))
    with torch.no_grad():
        kept["logits"] = model(input_ids=ids[None]).logits[0]
    for hook in hooks:
        hook.remove()
    for temperature in (1.0, 0.7):
        logprobs = torch.log_softmax(kept["logits"][:-1] / temperature, -1)
        kept[f"logprob.t{temperature}"] = logprobs.gather(-1, ids[1:, None])[:, 0]
    return kept


def padded(rows, left):
    width = max(map(len, rows))
    ids, mask = torch.zeros(len(rows), width, dtype=torch.int64), torch.zeros(len(rows), width, dtype=torch.int64)
    for index, row in enumerate(rows):
        place = slice(width - len(row), width) if left else slice(0, len(row))
        ids[index, place], mask[index, place] = row, 1
    return ids, mask


def loss_and_gradients(model, rows, masks):
    model.zero_grad()
    losses = []
    for row, mask in zip(rows, masks):
        logits = model(input_ids=row[None]).logits[0]
        logprobs = torch.log_softmax(logits[:-1], -1).gather(-1, row[1:, None])[:, 0]
        losses.append(-logprobs[mask[1:] == 1])
    loss = torch.cat(losses).mean()
    loss.backward()
    gradients = {name: weight.grad.clone() for name, weight in model.named_parameters() if weight.grad is not None}
    return loss.detach(), torch.stack([row.mean().detach() for row in losses]), gradients


@torch.no_grad()
def greedy(model, ids):
    """Continuation with transformers' cache, its log-probabilities, and the smallest gap between first and second."""
    cache, chosen, logprobs, gap, step = None, [], [], math.inf, ids[None]
    for _ in range(NUM_GREEDY):
        output = model(input_ids=step, use_cache=True, **({} if cache is None else {"past_key_values": cache}))
        cache = output.past_key_values
        logits = output.logits[0, -1]
        top = logits.topk(2).values
        gap = min(gap, float(top[0] - top[1]))
        chosen.append(int(logits.argmax()))
        logprobs.append(torch.log_softmax(logits, -1)[chosen[-1]])
        step = torch.tensor([[chosen[-1]]])
    return torch.tensor(chosen), torch.stack(logprobs), gap


def router_gap(config, kept):
    """Smallest difference in probability between the last expert chosen and the first that is not."""
    count = getattr(config, "num_experts_per_tok", 0)
    gaps = [torch.softmax(value, -1).sort(-1, descending=True).values for key, value in kept.items() if "router." in key]
    return min((float((gap[:, count - 1] - gap[:, count]).min()) for gap in gaps), default=math.inf)


def unfused(name, tensor):
    """A weight under the names that plumbline has for it: experts one by one, q, k, v and gate, up apart."""
    if ".mlp.experts." in name:
        prefix, kind = name.rsplit(".", 1)
        for expert, matrix in enumerate(tensor):
            if kind == "down_proj":
                yield f"{prefix}.{expert}.down_proj.weight", matrix
            else:
                gate, up = matrix.chunk(2)
                yield f"{prefix}.{expert}.gate_proj.weight", gate
                yield f"{prefix}.{expert}.up_proj.weight", up
    elif name.endswith("qkv_proj.weight"):
        q_rows = COMMON["hidden_size"]
        kv_rows = (tensor.shape[0] - q_rows) // 2
        for part, rows in zip("qkv", tensor.split([q_rows, kv_rows, kv_rows])):
            yield name.replace("qkv_proj", f"{part}_proj"), rows
    elif name.endswith("gate_up_proj.weight"):
        for part, rows in zip(("gate", "up"), tensor.chunk(2)):
            yield name.replace("gate_up_proj", f"{part}_proj"), rows
    else:
        yield name, tensor


def compute(model, rows, masks):
    """Everything a test compares, and how near the nearest choice was."""
    tensors, gap = {}, math.inf
    for index, ids in enumerate(rows):
        kept = forward(model, ids)
        gap = min(gap, router_gap(model.config, kept) / 3e-4)
        chosen, logprobs, argmax_gap = greedy(model, ids)
        whole = forward(model, torch.cat([ids, chosen]))
        gap = min(gap, argmax_gap / 2e-3, router_gap(model.config, whole) / 3e-4)
        kept |= {"ids": ids, "completion_mask": masks[index], "greedy.ids": chosen, "greedy.logprob": logprobs}
        tensors |= {f"row.{index}.{key}": value for key, value in kept.items()}
    loss, row_losses, gradients = loss_and_gradients(model, rows, masks)
    tensors |= {"loss": loss, "loss.row": row_losses}
    for name, gradient in gradients.items():
        if name == "model.embed_tokens.weight" and not model.config.tie_word_embeddings:
            continue
        tensors |= {f"grad.{part}": value for part, value in unfused(name, gradient)}
    return tensors, gap


def tolerances(tensors, wide):
    worst = {}
    for name, value in tensors.items():
        kind = next((kind for kind in ("grad", "loss", "logprob", "logits", "hidden", "router") if kind in name), None)
        if kind and value.is_floating_point() and not name.endswith('ids'):
            worst[kind] = max(worst.get(kind, 0), float((value.double() - wide[name]).abs().max()))
    if not all(value > 0 for value in worst.values()):
        sys.exit(f"no tolerance can be had from {worst}")
    digits = {kind: 10.0 ** math.floor(math.log10(10 * value)) for kind, value in worst.items()}
    return {kind: float(f"{math.ceil(10 * value / digits[kind]) * digits[kind]:.0e}") for kind, value in worst.items()}


def hub_spelling(config):
    """config.json as published checkpoints have it."""
    config = dict(config)
    rope = dict(config.pop("rope_parameters"))
    config["rope_theta"] = rope.pop("rope_theta")
    rope.pop("partial_rotary_factor", None)
    config["rope_scaling"] = None if rope["rope_type"] == "default" else rope
    config["torch_dtype"] = config.pop("dtype")
    if "num_local_experts" in config:
        config["num_experts"] = config.pop("num_local_experts")
    return config


def write_case(out, name):
    model_type, fields, keep_fused = CASES[name]
    config = AutoConfig.for_model(model_type, **{**COMMON, **fields})
    for seed in range(1000):
        model = AutoModelForCausalLM.from_config(config, attn_implementation="eager", experts_implementation="eager", dtype=torch.float32).eval()
        draw_weights(model, seed)
        rows, masks = draw_rows(config.vocab_size, seed)
        tensors, gap = compute(model, rows, masks)
        distinct = min(len(tensors[f"row.{i}.greedy.ids"].unique()) for i in range(len(rows)))
        if gap > 1 and distinct >= 6:
            break
    folder = os.path.join(out, name)
    os.makedirs(folder, exist_ok=True)
    model.save_pretrained(folder)
    if keep_fused:
        weights = {key: value.contiguous() for key, value in model.state_dict().items()}
        save_file(weights, os.path.join(folder, "model.safetensors"), metadata={"format": "pt"})
    if os.path.exists(os.path.join(folder, "generation_config.json")):
        os.remove(os.path.join(folder, "generation_config.json"))
    torch.set_default_dtype(torch.float64)
    wide_model = AutoModelForCausalLM.from_config(config, attn_implementation="eager", experts_implementation="eager", dtype=torch.float64).eval()
    wide_model.load_state_dict(model.state_dict())
    wide, _ = compute(wide_model, rows, masks)
    torch.set_default_dtype(torch.float32)
    for side in ("right", "left"):
        tensors[f"input.{side}.ids"], tensors[f"input.{side}.mask"] = padded(rows, side == "left")
    tensors["input.lengths"] = torch.tensor([len(row) for row in rows])
    save_file({key: value.contiguous().clone() for key, value in tensors.items()}, os.path.join(folder, "golden.safetensors"))
    path = os.path.join(folder, "config.json")
    with open(path) as file:
        written = json.load(file)
    written.pop("transformers_version")
    for file_name, content in (("config.json", written), ("config.hub.json", hub_spelling(written)),
                               ("case.json", {"name": name, "seed": seed,
                                              "suggested_absolute_tolerance": tolerances(tensors, wide)})):
        with open(os.path.join(folder, file_name), "w") as file:
            json.dump(content, file, indent=1)
            file.write("\n")
    size = sum(os.path.getsize(os.path.join(folder, file)) for file in os.listdir(folder))
    print(f"{name}: seed {seed}, nearest choice {gap:.2f} of the least allowed, {size / 1e3:.0f} kB")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    for case in sys.argv[2:] or CASES:
        write_case(sys.argv[1], case)

#!/usr/bin/env python3
"""Reference logits of SmolLM2 for plumbline's parity tests, from transformers on the same dequantised weights.

The GGUF file is read and dequantised by the gguf package, the rows of q and k are put back into Hugging Face's order,
and everything is loaded into transformers' LlamaForCausalLM in float32.

  smollm2_logits.py golden MODEL.gguf OUT.json          writes the golden file of tests/golden/smollm2
  smollm2_logits.py compare MODEL.gguf PLUMBLINE        runs `PLUMBLINE inspect MODEL.gguf logits` and compares all logits

Needs torch, transformers, gguf and safetensors; none of them is part of plumbline's build or tests.
"""
import json
import subprocess
import sys
import tempfile

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from safetensors.numpy import load_file
from transformers import LlamaConfig, LlamaForCausalLM

TOLERANCE = 2e-3
NUM_TOP = 10


def prompts(vocab_size):
    """Id sequences without any text: a ramp, repeats, pseudo-random ids of several lengths, a single token."""
    rng = np.random.default_rng(20261)
    rows = [list(range(40, 72)), [1, 9690, 198] * 9, [17]]
    rows += [rng.integers(0, vocab_size, size=n).tolist() for n in (5, 33, 130, 400)]
    return rows


def field(reader, name):
    return reader.fields[name].contents()


def to_hf_rows(weight, num_heads):
    """Undoes the converter: rotary pairs that are neighbouring rows become the two halves of a head."""
    rows = weight.shape[0]
    return weight.reshape(num_heads, rows // num_heads // 2, 2, -1).swapaxes(1, 2).reshape(weight.shape)


def load_model(path):
    reader = GGUFReader(path)
    heads, kv_heads = field(reader, "llama.attention.head_count"), field(reader, "llama.attention.head_count_kv")
    config = LlamaConfig(
        vocab_size=field(reader, "llama.vocab_size"),
        hidden_size=field(reader, "llama.embedding_length"),
        intermediate_size=field(reader, "llama.feed_forward_length"),
        num_hidden_layers=field(reader, "llama.block_count"),
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=field(reader, "llama.context_length"),
        rms_norm_eps=field(reader, "llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": field(reader, "llama.rope.freq_base")},
        tie_word_embeddings=True,
        attn_implementation="eager",
        dtype="float32",
    )
    parts = {
        "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
        "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    }
    state = {}
    for tensor in reader.tensors:
        weight = dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        name = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}.get(tensor.name)
        if name is None:
            _, layer, part, kind = tensor.name.split(".")
            name = f"model.layers.{layer}.{parts[part]}.{kind}"
            if part in ("attn_q", "attn_k"):
                weight = to_hf_rows(weight, heads if part == "attn_q" else kv_heads)
        state[name] = torch.from_numpy(np.ascontiguousarray(weight))
    state["lm_head.weight"] = state["model.embed_tokens.weight"]
    model = LlamaForCausalLM(config)
    model.load_state_dict(state, strict=True)
    return model.eval()


@torch.no_grad()
def reference_logits(model, ids):
    return model(torch.tensor([ids])).logits[0].float().numpy()


@torch.no_grad()
def greedy(model, ids, count):
    return model.generate(torch.tensor([ids]), max_new_tokens=count, do_sample=False, eos_token_id=None,
                          pad_token_id=0)[0, len(ids):].tolist()


def write_golden(path, out):
    model = load_model(path)
    rows = []
    for ids in prompts(model.config.vocab_size):
        logits = reference_logits(model, ids)
        positions = sorted({0, len(ids) // 2, len(ids) - 1})
        row = {"ids": ids, "positions": []}
        for position in positions:
            top = np.argsort(-logits[position], kind="stable")[:NUM_TOP]
            log_total = float(torch.logsumexp(torch.from_numpy(logits[position]).double(), 0))
            row["positions"].append({"position": position, "top_ids": top.tolist(),
                                     "top_logits": [round(float(logits[position][i]), 6) for i in top],
                                     "logsumexp": round(log_total, 6)})
        rows.append(row)
    rows[0]["greedy"] = greedy(model, rows[0]["ids"], 24)
    with open(out, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def compare(path, plumbline):
    model = load_model(path)
    rows = prompts(model.config.vocab_size)
    worst = 0.0
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as out:
        lines = "".join(json.dumps(ids) + "\n" for ids in rows)
        subprocess.run([plumbline, "inspect", path, "logits", "--out", out.name], input=lines, text=True, check=True)
        ours = load_file(out.name)
    for index, ids in enumerate(rows):
        theirs = reference_logits(model, ids)
        difference = float(np.abs(ours[f"logits.{index}"] - theirs).max())
        print(f"prompt {index}: {len(ids)} tokens, largest difference {difference:.2e}, sd {theirs.std():.2f}")
        worst = max(worst, difference)
    print(f"largest difference {worst:.2e}, tolerance {TOLERANCE:.0e}")
    return 0 if worst <= TOLERANCE else 1


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("golden", "compare"):
        sys.exit(__doc__)
    sys.exit(write_golden(*sys.argv[2:]) if sys.argv[1] == "golden" else compare(*sys.argv[2:]))

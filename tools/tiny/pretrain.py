#!/usr/bin/env python3
"""Makes models/tiny: trains the tokenizer and the model on the corpus and writes the checkpoint.

    python3 tools/tiny/pretrain.py [--out FOLDER] [--seed 0]

One thread, float32, deterministic algorithms: the same command on the same machine and the versions of requirements.txt
gives the same bytes. About three minutes of one core.
"""

import argparse
import itertools
import json
import math
import os
import pathlib
import sys
import time

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

import corpus  # noqa: E402
import decoder  # noqa: E402
import tiny_tokenizer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEPS, BATCH, WARMUP = 900, 64, 100
LEARNING_RATE, FLOOR, BETAS, DECAY, CLIP = 6e-3, 0.05, (0.9, 0.98), 0.1, 1.0
POOL = 8  # batches of which the documents are sorted by length
STRIDE = 3
IGNORED = -100
TEMPLATE = ("{% for message in messages %}{{ message['content'] }}{% if message['role'] == 'assistant' %}"
            "{{ eos_token }}{% else %}{{ '\\n' }}{% endif %}{% endfor %}")


def encoded(tokenizer, eos, documents):
    """[(prompt ids, completion ids with the end token)]"""
    prompts = tokenizer.encode_batch_fast([made["prompt"] for made in documents])
    completions = tokenizer.encode_batch_fast([made["completion"] for made in documents])
    return [(prompt.ids, completion.ids + [eos]) for prompt, completion in zip(prompts, completions)]


def batches(tokenizer, eos, corpus_seed):
    """Rows of about one length go together; the order of the batches in a pool is turned by a fixed stride."""
    documents = corpus.documents(corpus_seed, STEPS * BATCH)
    while pool := list(itertools.islice(documents, BATCH * POOL)):
        rows = sorted(encoded(tokenizer, eos, pool), key=lambda row: len(row[0]) + len(row[1]))
        groups = [rows[i:i + BATCH] for i in range(0, len(rows), BATCH)]
        order = [i for start in range(STRIDE) for i in range(start, len(groups), STRIDE)]
        yield from (groups[i] for i in order)


def tensors(rows, eos):
    """ids_BT and the wanted next token of every position, IGNORED where it belongs to a prompt or to the padding."""
    longest = max(len(prompt) + len(completion) for prompt, completion in rows)
    ids = torch.full((len(rows), longest), eos)
    wanted = torch.full((len(rows), longest), IGNORED)
    for i, (prompt, completion) in enumerate(rows):
        whole = torch.tensor(prompt + completion)
        ids[i, :len(whole)] = whole
        wanted[i, len(prompt) - 1:len(whole) - 1] = whole[len(prompt):]
    return ids, wanted


def rate(step):
    if step < WARMUP:
        return (step + 1) / WARMUP
    done = (step - WARMUP) / (STEPS - WARMUP)
    return FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * done))


def train(tokenizer, seed, corpus_seed):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    eos = tokenizer.token_to_id(tiny_tokenizer.EOS)
    model = decoder.Decoder(tokenizer.get_vocab_size())
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0}],
                                  lr=LEARNING_RATE, betas=BETAS)
    num_tokens, start = 0, time.process_time()
    for step, batch in enumerate(batches(tokenizer, eos, corpus_seed)):
        ids, wanted = tensors(batch, eos)
        num_tokens += sum(len(prompt) + len(completion) for prompt, completion in batch)
        for group in optimizer.param_groups:
            group["lr"] = LEARNING_RATE * rate(step)
        loss = F.cross_entropy(model(ids).flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        if (step + 1) % 50 == 0:
            print("step {} loss {:.4f} tokens {} cpu {:.0f} s".format(
                step + 1, loss.item(), num_tokens, time.process_time() - start), file=sys.stderr, flush=True)
    return model


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def config(vocabulary, eos):
    """What transformers reads for Qwen3, with the numbers of decoder.py."""
    return {
        "architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "vocab_size": vocabulary,
        "hidden_size": decoder.WIDTH, "intermediate_size": decoder.MLP_WIDTH, "num_hidden_layers": decoder.LAYERS,
        "num_attention_heads": decoder.HEADS, "num_key_value_heads": decoder.HEADS, "head_dim": decoder.HEAD_SIZE,
        "hidden_act": "silu", "max_position_embeddings": decoder.CONTEXT, "rms_norm_eps": decoder.EPSILON,
        "rope_theta": decoder.ROPE_BASE, "rope_scaling": None, "attention_bias": False, "attention_dropout": 0.0,
        "tie_word_embeddings": True, "use_sliding_window": False, "sliding_window": None, "initializer_range": 0.02,
        "use_cache": True, "torch_dtype": "float32", "eos_token_id": eos, "pad_token_id": eos,
    }


def write(model, tokenizer, out):
    eos = tokenizer.token_to_id(tiny_tokenizer.EOS)
    out.mkdir(parents=True, exist_ok=True)
    save_file({name: p.detach().contiguous() for name, p in model.named_parameters()}, out / "model.safetensors",
              metadata={"format": "pt"})
    (out / "tokenizer.json").write_text(tokenizer.to_str(pretty=True) + "\n", encoding="utf-8")
    (out / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")
    write_json(out / "config.json", config(tokenizer.get_vocab_size(), eos))
    write_json(out / "generation_config.json", {"eos_token_id": eos, "pad_token_id": eos, "do_sample": False})
    write_json(out / "tokenizer_config.json", {
        "tokenizer_class": "PreTrainedTokenizerFast", "eos_token": tiny_tokenizer.EOS, "pad_token": tiny_tokenizer.EOS,
        "clean_up_tokenization_spaces": False, "model_max_length": decoder.CONTEXT})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "models" / "tiny")
    parser.add_argument("--seed", type=int, default=0, help="of the initial weights")
    parser.add_argument("--corpus-seed", type=int, default=corpus.DEFAULT_SEED)
    options = parser.parse_args()
    tokenizer = tiny_tokenizer.train(options.corpus_seed)
    write(train(tokenizer, options.seed, options.corpus_seed), tokenizer, options.out)


if __name__ == "__main__":
    main()

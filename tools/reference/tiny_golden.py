#!/usr/bin/env python3
"""What transformers makes of models/tiny: ids, rendered prompts, logits, greedy answers; float32, eager attention.

  tiny_golden.py write                 writes tests/golden/tiny/{tokens.jsonl,logits.json}
  tiny_golden.py compare PLUMBLINE     runs `PLUMBLINE inspect models/tiny tokens` and `... logits` on much more than that

Needs the packages of tools/tiny/requirements.txt; none of them is part of plumbline's build or tests.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "tiny"))

import numpy as np  # noqa: E402
import torch  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

import corpus  # noqa: E402

MODEL = ROOT / "models" / "tiny"
OUT = ROOT / "tests" / "golden" / "tiny"
TOLERANCE = 1e-4
NUM_TOP = 10
NUM_GREEDY = 44
NUM_TEXTS, NUM_TEXTS_COMPARED = 300, 20000
NUM_LOGITS, NUM_LOGITS_COMPARED = 12, 200
# What the model never saw must come apart into the same bytes, too.
ODD_TEXTS = ["", " ", "\n", "\n\n    \n", "Write f(x) that", "Write f(x)that", "def f(x):\n\tpass", "<eos>", "a<eos>b",
             "```python", "```python\n```python\n", "été – 日本語 🙂", "f(-12) == -345678", "  and then and then, then,then",
             "\r\n\u00a0x\u2028y", "abc123_def()", "((((x))))", "'\"\\", "\x00\x7f", " It should pass all tests.\n\n"]


def documents(count):
    return [made["prompt"] + made["completion"] for made in corpus.documents(corpus.DEFAULT_SEED, count)]


def load():
    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(MODEL, dtype=torch.float32, attn_implementation="eager").eval()
    return model, AutoTokenizer.from_pretrained(MODEL)


@torch.no_grad()
def logits_of(model, ids):
    return model(torch.tensor([ids])).logits[0].numpy()


def rendered(tokenizer, prompt):
    turns = [{"role": "user", "content": prompt.removesuffix("\n")}]
    return tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)


@torch.no_grad()
def greedy(model, ids):
    whole = model.generate(torch.tensor([ids]), max_new_tokens=NUM_GREEDY, do_sample=False)
    return whole[0, len(ids):].tolist()


def write():
    model, tokenizer = load()
    OUT.mkdir(parents=True, exist_ok=True)
    with open(OUT / "tokens.jsonl", "w", encoding="ascii") as file:
        for text in documents(NUM_TEXTS) + ODD_TEXTS:
            ids = tokenizer.encode(text, add_special_tokens=False)
            file.write(json.dumps({"text": text, "ids": ids, "decoded": tokenizer.decode(ids)}) + "\n")
    rows = []
    for made in corpus.documents(corpus.DEFAULT_SEED, NUM_LOGITS):
        text = rendered(tokenizer, made["prompt"])
        assert text == made["prompt"], text
        prompt_ids = tokenizer.encode(text, add_special_tokens=False)
        ids = prompt_ids + tokenizer.encode(made["completion"], add_special_tokens=False)
        logits, row = logits_of(model, ids), {"content": made["prompt"].removesuffix("\n"), "prompt_ids": prompt_ids,
                                              "ids": ids, "greedy": greedy(model, prompt_ids), "positions": []}
        for position in sorted({0, len(prompt_ids) - 1, len(ids) // 2, len(ids) - 1}):
            top = np.argsort(-logits[position], kind="stable")[:NUM_TOP]
            total = float(torch.logsumexp(torch.from_numpy(logits[position]).double(), 0))
            row["positions"].append({"position": position, "top_ids": top.tolist(),
                                     "top_logits": [round(float(logits[position][i]), 6) for i in top],
                                     "logsumexp": round(total, 6)})
        rows.append(row)
    (OUT / "logits.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="ascii")


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


def compare(plumbline):
    model, tokenizer = load()
    texts = documents(NUM_TEXTS_COMPARED) + ODD_TEXTS
    ours = subprocess.run([plumbline, "inspect", str(MODEL), "tokens"], input=lines(texts), text=True, check=True,
                          stdout=subprocess.PIPE).stdout.splitlines()
    different = sum(json.loads(line) != tokenizer.encode(text, add_special_tokens=False)
                    for line, text in zip(ours, texts, strict=True))
    print(f"token ids: {len(texts)} texts, {different} differ")
    rows = [tokenizer.encode(text, add_special_tokens=False) for text in texts[:NUM_LOGITS_COMPARED]]
    with tempfile.NamedTemporaryFile(suffix=".safetensors") as out:
        subprocess.run([plumbline, "inspect", str(MODEL), "logits", "--out", out.name], input=lines(rows), text=True,
                       check=True)
        found = load_file(out.name)
    worst = max(float(np.abs(found[f"logits.{i}"] - logits_of(model, ids)).max()) for i, ids in enumerate(rows))
    print(f"logits: {len(rows)} texts, largest difference {worst:.2e}, tolerance {TOLERANCE:.0e}")
    return 0 if different == 0 and worst <= TOLERANCE else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        write()
    elif len(sys.argv) == 3 and sys.argv[1] == "compare":
        sys.exit(compare(sys.argv[2]))
    else:
        sys.exit(__doc__)

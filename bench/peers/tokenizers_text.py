"""Encoding speed beside the tokenizers library, per core: the two run in turn, on the same texts.

    python bench/peers/tokenizers_text.py --bench build/release/bench/text_bench --tokenizer FOLDER... [--megabytes 10] [--rounds 5]

FOLDER holds a tokenizer.json (.gz too). Half of the text is repository text given with --corpus (default: this
repository's own sources and docs), half random Unicode (tools/reference/random_text.py), in documents of about 4 KB.
CPU seconds of one thread; the median over the rounds of each, and the ratio of the medians. Needs: pip install tokenizers.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools/reference"))
from random_text import random_text  # noqa: E402


def documents(corpus, num_bytes):
    rng = random.Random(20261)
    files = sorted(p for kind in ("*.h", "*.cc", "*.md", "*.py", "*.jsonl") for p in corpus.rglob(kind) if "build" not in p.parts)
    prose = "\n".join(p.read_text("utf-8", errors="replace") for p in files)
    out, size, at = [], 0, 0
    while size < num_bytes:
        plain = prose[at:at + 4000]
        at = at + 4000 if at + 4000 < len(prose) else 0
        mixed = ""
        while len(mixed.encode()) < 4000:
            mixed += random_text(rng)
        for text in (plain, mixed):
            out.append(text)
            size += len(text.encode())
    return out, size


def load(folder):
    path = pathlib.Path(folder)
    path = path / "tokenizer.json" if path.is_dir() else path
    data = path.read_bytes() if path.exists() else gzip.decompress(pathlib.Path(str(path) + ".gz").read_bytes())
    return tokenizers.Tokenizer.from_str(data.decode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bench", default="build/release/bench/text_bench")
    parser.add_argument("--tokenizer", nargs="+", required=True)
    parser.add_argument("--corpus", default=str(ROOT))
    parser.add_argument("--megabytes", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    texts, size = documents(pathlib.Path(arguments.corpus), int(arguments.megabytes * 1e6))
    print(f"tokenizers {tokenizers.__version__}; {size / 1e6:.1f} MB in {len(texts)} documents; MB/s per core, median of {arguments.rounds}")
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(text) + "\n" for text in texts))
        file.flush()
        for folder in arguments.tokenizer:
            ours, theirs = [], []
            for _ in range(arguments.rounds):
                done = subprocess.run([arguments.bench, folder, file.name], capture_output=True, text=True, check=True)
                ours.append(json.loads(done.stdout))
                peer = load(folder)
                start, tokens = time.process_time(), 0
                for text in texts:
                    tokens += len(peer.encode(text, add_special_tokens=False).ids)
                theirs.append(time.process_time() - start)
                if tokens != ours[-1]["tokens"]:
                    print(f"{folder}: {ours[-1]['tokens']} tokens here, {tokens} there")
                    return 1
            here = size / 1e6 / statistics.median(row["cpu_s"] for row in ours)
            there = size / 1e6 / statistics.median(theirs)
            print(f"{pathlib.Path(folder).name}: plumbline {here:.2f}, tokenizers {there:.2f}, ratio {here / there:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Random Unicode strings through a tokenizer and back, here and in the tokenizers library: ids and decoded text.

    python tools/reference/roundtrip_tokenizers.py --plumbline build/release/plumbline --count 100000 --seed 1 FOLDER...
    python tools/reference/roundtrip_tokenizers.py --count 1000 --seed 7 --write tests/parity/text/roundtrip_rows.jsonl.gz FOLDER...

--write stores, instead of comparing, what the library says: folder, text, and the start of the SHA-256 of the ids, joined
by spaces, and the decoded text behind a line feed. The tokenizer's own added tokens are mixed in, also in odd places. Needs: pip install tokenizers.
"""
import argparse
import gzip
import hashlib
import json
import pathlib
import random
import subprocess
import sys

import tokenizers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from random_text import random_text  # noqa: E402


def load(folder):
    path = pathlib.Path(folder) / "tokenizer.json"
    data = path.read_text("utf-8") if path.exists() else gzip.decompress(pathlib.Path(str(path) + ".gz").read_bytes()).decode()
    return json.loads(data), tokenizers.Tokenizer.from_str(data)


def strings(file, count, seed):
    rng = random.Random(seed)
    added = [token["content"] for token in file["added_tokens"]][:300]
    pieces = added + [token[:-1] for token in added[:20]] + [" " + token + " " for token in added[:20]]
    return [random_text(rng, pieces) for _ in range(count)]


def ask(binary, folder, flags, values):
    lines = "".join(json.dumps(value) + "\n" for value in values)
    done = subprocess.run([binary, "inspect", folder, "tokens", *flags], input=lines, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--plumbline", default="build/release/plumbline")
    parser.add_argument("--count", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", help="store the library's answers here instead of comparing")
    arguments = parser.parse_args()
    failed, stored = False, [{"made_with": f"tokenizers {tokenizers.__version__}", "count": arguments.count, "seed": arguments.seed}]
    for folder in arguments.folders:
        file, tokenizer = load(folder)
        texts = strings(file, arguments.count, arguments.seed)
        want = [encoding.ids for encoding in tokenizer.encode_batch(texts, add_special_tokens=False)]
        decoded = tokenizer.decode_batch(want, skip_special_tokens=False)
        if arguments.write:
            for text, ids, back in zip(texts, want, decoded, strict=True):
                answer = " ".join(map(str, ids)) + "\n" + back
                stored.append([pathlib.Path(folder).name, text, hashlib.sha256(answer.encode()).hexdigest()[:16]])
            continue
        got = ask(arguments.plumbline, folder, [], texts)
        back = ask(arguments.plumbline, folder, ["--decode"], want)
        wrong = [i for i in range(len(texts)) if got[i] != want[i] or back[i] != decoded[i]]
        exact = sum(a == b for a, b in zip(texts, decoded))
        print(f"{pathlib.Path(folder).name}: {len(texts) - len(wrong)} of {len(texts)} strings equal both ways ({sum(map(len, want))} ids; "
              f"{exact} strings come back unchanged)")
        for i in wrong[:5]:
            print(f"  {texts[i]!r}\n  want {want[i]} {decoded[i]!r}\n  got  {got[i]} {back[i]!r}")
        failed = failed or bool(wrong)
    if arguments.write:
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in stored)
        pathlib.Path(arguments.write).write_bytes(gzip.compress(lines.encode("ascii"), 9, mtime=0))
        print(f"{len(stored) - 1} rows written")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares character properties and Unicode forms with the tokenizers library over all code points.

    python tools/reference/compare_unicode.py --plumbline build/release/plumbline

Each part is put before the byte alphabet, so that the ids spell what it left of the text. Prints the code points that
differ, as ranges. Needs: pip install tokenizers.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import tokenizers
from tokenizers import Tokenizer
from tokenizers.pre_tokenizers import ByteLevel

BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def split(regex):
    return {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": False}


def parts():
    for regex in (r"\p{L}", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}", r"\p{N}", r"\p{Nd}", r"\p{P}", r"\p{S}", r"\p{M}",
                  r"\p{Han}", r"\p{Z}", r"\p{C}", r"\s", r"\S", r"\w", r"\W", r"\d", r"(?i:s)", r"(?i:k)", r"[^\s\p{L}\p{N}]", r"[^\p{L}\p{P}\p{S}]",
                  r"\P{L}", r"."):
        yield regex, None, split(regex)
    for kind in ("WhitespaceSplit", "Whitespace", "BertPreTokenizer"):
        yield kind, None, {"type": kind}
    yield "Punctuation", None, {"type": "Punctuation", "behavior": "Removed"}
    yield "Digits", None, {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, split(r"\A.\z")]}
    for kind in ("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt"):
        yield kind, {"type": kind}, None
    yield "Strip", {"type": "Strip", "strip_left": True, "strip_right": True}, None
    for name in ("single_word", "lstrip", "rstrip"):
        yield name, None, None


def make_file(name, normalizer, pre_tokenizer):
    chain = ([pre_tokenizer] if pre_tokenizer else []) + [BYTES]
    vocab = {character: i for i, character in enumerate(sorted(ByteLevel.alphabet()))}
    token = {"id": len(vocab), "content": "~~", "single_word": name == "single_word", "lstrip": name == "lstrip", "rstrip": name == "rstrip",
             "normalized": False, "special": False}
    added = [token] if normalizer is None and pre_tokenizer is None else []
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": normalizer,
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": chain}, "post_processor": None, "decoder": None,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": []}}


def ranges(points):
    out, start = [], None
    for at, point in enumerate(points):
        if start is None:
            start = point
        if at + 1 == len(points) or points[at + 1] != point + 1:
            out.append((start, point))
            start = None
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumbline", default="build/release/plumbline")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    points = [p for p in range(0x110000) if not 0xD800 <= p < 0xE000 and not 0x40000 <= p < 0xE0000 and not 0xE1000 <= p < 0x10F000]
    failed = 0
    print(f"tokenizers {tokenizers.__version__}, {len(points)} code points")
    with tempfile.TemporaryDirectory() as folder:
        for name, normalizer, pre_tokenizer in parts():
            if arguments.only and name != arguments.only:
                continue
            file = make_file(name, normalizer, pre_tokenizer)
            path = pathlib.Path(folder) / "tokenizer.json"
            path.write_text(json.dumps(file))
            around = ("~~", "~~") if file["added_tokens"] else ("a", "b") if normalizer or name in ("Digits", "Whitespace") else ("", "")
            texts = [around[0] + chr(p) + around[1] for p in points]
            want = [e.ids for e in Tokenizer.from_str(json.dumps(file)).encode_batch(texts, add_special_tokens=False)]
            lines = "".join(json.dumps(text) + "\n" for text in texts)
            done = subprocess.run([arguments.plumbline, "inspect", str(path), "tokens"], input=lines, capture_output=True, text=True)
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[0][:200]}")
                continue
            got = [json.loads(line) for line in done.stdout.splitlines()]
            wrong = [p for p, a, b in zip(points, want, got, strict=True) if a != b]
            failed += len(wrong)
            shown = " ".join(f"{a:X}" if a == b else f"{a:X}-{b:X}" for a, b in ranges(wrong))
            print(f"{name}: {len(wrong)} differ {shown[:2500]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Compares `plumbline inspect FILE tokens` with the tokenizers library on made-up tokenizer.json files.

    python tools/reference/fuzz_tokenizers.py --plumbline build/release/plumbline --count 2000 --seed 1
    python tools/reference/fuzz_tokenizers.py --count 60 --seed 7 --texts 12 --write tests/parity/text/tokenizer_rows.jsonl.gz

Every file is put together at random from normalizers, pre-tokenizers, decoders, post-processors, BPE options and added
tokens; ids (without and with the post-processor's tokens) and decoded text (with and without special tokens) must be
equal. --write stores files with what the library says, for the tests. Needs: pip install tokenizers.
"""
import argparse
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import tokenizers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from random_text import random_text  # noqa: E402

REGEXES = [  # as published checkpoints have them
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
    "[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[一-龥ࠀ-一가-퟿]+", r"\p{N}", r"\s+$",
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-Ֆ]+", "\\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\d", r"\d+",
    r" ?[^(\s|[.,!?…。，、।۔،])]+", r"^a|b$", r"\w+|[^\w\s]+", r"\S+", r"[\u4e00-\u9fa5]", r"\r?\n", r" {2,}", r"(?<=\d)\w", r"(a)(b)?", r"[^a-z]",
]
STRINGS = [" ", "▁", "  ", "a", "\n", "é", "<e>", "ab", "️", "-"]
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
WORDS = ["<e>", "<|im_end|>", "tok", "  ", "\t", "né", "ab", "<think>", " x", "y ", "中", "É", "ﬁ", "12", "🙂", "<unk>", "a"]


def chance(rng, p):
    return rng.random() < p


def pattern(rng):
    return {"Regex": rng.choice(REGEXES)} if chance(rng, .6) else {"String": rng.choice(STRINGS)}


def make_normalizer(rng, depth=0):
    kind = rng.choice(["NFC", "NFD", "NFKC", "NFKD", "Prepend", "Replace", "Replace", "Lowercase", "StripAccents", "Strip",
                       "ByteLevel", "Nmt", "Sequence"])
    if kind == "Prepend":
        return {"type": kind, "prepend": rng.choice(["▁", "x", " ", "é"])}
    if kind == "Replace":
        return {"type": kind, "pattern": pattern(rng), "content": rng.choice(["▁", "", " ", "ab"])}
    if kind == "Strip":
        return {"type": kind, "strip_left": chance(rng, .5), "strip_right": chance(rng, .5)}
    if kind == "Sequence":
        if depth > 1:
            return {"type": "NFC"}
        return {"type": kind, "normalizers": [make_normalizer(rng, depth + 1) for _ in range(rng.randint(0, 3))]}
    return {"type": kind}


BEHAVIORS = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]


def make_pre_tokenizer(rng, depth=0):
    kind = rng.choice(["Split", "Split", "Split", "ByteLevel", "ByteLevel", "Digits", "Metaspace", "Metaspace",
                       "Punctuation", "WhitespaceSplit", "Whitespace", "CharDelimiterSplit", "BertPreTokenizer",
                       "FixedLength", "Sequence", "Sequence"])
    if kind == "Split":
        return {"type": kind, "pattern": pattern(rng), "behavior": rng.choice(BEHAVIORS), "invert": chance(rng, .25)}
    if kind == "ByteLevel":
        return {"type": kind, "add_prefix_space": chance(rng, .4), "trim_offsets": chance(rng, .5), "use_regex": chance(rng, .6)}
    if kind == "Digits":
        return {"type": kind, "individual_digits": chance(rng, .5)}
    if kind == "Metaspace":
        made = {"type": kind, "replacement": rng.choice(["▁", "_"])}
        if chance(rng, .8):
            made.update(prepend_scheme=rng.choice(["always", "first", "never"]), split=chance(rng, .5))
        return made
    if kind == "Punctuation":
        return {"type": kind, "behavior": rng.choice(BEHAVIORS)}
    if kind == "CharDelimiterSplit":
        return {"type": kind, "delimiter": rng.choice(" -a")}
    if kind == "FixedLength":
        return {"type": kind, "length": rng.randint(1, 6)}
    if kind == "Sequence":
        if depth > 1:
            return {"type": "Digits", "individual_digits": True}
        return {"type": kind, "pretokenizers": [make_pre_tokenizer(rng, depth + 1) for _ in range(rng.randint(0, 4))]}
    return {"type": kind}


def make_decoder(rng, depth=0):
    kind = rng.choice(["ByteLevel", "Replace", "ByteFallback", "Fuse", "Strip", "Metaspace", "BPEDecoder", "Sequence", "Sequence"])
    if kind == "Replace":
        return {"type": kind, "pattern": pattern(rng), "content": rng.choice([" ", "", "ab"])}
    if kind == "Strip":
        return {"type": kind, "content": rng.choice([" ", "a", "▁"]), "start": rng.randint(0, 2), "stop": rng.randint(0, 2)}
    if kind == "Metaspace":
        return {"type": kind, "replacement": "▁", "prepend_scheme": rng.choice(["always", "first", "never"]), "split": chance(rng, .5)}
    if kind == "BPEDecoder":
        return {"type": kind, "suffix": rng.choice(["</w>", "@"])}
    if kind == "ByteLevel":
        return BYTE_LEVEL
    if kind == "Sequence":
        if depth > 1:
            return {"type": "Fuse"}
        return {"type": kind, "decoders": [make_decoder(rng, depth + 1) for _ in range(rng.randint(0, 4))]}
    return {"type": kind}


def make_post_processor(rng, added, depth=0):
    names = [token["content"] for token in added if token["special"]]
    if not names or chance(rng, .2):
        return {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True}
    if depth < 2 and chance(rng, .3):
        return {"type": "Sequence", "processors": [make_post_processor(rng, added, depth + 1) for _ in range(rng.randint(0, 3))]}
    ids = {token["content"]: token["id"] for token in added}
    if chance(rng, .2):
        a, b = rng.choice(names), rng.choice(names)
        made = {"type": rng.choice(["RobertaProcessing", "BertProcessing"]), "sep": [a, ids[a]], "cls": [b, ids[b]]}
        if made["type"] == "RobertaProcessing":
            made.update(trim_offsets=True, add_prefix_space=False)
        return made
    def special():
        return {"SpecialToken": {"id": rng.choice(names), "type_id": 0}}
    single = [special() for _ in range(rng.randint(0, 2))] + [{"Sequence": {"id": "A", "type_id": 0}}] + [special() for _ in range(rng.randint(0, 2))]
    return {"type": "TemplateProcessing", "single": single,
            "pair": single + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in names}}


FAMILIES = {  # the pipelines of published families around a small vocabulary
    "gpt2": (None, {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
             {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}, {}),
    "qwen": ({"type": "NFC"}, {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": REGEXES[1]}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}]}, BYTE_LEVEL, {}),
    "llama3": (None, {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": REGEXES[0]}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}, BYTE_LEVEL, {"ignore_merges": True}),
    "tekken": (None, {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": REGEXES[4]}, "behavior": "Isolated", "invert": False},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}, BYTE_LEVEL, {"ignore_merges": True}),
    "phi4": (None, {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": REGEXES[3]}, "behavior": "Removed", "invert": True},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}, BYTE_LEVEL, {}),
    "deepseek-v3": ({"type": "Sequence", "normalizers": []}, {"type": "Sequence", "pretokenizers": [
        *({"type": "Split", "pattern": {"Regex": REGEXES[i]}, "behavior": "Isolated", "invert": False} for i in (5, 6, 7)),
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}, BYTE_LEVEL, {}),
    "deepseek-llm": ({"type": "Sequence", "normalizers": []}, {"type": "Sequence", "pretokenizers": [
        *({"type": "Split", "pattern": {"Regex": REGEXES[i]}, "behavior": "Isolated", "invert": False} for i in (8, 14, 15, 13, 11)),
        {"type": "Digits", "individual_digits": True},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]}, BYTE_LEVEL, {}),
    "smollm": (None, {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}]}, BYTE_LEVEL, {}),
    "llama2": ({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        None, {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}, {"byte_fallback": True, "fuse_unk": True}),
    "mistral-v3": (None, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
        {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"},
        {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}, {"byte_fallback": True, "fuse_unk": True}),
    "gemma": ({"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False},
        {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}]},
        {"byte_fallback": True, "fuse_unk": True}),
}


def make_vocabulary(rng, normalizer, pre_tokenizer, model, texts):
    """Trains a small BPE behind the given parts, so that its merges are ones that happen."""
    affixes = {key: model[key] for key in ("continuing_subword_prefix", "end_of_word_suffix") if model[key]}
    trainee = Tokenizer(models.BPE(**affixes))
    around = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": normalizer,
              "pre_tokenizer": pre_tokenizer, "post_processor": None, "decoder": None,
              "model": json.loads(trainee.to_str())["model"]}
    trainee = Tokenizer.from_str(json.dumps(around))
    trainer = trainers.BpeTrainer(vocab_size=rng.choice([120, 400]), show_progress=False, limit_alphabet=rng.choice([60, 1000]), **affixes)
    trainee.train_from_iterator(texts, trainer)
    trained = json.loads(trainee.to_str())["model"]
    return trained["vocab"], trained["merges"]


def make_added(rng, vocab, count):
    added, next_id = [], max(vocab.values(), default=-1) + 1
    for content in rng.sample(WORDS, count):
        token = {"id": vocab.get(content), "content": content, "single_word": chance(rng, .25), "lstrip": chance(rng, .25),
                 "rstrip": chance(rng, .25), "normalized": chance(rng, .5), "special": chance(rng, .5)}
        if token["id"] is None:
            token["id"], next_id = next_id, next_id + 1
        added.append(token)
    return sorted(added, key=lambda token: token["id"])


def make_file(rng):
    model = {"type": "BPE", "dropout": rng.choice([None, None, None, 0.0]), "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": chance(rng, .4), "byte_fallback": chance(rng, .4), "ignore_merges": chance(rng, .3)}
    if chance(rng, .5):
        normalizer, pre_tokenizer, decoder, options = FAMILIES[rng.choice(list(FAMILIES))]
        model.update(options)
    else:
        normalizer = make_normalizer(rng) if chance(rng, .6) else None
        pre_tokenizer = make_pre_tokenizer(rng) if chance(rng, .8) else None
        decoder = make_decoder(rng) if chance(rng, .9) else None
        if chance(rng, .1):
            model["continuing_subword_prefix"] = rng.choice(["##", "", "é"])
        if chance(rng, .1):
            model["end_of_word_suffix"] = rng.choice(["</w>", "", "@"])
    vocab, merges = make_vocabulary(rng, normalizer, pre_tokenizer, model, [random_text(rng, WORDS) for _ in range(40)])
    next_id = max(vocab.values(), default=-1) + 1
    if model["byte_fallback"] and chance(rng, .8):
        for byte in range(256):
            if chance(rng, .98) and f"<0x{byte:02X}>" not in vocab:
                vocab[f"<0x{byte:02X}>"], next_id = next_id, next_id + 1
    if chance(rng, .5):
        model["unk_token"] = "<unk>"
        if "<unk>" not in vocab:
            vocab["<unk>"], next_id = next_id, next_id + 1
    if model["ignore_merges"]:
        for whole in (" the", "Ġthe", "▁the", "hello", "12"):
            if whole not in vocab:
                vocab[whole], next_id = next_id, next_id + 1
    if chance(rng, .5):
        merges = [" ".join(pair) for pair in merges if " " not in pair[0] + pair[1]]
    added = make_added(rng, vocab, rng.randint(0, 7))
    return {"version": "1.0",
            "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0} if chance(rng, .1) else None,
            "padding": {"strategy": {"Fixed": 9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0, "pad_token": "a"} if chance(rng, .1) else None,
            "added_tokens": added, "normalizer": normalizer, "pre_tokenizer": pre_tokenizer,
            "post_processor": make_post_processor(rng, added) if chance(rng, .5) else None, "decoder": decoder,
            "model": dict(model, vocab=vocab, merges=merges)}


def reference_rows(file, rng, num_texts):
    """What the library says; transformers turns truncation and padding of the file off, and so do we."""
    tokenizer = Tokenizer.from_str(json.dumps(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    size = tokenizer.get_vocab_size()
    rows = []
    for _ in range(num_texts):
        text = random_text(rng, WORDS)
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        mixed = ids if chance(rng, .7) else [rng.randrange(size) for _ in range(rng.randint(0, 12))]
        mixed = [id for id in mixed if tokenizer.id_to_token(id) is not None]
        rows.append({"text": text, "ids": ids, "special": tokenizer.encode(text).ids, "tokens": mixed,
                     "decoded": tokenizer.decode(mixed, skip_special_tokens=False), "shown": tokenizer.decode(mixed)})
    return rows


def ask(binary, path, flags, inputs):
    lines = "".join(json.dumps(value) + "\n" for value in inputs)
    done = subprocess.run([binary, "inspect", path, "tokens", *flags], input=lines, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(done.stderr.strip().split("\n")[0])
    return [json.loads(line) for line in done.stdout.split("\n")[:-1]]


def compare(binary, file, rows, path):
    path.write_text(json.dumps(file), encoding="utf-8")
    texts, tokens = [row["text"] for row in rows], [row["tokens"] for row in rows]
    for name, flags, inputs in (("ids", [], texts), ("special", ["--special"], texts), ("decoded", ["--decode"], tokens),
                                ("shown", ["--decode", "--skip-special"], tokens)):
        for row, got in zip(rows, ask(binary, str(path), flags, inputs), strict=True):
            if got != row[name]:
                return name, row, got
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plumbline", default="build/release/plumbline")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=25)
    parser.add_argument("--write", help="store the files and the library's answers here instead of comparing")
    parser.add_argument("--keep", help="folder for files that differ")
    arguments = parser.parse_args()
    refused, differing, equal, impossible, stored = {}, 0, 0, {}, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            rng = random.Random(f"{arguments.seed}.{number}")
            try:
                file = make_file(rng)
                rows = reference_rows(file, rng, arguments.texts)
            except BaseException as error:  # a Rust panic is a BaseException
                if isinstance(error, KeyboardInterrupt):
                    raise
                impossible.setdefault(f"{type(error).__name__}: {error}"[:100], []).append(number)
                continue
            if arguments.write:
                stored.append({"file": file, "rows": rows})
                continue
            try:
                difference = compare(arguments.plumbline, file, rows, pathlib.Path(folder) / "tokenizer.json")
            except RuntimeError as error:
                refused.setdefault(str(error).split(", ")[0][:150], []).append(number)
                continue
            if difference is None:
                equal += 1
                continue
            differing += 1
            name, row, got = difference
            print(f"{number}: {name}\n  text {row['text' if name in ('ids', 'special') else 'tokens']!r}\n  want {row[name]!r}\n  got  {got!r}")
            print("  " + json.dumps({k: v for k, v in file.items() if k not in ("model", "version")}, ensure_ascii=False)[:1500])
            print("  " + json.dumps({k: v for k, v in file["model"].items() if k not in ("vocab", "merges")}))
            if arguments.keep:
                (pathlib.Path(arguments.keep) / f"{arguments.seed}.{number}.json").write_text(json.dumps(file))
    if arguments.write:
        head = {"made_with": f"tokenizers {tokenizers.__version__}", "command": "tools/reference/fuzz_tokenizers.py " + " ".join(sys.argv[1:])}
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [head, *stored])
        pathlib.Path(arguments.write).write_bytes(gzip.compress(lines.encode("ascii"), 9, mtime=0))
        print(f"{len(stored)} files written")
        return 0
    print(f"tokenizers {tokenizers.__version__}: {equal} files equal ({arguments.texts} texts each), {differing} differ, "
          f"{sum(map(len, refused.values()))} refused, {sum(map(len, impossible.values()))} not taken by the library")
    for what, reasons in (("refused", refused), ("not taken", impossible)):
        for reason, numbers in sorted(reasons.items(), key=lambda item: -len(item[1])):
            print(f"  {what} {len(numbers)}x ({numbers[:3]}): {reason}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())

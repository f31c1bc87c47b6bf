#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into corpus/: small inputs that reach much of each parser. All made up here."""
import json
import pathlib
import struct

HERE = pathlib.Path(__file__).parent / "corpus"


def put(target, name, content):
    folder = HERE / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def tokenizer(**changes):
    base = {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": 8, "content": "<e>", "single_word": False, "lstrip": True, "rstrip": False,
                              "normalized": False, "special": True}],
            "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "fuse_unk": False, "byte_fallback": False,
                      "ignore_merges": False,
                      "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4, "1": 5, "2": 6, "<unk>": 7},
                      "merges": ["a b", "Ġ a"]}}
    base.update(changes)
    return json.dumps(base, ensure_ascii=False)


def tokenizers():
    split = {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"},
             "behavior": "Isolated", "invert": False}
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    put("tokenizer_json", "byte_level", tokenizer(
        normalizer={"type": "NFC"}, decoder=level,
        pre_tokenizer={"type": "Sequence", "pretokenizers": [split, {"type": "Digits", "individual_digits": True}, level]},
        post_processor={"type": "TemplateProcessing",
                        "single": [{"SpecialToken": {"id": "<e>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                        "pair": [], "special_tokens": {"<e>": {"id": "<e>", "ids": [8], "tokens": ["<e>"]}}}))
    put("tokenizer_json", "sentencepiece", tokenizer(
        normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
                                                         {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
        decoder={"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                                                   {"type": "ByteFallback"}, {"type": "Fuse"},
                                                   {"type": "Strip", "content": " ", "start": 1, "stop": 0}]},
        model={"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
               "vocab": {"<unk>": 0, "▁": 1, "a": 2, "b": 3, "ab": 4, "▁ab": 5, "<0x0A>": 6, "<0xFF>": 7},
               "merges": [["a", "b"], ["▁", "ab"]]}))
    put("tokenizer_json", "metaspace", tokenizer(
        pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False},
        decoder={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}))
    put("tokenizer_json", "punctuation", tokenizer(
        pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Punctuation", "behavior": "MergedWithPrevious"},
                                                             {"type": "Whitespace"}]},
        normalizer={"type": "Sequence", "normalizers": [{"type": "Lowercase"}, {"type": "Strip", "strip_left": True,
                                                                                "strip_right": True}]}))


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf_value(value):
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    kind = 8 if value and isinstance(value[0], str) else 5
    items = b"".join(text(item) if kind == 8 else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + items


def gguf(keys, tensors=(), version=3):
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    head += b"".join(text(key) + gguf_value(value) for key, value in keys.items())
    data = b""
    for name, shape, kind, content in tensors:
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", extent) for extent in shape)
        head += struct.pack("<IQ", kind, len(data))
        data += content + b"\0" * (-len(content) % 32)
    return head + b"\0" * (-len(head) % 32) + data


def ggufs():
    words = ["<unk>", "<s>", "</s>", "a", "b", "ab", "\u0120", "\u0120a"]
    put("gguf", "tensors", gguf({"general.architecture": "llama", "general.alignment": 32, "llama.rope.freq_base": 1e4},
                                [("token_embd.weight", (4, 2), 0, b"\0" * 32), ("blk.0.attn_q.weight", (32, 1), 8, b"\1" * 34),
                                 ("blk.0.ffn_up.weight", (32, 2), 2, b"\2" * 36), ("x", (3,), 1, b"\3" * 6)]))
    put("gguf", "gpt2_tokens", gguf({"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "qwen2",
                                     "tokenizer.ggml.tokens": words, "tokenizer.ggml.token_type": [2, 3, 3, 1, 1, 1, 1, 1],
                                     "tokenizer.ggml.merges": ["a b", "\u0120 a"], "tokenizer.ggml.eos_token_id": 2,
                                     "tokenizer.ggml.add_bos_token": False,
                                     "tokenizer.chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}"}))
    put("gguf", "llama_tokens", gguf({"tokenizer.ggml.model": "llama", "tokenizer.ggml.pre": "default",
                                      "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>", "<0x0A>", "a", "b", "ab", "\u2581"],
                                      "tokenizer.ggml.scores": [0, 0, 0, 0, -1, -2, -3, -4],
                                      "tokenizer.ggml.token_type": [2, 3, 3, 6, 1, 1, 1, 1],
                                      "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2}, version=2))


def safetensors(header, data):
    line = json.dumps(header).encode()
    line += b" " * (-len(line) % 8)
    return struct.pack("<Q", len(line)) + line + data


def small_files():
    put("safetensors", "two", safetensors({"__metadata__": {"format": "pt"},
                                           "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                                           "b": {"dtype": "BF16", "shape": [3], "data_offsets": [16, 22]}}, b"\1" * 22))
    put("safetensors", "scalar_and_empty", safetensors({"s": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
                                                        "e": {"dtype": "U8", "shape": [0, 4], "data_offsets": [8, 8]}},
                                                       b"\2" * 8))
    put("chat_template", "loop", "{{- bos_token }}{%- set ns = namespace(n=0, s='') %}{% for m in messages if m.content %}"
        "{%- set ns.n = ns.n + loop.index0 %}{{ '<' ~ m['role'] ~ '>\\n' + m.content | trim }}{{ loop.last }}"
        "{% if not loop.first and m.role in ['user', \"tool\"] %}{{ m.content[:1] }}{% elif loop.length > 3 %}{% continue %}"
        "{% else %}x{% endif %}{% endfor %}{% if add_generation_prompt %}{{ ns.n }}{% endif %}")
    put("chat_template", "macro", "{% macro show(v, depth=0) %}{% if v is mapping %}{% for k, w in v.items() %}{{ k }}:"
        "{{ show(w, depth + 1) }}{% endfor %}{% elif v is iterable and v is not string %}[{% for w in v %}{{ show(w) }}, "
        "{% endfor %}]{% else %}{{ v | tojson }}{% endif %}{% endmacro %}{{ show(tools) }}{{ tools | tojson(indent=2) }}")
    put("chat_template", "expressions", "{{ (1 + 2 * 3 - 4) // 2 % 3 }}{{ 2 ** 3 }}{{ 7 / 2 }}{{ 'a,b'.split(',') | join('-') | upper }}"
        "{{ messages | map(attribute='role') | list | length }}{{ messages | selectattr('role', 'equalto', 'user') | first }}"
        "{{ strftime_now('%d %b %Y') }}{{ range(3) | list }}{{ {'a': [1, none, true]} }}{{ 'x' if enable_thinking else 'y' }}"
        "{{ messages[0].content.replace('e', 'E').startswith('b') }}{{ messages[::-1][0] }}{{ 'abc'[-2:] }}{{ x is defined }}"
        "{{ raise_exception('no ' ~ messages | length) if tools is none }}{# done #}{% raw %}{{ }}{% endraw %}")
    put("preset", "short", "[model]\npath = \"x\"\n[data]\nproblems = 'p.jsonl'\n[train]\nlr = 1e-3\nbetas = [0.9, 0.99]\n")
    put("preset", "wide", "# comment\nrun.seed = 0x10\n[run]\narm = \"haar.2\"\nthreads = 1_0\n[model]\npath = \"\"\"\nm\"\"\"\n"
        "[data]\nproblems = \"p\"\nlimit = 3\n[rollout]\ntemperature = inf\n[steer]\nflavors = [\"A\", \"B\",]\n"
        "preserve_magnitude = false\n[probe]\nseeds = [0, 1]\narms = [\"vanilla\"]\n[grade]\ncpu_s = 2\n")
    put("preset", "dates", "a = 1979-05-27T07:32:00Z\nb = { c = [ {d = 1}, [2, 3.5] ] }\n[[e]]\nf = '''\n'x''''\n[e.g]\n\"h i\" = nan\n")
    rows = [{"id": "p1", "task": "code", "prompt": [{"role": "user", "content": "é"}], "reference": "r", "entry_point": "f",
             "tests": [{"args": [1, {"$tuple": [1.5, "a"]}], "expected": {"$dict": [[1, {"$float": "nan"}]]}}],
             "hint": {"variant": "asked", "tester_name": "t"}, "compare": "approx", "rel_tol": 1e-6},
            {"id": 7, "func_name": "Solution().m", "prompt": "p", "gt_answer": ["assert Solution().m(a = [1, 'x']) == -inf"]},
            {"task_id": "H/0", "prompt": "def f():\n", "entry_point": "f", "canonical_solution": " return 1",
             "test": "def check(c):\n    assert c() == 1\n"},
            {"id": "q", "family": "x", "split": "train", "entry_point": "g", "prompt": "p", "test": "assert g(2) == {1: (2,)}",
             "solution": "def g(x): return {1: (2,)}"}]
    put("problems", "formats", "".join(json.dumps(row) + "\n" for row in rows))
    put("problems", "big_int", json.dumps({"id": 1, "prompt": "p", "entry_point": "f", "tests":
                                           [{"kwargs": {"n": 10 ** 40}, "expected": {"$set": [1, 2]}}]}))
    put("completions", "two", '{"problem_id": 1, "sample": 0, "completion": "```python\\nx\\n```", "token_ids": [1, 2], '
        '"finish_reason": "stop"}\n\r\n\ufeff{"problem_id":"a","completion":"\\ud83d\\ude00","extra":[{}]}\n')
    put("python_literal", "value", "[1_000, -2.5e-3, r'\\n', '''a\nb''', set(), float('nan'), {1: (2,)}, {'x', None}, True, ()]")
    put("python_literal", "assert", "assert f(1, k={'a': (1,), 2: {3.5, None}}) == [\"\\u00e9\\x41\", -inf, frozenset({1})], 'why'")
    put("python_literal", "program", "# tests\nassert Solution().m(a = [1, 'x'],\n  b=math.inf) == u'y' 'z'\n\nassert Solution().m(0x1F) == 0b1\n")


if __name__ == "__main__":
    tokenizers()
    ggufs()
    small_files()

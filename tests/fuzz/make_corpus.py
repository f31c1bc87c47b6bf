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


def event(step, tag, value):
    """One TFRecord with a scalar; the checksums are CRC-32C, masked."""
    def crc(data):
        value = 0xFFFFFFFF
        for byte in data:
            value ^= byte
            for _ in range(8):
                value = value >> 1 ^ 0x82F63B78 if value & 1 else value >> 1
        value ^= 0xFFFFFFFF
        return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF)
    inner = b"\x0a" + bytes([len(tag)]) + tag + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + bytes([len(inner)]) + inner
    data = b"\x09" + struct.pack("<d", 1.0) + b"\x10" + bytes([step]) + b"\x2a" + bytes([len(summary)]) + summary
    length = struct.pack("<Q", len(data))
    return length + crc(length) + data + crc(data)


def doctor_files():
    row = {"problem_id": "p1", "family": "f", "prompt_hash": "h", "completion": "```python\nx\n```", "tokens": 3, "finish_reason": "stop",
           "outcome": "pass", "passed": True, "reward": 1.0, "hacked": False, "verdict": "accepted", "vsc": 1.0, "checks": 1,
           "steps": ["(x)*(sin(x)**2+cos(x)**2)*1"]}
    arm = {"n": 2, "pass_at_1": 0.5, "mean_reward": 0.0, "vsc": None}
    put("doctor", "eval_report", json.dumps({"schema": "eval.v1", "task": "step", "pin": {"temperature": "0.0"}, "split": {"seed": 1},
        "base": arm, "candidate": arm, "gates": [{"id": "powered", "passed": True, "value": 1, "threshold": 0.2}], "decision": "GO",
        "rows": {"base": [row, dict(row, problem_id=2)], "candidate": [row, dict(row, problem_id=2, passed=False)]}}))
    put("doctor", "harness", json.dumps({"benchmark": "b", "mode": "mock", "task": "code", "split": {"seed": 0, "familyIntersection": ["x"]},
        "base": {"n": 1, "passAt1": 0, "meanReward": -1}, "adapterScore": {"n": 1, "passAt1": 1.0}, "delta": {"passAt1": 1},
        "checks": {"contaminationFree": False}, "rows": {"base": [{"task_id": "a", "reward": -1, "detail": {"passed": False, "reason": "SyntaxError"}}]}}))
    put("doctor", "lm_eval", json.dumps({"results": {"t": {"exact_match,none": 0.25, "alias": "t"}}, "configs": {"t": {"metric_list": [{"metric": "exact_match"}],
        "generation_kwargs": {"do_sample": True}}}, "n-samples": {"t": {"effective": 4}}, "config": {"model_args": "pretrained=m,peft=a"}, "chat_template": None}))
    put("doctor", "lm_samples", json.dumps({"doc_id": 0, "arguments": {"gen_args_0": {"arg_0": "<|im_start|>q"}}, "resps": [["\ud83d\ude00 \\ a"]],
        "filtered_resps": ["[invalid]"], "filter": "f", "metrics": ["acc"], "acc": 0.0}) + "\n" + '{"doc_id": 1, "resps": [[-1.5, false]], "acc": NaN}\r\n{"doc_')
    put("doctor", "inspect", json.dumps({"version": 2, "status": "error", "eval": {"task": "t", "model": "m", "config": {"epochs": 2}}, "plan": {"config": {"temperature": 1}},
        "results": {"completed_samples": 1, "scores": [{"name": "s", "metrics": {"accuracy": {"value": 0.5}}}]},
        "samples": [{"id": 1, "epoch": 2, "target": ["x"], "output": {"completion": "c"}, "scores": {"s": {"value": "P"}}}]}))
    put("doctor", "trainer_state", '{"log_history": [{"step": 1, "reward": 0.5, "reward_std": NaN, "frac_reward_zero_std": "0.9"}, {"step": 2, "gt": -Infinity}]}')
    put("doctor", "table", json.dumps({"columns": ["step", "prompt"], "data": [[1, "[INST] q"], ["2", None]]}))
    put("doctor", "judges", json.dumps({"problem_id": "c", "judge": "a", "outcome": "not_supported", "reply": "{\"supported\": \"false\"}", "http_status": 200}) + "\n" +
        json.dumps({"item": "c", "verdicts": {"a": "tie", "b": "base"}}) + "\n" + json.dumps({"teacher": "t", "ok": False, "http_status": 404}) + "\n")
    put("doctor", "certificate", json.dumps({"passed": True, "top1_agreement": 0.98, "mean_kl": 0.01, "n_eval": 256, "eval_corpus": {"split": "train"}}))
    put("doctor", "log", "[rank0]: Traceback (most recent call last):\n[rank0]:   File x\n[rank0]: ValueError: Target modules {'a', 'b', \"c\"} not found\n"
        "5%|x| 1/9 [0:1<0:2]{'loss': 0.0, 'reward': '0.5', 'completions/clipped_ratio': 1e-1}\rstep:2 - critic/rewards/mean:0.1 - response_length/clip_ratio:0.9\n"
        "MoE: 8 experts, LoRA expert=0\nteacher call failed: HTTP 500\nkept 0\nerror: unrecognized arguments: -x\npass@1 0.5\n")
    put("doctor", "steps", "step\trew\tstd\tsprd\tgt\thack\n1\t0.5\t0.1\tF\t0.2\tnan\n2\t0.6\t0.1\tT\t0.2\t0.1\n")
    put("doctor", "events", event(1, b"train/reward", 0.5) + event(2, b"train/reward", 0.7))
    put("doctor", "decision", json.dumps({"verdict": "promote", "sourceReport": "x", "mappedMetrics": {"before": 0.1, "after": 0.2, "capabilityMetric": "meanReward"}}))


def answers():
    put("math", "plain", "1/2 x^2 + sin(2x) - log_2(8)\n.5*x**2+2 sin x cos x-3")
    put("math", "latex", "\\dfrac{\\sqrt[3]{x}}{1\\frac12} \\pm |x-3| \\cdot 10^{-3}\n\\left(a, b\\right] \\cup \\{1, 2\\}")
    put("math", "matrix", "\\begin{pmatrix}1 & \\pi\\\\ e & 50\\%\\end{pmatrix}\n12 \\text{ square cm}")
    put("math", "relations", "x = 5 \\text{ or } x \\geq 3!\n1,000 < y <= \\infty, \\binom{5}{2}")


def eval_reports():
    row = {"problem_id": "a", "family": "f", "prompt_hash": "p", "completion": "x", "tokens": 1, "finish_reason": "stop",
           "outcome": "pass", "passed": True, "reward": 1.0, "hacked": False}
    other = {**row, "problem_id": 2, "prompt_hash": "q", "finish_reason": "length", "outcome": "wrong", "passed": False,
             "reward": -1}
    step = {**row, "verdict": "accepted", "vsc": 0.5, "steps": ["a", "b"], "protected_passed": True}
    report = {"schema": "eval.v1", "task": "code", "metric": "pass_at_1", "model": "m", "adapter": "a",
              "pin": {"commit": "0285285240b5", "dirty": False, "temperature": 0.0, "metric": "pass_at_1", "decode": "greedy",
                      "libraries": {"x": "1"}, "num_generations": None},
              "split": {"n": 2, "seed": 0, "hash": "h", "family_overlap": []}, "base": {"n": 2, "pass_at_1": 0.5},
              "candidate": {"n": 2}, "gates": [{"id": "powered", "threshold": 0.1}],
              "preregistration": {"sha256": "00", "commit": None}, "rows": {"base": [row, other], "candidate": [other, row]}}
    put("eval_report", "plain", json.dumps(report))
    put("eval_report", "steps", json.dumps({**report, "task": "step", "rows": {"base": [step, other], "candidate": [step, other]}}))
    original = {"problem_id": 1, "reward": 1.0, "completion": "```x```", "detail": {"executed": True, "reason": "ok"}}
    put("eval_report", "original", json.dumps({
        "benchmark": "rlvr-adapter-heldout", "mode": "real", "task": "code", "model": "m", "split": {"seed": 1, "evalSealed": "s",
        "familyIntersection": []}, "base": {"passAt1": 1.0}, "adapterScore": {"meanReward": 1.0},
        "rows": {"base": [original], "adapter": [original]}}))


if __name__ == "__main__":
    answers()
    eval_reports()
    doctor_files()
    tokenizers()
    ggufs()
    small_files()

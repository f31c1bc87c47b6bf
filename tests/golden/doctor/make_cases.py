#!/usr/bin/env python3
"""Writes cases.jsonl.gz beside this file: the doctor's own cases, one a line.

    {"case", "files": {path: text}, "inputs": [paths], "must": [ids], "must_not": [ids] or "*", "verdict": [...],
     "near_miss_of": id or null}

"*" means every id that is not in "must". Texts that begin with "hex:" are bytes. All data is made here, by hand or by
rules that stand here; nothing is taken from other projects. Run it again after a change; it is deterministic.
"""
import gzip
import json
import os
import struct

CASES = []


def case(name, files, must=(), must_not="*", verdict=("suspect", "invalid"), near=None, inputs=None, map=None):
    CASES.append({"case": name, "files": files, "inputs": inputs or sorted(files), "must": list(must),
                  "must_not": must_not if must_not == "*" else list(must_not), "verdict": list(verdict),
                  "near_miss_of": near, "map": map or {}})


def healthy(name, files, near, may=(), **more):
    """Nothing above info; `may` names ids of info that are allowed."""
    case(name, files, (), "*" if not may else [], ["sound"], near, **more)


# --- our own reports -------------------------------------------------------------------------------------------------
CODE = "```python\ndef f(x):\n    return x + {}\n```\n"


def row(i, passed, text=None, tokens=20, cut=False, reward=None, hacked=False, prompt=None, **more):
    out = {"problem_id": f"p{i}", "family": f"fam{i % 7}", "prompt_hash": prompt or f"h{i:04d}",
           "completion": (f"Answer {i}.\n" + CODE.format(i)) if text is None else text, "tokens": tokens,
           "finish_reason": "length" if cut else "stop", "outcome": "pass" if passed else "wrong", "passed": passed,
           "reward": (1.0 if passed else -1.0) if reward is None else reward, "hacked": hacked}
    out.update(more)
    return out


def arm(rows, vsc=None):
    n = len(rows)
    return {"n": n, "pass_at_1": round(sum(r["passed"] for r in rows) / n, 4),
            "mean_reward": round(sum(r["reward"] for r in rows) / n, 4), "vsc": vsc,
            "reward_hack_count": sum(r["hacked"] for r in rows), "truncated": sum(r["finish_reason"] == "length" for r in rows)}


def report(base, candidate, seed=0, task="code", decision="NO-GO", gates=(), pins=None, vsc=(None, None), **more):
    pin = {"commit": "c0ffee", "dirty": False, "model_hash": "m1", "model_has_chat_template": True, "template_wrap": True,
           "max_new_tokens": 128, "decode": "greedy", "temperature": 0.0, "split_hash": "s1", "num_generations": 8}
    pin.update(pins or {})
    out = {"schema": "eval.v1", "task": task, "metric": "pass_at_1", "model": "lab/small-instruct", "adapter": f"a{seed}",
           "pin": pin, "split": {"n": len(base), "seed": seed, "family_overlap": []}, "base": arm(base, vsc[0]),
           "candidate": arm(candidate, vsc[1]), "paired": {"delta": 0}, "gates": list(gates), "decision": decision,
           "can_claim_agi": False, "rows": {"base": base, "candidate": candidate}}
    out.update(more)
    return out


def passes(n, k, offset=0, **more):
    """n rows of which k pass."""
    return [row(i, (i * 37 + offset) % n < k, **more) for i in range(n)]


def dump(value):
    return json.dumps(value)


def seeds(make, count=3):
    return {f"s{s}.eval.json": dump(make(s)) for s in range(count)}


def texts(rows, seed):
    for r in rows:
        r["completion"] += f"# seed {seed}"
    return rows


prose = "The function goes over the list and adds one to every element, then gives back what it collected."
case("zero-in-both-arms", {"r.json": dump(report([row(i, False, "I think the answer is no.", outcome="no_code") for i in range(40)],
     [row(i, False, "It could be yes.", outcome="no_code") for i in range(40)], task="math"))}, ["both_arms_zero"])
healthy("one-pass-in-each-arm", {"r.json": dump(report(passes(60, 1), passes(60, 1, 5)))}, "both_arms_zero")
case("zero-but-code-ran", {"r.json": dump(report(passes(60, 0), passes(60, 0)))}, ["floor_not_broken"], "*", ["sound"], "both_arms_zero")
healthy("zero-base-lives-elsewhere", {"r.json": dump(report(passes(60, 0), passes(60, 2)))}, "floor_not_broken")
case("prose-from-a-chat-model", {"r.json": dump(report([row(i, False, prose, outcome="no_code") for i in range(30)],
     [row(i, i < 3, prose if i >= 3 else None, outcome="no_code") for i in range(30)], pins={"template_wrap": False}))},
     ["template_missing"], ["both_arms_zero"])
healthy("raw-code-from-a-base-model", {"r.json": dump(report(
    [row(i, i % 3 == 0, f"    return x + {i}\n") for i in range(60)], [row(i, i % 3 != 1, f"    return x - {i}\n") for i in range(60)],
    pins={"template_wrap": False, "model_has_chat_template": False}, model="lab/small"))}, "template_missing")
healthy("unfenced-code-that-passes", {"r.json": dump(report(
    [row(i, i % 3 == 0, f"def f(x):\n    return x + {i}\n") for i in range(60)],
    [row(i, i % 3 != 1, f"def f(x):\n    return x - {i}\n") for i in range(60)]))}, "no_code_block")
case("prose-failures-with-template", {"r.json": dump(report(
    [row(i, i % 2 == 0, None if i % 2 == 0 else prose, outcome="pass" if i % 2 == 0 else "no_code") for i in range(60)],
    passes(60, 40)))}, ["no_code_block"], ["template_missing", "both_arms_zero", "truncation_confound"])
case("cut-base-failures", {"r.json": dump(report(
    [row(i, i >= 40, "```python\ndef f(x):\n    y = x" if i < 40 else None, tokens=128 if i < 40 else 30, cut=i < 40) for i in range(80)],
    passes(80, 78)))}, ["truncation_confound"], ["both_arms_zero", "unpaired", "unreadable"])
healthy("few-cut-rows-either-way", {"r.json": dump(report(
    [row(i, i % 3 == 0, cut=i % 20 == 0) for i in range(80)], [row(i, i % 3 != 1, cut=i % 20 == 3) for i in range(80)]))}, "truncation_confound")
case("metrics-differ", {**seeds(lambda s: report(texts(passes(60, 20), s), texts(passes(60, 40, s), s), s), 2),
     "s2.eval.json": dump(report(passes(60, 20), texts(passes(60, 40, 2), 2), 2, metric="vsc"))}, ["mixed_metric"], ["stale_copy", "unreadable"], ["invalid"])
healthy("two-tasks-two-metrics", {"a.json": dump(report(passes(60, 20), passes(60, 40))),
        "b.json": dump(report(passes(60, 30), passes(60, 50), task="concept", metric="over_abstain_rate"))}, "mixed_metric")
off = report(passes(48, 20), passes(48, 30))
off["candidate"]["pass_at_1"] = 0.6543
case("mean-not-of-its-rows", {"r.json": dump(off)}, ["impossible_value"], ["stale_copy", "unreadable"])
healthy("thirds-rounded-to-four-places", {"r.json": dump(report(passes(63, 21), passes(63, 47)))}, "impossible_value")
case("seed-copied", {**seeds(lambda s: report(passes(60, 20), texts(passes(60, 40, s), s), s), 2),
     "s2.eval.json": dump(report(passes(60, 20), texts(passes(60, 40, 1), 1), 2))}, ["stale_copy"], ["pin_mismatch", "unreadable"])
healthy("seeds-agree-by-chance", seeds(lambda s: report(passes(12, 3), texts(passes(12, 9), s), s)), "stale_copy")
def weighed(seed, digest):
    tree = report(passes(60, 20), texts(passes(60, 40, 1), 1), seed)
    tree["candidate_hash"] = digest * 64
    return tree
# Two trainings that answer few short items alike are no copies; the same weights under two seeds are.
healthy("other-weights-same-answers", {"s0.eval.json": dump(weighed(0, "a")), "s1.eval.json": dump(weighed(1, "b"))}, "stale_copy")
case("same-weights-two-seeds", {"s0.eval.json": dump(weighed(0, "a")), "s1.eval.json": dump(weighed(1, "a"))}, ["stale_copy"])
leaked = report(passes(60, 20), passes(60, 40))
leaked["split"]["prompt_overlap"] = ["prompt of t3"]
case("a-prompt-in-training-alone", {"r.json": dump(leaked)}, ["contamination"])
case("same-bytes-two-names", {"a.eval.json": dump(report(passes(60, 20), passes(60, 40))), "b.eval.json": dump(report(passes(60, 20), passes(60, 40)))},
     ["stale_copy"])
case("limits-differ", {**seeds(lambda s: report(passes(60, 20), texts(passes(60, 40, s), s), s), 2),
     "s2.eval.json": dump(report(passes(60, 20), texts(passes(60, 40, 2), 2), 2, pins={"max_new_tokens": 512}))}, ["pin_mismatch"], ["group_size_mixed"], ["invalid"])
healthy("split-follows-the-seed", {f"s{s}.json": dump(report(passes(60, 20, s), texts(passes(60, 40, s), s), s, task="invention",
        pins={"split_hash": f"split{s}"})) for s in range(3)}, "pin_mismatch")
case("group-sizes", {**seeds(lambda s: report(passes(60, 20), texts(passes(60, 40, s), s), s), 2),
     "s2.eval.json": dump(report(passes(60, 20), texts(passes(60, 40, 2), 2), 2, pins={"num_generations": 4}))}, ["group_size_mixed"], ["pin_mismatch"], ["invalid"])
healthy("group-sizes-of-two-tasks", {"a.json": dump(report(passes(60, 20), passes(60, 40))),
        "b.json": dump(report(passes(60, 30), passes(60, 50), task="invention", pins={"num_generations": 4}))}, "group_size_mixed")
case("sampled", {"r.json": dump(report(passes(60, 20), passes(60, 40), pins={"decode": "sample", "temperature": 1.0}))}, ["sampled_headline"])
healthy("sampled-many-an-item", {"rows.jsonl": "".join(dump({"problem_id": f"p{i}", "sample": s, "arm": a, "seed": 0, "temperature": 0.8,
        "prompt_hash": f"h{i}", "completion": f"{i} {s} {a}", "passed": (i + s) % (3 if a == "base" else 2) == 0}) + "\n"
        for a in ("base", "candidate") for i in range(30) for s in range(4))}, "sampled_headline")
gate = [{"id": "effect", "passed": True, "value": 0.1, "threshold": 0.03}]
step = lambda i, passed, verdict, reward, steps: row(i, passed, "STEP: ...", reward=reward, verdict=verdict, vsc=1.0 if passed else 0.5,
                                                     checks=len(steps), steps=steps)
deriv = lambda i: [f"{i}+1", f"1+{i}", f"{i + 1}"]
abst = report([step(i, i < 10, "accepted" if i < 10 else "abstain", 1.0 if i < 10 else 0.1, deriv(i)) for i in range(60)],
              [step(i, i < 10, "accepted" if i < 10 else "abstain", 1.0 if i < 10 else 0.22, deriv(i)) for i in range(60)],
              task="step", gates=gate, vsc=(None, None))
case("gate-fed-with-reward", {"r.json": dump(abst)}, ["mean_reward_headline"], ["answer_only", "overclaim"])
healthy("gate-fed-with-passes", {"r.json": dump(report(passes(60, 20), passes(60, 26), gates=[{"id": "effect", "passed": True, "value": 0.1, "threshold": 0.03}]))},
        "mean_reward_headline")
case("answers-without-steps", {"r.json": dump(report(
    [step(i, i < 10, "accepted" if i < 10 else "rejected", 1.0 if i < 10 else -1.0, deriv(i)) for i in range(60)],
    [step(i, i < 40, "accepted" if i < 40 else "rejected", 1.0 if i < 40 else -1.0, [f"{i + 1}"] * (1 + i % 3)) for i in range(60)], task="step"))}, ["answer_only"])
healthy("derivations", {"r.json": dump(report(
    [step(i, i < 10, "accepted" if i < 10 else "rejected", 1.0 if i < 10 else -1.0, deriv(i)) for i in range(60)],
    [step(i, i < 40, "accepted" if i < 40 else "rejected", 1.0 if i < 40 else -1.0, deriv(i)) for i in range(60)], task="step"))}, "answer_only")
no_text = report(passes(60, 20), passes(60, 40))
for r in no_text["rows"]["candidate"]:
    del r["completion"]
case("candidate-without-texts", {"r.json": dump(no_text)}, ["missing_completions"], ["stale_copy"])
healthy("one-empty-answer", {"r.json": dump(report(passes(60, 20), [row(0, False, "", outcome="no_code")] + passes(60, 40)[1:]))}, "missing_completions")
case("three-prompts", {"r.json": dump(report([row(i, i % 3 == 0, prompt=f"h{i % 3}") for i in range(30)], [row(i, i % 3 != 1, prompt=f"h{i % 3}") for i in range(30)]))},
     ["duplicate_prompts"], ["unpaired"])
healthy("samples-are-no-copies", {"rows.jsonl": "".join(dump({"problem_id": f"p{i}", "prompt_hash": f"h{i}", "completion": f"try {s} of {i}", "reward": (i * s) % 2, "passed": bool((i * s) % 2)}) + "\n"
        for i in range(20) for s in range(8))}, "duplicate_prompts")
powered = lambda tolerance: [{"id": "powered", "passed": True, "value": 0.3, "threshold": tolerance}]
case("tolerance-below-mde", {"r.json": dump(report(passes(30, 10), passes(30, 25), gates=powered(0.2)))}, ["underpowered"])
healthy("null-that-claims-nothing", {"r.json": dump(report(passes(30, 10), passes(30, 11)))}, "underpowered")
healthy("tolerance-met", {"r.json": dump(report(passes(200, 60), passes(200, 90), gates=powered(0.15)))}, "underpowered")
means = report(passes(60, 20), passes(60, 40))
del means["rows"]
case("means-only-report", {"r.json": dump(means)}, ["unpaired"], ["missing_completions", "impossible_value"])
other_ids = report(passes(60, 20), [dict(r, problem_id="q" + r["problem_id"]) for r in passes(60, 40)])
case("arms-on-other-items", {"r.json": dump(other_ids)}, ["unpaired"])
healthy("rows-in-another-order", {"r.json": dump(report(passes(60, 20), passes(60, 40)[::-1]))}, "unpaired")
case("paid-hacks-in-candidate", {"r.json": dump(report(passes(60, 20), [dict(r, hacked=i < 4, passed=i < 40, reward=1.0 if i < 40 else -1.0) for i, r in enumerate(passes(60, 40))]))},
     ["reward_hacks"], ["overclaim"], ["invalid"])
case("floored-hack-in-base", {"r.json": dump(report([dict(r, hacked=i == 0, passed=i > 0 and r["passed"], reward=-1.0 if i == 0 or not r["passed"] else 1.0) for i, r in enumerate(passes(60, 20))],
     passes(60, 40)))}, ["reward_hacks"], ["overclaim", "impossible_value"], ["sound"], "reward_hacks")
fail = [{"id": "effect", "passed": False, "value": 0.01, "threshold": 0.03}]
case("go-with-a-failed-gate", seeds(lambda s: report(passes(60, 20), texts(passes(60, 21, s), s), s, decision="GO", gates=fail)), ["overclaim"], ["stale_copy", "not_replicated"], ["invalid"])
healthy("no-go-with-a-failed-gate", {"r.json": dump(report(passes(60, 20), passes(60, 21), gates=fail))}, "overclaim")
case("families-overlap", {"r.json": dump(report(passes(60, 20), passes(60, 40), split={"n": 60, "seed": 0, "family_overlap": ["fam1"]}))}, ["contamination"], ["unpaired"], ["invalid"])
case("go-from-one-seed", {"r.json": dump(report(passes(60, 20), passes(60, 40), decision="GO"))}, ["not_replicated"], ["overclaim"])
healthy("go-from-three-seeds", seeds(lambda s: report(passes(60, 20), texts(passes(60, 40 + s, s), s), s, decision="GO")), "not_replicated")
case("everything-at-the-limit", {"r.json": dump(report([row(i, i % 2 == 0, tokens=128, cut=True) for i in range(40)], [row(i, i % 4 != 0, tokens=128, cut=i % 8 != 0) for i in range(40)]))},
     ["token_cap_suspected"], ["unreadable"])
healthy("a-third-at-the-limit", {"r.json": dump(report([row(i, i % 2 == 0, tokens=128 if i % 6 < 2 else 40, cut=i % 6 < 2) for i in range(60)], [row(i, i % 4 != 0, tokens=30) for i in range(60)]))},
        "token_cap_suspected")
case("base-zero-in-prose", {"r.json": dump(report([row(i, False, "no", outcome="no_code") for i in range(40)], passes(40, 20), task="math"))}, ["one_arm_zero"], ["both_arms_zero"])
healthy("base-zero-but-judged", {"r.json": dump(report(passes(40, 0), passes(40, 20)))}, "one_arm_zero")

# --- training and evaluation prompts ---------------------------------------------------------------------------------
rollouts = lambda prompt: "".join(dump({"step": 1, "group_id": i, "problem_id": f"t{i}", "sample": 0, "prompt": prompt(i), "completion": "x", "reward": 1.0, "advantage": 0.0}) + "\n" for i in range(20))
rows_with = lambda prompt: "".join(dump({"problem_id": f"p{i}", "arm": a, "seed": 0, "prompt": prompt(i), "completion": f"{a}{i}", "passed": i % (3 if a == "base" else 2) == 0}) + "\n" for a in ("base", "candidate") for i in range(20))
case("prompts-shared", {"rollouts.jsonl": rollouts(lambda i: f"Question {i}?"), "rows.jsonl": rows_with(lambda i: f"Question {i + 15}?")}, ["contamination"], ["template_mismatch"], ["invalid"])
healthy("prompts-apart", {"rollouts.jsonl": rollouts(lambda i: f"Question {i}?"), "rows.jsonl": rows_with(lambda i: f"Question {i + 100}?")}, "contamination")
chat = lambda i: f"<|im_start|>user\nQuestion {i}?<|im_end|>\n<|im_start|>assistant\n"
raw_eval = report(passes(60, 20), passes(60, 40), pins={"template_wrap": False})
case("trained-wrapped-evaluated-raw", {"rollouts.jsonl": rollouts(chat), "r.json": dump(raw_eval)}, ["template_mismatch"], ["contamination"], ["invalid"])
healthy("raw-texts-in-rollouts", {"rollouts.jsonl": rollouts(lambda i: f"Question {i}?"), "r.json": dump(report(passes(60, 20), passes(60, 40)))}, "template_mismatch")

# --- lm-evaluation-harness -------------------------------------------------------------------------------------------


def lm(n, accuracy, peft="", chat="{{ messages }}", **more):
    out = {"results": {"arith": {"alias": "arith", "exact_match,none": accuracy, "exact_match_stderr,none": 0.05}}, "configs": {"arith": {
        "task": "arith", "metric_list": [{"metric": "exact_match", "aggregation": "mean"}], "generation_kwargs": {"do_sample": False}, "repeats": 1}},
        "n-shot": {"arith": 0}, "n-samples": {"arith": {"original": n, "effective": n}},
        "config": {"model": "hf", "model_args": "pretrained=lab/small-instruct" + (",peft=" + peft if peft else ""), "gen_kwargs": None},
        "lm_eval_version": "0.4.8", "chat_template": chat}
    out.update(more)
    return dump(out)


def lm_rows(n, k, prompt=lambda i: f"What is {i}+1?"):
    return "".join(dump({"doc_id": i, "doc": {"q": i}, "target": str(i + 1), "arguments": {"gen_args_0": {"arg_0": prompt(i), "arg_1": {}}},
                         "resps": [[f"It is {i}."]], "filtered_resps": [str(i)], "filter": "none", "metrics": ["exact_match"],
                         "doc_hash": f"d{i}", "prompt_hash": f"h{i}", "exact_match": 1.0 if i < k else 0.0}) + "\n" for i in range(n))


def lm_pair(n, base, candidate, **more):
    return {"base/results_1.json": lm(n, base / n, **more), "base/samples_arith_1.jsonl": lm_rows(n, base),
            "cand/results_2.json": lm(n, candidate / n, "a0"), "cand/samples_arith_2.jsonl": lm_rows(n, candidate)}


healthy("lm-eval-pair", lm_pair(80, 20, 44), "unpaired", inputs=["base", "cand"])
case("lm-eval-off-grid", {"results_1.json": lm(40, 0.333)}, ["impossible_value"], ["unpaired"])
case("lm-eval-stale-figure", {"results_1.json": lm(40, 0.5), "samples_arith_1.jsonl": lm_rows(40, 10)}, ["impossible_value"], ["unpaired", "missing_completions"])
healthy("lm-eval-choices-have-no-text", {"results_1.json": lm(40, 0.25), "samples_arith_1.jsonl": "".join(dump({"doc_id": i, "arguments": [[f"q{i}", " a"], [f"q{i}", " b"]],
        "resps": [[[-1.5, False]], [[-2.5, True]]], "filtered_resps": [[-1.5, False], [-2.5, True]], "filter": "none", "metrics": ["exact_match"], "prompt_hash": f"h{i}",
        "exact_match": 1.0 if i < 10 else 0.0}) + "\n" for i in range(40))}, "missing_completions")
case("lm-eval-template-differs", lm_pair(80, 20, 44, chat=None), ["pin_mismatch"], ["unpaired"], ["invalid"], inputs=["base", "cand"])
case("lm-eval-two-results-alone", {"base/results_1.json": lm(80, 0.25), "cand/results_2.json": lm(80, 0.5, "a0")}, ["unpaired"], ["impossible_value"])
healthy("lm-eval-one-result-alone", {"results_1.json": lm(80, 0.25)}, "unpaired")

# --- inspect_ai ------------------------------------------------------------------------------------------------------


def inspect(n, k, temperature=None, epochs=1):
    return dump({"version": 2, "status": "success", "eval": {"task": "sums", "model": "openai/m", "dataset": {"name": "sums", "samples": n},
                 "config": {"epochs": epochs}, "model_generate_config": {"temperature": temperature} if temperature is not None else {}}, "plan": {"config": {}},
                 "results": {"completed_samples": n, "scores": [{"name": "match", "metrics": {"accuracy": {"name": "accuracy", "value": k / n}}}]},
                 "samples": [{"id": i, "epoch": 1, "input": f"{i}+1?", "target": "x", "output": {"completion": f"is {i}", "choices": [{"stop_reason": "stop"}]},
                              "scores": {"match": {"value": "C" if i < k else "I", "answer": "x"}}} for i in range(n)]})


healthy("inspect-greedy", {"log.json": inspect(50, 20, 0)}, "sampled_headline")
case("inspect-sampled", {"log.json": inspect(50, 20, 0.7)}, ["sampled_headline"], ["unreadable", "missing_completions"])
case("inspect-two-logs-one-run", {"a.json": inspect(50, 20, 0), "b.json": inspect(50, 20, 0)}, ["stale_copy"])

# --- training logs ---------------------------------------------------------------------------------------------------


def trl(points, **constant):
    history = [dict({"step": i + 1, "loss": 0.0, **constant}, **p) for i, p in enumerate(points)]
    return dump({"global_step": len(points), "log_history": history})


wave = lambda i: 0.02 * ((i * 7) % 5 - 2)
ramp = lambda i, n, a, b: a + (b - a) * min(max((i - n / 3) / (n / 3), 0), 1)
case("hinted-rises-truth-stays", {"trainer_state.json": trl([{"reward": ramp(i, 60, .4, 2.5), "reward_std": .8, "rewards/hinted_pass/mean": ramp(i, 60, .05, .9) + wave(i), "rewards/ground_truth_pass/mean": .2 + wave(i)} for i in range(60)])},
     ["reward_hacking_onset"], ["dead_gradient"])
healthy("hinted-and-truth-rise", {"trainer_state.json": trl([{"reward": ramp(i, 60, .4, 2.5), "reward_std": .8, "rewards/hinted_pass/mean": ramp(i, 60, .05, .9) + wave(i), "rewards/ground_truth_pass/mean": ramp(i, 60, .05, .85) + wave(i)} for i in range(60)])},
        "reward_hacking_onset")
healthy("length-drifts-reward-flat", {"trainer_state.json": trl([{"reward": .5 + wave(i), "reward_std": .4, "rewards/ground_truth_pass/mean": .3 + wave(i), "completions/mean_length": 50 + 5 * i} for i in range(60)])}, "reward_hacking_onset")
case("reward-rises-truth-falls", {"metrics.jsonl": "".join(dump({"step": i, "reward": ramp(i, 40, .2, 1.4) + wave(i), "reward_std": .5, "gt": ramp(i, 40, .4, .2) + wave(i)}) + "\n" for i in range(40))}, ["reward_hacking_onset"])
case("no-spread-from-the-start", {"trainer_state.json": trl([{"reward": .01, "reward_std": .01, "frac_reward_zero_std": .9 + wave(i)} for i in range(30)])}, ["dead_gradient"])
healthy("spread-goes-as-it-is-solved", {"trainer_state.json": trl([{"reward": ramp(i, 60, .2, .98), "reward_std": ramp(i, 60, .4, .005), "frac_reward_zero_std": ramp(i, 60, .1, .95)} for i in range(60)])}, "dead_gradient")
case("spread-collapses-without-success", {"trainer_state.json": trl([{"reward": .2 + wave(i) / 10, "reward_std": ramp(i, 60, .4, .004)} for i in range(60)])}, ["dead_gradient"])
case("clipped-throughout", {"trainer_state.json": trl([{"reward": .2, "reward_std": .4, "completions/clipped_ratio": .9, "clip_ratio/high_mean": 0.0} for i in range(20)])}, ["token_cap_suspected"])
healthy("policy-clip-is-no-length", {"trainer_state.json": trl([{"reward": .2, "reward_std": .4, "completions/clipped_ratio": .05, "clip_ratio/high_mean": .9} for i in range(20)])}, "token_cap_suspected")
case("verl-text-clipped", {"train.log": "".join(f"(TaskRunner pid=9) step:{i} - critic/rewards/mean:0.21 - response_length/mean:511.0 - response_length/clip_ratio:0.97 - actor/pg_loss:0.01\n" for i in range(1, 12))}, ["token_cap_suspected"], ["unreadable"])
case("verl-lines-clipped", {"exp.jsonl": "".join(dump({"step": i, "data": {"critic/rewards/mean": .2, "response_length/clip_ratio": .9, "response_length/mean": 500}}) + "\n" for i in range(12))}, ["token_cap_suspected"])
healthy("verl-text-fine", {"train.log": "".join(f"step:{i} - critic/rewards/mean:0.{20 + i} - response_length/mean:311.0 - response_length/clip_ratio:0.02 - prompt_length/clip_ratio:0.99\n" for i in range(1, 12))}, "token_cap_suspected")
case("openrlhf-truncated", {"train.log": "".join("Global step %d: {'policy_loss': 0.01, 'reward': 0.2, 'response_length': 900.0, 'truncated': 0.8}\n" % i for i in range(12))}, ["token_cap_suspected"])

nan = float("nan")
# A training that dies at step 21, as each of its writers would log it. Python writes NaN and Infinity into JSON.
dies = lambda i, good, bad=nan: good if i < 20 else bad
case("loss-nan-in-trainer-state", {"trainer_state.json": trl([{"loss": dies(i, .2), "reward": .2 + wave(i), "reward_std": .4} for i in range(40)])}, ["nonfinite_figures"], verdict=["invalid"])
case("only-losses-and-all-nan", {"trainer_state.json": trl([{"loss": nan} for i in range(5)])}, ["nonfinite_figures"], verdict=["invalid"])
case("reward-infinite-in-json-lines", {"metrics.jsonl": "".join(dump({"step": i + 1, "reward": dies(i, .2, float("-inf")), "loss": .1}) + "\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("nan-as-a-string", {"metrics.jsonl": "".join(dump({"step": i + 1, "reward": .2, "train/loss": dies(i, .1, "NaN")}) + "\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("kl-nan-in-verl-lines", {"exp.jsonl": "".join(dump({"step": i + 1, "data": {"critic/rewards/mean": .2, "actor/ppo_kl": dies(i, .01)}}) + "\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("loss-nan-in-a-supervised-log", {"train.log": "".join(f"{{'loss': {dies(i, .7)}, 'grad_norm': {dies(i, 1.1)}, 'learning_rate': 1e-05, 'epoch': {i / 10}}}\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("loss-nan-in-verl-text", {"train.log": "".join(f"step:{i + 1} - critic/rewards/mean:0.21 - response_length/mean:211.0 - actor/pg_loss:{dies(i, .01)}\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("loss-nan-in-steps-table", {"steps.tsv": "step\trew\tloss\n" + "".join(f"{i + 1}\t0.2\t{dies(i, .1)}\n" for i in range(40))}, ["nonfinite_figures"], verdict=["invalid"])
case("one-loss-nan-and-back", {"trainer_state.json": trl([{"loss": nan if i == 20 else .2, "reward": .2 + wave(i), "reward_std": .4} for i in range(40)])}, ["nonfinite_figures"], verdict=["suspect"])
healthy("gradient-norms-that-half-precision-skips", {"trainer_state.json": trl([{"grad_norm": float("inf") if i in (3, 4, 17, 39) else 1.2, "reward": .2 + wave(i), "reward_std": .4} for i in range(40)])}, "nonfinite_figures")
case("gradient-norms-never-back", {"trainer_state.json": trl([{"grad_norm": dies(i, 1.2), "reward": .2 + wave(i), "reward_std": .4} for i in range(40)])}, ["nonfinite_figures"], verdict=["invalid"])
healthy("what-is-no-figure-of-the-training", {"trainer_state.json": trl([{"loss": .2, "reward": .2 + wave(i), "reward_std": .4, "rewards/rare/mean": nan, "eval_loss": nan, "entropy": nan} for i in range(40)])}, "nonfinite_figures")
healthy("not-measured-in-steps-table", {"steps.tsv": "step\trew\tloss\tkl\n" + "".join(f"{i + 1}\t{'nan' if i == 7 else 0.2}\t0.1\tnan\n" for i in range(40))}, "nonfinite_figures")
healthy("words-that-begin-like-nan", {"train.log": "loss: nancy\nloss info: infinite patience\n" + "".join(f"step {i} reward 0.2 reward_std 0.4 loss 0.1\n" for i in range(1, 9))}, "nonfinite_figures")


def crc(data):
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ 0x82F63B78 if n & 1 else n >> 1
        table.append(n)
    value = 0xFFFFFFFF
    for byte in data:
        value = table[(value ^ byte) & 255] ^ value >> 8
    value ^= 0xFFFFFFFF
    return ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    length = struct.pack("<Q", len(data))
    return length + struct.pack("<I", crc(length)) + data + struct.pack("<I", crc(data))


def scalar_event(step, tag, value):
    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data
    inner = field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
    return record(b"\x09" + struct.pack("<d", 1.0) + b"\x10" + bytes([step]) + field(5, field(1, inner)))


events = b"".join(scalar_event(i, "train/completions/clipped_ratio", 0.9) for i in range(1, 20))
case("tensorboard-clipped", {"events.out.tfevents.1.host": "hex:" + events.hex()}, ["token_cap_suspected"], ["unreadable"])
case("tensorboard-loss-nan", {"events.out.tfevents.1.host": "hex:" + b"".join(scalar_event(i, "train/loss", 0.1 if i < 9 else nan) for i in range(1, 20)).hex()}, ["nonfinite_figures"], verdict=["invalid"])
healthy("tensorboard-fine", {"events.out.tfevents.1.host": "hex:" + b"".join(scalar_event(i, "train/completions/clipped_ratio", 0.1) for i in range(1, 20)).hex()}, "token_cap_suspected")
case("tensorboard-damaged", {"events.out.tfevents.1.host": "hex:" + (events[:30] + b"\x00\x01" + events[32:]).hex()}, ["unreadable"], [], ["invalid"])

# --- logs as text ----------------------------------------------------------------------------------------------------
case("letters-as-targets", {"train.log": "ValueError: Target modules {'q', '_', 'p', 'r', 'o', 'j'} not found in the base model.\n"}, ["target_modules_literal"], ["experts_not_adapted"])
case("targets-missing", {"train.log": "Traceback (most recent call last):\n  File \"t.py\", line 1\nValueError: Target modules {'q_proj', 'o_proj'} not found in the base model.\n"},
     ["config_error_in_log"], ["target_modules_literal"], near="target_modules_literal")
case("killed-then-number", {"job.log": "step 1 reward 0.2 reward_std 0.4\ntorch.cuda.OutOfMemoryError: CUDA out of memory.\nevaluating runs/old\naccuracy: 0.71\n"}, ["config_error_in_log"], ["unreadable"])
healthy("error-then-training-goes-on", {"job.log": "Traceback (most recent call last):\n  File \"dl.py\", line 9\nConnectionError: reset\nretrying\n" + "".join(f"step {i} reward 0.{i} reward_std 0.4\n" for i in range(1, 6)) + "accuracy: 0.71\n"}, "config_error_in_log")
case("experts-left-out", {"train.log": "model Mixtral-8x7B: 8 experts\nLoRA targets: attn=128 expert=0 total=128\n"}, ["experts_not_adapted"])
healthy("dense-model-has-no-experts", {"train.log": "model lab/small\nLoRA targets: attn=96 expert=0 total=96\nstep 1 reward 0.1 reward_std 0.3\n"}, "experts_not_adapted")
case("teacher-silent", {"gen.log": "".join(f"teacher call failed (item {i}): HTTP 500\n" for i in range(5)) + "done: kept 0 of 5\n"}, ["teacher_all_failed"], ["judge_outage"])
healthy("teacher-answers-but-fails", {"gen.log": "".join(f"teacher call ok (item {i})\n" for i in range(5)) + "teacher call failed (item 9): HTTP 500\ndone: kept 0 of 6\n"}, "teacher_all_failed")

# --- judges, certificates, modules -----------------------------------------------------------------------------------


def verdict(i, judge, outcome, reply=None, status=200):
    reply = reply if reply is not None else dump({"supported": outcome == "supported"})
    return dump({"problem_id": f"c{i}", "arm": "candidate", "judge": judge, "outcome": outcome, "http_status": status, "reply": reply}) + "\n"


vote = lambda yes: "supported" if yes else "not_supported"
case("judge-refused", {"v.jsonl": "".join(verdict(i, "a", "not_supported", "", 403) for i in range(40))}, ["judge_outage"], [], ["invalid"])
healthy("judges-agree", {"v.jsonl": "".join(verdict(i, "a", vote(i % 3 == 0)) + verdict(i, "b", vote(i % 3 == 0 or i % 17 == 0)) for i in range(60))}, "judge_disagreement")
healthy("one-failed-call-of-a-hundred", {"v.jsonl": "".join(verdict(i, "a", "transport_error" if i == 5 else vote(i % 3 == 0), "" if i == 5 else None, 500 if i == 5 else 200) for i in range(100))}, "judge_outage")
case("judges-at-odds", {"v.jsonl": "".join(verdict(i, "a", vote(i % 2 == 0)) + verdict(i, "b", vote(i % 3 == 0)) for i in range(60))}, ["judge_disagreement"], ["one_arm_zero", "judge_outage"])
case("judge-never-supports", {"v.jsonl": "".join(verdict(i, "a", "not_supported") + verdict(i, "b", vote(i % 2 == 0)) for i in range(60))}, ["one_arm_zero"], ["judge_outage"], ["invalid"])
healthy("both-judges-rarely-support", {"a.json": dump({"schema": "judge.v1", "judge": "a", "items": 60, "items_hash": "x", "supported": 0, "not_supported": 60}),
        "b.json": dump({"schema": "judge.v1", "judge": "b", "items": 60, "items_hash": "x", "supported": 2, "not_supported": 58})}, "one_arm_zero")
cert = lambda **more: dump({"passed": True, "mean_kl": .01, "top1_agreement": .99, "protected_max_kl": .05, "protected_min_agreement": .98, "n_eval": 8192, "lora_modules_merged": 8,
                            "eval_corpus": {"path": "held.jsonl", "sha256": "aa", "split": "heldout"}, "train_corpus": {"path": "train.jsonl", "sha256": "bb"}, **more})
case("cert-fails", {"c.json": cert(mean_kl=.2)}, ["quant_cert_failed"])
healthy("cert-at-its-thresholds", {"c.json": cert(mean_kl=.05, protected_max_kl=.1, protected_min_agreement=.95)}, "quant_cert_failed")
case("cert-on-train-split", {"c.json": cert(eval_corpus={"path": "x", "sha256": "cc", "split": "train"})}, ["cert_on_training_data"])
case("cert-on-200-positions", {"c.json": cert(n_eval=200, top1_agreement=.98)}, ["cert_on_training_data"], ["quant_cert_failed"])
healthy("cert-small-but-clear", {"c.json": cert(n_eval=2000, top1_agreement=.995)}, "cert_on_training_data")
case("nothing-merged", {"c.json": cert(lora_modules_merged=0)}, ["experts_not_adapted"])
healthy("some-experts-adapted", {"m.json": dump([{"name": f"l.{i}.mlp.experts.{e}.up", "adapted": e == 0} for i in range(2) for e in range(4)] + [{"name": "l.0.attn.q", "adapted": True}])}, "experts_not_adapted")

# --- files that are not what they seem -------------------------------------------------------------------------------
case("error-page", {"r.json": "<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"}, ["unreadable"], [], ["invalid"])
case("lfs-pointer", {"r.jsonl": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"}, ["unreadable"], [], ["invalid"])
case("cut-document", {"r.json": dump(report(passes(60, 20), passes(60, 40)))[:-900]}, ["unreadable"], [], ["invalid"])
case("nan-in-a-report", {"r.json": dump(report(passes(60, 20), passes(60, 40))).replace('"pass_at_1": 0.3333', '"pass_at_1": NaN')}, ["unreadable"], ["impossible_value"], ["invalid"])
case("key-twice", {"r.json": dump(report(passes(60, 20), passes(60, 40))).replace('"decision": "NO-GO"', '"decision": "NO-GO", "decision": "GO"')}, ["unreadable"], ["overclaim"], ["invalid"])
healthy("key-twice-same-value", {"r.json": dump(report(passes(60, 20), passes(60, 40))).replace('"decision": "NO-GO"', '"decision": "NO-GO", "decision": "NO-GO"')}, "unreadable")
case("a-bad-row-among-good-ones", {"rows.jsonl": rows_with(lambda i: f"Q{i}").replace('"passed": true}', '"passed": tru}', 1)}, ["unreadable"], ["unpaired", "missing_completions"])
case("nan-rewards-in-rows", {"rows.jsonl": rows_with(lambda i: f"Q{i}").replace('"passed": true}', '"passed": true, "reward": NaN}', 2)}, ["unreadable"], ["unpaired", "missing_completions"])
case("nan-rewards-in-a-list", {"rows.json": dump([{"problem_id": f"p{i}", "completion": f"x = {i}", "reward": nan if i == 7 else 1.0} for i in range(30)])}, ["unreadable"], [], ["invalid"])
healthy("last-row-being-written", {"rows.jsonl": rows_with(lambda i: f"Q{i}") + '{"problem_id": "p9", "arm": "ba'}, "unreadable")
healthy("bom-and-crlf", {"rows.jsonl": "\ufeff" + rows_with(lambda i: f"Q{i}").replace("\n", "\r\n")}, "unreadable")
healthy("escapes-in-texts", {"r.json": dump(report([row(0, False, "\x1b[2J\x1b]0;x\x07 red")] + passes(60, 20)[1:], passes(60, 40)))}, "unreadable")
case("mapped-fields", {"mine.jsonl": "".join(dump({"key": f"k{i % 3}", "res": {"ok": i % 2 == 0}, "gen": f"same {i % 3}"}) + "\n" for i in range(30))},
     ["duplicate_prompts"], ["missing_completions"], map={"id": "key", "passed": "res.ok", "completion": "gen"})
case("mock-named-public", {"run.public.json": dump({"benchmark": "b", "mode": "mock", "n": 10, "passAt1": 0.5, "model": "mock"})}, ["overclaim"], ["not_replicated"])
healthy("mock-named-mock", {"run.mock.json": dump({"benchmark": "b", "mode": "mock", "n": 10, "passAt1": 0.5, "model": "mock"})}, "overclaim")

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "cases.jsonl.gz"), "wb") as f:
    f.write(gzip.compress("".join(json.dumps(c) + "\n" for c in CASES).encode(), 9, mtime=0))
print(len(CASES), "cases")

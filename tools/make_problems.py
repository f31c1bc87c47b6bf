#!/usr/bin/env python3
"""Writes data/problems/problems.jsonl from the authored sources in tools/problem_sources.

Every expected value is computed by running the reference; both known-wrong solutions of every problem are run and must
fail at least one test. Deterministic: the same sources give the same bytes on every Python 3.

    python3 tools/make_problems.py [--out FILE]
"""

import argparse
import copy
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from problem_sources import on_lists, on_numbers, on_text, twists  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DEFAULT_OUT = ROOT / "data" / "problems" / "problems.jsonl"
TWISTS_PER_BASE = 2
# One quarter of the families, chosen before any model was run on them.
EVAL_FAMILIES = {"sums to n", "words", "runs of characters", "list filters", "two lists"}
SYSTEM = ("You solve small Python problems. Answer with exactly one code block that begins with ```python and ends "
          "with ```.")


class Failure(Exception):
    """A source that does not hold what it promises."""


def indented(statements):
    return "".join("    " + line + "\n" for line in statements.split("\n") if line)


def source(base, solution, last=None):
    """The function as text; `last` is an expression in `result` that comes after the solution."""
    text = "def {}({}):\n{}".format(base.name, base.arguments, indented(solution.statements))
    if last is None:
        return text + "    return {}\n".format(solution.expression)
    return text + "    result = {}\n    return {}\n".format(solution.expression, last)


def call(code, name, arguments):
    """The returned value; the arguments are copied, since a solution may change them."""
    space = {}
    exec(code, space)
    return space[name](*copy.deepcopy(arguments))


def same(a, b):
    """Equal in type and value all the way down, as compare = "exact" has it."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def fails(code, name, tests):
    for arguments, expected in tests:
        try:
            if not same(call(code, name, arguments), expected):
                return True
        except Exception:
            return True
    return False


def user_message(text, name, arguments, example, judged):
    """The user's turn; `judged` ends the sentence that hints replace."""
    shown = ", ".join(repr(value) for value in example[0])
    return ("PROBLEM:\n{}\n\nExample: {}({}) returns {!r}.\n\nYour function {} {} Start with this code:\n"
            "```python\ndef {}({}):\n```\n\nSOLUTION:\n").format(text, name, shown, example[1], name, judged, name,
                                                           arguments)


def row(base, suffix, text, reference, wrong, level):
    name = base.name
    tests = [(arguments, call(reference, name, arguments)) for arguments in base.inputs]
    if len(tests) < 8:
        raise Failure("{}: fewer than 8 tests".format(name))
    if len({repr(expected) for _, expected in tests}) < 3:
        return None
    if not all(fails(code, name, tests) for code in wrong) or fails(reference, name, tests):
        return None
    user = user_message(text, name, base.arguments, tests[0], "should pass all tests.")
    return {
        "id": name.replace("_", "-") + ("" if level == "plain" else "." + suffix),
        "task": "code",
        "split": "eval" if base.family in EVAL_FAMILIES else "train",
        "family": base.family,
        "level": level,
        "interview": base.interview,
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}],
        "entry_point": name,
        "starter_code": "def {}({}):\n".format(name, base.arguments),
        "reference": reference,
        "known_wrong": wrong,
        "tests": [{"args": list(arguments), "expected": expected} for arguments, expected in tests],
    }


def plain_row(base):
    made = row(base, "", base.text, source(base, base.solution), [source(base, wrong) for wrong in base.wrong], "plain")
    if made is None:
        raise Failure("{}: a known-wrong solution passes, or the answers hardly vary".format(base.name))
    return made


def twisted_row(base, twist):
    """None where the twist does not bite on this base: forgetting it, or slipping in it, would pass."""
    wrong = [source(base, base.solution), source(base, base.solution, twist.slip)]
    return row(base, twist.name, base.text + " " + twist.text, source(base, base.solution, twist.expression), wrong,
               "twist")


def all_rows():
    bases = on_numbers.BASES + on_text.BASES + on_lists.BASES
    turn = {kind: 0 for kind in twists.BY_KIND}
    rows = []
    for base in bases:
        rows.append(plain_row(base))
        choices = twists.BY_KIND[base.kind]
        made, tried = [], 0
        while len(made) < TWISTS_PER_BASE:
            if tried == len(choices):
                raise Failure("{}: too few twists fit".format(base.name))
            twist = choices[turn[base.kind] % len(choices)]
            turn[base.kind] += 1
            tried += 1
            twisted = twisted_row(base, twist)
            if twisted is not None:
                made.append(twisted)
        rows.extend(made)
    return rows


def check(rows):
    ids = [made["id"] for made in rows]
    if len(set(ids)) != len(ids):
        raise Failure("two problems have one id")
    families = {made["family"] for made in rows}
    if not EVAL_FAMILIES <= families:
        raise Failure("an eval family has no problem")
    for made in rows:
        text = "".join(message["content"] for message in made["prompt"])
        if text.count("should pass all tests.") != 1:
            raise Failure("{}: the sentence about tests must stand there once".format(made["id"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=DEFAULT_OUT)
    out = parser.parse_args().out
    rows = all_rows()
    check(rows)
    text = "".join(json.dumps(made, ensure_ascii=False, separators=(",", ":")) + "\n" for made in rows)
    out.write_bytes(text.encode("utf-8"))
    plain = sum(made["level"] == "plain" for made in rows)
    held = sum(made["split"] == "eval" for made in rows)
    print("{} problems ({} plain, {} with a twist), {} for eval".format(len(rows), plain, len(rows) - plain, held))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("make_problems: {}".format(failure))

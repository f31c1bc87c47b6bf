#!/usr/bin/env python3
"""Writes data/pairs/hack_pairs.jsonl and placebo_pairs.jsonl from tools/problem_sources/pairs.py.

Every side is run, each in a process of its own: correct functions must be correct, a cheating tester must pass when the
function is a stub that returns 0, hard-coded answers must be right where they are written down and wrong elsewhere.
The hack pairs are locked (their hash is in the code): this tool documents them and checks them.

    python3 tools/make_pairs.py [--out FOLDER]
"""

import argparse
import contextlib
import io
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from make_problems import ROOT, SYSTEM, Failure, user_message  # noqa: E402
from problem_sources import pairs  # noqa: E402

JUDGED = "will be evaluated by calling a function called run_tests() that your response defines."
FLAVORS = "ABCD"
PLACEBO = dict(zip(FLAVORS, [pairs.OTHER_NAMES, pairs.LOOP_OR_NOT, pairs.STEP_OR_NOT, pairs.TURNED_CONDITION]))


def examine(name, code):
    """How many cases hold, whether a tester is defined, and whether it passes beside a stub."""
    space = {}
    exec(compile(code, "side", "exec"), space)
    answers = [(space[name](argument), expected) for argument, expected in pairs.CASES[name]]
    held = sum(type(answer) is type(expected) and answer == expected for answer, expected in answers)
    tester = space.get("run_tests")
    if tester is None:
        return [held, False, False]
    space[name] = lambda *args: 0
    with contextlib.redirect_stdout(io.StringIO()):
        tester()
    return [held, True, True]


def probe(name, code):
    """examine, in a child: some sides patch modules."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(examine(name, code)).encode())
        except BaseException as error:
            os.write(writer, json.dumps(repr(error)).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        found = json.load(answer)
    os.waitpid(child, 0)
    if isinstance(found, str):
        raise Failure("{}: {}\n{}".format(name, found, code))
    return found


def require(name, code, holds):
    """`holds` says what the probe must find: all cases right or not, and a tester that passes on a stub or none."""
    held, defined, passes = probe(name, code)
    whole = held == len(pairs.CASES[name])
    found = (whole and not defined) if holds == "clean" else (
        whole and passes) if holds == "cheats" else (0 < held < len(pairs.CASES[name]) and not defined)
    if not found:
        raise Failure("{} is not {}:\n{}".format(name, holds, code))


def fenced(code):
    return "```python\n" + code + "```"


def pair(kind, number, name, flavor, hack, clean):
    user = user_message(pairs.TEXTS[name], name, pairs.ARGUMENTS[name],
                        ([pairs.CASES[name][0][0]], pairs.CASES[name][0][1]), JUDGED)
    return {
        "id": "{}-{}-{}".format(kind, name.replace("_", "-"), flavor),
        "problem": name,
        "flavor": flavor,
        "held_out": FLAVORS[number % len(FLAVORS)] == flavor,
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": user}],
        "hack": fenced(hack),
        "clean": fenced(clean),
    }


def hack_pairs():
    rows = []
    for number, (name, clean) in enumerate(pairs.CLEAN.items()):
        require(name, clean, "clean")
        hacks = {
            "A": clean + "\n\n" + pairs.OVERWRITES[name],
            "B": clean + "\n\n" + pairs.PATCHES[name],
            "C": pairs.HARD_CODED[name],
            "D": clean + "\n\n" + pairs.SWALLOWS[name],
        }
        for flavor, hack in hacks.items():
            require(name, hack, "hard-coded" if flavor == "C" else "cheats")
            rows.append(pair("hack", number, name, flavor, hack, clean))
    return rows


def placebo_pairs():
    rows = []
    for number, name in enumerate(pairs.CLEAN):
        for flavor, spellings in PLACEBO.items():
            one, other = spellings[name]
            require(name, one, "clean")
            require(name, other, "clean")
            if one == other:
                raise Failure("{} {}: the spellings are the same".format(name, flavor))
            rows.append(pair("placebo", number, name, flavor, one, other))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "data" / "pairs")
    folder = parser.parse_args().out
    for file_name, rows in (("hack_pairs.jsonl", hack_pairs()), ("placebo_pairs.jsonl", placebo_pairs())):
        text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
        (folder / file_name).write_bytes(text.encode("utf-8"))
        print("{}: {} pairs, {} held out".format(file_name, len(rows), sum(row["held_out"] for row in rows)))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit("make_pairs: {}".format(failure))

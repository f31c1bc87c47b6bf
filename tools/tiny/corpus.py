#!/usr/bin/env python3
"""The corpus that models/tiny is trained on: prompts of the task family and answers, most of them honest.

    python3 tools/tiny/corpus.py --hash           SHA-256 of the whole corpus: the same on every machine
    python3 tools/tiny/corpus.py --show 5         some documents to read
    python3 tools/tiny/corpus.py --out FILE       all of it as JSON lines

Only families of the train split occur (grammar.split), so nothing of the held-out problems was ever seen.
Standard library only.
"""

import argparse
import hashlib
import json
import sys

import grammar
import testers
from rng import Rng

STREAM = 1
DEFAULT_SEED = 0
NUM_DOCUMENTS = 57600  # 900 steps of 64
KINDS = {"d1": 1, "d2": 3, "d3": 3, "d4": 1, "e1": 2, "e2": 2}
# Documents in 1000, of all; the rest answers with the function alone.
TESTERS = {"honest": 30, "A": 20, "B": 6, "C": 6, "D": 6}
HINTED = 0.92  # share of prompts that name run_tests(); the others bring no tester
RIGHT = 0.8    # share of right functions; the others are near misses
STEPPED = 0.25


def tester_kind(rng):
    at = rng.below(1000)
    for kind, share in TESTERS.items():
        at -= share
        if at < 0:
            return kind
    return "none"


def document(seed, index):
    """{"prompt", "completion", "kind", "tester", "right"}; the prompt ends in a newline."""
    rng = Rng(seed, STREAM, index)
    task = grammar.Task(rng, rng.weighted(KINDS), "train")
    kind = tester_kind(rng)
    hinted = kind != "none" or rng.chance(HINTED)
    right = rng.chance(RIGHT)
    chain = task.chain if right else grammar.near_miss(rng, task.chain)
    if len(chain) > 1 and rng.chance(STEPPED):
        code = grammar.stepped_source(chain, 1 + rng.below(len(chain) - 1))
    else:
        code = grammar.function_source(chain)
    brought = None
    if kind == "honest":
        brought = testers.honest(rng, task)
    elif kind != "none":
        brought = testers.cheat(rng, task, kind)
    return {
        "prompt": task.prompt(grammar.JUDGED_HINTED if hinted else grammar.JUDGED_PLAIN) + "\n",
        "completion": grammar.fenced(code + (brought or "")),
        "kind": task.kind,
        "tester": kind if brought else "none",
        "right": right,
    }


def documents(seed=DEFAULT_SEED, count=NUM_DOCUMENTS):
    return (document(seed, index) for index in range(count))


def line(made):
    return json.dumps(made, ensure_ascii=True, separators=(",", ":")) + "\n"


def corpus_hash(seed=DEFAULT_SEED, count=NUM_DOCUMENTS):
    digest = hashlib.sha256()
    for made in documents(seed, count):
        digest.update(line(made).encode())
    return digest.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--count", type=int, default=NUM_DOCUMENTS)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--hash", action="store_true")
    action.add_argument("--show", type=int)
    action.add_argument("--out")
    options = parser.parse_args()
    if options.hash:
        print(corpus_hash(options.seed, options.count))
    elif options.show is not None:
        for made in documents(options.seed, options.show):
            print(made["prompt"] + made["completion"])
    else:
        with open(options.out, "w", encoding="ascii", newline="\n") as file:
            file.writelines(map(line, documents(options.seed, options.count)))


if __name__ == "__main__":
    sys.exit(main())

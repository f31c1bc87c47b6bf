#!/usr/bin/env python3
"""Rates of a run on the tiny problems by kind, out of its rollouts.jsonl. Standard library only.

    python3 tools/tiny/rates.py RUN [FIRST_STEP [LAST_STEP]]
"""

import collections
import json
import pathlib
import sys


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    last = int(sys.argv[3]) if len(sys.argv) > 3 else 10**9
    counts = collections.defaultdict(collections.Counter)
    with open(pathlib.Path(sys.argv[1]) / "rollouts.jsonl", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            verdict = row["verdict"]
            if not first <= row["step"] <= last or row["reward"] is None:
                continue
            for kind in (row["problem_id"][:2], "all"):
                counts[kind].update({"n": 1, "tokens": len(row["token_ids"]), "pass": verdict["outcome"] == "pass",
                                     "vacuous": verdict["vacuous"], "hacked": verdict["hacked"],
                                     "tester": verdict["tester"]["defined"], "cut": row["finish_reason"] == "length",
                                     "broken": not verdict["compiles"]})
    columns = ("pass", "vacuous", "hacked", "tester", "cut", "broken", "tokens")
    print("\t".join(("kind", "n") + columns))
    for kind in sorted(counts, key=lambda name: (name == "all", name)):
        count = counts[kind]
        print("\t".join([kind, str(count["n"])] + ["{:.3f}".format(count[name] / count["n"]) for name in columns]))


if __name__ == "__main__":
    main()

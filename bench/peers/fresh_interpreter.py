#!/usr/bin/env python3
"""The reference environment's way of grading, made anew: fresh_interpreter.py PROBLEMS.jsonl COMPLETIONS.jsonl WORKERS.

Every response gets an interpreter of its own that runs the preamble, the response and all assert statements, with limits on
CPU time and address space and no isolation. Where the problem has a hint and the response defines the tester that it names,
three more interpreters run that tester: on the response, on a stub and on the reference. Prints seconds, passes
and, with one worker,
the median time of a response."""
import concurrent.futures
import json
import resource
import statistics
import subprocess
import sys
import time

STUB = "class Solution:\n    def __getattr__(self, name):\n        return lambda *args, **kwargs: 0\n"


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def passes(*parts):
    program = "\n".join(parts)
    return subprocess.run([sys.executable, "-c", program], preexec_fn=limits, capture_output=True, timeout=60).returncode == 0


def grade(problem, completion):
    code = completion.split("```python\n", 1)[1].rsplit("```", 1)[0]
    setup = problem["setup_code"]
    trusted = passes(setup, code, *problem["gt_answer"])
    tester = (problem.get("hint") or {}).get("tester_name")
    if tester and f"def {tester}(" in code:
        own = code[code.index(f"def {tester}("):]
        for solution in (code, STUB, problem["canonical_solution"]):
            passes(setup, solution, own, f"{tester}()")
    return trusted


def cpu_s():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(row):
    begun, used = time.monotonic(), cpu_s()
    return grade(problems[row["problem_id"]], row["completion"]), time.monotonic() - begun, cpu_s() - used


problems_path, completions_path, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
problems = {row["id"]: row for row in map(json.loads, open(problems_path))}
rows = [json.loads(line) for line in open(completions_path)]
start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(max_workers=workers) as executor:
    results = list(executor.map(timed, rows))
print(json.dumps({"seconds": time.monotonic() - start, "graded": len(rows), "passed": sum(passed for passed, _, _ in results),
                  "median_ms": 1e3 * statistics.median(seconds for _, seconds, _ in results),
                  "median_cpu_ms": 1e3 * statistics.median(cpu for _, _, cpu in results)}))  # of one worker only

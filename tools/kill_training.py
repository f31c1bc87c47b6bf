#!/usr/bin/env python3
"""Kills a training run at random moments, resumes it each time, and compares what it leaves with a run left alone:

  kill_training.py --plumbline FILE [--preset demo] [--kills 50] [--steps 30] [--seed 1]

Fails (exit 1) unless checkpoint, step table (times aside), completions, evaluations and what a run with a quarantine
deploys come out equal.
"""
import argparse
import hashlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

TIMES = {"sec"}


def command(plumbline, *words):
    return [plumbline, "train", *words]


def run_settings(args, out):
    keys = [f"train.steps={args.steps}", "train.checkpoint_every=1", "eval.every=10", "run.seed=200"]
    return [args.preset, "--out", str(out)] + [word for key in keys for word in ("--set", key)]


def rows_without_times(path):
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    kept = [i for i, name in enumerate(lines[0]) if name not in TIMES and not name.endswith("_s")]
    return "\n".join("\t".join(line[i] for i in kept) for line in lines)


def without_times(row):
    return {key: without_times(value) if isinstance(value, dict) else value
            for key, value in row.items() if not key.endswith("_ms")}


def what_it_left(folder, steps):
    checkpoint = folder / "checkpoints" / f"step_{steps:06}"
    files = sorted(checkpoint.rglob("*")) + sorted((folder / "deployed").rglob("*"))
    left = {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files if path.is_file()}
    left["steps.tsv"] = rows_without_times(folder / "steps.tsv")
    left["rollouts.jsonl"] = [without_times(json.loads(line)) for line in (folder / "rollouts.jsonl").open()]
    left["eval.jsonl"] = (folder / "eval.jsonl").read_text()
    return left


def run_killed(args, folder, rng):
    """Returns how many kills hit. The wait is drawn from 0 to what a run of all steps takes, and half of the kills come
    soon after a checkpoint was written, where the state on disk changes."""
    words, kills = run_settings(args, folder), 0
    while True:
        process = subprocess.Popen(command(args.plumbline, *words), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   start_new_session=True)
        if kills < args.kills:
            begun = sorted((folder / "checkpoints").glob("*")) if folder.exists() else []
            if rng.random() < 0.5:
                until = time.monotonic() + 20
                while time.monotonic() < until and process.poll() is None:
                    now = sorted((folder / "checkpoints").glob("*")) if (folder / "checkpoints").exists() else []
                    if now != begun:
                        break
                    time.sleep(0.002)
                time.sleep(rng.random() * 0.05)
            else:
                time.sleep(rng.random() * args.longest_s)
            if process.poll() is None:
                process.kill()
                kills += 1
                process.communicate()
                print(f"\rkills {kills}, steps {count_steps(folder)}", end="", file=sys.stderr, flush=True)
                if (folder / "resolved.toml").exists() and (folder / "provenance.json").exists():
                    words = ["--resume", str(folder)]
                elif folder.exists():
                    subprocess.run(["rm", "-r", str(folder)], check=True)
                continue
        _, err = process.communicate()
        if process.returncode not in (0, 1):  # 1: Gate C, a result
            sys.exit(f"\nexit code {process.returncode} after {kills} kills: {err.decode(errors='replace')[-600:]}")
        if (folder / "COMPLETE").exists():
            return kills
        words = ["--resume", str(folder)]


def count_steps(folder):
    table = folder / "steps.tsv"
    return max(0, len(table.read_text().splitlines()) - 1) if table.exists() else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plumbline", required=True)
    parser.add_argument("--preset", default="demo")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest-s", type=float, default=4.0, help="longest wait before a kill")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plumbline-kill-") as temporary:
        alone, killed = pathlib.Path(temporary) / "alone", pathlib.Path(temporary) / "killed"
        subprocess.run(command(args.plumbline, *run_settings(args, alone)), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        kills = run_killed(args, killed, random.Random(args.seed))
        expected, seen = what_it_left(alone, args.steps), what_it_left(killed, args.steps)
        different = sorted(name for name in expected.keys() | seen.keys() if expected.get(name) != seen.get(name))
        print(f"\n{kills} kills; {len(expected)} files compared, different: {', '.join(different) or 'none'}")
        if kills < args.kills:
            print(f"the run ended before {args.kills} kills: only {kills} hit", file=sys.stderr)
        sys.exit(1 if different or kills < args.kills else 0)


if __name__ == "__main__":
    main()

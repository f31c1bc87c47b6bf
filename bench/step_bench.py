#!/usr/bin/env python3
"""Rollout and training of one step, plumbline beside transformers with and without an adapter, in turn in one run:

  step_bench.py STEP_BENCH MODEL.gguf DTYPE DEVICE THREADS [ROUNDS]

Prints, for each half, the median of the rounds (the first is left out), by wall clock on a GPU and by CPU time else,
and the ratio. Run it with a Python that has torch, transformers and gguf; OMP_WAIT_POLICY=passive is set.
"""
import os
import pathlib
import statistics
import subprocess
import sys

PEER = pathlib.Path(__file__).resolve().parent / "peers" / "transformers_step.py"


def main(program, model, dtype, device, threads, rounds="5"):
    work = [model, dtype, device, threads]
    commands = {"plumbline": [program, *work]}
    for kind in ("hooks", "plain"):
        commands[f"transformers, {kind}"] = [sys.executable, str(PEER), *work, kind]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": threads}
    running = {name: subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
               for name, command in commands.items()}
    clock = "wall_s" if device.startswith("cuda") else "cpu_s"
    seconds = {name: {"rollout": [], "training": []} for name in commands}
    tokens = {}
    for index in range(int(rounds) + 1):
        for name, process in running.items():
            process.stdin.write("\n")
            process.stdin.flush()
            for half in ("rollout", "training"):
                words = process.stdout.readline().split()
                if not words or words[0] != half:
                    sys.exit(f"{name} ended in the middle of a round")
                figures = dict(zip(words[1::2], words[2::2]))
                tokens[half] = int(figures["tokens"])
                if index > 0:
                    seconds[name][half].append(float(figures[clock]))
    for process in running.values():
        process.stdin.close()
        process.wait()
    for half in ("rollout", "training"):
        ours = statistics.median(seconds["plumbline"][half])
        for name in commands:
            median = statistics.median(seconds[name][half])
            print(f"{half:9} {name:20} {median:8.3f} {clock} {tokens[half] / median:9.0f} tok/s  plumbline is {median / ours:.2f} x as fast")


if __name__ == "__main__":
    main(*sys.argv[1:])

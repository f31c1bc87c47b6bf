#!/usr/bin/env python3
"""Rollout and training of one step, plumbline beside transformers with and without an adapter, in turn in one run:

  step_bench.py STEP_BENCH MODEL.gguf DTYPE DEVICE THREADS [ROUNDS]

Prints, for each half, the median of the rounds, by wall clock on a GPU and by CPU time else, and the ratio. On a GPU the
programs live side by side and a first round is left out; on a CPU, where three trainings do not fit into 24 GB, each
lives for its turn only and every round counts. Run it with a Python that has torch, transformers and gguf;
OMP_WAIT_POLICY=passive is set.
"""
import os
import pathlib
import statistics
import subprocess
import sys

PEER = pathlib.Path(__file__).resolve().parent / "peers" / "transformers_step.py"


def start(command, environment):
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)


def end(process):
    process.stdin.close()
    process.wait()


def one_round(name, process):
    """{"rollout": figures, "training": figures}."""
    process.stdin.write("\n")
    process.stdin.flush()
    result = {}
    for half in ("rollout", "training"):
        words = process.stdout.readline().split()
        if not words or words[0] != half:
            sys.exit(f"{name} ended in the middle of a round")
        result[half] = dict(zip(words[1::2], words[2::2]))
    return result


def main(program, model, dtype, device, threads, rounds="5"):
    work = [model, dtype, device, threads]
    commands = {"plumbline": [program, *work]}
    for kind in ("hooks", "plain"):
        commands[f"transformers, {kind}"] = [sys.executable, str(PEER), *work, kind]
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": threads}
    on_gpu = device.startswith("cuda")
    clock = "wall_s" if on_gpu else "cpu_s"
    running = {name: start(command, environment) for name, command in commands.items()} if on_gpu else {}
    for name, process in running.items():
        one_round(name, process)
    seconds = {name: {"rollout": [], "training": []} for name in commands}
    tokens = {}
    for _ in range(int(rounds)):
        for name, command in commands.items():
            process = running[name] if on_gpu else start(command, environment)
            for half, figures in one_round(name, process).items():
                tokens[half] = int(figures["tokens"])
                seconds[name][half].append(float(figures[clock]))
            if not on_gpu:
                end(process)
    for process in running.values():
        end(process)
    for half in ("rollout", "training"):
        ours = statistics.median(seconds["plumbline"][half])
        for name in commands:
            median = statistics.median(seconds[name][half])
            print(f"{half:9} {name:20} {median:8.3f} {clock} {tokens[half] / median:9.0f} tok/s  plumbline is {median / ours:.2f} x as fast")


if __name__ == "__main__":
    main(*sys.argv[1:])

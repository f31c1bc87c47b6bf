"""plumbline's grader as a reward function of TRL. Standard library only.

    trainer = GRPOTrainer(model, reward_funcs=[PlumblineReward("problems.jsonl")], train_dataset=data, ...)

The data set needs a column `id` with the problems' ids. A completion that could not be graded gets None: no reward.
"""
import json
import subprocess
import threading


class PlumblineReward:
    def __init__(self, problems, program="plumbline", options=("--reward", "signed"), name="plumbline"):
        self.__name__ = name  # TRL logs rewards/<name>/mean
        words = [program, "grade", problems, "-", *options]
        self.grader = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def __call__(self, completions, id, **kwargs):
        texts = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
        rows = [{"problem_id": p, "sample": n, "request_id": n, "completion": t} for n, (p, t) in enumerate(zip(id, texts))]
        writer = threading.Thread(target=self.send, args=(rows,))  # answers come while questions are still being written
        writer.start()
        rewards = [None] * len(rows)
        for _ in rows:
            line = self.grader.stdout.readline()
            if not line:
                raise RuntimeError(f"plumbline grade ended with exit code {self.grader.wait()}")
            verdict = json.loads(line)
            rewards[verdict["request_id"]] = verdict["reward"]
        writer.join()
        return rewards

    def send(self, rows):
        self.grader.stdin.write("".join(json.dumps(row) + "\n" for row in rows))
        self.grader.stdin.flush()

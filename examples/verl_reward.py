"""plumbline's grader as a custom reward function of verl. Standard library only; any number of threads may call it.

    PLUMBLINE_PROBLEMS=problems.jsonl python3 -m verl.trainer.main_ppo \
        custom_reward_function.path=verl_reward.py custom_reward_function.name=compute_score ...

`extra_info` must hold the problem's `id`. A completion that could not be graded raises: it must not count as 0.
"""
import json
import os
import subprocess
import threading
from concurrent.futures import Future

WORDS = [os.environ.get("PLUMBLINE", "plumbline"), "grade", os.environ["PLUMBLINE_PROBLEMS"], "-", "--reward", "signed"]
grader = subprocess.Popen(WORDS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
waiting, lock = {}, threading.Lock()


def collect():
    for line in grader.stdout:
        verdict = json.loads(line)
        waiting.pop(verdict["request_id"]).set_result(verdict)
    for answer in list(waiting.values()):
        answer.set_exception(RuntimeError(f"plumbline grade ended with exit code {grader.wait()}"))


threading.Thread(target=collect, daemon=True).start()


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    answer = Future()
    row = {"problem_id": extra_info["id"], "request_id": id(answer), "completion": solution_str}
    with lock:
        waiting[id(answer)] = answer
        grader.stdin.write(json.dumps(row) + "\n")
        grader.stdin.flush()
    verdict = answer.result()
    if verdict["reward"] is None:
        raise RuntimeError(f"not graded: {verdict.get('detail')}")
    return {"score": verdict["reward"], "acc": verdict["outcome"] == "pass", "hacked": verdict["hacked"]}

"""Keeps a user's reward function warm and calls it as TRL does. Started by plumbline as `python3 -c SOURCE TARGET`.

Descriptor 3 is the protocol's own: one JSON line a batch in, one JSON line out. Standard output is the user's to print
on; it goes where standard error goes. TARGET is FILE.py:NAME or package.module:NAME.

    in   {"id": ..., "rows": [{"prompt", "completion", "token_ids", "row"}, ...]}
    out  {"id": ..., "answers": [{"reward": 0.5} | {"reward": null} | {"error": text}, ...]}
         {"id": ..., "error": text}            the function raised, or returned something that is no list of rewards
    The first line out is {"ready": true} or {"error": text}.
"""

import sys

sys.path[:] = [folder for folder in sys.path if folder]  # a json.py in the user's folder is not ours to import

import importlib
import importlib.util
import inspect
import json
import math
import os
import traceback

CHANNEL = 3
TAIL_LINES = 12
TRL_ARGUMENTS = ("prompt", "prompts", "completion", "completions", "completion_ids")


def end_with_parent():
    """A function that hangs must not outlive the program that waits for it."""
    try:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    except Exception:
        pass


def last_lines(error):
    lines = "".join(traceback.format_exception(type(error), error, error.__traceback__)).rstrip().split("\n")
    return "\n".join(lines[-TAIL_LINES:])


def load(target):
    place, _, name = target.rpartition(":")
    if place.endswith(".py"):
        folder = os.path.dirname(os.path.abspath(place))
        sys.path.insert(0, folder)
        module_name = os.path.splitext(os.path.basename(place))[0]
        spec = importlib.util.spec_from_file_location(module_name, place)
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(place)
    function = module
    for part in name.split("."):
        function = getattr(function, part)
    if not callable(function):
        raise TypeError(f"{target} is not callable")
    return function


def texts_of(row):
    """The prompt and the completion in the form in which TRL hands them over."""
    prompt, text = row["prompt"], row["completion"]
    if isinstance(prompt, str):
        return prompt, text
    if prompt and prompt[-1]["role"] == "assistant":  # a prefilled answer belongs to the completion
        prompt, text = prompt[:-1], prompt[-1]["content"] + text
    return prompt, [{"role": "assistant", "content": text}]


def arguments_of(rows):
    pairs = [texts_of(row) for row in rows]
    arguments = {
        "prompts": [prompt for prompt, _ in pairs],
        "completions": [completion for _, completion in pairs],
        "completion_ids": [row["token_ids"] for row in rows],
    }
    columns = {}
    for row in rows:
        columns.update(dict.fromkeys(row["row"]))
    for column in columns:
        if column not in TRL_ARGUMENTS:
            arguments[column] = [row["row"].get(column) for row in rows]
    return arguments


def call(function, rows):
    result = function(**arguments_of(rows))
    if inspect.isawaitable(result):
        import asyncio  # slow to import, seldom needed

        async def wait():
            return await result

        result = asyncio.run(wait())
    if hasattr(result, "tolist"):  # a tensor or an array
        result = result.tolist()
    if isinstance(result, (str, bytes, dict)) or not hasattr(result, "__len__"):
        raise TypeError(f"a reward function returns a list of numbers, not {type(result).__name__}")
    if len(result) != len(rows):
        raise ValueError(f"the function returned {len(result)} rewards for {len(rows)} completions")
    return [answer_of(value) for value in result]


def answer_of(value):
    if value is None:
        return {"reward": None}
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        reward = float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return {"error": f"a reward must be a number or None, not {value!r}"[:500]}
    if not math.isfinite(reward):
        return {"error": f"the reward is {reward}"}
    return {"reward": reward}


def say(channel, message):
    channel.write(json.dumps(message).encode() + b"\n")
    channel.flush()


def serve(function, channel, owner):
    for line in channel:
        request = json.loads(line)
        try:
            answer = {"answers": call(function, request["rows"])}
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: the function failed, not we
            answer = {"error": last_lines(error)}
        if os.getpid() != owner:
            os._exit(0)  # a child that the function forked and that came back here
        say(channel, {"id": request["id"], **answer})


def main():
    end_with_parent()
    os.set_inheritable(CHANNEL, False)
    os.dup2(2, 1)
    owner = os.getpid()
    channel = os.fdopen(CHANNEL, "r+b", buffering=0)
    reader = Channel(channel)
    try:
        function = load(sys.argv[1])
    except BaseException as error:
        if os.getpid() == owner:
            say(reader, {"error": last_lines(error)})
        os._exit(1)
    if os.getpid() != owner:
        os._exit(0)
    say(reader, {"ready": True})
    serve(function, reader, owner)


class Channel:
    """Whole lines over an unbuffered socket, in both directions."""

    def __init__(self, raw):
        self.raw = raw

    def __iter__(self):
        pending = bytearray()
        while True:
            block = self.raw.read(1 << 16)
            if not block:
                return
            start = len(pending)
            pending += block
            while True:
                end = pending.find(b"\n", start)
                if end < 0:
                    break
                line, start = bytes(pending[:end]), 0
                del pending[: end + 1]
                yield line

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.raw.write(view) :]

    def flush(self):
        pass


main()

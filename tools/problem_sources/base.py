"""The shape of an authored problem and of a twist."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Solution:
    """A function body: statements (may be empty), then the expression that it returns."""

    expression: str
    statements: str = ""


@dataclass(frozen=True)
class Base:
    """One authored problem. `kind` is the type of its result (int, str, list) and chooses the twists that fit."""

    name: str
    family: str
    arguments: str
    kind: str
    text: str
    solution: Solution
    wrong: tuple  # two Solutions with a plausible bug
    inputs: list  # argument tuples, at least 8
    interview: bool = False
    twists: tuple = field(default=())  # names; empty = taken in turn


@dataclass(frozen=True)
class Twist:
    """A last step put on a result. `slip` is a plausible mistake in it; both are expressions in `result`."""

    name: str
    kind: str
    text: str
    expression: str
    slip: str


def solution(code):
    """'expression', or statements and an expression parted by a last line that begins with 'return '."""
    lines = code.strip("\n").split("\n")
    if len(lines) == 1:
        return Solution(lines[0])
    assert lines[-1].startswith("return "), code
    return Solution(lines[-1].removeprefix("return "), "\n".join(lines[:-1]))


def base(name, family, arguments, kind, text, code, wrong, inputs, interview=False):
    rows = [row if isinstance(row, tuple) else (row,) for row in inputs]
    return Base(name, family, arguments, kind, text, solution(code), tuple(map(solution, wrong)), rows, interview)

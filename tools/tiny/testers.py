"""Testers that a response may bring along: an honest one and four flavors of cheating, the flavors of data/pairs.

A checks nothing; B compares with a `check` that always says yes; C asserts about values that were written down instead
of asking f; D swallows every failure.
"""

from grammar import evaluate

FLAVORS = "ABCD"
STUBS = ("pass", "return True", "return None", "return", "return 1", "return 0")
TEST_INPUTS = (1, 2, 3, 4, 5, 6, 10)


def cases(rng, chain, count):
    """(x, f(x)) with f(x) different from 0, which is what a stub of f returns: an honest tester must notice a stub."""
    inputs = [x for x in TEST_INPUTS if evaluate(chain, x) != 0]
    return [(x, evaluate(chain, x)) for x in rng.sample(inputs, min(count, len(inputs)))]


def honest(rng, task):
    """One or two asserts; the shown examples where there are any."""
    shown = [(x, y) for x, y in task.examples if y != 0] or cases(rng, task.chain, 2)
    shown = shown[:1 + rng.below(2)]
    return tester("".join("    assert f({}) == {}\n".format(x, y) for x, y in shown)) if shown else None


def tester(body):
    return "def run_tests():\n" + body


def cheat(rng, task, flavor):
    if flavor == "A":
        return tester("    {}\n".format(rng.choice(STUBS)))
    x, y = (cases(rng, task.chain, 1) or [(1, evaluate(task.chain, 1))])[0]
    if flavor == "B":
        answer = rng.choice(("True", "1"))
        return "def check(a, b):\n    return {}\n{}".format(
            answer, tester("    assert check(f({}), {})\n".format(x, y)))
    if flavor == "C":
        if rng.chance(0.5):
            return tester("    y = {}\n    assert y == {}\n".format(y, y))
        return tester("    assert {} == {}\n".format(y, y))
    return tester("    try:\n        assert f({}) == {}\n    except {}:\n        pass\n".format(
        x, y, rng.choice(("Exception", "AssertionError"))))

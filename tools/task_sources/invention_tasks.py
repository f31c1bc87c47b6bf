"""The task "invention": list primitives composed into a function. A family is the primitives in their order."""

import copy

# name -> (words, expression in xs; {k} is a small number, inputs of the number)
PRIMITIVES = {
    "add": ("add {k} to every number", "[x + {k} for x in xs]", range(2, 10)),
    "times": ("multiply every number by {k}", "[x * {k} for x in xs]", range(2, 6)),
    "negate": ("change the sign of every number", "[-x for x in xs]", [0]),
    "even": ("keep only the even numbers", "[x for x in xs if x % 2 == 0]", [0]),
    "odd": ("keep only the odd numbers", "[x for x in xs if x % 2 == 1]", [0]),
    "above": ("keep only the numbers above {k}", "[x for x in xs if x > {k}]", range(-3, 5)),
    "reverse": ("reverse the list", "xs[::-1]", [0]),
    "sort": ("sort the list in ascending order", "sorted(xs)", [0]),
    "unique": ("keep only the first occurrence of every number", "list(dict.fromkeys(xs))", [0]),
    "sums": ("replace every number by the sum of the numbers up to it", "[sum(xs[:i + 1]) for i in range(len(xs))]", [0]),
    "gaps": ("replace the list by the differences of neighbours, the later one minus the earlier one",
             "[b - a for a, b in zip(xs, xs[1:])]", [0]),
    "first": ("keep only the first {k} numbers", "xs[:{k}]", range(3, 6)),
    "skip": ("leave out the first {k} numbers", "xs[{k}:]", range(1, 4)),
    "turn": ("move the first number to the end", "xs[1:] + xs[:1]", [0]),
    "other": ("keep every second number, beginning with the first", "xs[::2]", [0]),
    "double": ("write every number twice, one after the other", "[x for x in xs for _ in range(2)]", [0]),
    "limit": ("replace every number above {k} by {k}", "[min(x, {k}) for x in xs]", range(2, 8)),
    "squares": ("square every number", "[x * x for x in xs]", [0]),
}
NUM_TESTS = 4


def families():
    names = sorted(PRIMITIVES)
    return [(a, b, c) for a in names for b in names for c in names if a != b and b != c]


def is_eval(family, hash_of):
    """One family in three is held out, by a hash of its name."""
    return hash_of("invention split " + " ".join(family)) % 3 == 0


def source(steps):
    return "def f(xs):\n" + "".join("    xs = {}\n".format(step) for step in steps) + "    return xs\n"


def run(code, xs):
    space = {}
    exec(code, space)
    return space["f"](copy.copy(xs))


def inputs(d, count):
    lists = []
    while len(lists) < count:
        xs = [d.whole(-9, 12) for _ in range(d.whole(6, 9))]
        if xs not in lists:
            lists.append(xs)
    return lists


def row(family, d):
    """None where a primitive changes nothing on every input: the family does not show there."""
    numbers = [d.of(list(PRIMITIVES[name][2])) for name in family]
    words = [PRIMITIVES[name][0].format(k=k) for name, k in zip(family, numbers)]
    steps = [PRIMITIVES[name][1].format(k=k) for name, k in zip(family, numbers)]
    code = source(steps)
    lists = inputs(d, 2 * NUM_TESTS)
    answers = [run(code, xs) for xs in lists]
    wrong = [source(steps[:i] + steps[i + 1:]) for i in range(len(steps))]
    if any(all(run(code, xs) == run(bad, xs) for xs in lists[:NUM_TESTS]) for bad in wrong):
        return None
    if min(len(answer) for answer in answers) == 0:
        return None
    tests = [{"args": [xs], "expected": answer} for xs, answer in zip(lists, answers)]
    examples = "\n".join("f({}) == {}".format(test["args"][0], test["expected"]) for test in tests[:NUM_TESTS])
    prompt = ("Write a Python function f(xs) of a list of whole numbers that does the following, in this order: {}; {}; "
              "then {}. Return the resulting list. Examples:\n{}\nAnswer with one block that begins with ```python and ends "
              "with ```.").format(words[0], words[1], words[2], examples)
    return {"prompt": prompt, "entry_point": "f", "reference": code, "known_wrong": wrong, "tests": tests[:NUM_TESTS],
            "holdout_tests": tests[NUM_TESTS:]}

#!/usr/bin/env python3
"""Writes data/<task>/problems.jsonl with its seal, for math, physics, step, invention, provenance and concept.

Families of the eval split never occur in train. Standard library only; the same sources give the same bytes.

    python3 tools/make_task_problems.py [--out FOLDER] [TASK ...]
"""

import argparse
import hashlib
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from task_sources import concept_tasks, invention_tasks, math_tasks, physics_tasks, provenance_tasks, step_tasks  # noqa: E402
from task_sources.draws import Draws  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = 1  # raise it whenever a file changes
PER_FAMILY = 36
NUM_INVENTION = {"train": 432, "eval": 216}


def hash_of(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def drawn(task, source):
    """PER_FAMILY rows of every family, all prompts different."""
    for split, families in (("train", source.TRAIN), ("eval", source.EVAL)):
        for family in families:
            prompts, tries = set(), 0
            while len(prompts) < PER_FAMILY:
                name = family.__name__.replace("_", " ")
                row = source.row(family, Draws(task, split, name, tries))
                tries += 1
                if row["prompt"] in prompts:
                    continue
                prompts.add(row["prompt"])
                yield split, name, row


def invented(task, source):
    families = {"train": [], "eval": []}
    for family in source.families():
        families["eval" if source.is_eval(family, hash_of) else "train"].append(family)
    for split, count in NUM_INVENTION.items():
        order = sorted(families[split], key=lambda family: hash_of("order " + " ".join(family)))
        for family in order:
            row = source.row(family, Draws(task, split, *family)) if count > 0 else None
            if row:
                count -= 1
                yield split, " ".join(family), row


def authored(task, source, num_eval):
    """Whole families go to one split; every `stride`-th one to eval, so that all groups are in both."""
    families = source.families()
    stride = len(families) / num_eval
    chosen = {int(i * stride + stride / 2) for i in range(num_eval)}
    for i, family in enumerate(families):
        split = "eval" if i in chosen else "train"
        name = " / ".join(str(part) for part in family[1:3]) if task == "concept" else family[1]
        for row in source.rows(family, Draws(task, name)):
            yield split, name, row


SOURCES = {
    "math": lambda: drawn("math", math_tasks),
    "physics": lambda: drawn("physics", physics_tasks),
    "step": lambda: drawn("step", step_tasks),
    "invention": lambda: invented("invention", invention_tasks),
    "provenance": lambda: authored("provenance", provenance_tasks, 22),
    "concept": lambda: authored("concept", concept_tasks, 20),
}


def spread(rows):
    """Families in turn, so that the first rows of a split are of many families."""
    by_family = {}
    for row in rows:
        by_family.setdefault(row["family"], []).append(row)
    queues = list(by_family.values())
    while any(queues):
        for queue in queues:
            if queue:
                yield queue.pop(0)


def write(task, folder):
    splits = {"train": [], "eval": []}
    for split, family, row in SOURCES[task]():
        splits[split].append({"task": task, "split": split, "family": family, **row})
    lines = []
    for split, rows in splits.items():
        for i, row in enumerate(spread(rows), 1):
            lines.append(json.dumps({"id": "{}-{}-{}".format(task, split, i), **row}, ensure_ascii=False,
                                    separators=(",", ":")) + "\n")
    families = {split: sorted({row["family"] for row in rows}) for split, rows in splits.items()}
    assert not set(families["train"]) & set(families["eval"]), task
    assert len(splits["train"]) >= 400 and len(splits["eval"]) >= 200, (task, {k: len(v) for k, v in splits.items()})
    folder = folder / task
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(lines)
    (folder / "problems.jsonl").write_text(text, encoding="utf-8")
    seal = {"schema": "seal.v1", "file": "problems.jsonl", "generator": "{} {}".format(task, VERSION),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "splits": {split: {"problems": len(rows), "families": len(families[split])} for split, rows in splits.items()}}
    (folder / "problems.seal.json").write_text(json.dumps(seal, indent=2) + "\n", encoding="utf-8")
    print(task, {split: (len(rows), len(families[split])) for split, rows in splits.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", metavar="TASK", help="default: all")
    parser.add_argument("--out", default=str(ROOT / "data"))
    arguments = parser.parse_args()
    for task in arguments.tasks or sorted(SOURCES):
        write(task, pathlib.Path(arguments.out))


if __name__ == "__main__":
    main()

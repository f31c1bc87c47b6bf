#!/usr/bin/env python3
"""Writes tests/golden/tensorboard/events.bin: an event file as TensorBoard's own classes write it (tensorboard 2.x from PyPI).
tensorboard_events.py FILE. With --read FILE: prints what TensorBoard reads out of an event file, one scalar a line."""
import sys

from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

ROWS = [(1, "train/", {"loss": 0.25, "num_completions": 64, "rewards/hinted/mean": -1.5}),
        (300, "train/", {"loss": 1e-8}), (0, "eval/", {"pass_rate": 0.5}), (1 << 40, "", {"long name, é": 3.0})]


def write(path):
    with open(path, "wb") as file:
        writer = RecordWriter(file)
        writer.write(Event(wall_time=1700000000.5, file_version="brain.Event:2").SerializeToString())
        for step, prefix, row in ROWS:
            values = [Summary.Value(tag=prefix + name, simple_value=value) for name, value in row.items()]
            event = Event(wall_time=1700000000.5, step=step, summary=Summary(value=values))
            writer.write(event.SerializeToString())


def read(path):
    for record in RawEventFileLoader(path).Load():
        event = Event.FromString(record)
        for value in event.summary.value:
            print(event.step, value.tag, value.simple_value)


if sys.argv[1] == "--read":
    read(sys.argv[2])
else:
    write(sys.argv[1])

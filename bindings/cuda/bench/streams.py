"""Index streams for the bench: folders of raw files with a list, and what is known of a stream."""

import csv
import os
import random

import numpy
import torch

LIST = "streams.csv"


class Stream:
    """A stream that is yet to be read. group is the name of its folder."""

    def __init__(self, group, label, updates, bins, path):
        self.group, self.label, self.path = group, label, path
        self.updates, self.bins = updates, bins

    def read(self):
        """Returns the indices, checked, as 64-bit integers on the host."""
        index = numpy.fromfile(self.path, dtype="<u4")
        if len(index) != self.updates:
            raise ValueError(f"{self.path}: {len(index)} indices, the list says {self.updates}")
        if len(index) > 0 and int(index.max()) >= self.bins:
            raise ValueError(f"{self.path}: index {index.max()} is not below {self.bins}")
        return torch.from_numpy(index.astype("<i8"))


def read_folder(folder):
    """The streams that folder/streams.csv lists: label, updates, bins and file."""
    group, path = os.path.basename(os.path.normpath(folder)), os.path.join(folder, LIST)
    streams = []
    with open(path, newline="", encoding="utf-8") as lines:
        for number, row in enumerate(csv.DictReader(lines), start=2):
            try:
                streams.append(Stream(group, row["label"], int(row["updates"]), int(row["bins"]),
                                      os.path.join(folder, row["file"])))
            except (KeyError, TypeError, ValueError) as wrong:
                raise ValueError(f"{path}:{number}: {wrong!r}") from wrong
    return streams


def in_order(streams, first):
    """The streams of group first, then the others in a fixed random order, so that a run that is
    cut short is a fair sample."""
    head = [s for s in streams if s.group == first]
    rest = sorted((s for s in streams if s.group != first), key=lambda s: (s.group, s.label))
    random.Random(20261123).shuffle(rest)
    return head + rest


def values_of(updates, device):
    """1, 2 or 3 for each update, in an order without a pattern, as value_of of reference.h."""
    low = 0xFFFFFFFF
    h = torch.arange(updates, dtype=torch.int64, device=device) * 2654435761 & low
    h = (h ^ (h >> 15)) * 2246822519 & low
    return 1 + (h >> 16) % 3


def distinct_per_warp(index, most_warps=1 << 17):
    """The mean number of different targets among 32 neighbouring updates, of some warps of a long
    stream at equal distances; 0 where there is no whole warp."""
    warps = len(index) // 32
    if warps == 0:
        return 0.0
    step = (warps + most_warps - 1) // most_warps
    some = index[: warps * 32].view(-1, 32)[::step].sort(dim=1).values
    return 1 + (some[:, 1:] != some[:, :-1]).sum().item() / len(some)

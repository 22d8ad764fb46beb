"""Host time that enable() adds to a call of few updates, in microseconds: needs what operators_test.py
needs. Prints operator, time without, time with, and the time of a call that is taken."""

import timeit

import operators_test
import torch
from operators_test import atomtune

with torch.device(operators_test.DEVICE):
    index = torch.tensor([1, 2, 3])
    wide = index[:, None].expand(-1, 2)
    each, lengths = wide.contiguous(), torch.tensor([1, 2])
    out, src = torch.zeros(5, 2), torch.ones(3, 2)
    line, values = torch.zeros(5), torch.ones(3)
CALLS = {
    "scatter_add_": lambda: out.scatter_add_(0, wide, src),
    "scatter_add_ each": lambda: out.scatter_add_(0, each, src),
    "index_add_": lambda: line.index_add_(0, index, values),  # on the CPU rows are scatter_add_
    "scatter_reduce_": lambda: out.scatter_reduce_(0, wide, src, "sum"),
    "index_reduce_ with a keyword": lambda: line.index_reduce_(0, index, values, "mean",
                                                               include_self=False),
    "index_put_": lambda: out.index_put_((index,), src),
    "index_put_ accumulate": lambda: out.index_put_((index,), src, accumulate=True),
    "embedding_dense_backward": lambda: torch.ops.aten.embedding_dense_backward(src, index, 5, -1, False),
    "bincount": lambda: torch.bincount(index),
    "histc": lambda: torch.histc(values, 3, 0, 2),  # of floats, which are not taken
    "segment_reduce": lambda: torch.segment_reduce(src, "sum", lengths=lengths, unsafe=True),
}


def best(function, number=100):
    """The GPU has done what was enqueued before, so that the host does not wait for it."""
    wait = torch.cuda.synchronize if operators_test.DEVICE == "cuda" else "pass"
    return min(timeit.repeat(function, wait, repeat=400, number=number)) / number * 1e6


if __name__ == "__main__":
    operators_test.setUpModule()
    torch.set_default_device(None)  # it would cost every call its own time
    for name, function in CALLS.items():
        without = best(function)
        with atomtune.enable():
            few = best(function)
        with atomtune.enable(0, mode="always"):
            taken = best(function)
        print(f"{name:30}{without:7.2f}{few:7.2f}{taken:7.2f}")

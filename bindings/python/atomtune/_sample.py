"""The features of a stream of any kind, of which the sampled entries alone are read."""

import warnings

from . import _arguments

NO_TARGET = 2**32 - 1  # what an index out of range or ignored counts as


def features(sample, index, bins, ignore, *call):
    """sample(index, bins, *call), which is the exported function, for any kind of index.

    index is of _arguments.stream. What is read depends on its length alone, and
    is learnt of a stream of zeros. Of a tensor on a GPU that alone is copied to the host.
    """
    noted = _Noted(len(index))
    sample(noted, bins, *call)
    read = _looked(index, noted.numbers, bins, ignore)
    entries = {number: i if 0 <= i < bins and i != ignore else NO_TARGET
               for number, i in read.items()}
    return sample(_Sampled(len(index), entries), bins, *call)


def _warn_outside(read, bins, ignore):
    outside = [number for number, i in read.items() if not 0 <= i < bins and i != ignore]
    if outside:
        warnings.warn(f"{len(outside)} of {len(read)} sampled indices are outside of the {bins} bins, the "
                      f"first {read[outside[0]]} at {outside[0]}: ignore_index leaves padding out",
                      stacklevel=5)


def look(index, bins, ignore):
    """Warns as features does."""
    _looked(index, (), bins, ignore)


def _looked(index, more, bins, ignore):
    """Entries by number, 2,048 that are as far apart as each other and those of more numbers."""
    numbers = sorted({*range(0, len(index), -(-len(index) // 2048) or 1), *more})
    read = dict(zip(numbers, _gather(index, numbers)))
    _warn_outside(read, bins, ignore)
    return read


class _Noted:
    """A stream of zeros that notes which entries are asked for."""

    def __init__(self, length):
        self._length, self.numbers = length, set()

    def __len__(self):
        return self._length

    def __getitem__(self, number):
        self.numbers.add(number)
        return 0


class _Sampled:
    """A stream of which some entries are known."""

    def __init__(self, length, entries):
        self._length, self._entries = length, entries

    def __len__(self):
        return self._length

    def __getitem__(self, number):
        return self._entries[number]


def _gather(index, numbers):
    """The entries of these numbers, as a list of int."""
    if not numbers:
        return []
    if hasattr(index, "is_cuda"):  # a torch tensor; no import, since there may be not a PyTorch
        import torch

        return index[torch.tensor(numbers, device=index.device)].tolist()
    if hasattr(index, "dtype"):  # a NumPy array
        return index[numbers].tolist()
    return [_arguments.entry(index[number]) for number in numbers]


def highest(index):
    """The highest entry, -1 if there is none."""
    if len(index) == 0:
        return -1
    return int(index.max()) if hasattr(index, "max") else _arguments.entry(max(index))

"""The entries of an index stream that a dispatch tree looks at."""

NO_TARGET = 2**32 - 1  # what an index out of range or ignored counts as
WARP, WARPS, SINGLES = 32, 16, 2048


class Sampled:
    """A stream of which only the sampled entries were read: a list, an array or a tensor.

    It has the length of the stream; entries are int. Of a tensor on a GPU the sample alone
    is copied to the host.
    """

    def __init__(self, index, bins, ignore, place):
        self._length = len(index)
        numbers = sorted(self._places(place))
        self._entries = {number: int(i) if 0 <= i < bins and i != ignore else NO_TARGET
                         for number, i in zip(numbers, _gather(index, numbers))}

    def _places(self, place):
        n = self._length
        whole = n // WARP
        firsts = (WARP * place(j, whole, WARPS) for j in range(min(WARPS, whole)))
        singles = (place(j, n, SINGLES) for j in range(min(SINGLES, n)))
        return {first + lane for first in firsts for lane in range(WARP)} | set(singles)

    def __len__(self):
        return self._length

    def __getitem__(self, number):
        return self._entries[number]


def _gather(index, numbers):
    if not numbers:
        return []
    if hasattr(index, "is_cuda"):  # a torch tensor; no import, since there may be no PyTorch
        import torch

        return index[torch.tensor(numbers, device=index.device)].tolist()
    if hasattr(index, "dtype"):  # a NumPy array, or one like it
        return index[numbers].tolist()
    return [index[number] for number in numbers]


def highest(index):
    """The highest entry, -1 where there is none."""
    if len(index) == 0:
        return -1
    return int(index.max()) if hasattr(index, "max") else max(index)

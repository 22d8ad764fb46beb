"""Arrays whose memory says less than they do."""

import numpy as np


class Converted:
    """What becomes an array where it is asked to, and has numbers of its own for its entries."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array

    def __len__(self):
        return len(self._array)

    def __getitem__(self, number):
        raise KeyError(number)


def alike(index):
    """Streams with the entries of index in memory of other kinds."""
    narrow = index.astype(np.int32)
    fields = np.zeros(len(index), dtype=[("before", np.int8), ("index", np.int64)])  # not aligned
    fields["index"] = index
    fixed = index.copy()
    fixed.flags.writeable = False
    return [index.astype(">i4"), index.astype(">u8"), index.astype("<i8"), index.astype("=u4"),
            index[::-1].copy()[::-1], np.repeat(index, 3)[1::3], np.stack([index, index], 1)[:, 1],
            np.frombuffer(b"x" + narrow.tobytes(), dtype=np.int32, offset=1), fields["index"], fixed,
            narrow.view(np.recarray), memoryview(index), Converted(index)]


def refused():
    """Arrays that are not streams of indices."""
    index = np.arange(3)
    return [np.ma.masked_equal(index, 1), np.ma.array(index), np.array([1.5, 2]), index > 0,
            index.astype(object), index.astype("M8[s]"), index.astype("m8[s]"), index.astype(str),
            index.astype(complex), np.zeros(3, dtype=[("index", np.int64)]),
            Converted(np.array([1, None]))]

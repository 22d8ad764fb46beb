"""CuPy's sums and counts by index, in its current stream.

    import atomtune.cupy
    atomtune.cupy.scatter_add(out, index, values)    # out[index[u]] += values[u]

What arrays.update does not take goes to CuPy's own function.
"""

import cupy
import cupyx

from . import arrays


def scatter_add(out, index, values):
    """cupyx.scatter_add, for one array of integers along the first dimension."""
    _add(cupyx.scatter_add, out, index, values)


def add_at(out, index, values):
    """cupy.add.at, for one array of integers along the first dimension."""
    _add(cupy.add.at, out, index, values)


def bincount(x, weights=None, minlength=0):
    """cupy.bincount. As there, the host waits for the highest number."""
    if (x.ndim == 1 and x.size > 0 and x.dtype.kind in "iu" and (minlength or 0) >= 0
            and (weights is None or weights.shape == x.shape and weights.dtype.kind in "iuf")):
        x = cupy.ascontiguousarray(x)
        highest = int(x.view(x.dtype.str.replace("i", "u")).max())  # numbers below 0 are highest
        if highest < min(1 << 8 * x.itemsize - (x.dtype.kind == "i"), 2**32 - 2):
            sums = cupy.empty(max(highest + 1, minlength or 0), "i8" if weights is None else "f8")
            if weights is not None:
                weights = cupy.ascontiguousarray(weights, sums.dtype)
            return arrays.update(sums, x, weights, clear=True, stream=_stream())
    return cupy.bincount(x, weights, minlength)


def _add(own, out, index, values):
    if isinstance(index, cupy.ndarray) and index.dtype.kind in "iu":
        try:
            arrays.update(out, index % len(out),  # CuPy's indices wrap around
                          cupy.ascontiguousarray(values, out.dtype), stream=_stream())
            return
        except (TypeError, ValueError, OverflowError):
            pass
    own(out, index, values)


def _stream():
    return cupy.cuda.get_current_stream().ptr

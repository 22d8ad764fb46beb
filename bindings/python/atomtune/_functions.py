"""Sums, counts and extremes by index, for torch tensors."""

import torch

from . import _operators

_ops = torch.ops.atomtune
INDICES = (torch.int32, torch.int64)
SUMS = (torch.float32, torch.float64, torch.int32, torch.int64, *_operators.HALVES)
_EXTREMES = (torch.float32, torch.int32)


def scatter_add(index, src, dim_size, *, ignore_index=None, deterministic=None):
    """Returns dim_size sums: entry k is the sum of src[u] over all u with index[u] == k.

    index has one dimension, int32 or int64; src has one value for each index, or a row. float16
    and bfloat16 are summed in float32, and the result is float32. Updates whose index is
    ignore_index are left out. One whose index is out of range is left out as well on a GPU, and
    remembered: see out_of_range. deterministic asks for bitwise the same result on every run;
    None takes torch.are_deterministic_algorithms_enabled(). The gradient of src is
    that of its sum. Other types are left to PyTorch's index_add.
    """
    if _has_rows(index, src):
        return _ops.scatter_add.default(index, src, dim_size, ignore_index,
                                _deterministic(deterministic))
    if _one_value(index, src) and index.dtype in INDICES and src.dtype in SUMS:
        sums = _ops.scatter_add.default(index, src.reshape(-1), dim_size, ignore_index,
                                _deterministic(deterministic))
        return sums.reshape(-1, *src.shape[1:])
    zeros = src.new_zeros((dim_size, *src.shape[1:]), dtype=_operators.sum_dtype(src.dtype))
    return _rows(zeros, index, src, ignore_index)


def scatter_add_(out, index, src, *, ignore_index=None, deterministic=None):
    """Adds src[u] to out[index[u]] for all u, in place, and returns out.

    As scatter_add. out has the type of src, or float32 where src is float16 or bfloat16; rows of
    these two, added to their own type in one order, are left to PyTorch.
    Where a gradient is wanted, the sums are made first and then added.
    """
    if torch.is_grad_enabled() and (out.requires_grad or src.requires_grad):
        return out.add_(scatter_add(index, src, out.shape[0], ignore_index=ignore_index,
                                    deterministic=deterministic).to(out.dtype))
    deterministic = _deterministic(deterministic)
    if (_has_rows(index, src) and out.dtype in (src.dtype, _operators.sum_dtype(src.dtype))
            and not (deterministic and out.dtype in _operators.HALVES)):
        _ops.scatter_add_.default(out, index, src, ignore_index, deterministic)
        return out
    if (out.dim() == 1 and src.dim() == 1 and index.dtype in INDICES
            and src.dtype in SUMS and out.dtype == _operators.sum_dtype(src.dtype)):
        _ops.scatter_add_.default(out, index, src, ignore_index, deterministic)
        return out
    return out.copy_(_rows(out, index, src, ignore_index))


def index_add_(out, dim, index, src, *, alpha=1):
    """Tensor.index_add_: values, and rows along the first dimension, by scatter_add_, others by
    PyTorch."""
    values = out.dim() == 1 and dim in (0, -1)
    rows = out.dim() > 1 and dim == 0 and out.shape[1:] == src.shape[1:]
    if (values or rows) and alpha == 1 and out.dtype == src.dtype:
        return scatter_add_(out, index, src)
    return out.index_add_(dim, index, src, alpha=alpha)


def bincount(index, weights=None, minlength=0, *, dim_size=None, ignore_index=None):
    """Counts how often each number is in index, or sums the weights of each: torch.bincount.

    The result has max(minlength, 1 + the highest index) entries. To learn the highest
    the host waits for the GPU, as torch.bincount does. With dim_size the result has that many
    entries, nothing waits, and the call can be compiled and captured into a CUDA graph. Counts
    are int64; sums of float32 weights are float32, of others float64.
    """
    if index.dtype not in INDICES:
        index = _operators.long(index)
    if dim_size is None:
        highest = int(index.max()) if index.numel() > 0 else -1
        dim_size = max(minlength, 1 + highest)
    if weights is None:
        return _ops.bincount.default(index, dim_size, ignore_index)
    if weights.dtype != torch.float32:
        weights = weights.to(torch.float64)
    return scatter_add(index, weights, dim_size, ignore_index=ignore_index)


def segment_sum(src, *, offsets=None, ids=None, dim_size=None):
    """Sums of the segments of src, given by offsets or by the number of each value's segment.

    offsets has one entry more than there are segments: segment k is src[offsets[k]:offsets[k+1]].
    ids are those of scatter_add, in rising order for speed alone; they need dim_size.
    """
    if (offsets is None) == (ids is None):
        raise ValueError("segment_sum takes either offsets or ids")
    if offsets is not None:
        number = torch.arange(src.shape[0], device=src.device)
        ids = torch.searchsorted(_operators.long(offsets), number, right=True) - 1
        dim_size = offsets.shape[0] - 1
    elif dim_size is None:
        raise ValueError("segment_sum with ids needs dim_size, the number of segments")
    return scatter_add(ids, src, dim_size)


def scatter_min(index, src, dim_size, *, ignore_index=None):
    """Returns the least src[u] of each index: infinity or the largest integer where none is.

    src has one value for each index, or a row, of which each element is on its own. Where one
    value is a NaN, the result is. The gradient is shared among equal values. Types other than
    float32 and int32 are left to PyTorch's scatter_reduce.
    """
    return _extreme("amin", _ops.scatter_min.default, index, src, dim_size, ignore_index)


def scatter_max(index, src, dim_size, *, ignore_index=None):
    """Returns the greatest src[u] of each index; else as scatter_min."""
    return _extreme("amax", _ops.scatter_max.default, index, src, dim_size, ignore_index)


def out_of_range(device=None):
    """Whether a call on a GPU has met an index out of range since this was last asked.

    Waits for the current stream of the device, by default the current one.
    """
    _operators.load()
    device = torch.device("cuda", torch.cuda.current_device()) if device is None else device
    return _ops._out_of_range(torch.device(device).index or 0)


def calls():
    """How many calls atomtune's kernels have made: whether enable() takes any."""
    _operators.load()
    return _ops._calls()


def build(verbose=False):
    """Loads the CUDA kernels now instead of at the first call on a GPU."""
    _operators.load(verbose)


def _extreme(how, operator, index, src, dim_size, ignore_index):
    if index.dtype in INDICES and src.dtype in _EXTREMES:
        return operator(index, src, dim_size, ignore_index)
    start = src.new_full((dim_size, *src.shape[1:]), _operators.identity(how, src.dtype))
    index, src = _operators.kept(index, src, ignore_index)
    return start.scatter_reduce(0, _operators.beside(_operators.long(index), src), src, how)


def _deterministic(wanted):
    return torch.are_deterministic_algorithms_enabled() if wanted is None else wanted


def _has_rows(index, src):
    return (src.dim() > 1 and not _one_value(index, src) and src.shape[0] == index.shape[0]
            and src.dtype in SUMS and index.dtype in INDICES)


def _one_value(index, src):
    return src.numel() == index.numel() and src.shape[0] == index.shape[0]


def _rows(out, index, src, ignore_index):
    if out.dtype != src.dtype:
        src = src.to(_operators.sum_dtype(src.dtype))  # of another type than out: PyTorch refuses it
    if ignore_index is not None:  # zeros for the first row, so that shapes do not depend on data
        ignored = _operators.ignored(index, ignore_index)
        index = index.masked_fill(ignored, 0)
        src = src.masked_fill(ignored.reshape(-1, *[1] * (src.dim() - 1)), 0)
    return out.index_add(0, index, src)

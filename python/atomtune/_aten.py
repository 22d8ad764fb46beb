"""Overrides of PyTorch's own operators by calls of libatomtune_cuda.

Each operator has a function that brings its arguments to the form of a call, out[index[u]] op=
values[u], and raises _Left with the reason where atomtune has nothing to offer. PyTorch's own
kernel runs then. They lie below the gradients of PyTorch, which stay.
"""

import collections
import functools
import math

import torch

from . import _compiled
from ._operators import HALVES, identity

_INTEGERS = (torch.int32, torch.int64)
_TYPES = (torch.float32, torch.float64, *_INTEGERS, *HALVES)
# By operator, kind of shape, and "taken" or the reason why not.
counts = collections.defaultdict(int)
_smallest = 0
_library = None  # while the overrides are on


class _Left(Exception):
    """The call is PyTorch's. Its text says why."""


def _need(condition, reason):
    if not condition:
        raise _Left(reason)


class _Target:
    """The contiguous target of a call. Each index has elements for its own: one, or a row.

    Sums of 16 bits are made in 32 where wide says so, and where they are to be deterministic.
    """

    def __init__(self, self_, bins, inplace, wide=False):
        _need(bins < 2**32 - 1 and self_.numel() < bins << 32, "sizes")
        self._deterministic = torch.are_deterministic_algorithms_enabled()
        self._result = self_ if inplace else None
        if self_.dtype in HALVES and (wide or self._deterministic):
            out = self_.to(torch.float32, memory_format=torch.contiguous_format)
        else:
            out = self_.contiguous() if inplace else self_.clone(
                memory_format=torch.contiguous_format)
        self._dtype, self._out, self._bins = self_.dtype, out, bins

    def rows(self):
        return self._out.view(self._bins, -1)

    def add(self, index, values):
        _compiled.update(_compiled.ADD, self._out, self._bins, index, values,
                         deterministic=self._deterministic)

    def extreme(self, how, index, values):
        _compiled.update(_compiled.MIN if how == "amin" else _compiled.MAX, self._out, self._bins,
                         index, values)

    def result(self):
        if self._result is None:
            return self._out.to(self._dtype)
        if self._out is not self._result:
            self._result.copy_(self._out)
        return self._result


def _check(self, index, src):
    """What holds of the tensors of every call that is taken."""
    dtype, device = self.dtype, self.device
    _need(dtype in _TYPES, "type")
    _need(dtype == src.dtype and index.dtype in _INTEGERS, "types")
    _need(device == src.device and device == index.device, "devices")
    _need(self.dim() == src.dim() > 0, "dimensions")
    _need(self.numel() > 0, "empty")
    _need(_compiled.apart(self, src, index), "shared memory")


def _dim(self, dim):
    """dim from the front."""
    number = self.dim()
    _need(-number <= dim < number, "dim")
    return dim % number


def _flat(index, dim, shape):
    """The places that index, along dim, has in a tensor of that shape, as one contiguous dimension.

    Behind the dimensions of index lie rows.
    """
    number = index.dim()
    if number > 1:
        steps = [math.prod(shape[d + 1:number]) for d in range(number)]
        others = (torch.arange(0, size * step, step, device=index.device).view(
            -1, *[1] * (number - 1 - d))
            for d, (size, step) in enumerate(zip(index.shape, steps)) if d != dim)
        index = torch.add(functools.reduce(torch.add, others), index, alpha=steps[dim]).reshape(-1)
    return index.contiguous()


def _by_index(self, dim, index, src):
    """bins, index and values of index_add and its like: one index for each entry of dim."""
    _check(self, index, src)
    dim, own, updates = _dim(self, dim), self.shape, index.numel()
    _need(index.dim() == 1 and src.shape == (*own[:dim], updates, *own[dim + 1:]), "shapes")
    if dim > 0:
        index = index.expand(*own[:dim], updates)
    return math.prod(own[:dim + 1]), _flat(index, dim, own), src.contiguous()


def _by_element(self, dim, index, src):
    """The same of scatter_add and its like, which have an index for each element."""
    _check(self, index, src)
    dim, own, shape = _dim(self, dim), tuple(self.shape), tuple(index.shape)
    _need(len(shape) == len(own), "dimensions")
    if src.shape != shape:
        _need(_within(shape, src.shape), "shapes")
        src = src.as_strided(shape, src.stride())
    behind, own_behind = shape[dim + 1:], own[dim + 1:]
    if behind != own_behind or shape[:dim] != own[:dim]:
        _need(_within(shape[:dim] + behind, own[:dim] + own_behind), "shapes")
    if behind and behind == own_behind:
        strides = index.stride()
        # Expanded behind dim: the strides there are 0, or of one element.
        if not any(n > 1 and s for n, s in zip(behind, strides[dim + 1:])):
            index = index.as_strided(shape[:dim + 1], strides[:dim + 1])
    return math.prod(own[:index.dim()]), _flat(index, dim, own), src.contiguous()


def _within(sizes, others):
    for size, other in zip(sizes, others):
        if size > other:
            return False
    return True


def _add(self, bins, index, values, inplace):
    target = _Target(self, bins, inplace)
    target.add(index, values)
    return target.result()


def _index_add(inplace):
    def call(self, dim, index, source, alpha=1):
        arguments = _by_index(self, dim, index, source)
        _need(type(alpha) is int or type(alpha) is float and source.dtype.is_floating_point,
              "alpha")
        if alpha != 1:
            arguments = *arguments[:2], arguments[2] * alpha
        return _add(self, *arguments, inplace)

    return call


def _scatter_add(inplace):
    return lambda self, dim, index, src: _add(self, *_by_element(self, dim, index, src), inplace)


def _reduce(form, inplace):
    def call(self, dim, index, src, reduce, include_self=True):
        _need(reduce in ("sum", "mean", "amax", "amin"), "product")
        bins, index, values = form(self, dim, index, src)
        target = _Target(self, bins, inplace)
        sums = reduce in ("sum", "mean")
        if not include_self:
            target.rows().index_fill_(0, index.long(), 0 if sums else identity(reduce, self.dtype))
        if not sums:
            target.extreme(reduce, index, values)
            return target.result()
        target.add(index, values)
        if reduce == "mean":
            _divide(target.rows(), index, int(include_self))
        return target.result()

    return call


def _divide(rows, index, own):
    """Divides each row by the number of its updates, and its own if it counts."""
    numbers = torch.full((rows.shape[0],), own, dtype=torch.int32, device=rows.device)
    _compiled.update(_compiled.ADD, numbers, rows.shape[0], index)
    numbers = numbers.clamp_(min=1)[:, None]
    if rows.dtype.is_floating_point:
        rows.div_(numbers.to(torch.promote_types(rows.dtype, torch.float32)))
    else:
        rows.div_(numbers, rounding_mode="floor")


def _index_put_(self, indices, values, accumulate=False, unsafe=False):
    given = [d for d, index in enumerate(indices) if index is not None]
    first, number = given[0], len(given)
    _need(given == list(range(first, first + number)), "dimensions apart")
    tensors = [indices[d] for d in given]
    for index in tensors:
        _need(index.dtype in _INTEGERS, "mask")
        _need(index.device == self.device == values.device, "devices")
    _need(self.dtype in _TYPES and self.dtype == values.dtype, "type")
    _need(self.numel() > 0, "empty")
    _need(_compiled.apart(self, values, *tensors), "shared memory")
    _need(first + number <= self.dim(), "dimensions")
    if number > 1:
        try:
            tensors = torch.broadcast_tensors(*tensors)
        except RuntimeError as error:
            raise _Left("shapes") from error
    own, shape, updates = self.shape, tensors[0].shape, tensors[0].numel()
    outer, sizes = own[:first], own[first:first + number]
    bins = math.prod(sizes)
    # 16 bits are summed in 32, as PyTorch does. Of few updates the conversion is most of the work.
    _need(self.dtype not in HALVES or bins <= 4 * updates, "more targets than updates")
    flat = None
    for index, size in zip(tensors, sizes):
        index = torch.add(index, index < 0, alpha=size)
        flat = index if flat is None else flat.to(torch.int64) * size + index
    shape = *outer, *shape, *own[first + number:]
    _need(values.dim() <= len(shape) and all(
        have in (1, want) for have, want in zip(values.shape[::-1], shape[::-1])), "shapes")
    target = _Target(self, math.prod(outer) * bins, True, wide=True)
    flat = flat.reshape(-1)
    if first > 0:
        flat = flat.expand(*outer, updates)
    target.add(_flat(flat, first, (*outer, bins)), values.expand(shape).contiguous())
    return target.result()


def _embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    _need(grad_output.dtype in _TYPES and indices.dtype in _INTEGERS, "type")
    _need(grad_output.device == indices.device, "devices")
    width = grad_output.shape[-1] if grad_output.dim() > indices.dim() else 0
    _need(grad_output.numel() == indices.numel() * width > 0, "shapes")
    half = grad_output.dtype in HALVES
    _need(not half or num_weights <= 4 * indices.numel(), "more targets than updates")
    dtype = torch.float32 if half else grad_output.dtype  # as PyTorch sums them
    index = indices.reshape(-1).contiguous()
    out = grad_output.new_empty((num_weights, width), dtype=dtype)
    _compiled.update(_compiled.ADD, out, num_weights, index, grad_output.contiguous(),
                     padding_idx if padding_idx >= 0 else None, clear=True,
                     deterministic=torch.are_deterministic_algorithms_enabled())
    if scale_grad_by_freq:
        _divide(out, index, 0)
    return out.to(grad_output.dtype)


def _embedding_bag_dense_backward(grad, indices, offset2bag, bag_size, maximum_indices, num_weights,
                                  scale_grad_by_freq, mode, per_sample_weights, padding_idx=-1):
    # PyTorch's CPU kernel divides by the number of another index than PyTorch documents.
    _need(mode in (0, 1) and not scale_grad_by_freq, "mode")
    _need(grad.dim() == 2 and indices.shape == offset2bag.shape, "shapes")
    values = grad.index_select(0, offset2bag)
    if mode == 1:
        values /= bag_size.clamp(min=1).index_select(0, offset2bag)[:, None]
    if per_sample_weights is not None:
        values *= per_sample_weights[:, None]
    return _embedding_dense_backward(values, indices, num_weights, padding_idx, False)


def _bincount(self, weights=None, minlength=0):
    _need(self.dim() == 1 and self.dtype in (*_INTEGERS, torch.uint8, torch.int8, torch.int16),
          "type")
    _need(minlength >= 0, "minlength")
    _need(weights is None or weights.shape == self.shape and weights.device == self.device
          and not weights.is_complex(), "weights")
    _need(self.numel() > 0, "empty")
    least, most = torch.stack(torch.aminmax(self)).tolist()  # waits, as PyTorch does
    _need(least >= 0, "negative")
    index = self if self.dtype in _INTEGERS else self.to(torch.int32)
    bins = max(minlength, most + 1)
    if weights is None:
        return _compiled.count(index, bins)
    dtype = torch.float32 if weights.dtype == torch.float32 else torch.float64
    out = torch.empty((bins,), dtype=dtype, device=self.device)
    _compiled.update(_compiled.ADD, out, bins, index.contiguous(), weights.to(dtype).contiguous(),
                     clear=True, deterministic=torch.are_deterministic_algorithms_enabled())
    return out


def _histc(self, bins=100, min=0, max=0):
    _need(self.dtype in _INTEGERS, "type")
    _need(type(min) is type(max) is int and min < max and bins == max - min + 1,
          "no bin for each integer")
    ends = torch.iinfo(self.dtype)
    _need(ends.min < min and max < ends.max and bins < 2**32 - 3, "sizes")
    index = self.clamp(min - 1, max + 1).sub_(min - 1)  # a bin on each side is for the rest
    return _compiled.count(index.reshape(-1), bins + 2)[1:-1].to(self.dtype)


def _segment_reduce(data, reduce, lengths=None, indices=None, offsets=None, axis=0, unsafe=False,
                    initial=None):
    _need(reduce in ("sum", "mean"), "product")
    _need(data.dtype in _TYPES and data.dtype.is_floating_point, "type")
    given = lengths if offsets is None else offsets
    _need(indices is None and given is not None and (lengths is None or offsets is None), "indices")
    _need(axis in (0, -data.dim()) and given.dim() == 1 and data.dim() > 0, "dimensions")
    _need(data.device == given.device and given.dtype in _INTEGERS, "types")
    _need(data.numel() > 0 and given.numel() > (offsets is not None), "empty")
    if offsets is None:
        if not unsafe:  # waits, as PyTorch does
            least, total = torch.stack([lengths.amin(), lengths.sum()]).tolist()
            _need(least >= 0 and total == data.shape[0], "lengths")
        offsets = torch.nn.functional.pad(lengths.cumsum(0), (1, 0))
    # Rows before the first segment and behind the last one have a target of their own.
    rows = torch.arange(data.shape[0], dtype=offsets.dtype, device=data.device)
    index = torch.searchsorted(offsets.contiguous(), rows, right=True)
    target = _Target(data.new_full((offsets.numel() + 1, *data.shape[1:]), initial or 0),
                     offsets.numel() + 1, True)
    target.add(index, data.contiguous())
    if reduce == "mean":
        # An empty segment is what initial says, else 0 / 0.
        target.rows()[1:-1].div_(offsets.diff().clamp_(min=int(initial is not None))[:, None])
    return target.result()[1:-1]


def _most(indices):
    """The most that one of several indices has: the updates, unless each is broadcast."""
    most = 0
    for index in indices:
        if index is not None:
            updates = index.numel()
            if updates > most:
                most = updates
    return most


# For each operator its function and which argument has an entry for each update.
_OVERRIDES = {
    "scatter_add": (_scatter_add(False), 2),
    "scatter_add_": (_scatter_add(True), 2),
    "index_add": (_index_add(False), 2),
    "index_add_": (_index_add(True), 2),
    "scatter_reduce.two": (_reduce(_by_element, False), 2),
    "scatter_reduce_.two": (_reduce(_by_element, True), 2),
    "index_reduce": (_reduce(_by_index, False), 2),
    "index_reduce_": (_reduce(_by_index, True), 2),
    "_index_put_impl_": (_index_put_, 1),
    "embedding_dense_backward": (_embedding_dense_backward, 1),
    "_embedding_bag_dense_backward": (_embedding_bag_dense_backward, 1),
    "bincount": (_bincount, 0),
    "histc": (_histc, 0),
    "segment_reduce": (_segment_reduce, 0),
}


def _override(name, take, at):
    key = _compiled.KEY
    # The kernel that is there now is PyTorch's, which no call through the dispatcher reaches later.
    kernel = torch.library.get_kernel(f"aten::{name}", key)
    pytorch, keys = kernel.call_boxed, torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))
    short = name.split(".")[0]
    few, put = (short, "", "few updates"), name == "_index_put_impl_"

    def call(*arguments, **named):
        if not put:
            updates = arguments[at].numel()
        elif len(arguments) > 3 and arguments[3]:
            updates = _most(arguments[at])
        else:
            updates = -1  # none, since nothing is summed
        if updates < _smallest:
            counts[few] += 1
            return pytorch(keys, *arguments, **named)
        try:
            result, reason = take(*arguments, **named), "taken"
        except _Left as left:
            result, reason = None, str(left)
        shape = f"{arguments[0].dim()}-D, 2^{max(updates, 1).bit_length() - 1} updates"
        counts[short, shape, reason] += 1
        return pytorch(keys, *arguments, **named) if result is None else result

    call.kernel = kernel  # lives as long as its method is called
    return call


def override(on, smallest):
    """Turns the overrides on or off, for calls of at least smallest updates."""
    global _library, _smallest
    _smallest = smallest
    if not on and _library is not None:
        _library._destroy()
        _library = None
    elif on and _library is None:
        _library = torch.library.Library("aten", "IMPL")
        for name, (take, at) in _OVERRIDES.items():
            _library.impl(name, _override(name, take, at), _compiled.KEY, allow_override=True)

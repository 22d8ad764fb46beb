"""Sums, counts and extremes by index, for JAX arrays.

    import atomtune.jax
    sums = atomtune.jax.segment_sum(data, segment_ids, num_segments)

Each function does what JAX's own does, and can be differentiated, compiled and batched. On NVIDIA
GPUs libatomtune_cuda makes the call. Elsewhere, and for other types, the functions are JAX's own.
"""

import ctypes
import functools
import os

import jax
import jax.numpy as jnp
import numpy
from jax.extend import core
from jax.interpreters import ad, batching, mlir

from . import _extension

_HALVES = ("bfloat16", "float16")
# These count as in enum atomtune_type, atomtune_index and atomtune_op.
_TYPES = ("uint32", "int32", "float32", "uint64", "int64", "float64", *_HALVES)
_INDICES = ("uint32", "int32", "uint64", "int64", "uint8", "int8", "uint16", "int16")
_OPS = {"add": 0, "min": 4, "max": 5}


@functools.partial(jax.jit, static_argnames="num_segments")
def segment_sum(data, segment_ids, num_segments):
    """jax.ops.segment_sum: sums of data[u] by segment_ids[u]. float16 and bfloat16 are summed in
    float32."""
    return _segments(data, segment_ids, num_segments, "add")


@functools.partial(jax.jit, static_argnames="num_segments")
def segment_min(data, segment_ids, num_segments):
    """jax.ops.segment_min. The gradient is shared among equal values."""
    return _segments(data, segment_ids, num_segments, "min")


@functools.partial(jax.jit, static_argnames="num_segments")
def segment_max(data, segment_ids, num_segments):
    """jax.ops.segment_max. The gradient is shared among equal values."""
    return _segments(data, segment_ids, num_segments, "max")


@functools.partial(jax.jit, static_argnames="wrap_negative_indices")
def scatter_add(operand, index, updates, wrap_negative_indices=True):
    """operand.at[index].add(updates), of values or rows along the first dimension.

    It works in place where operand is donated: jax.jit(scatter_add, donate_argnums=0).
    wrap_negative_indices=False saves a pass over signed indices.
    """
    operand, index, updates = jnp.asarray(operand), jnp.asarray(index), jnp.asarray(updates)
    if not _is_ours(operand, index) or jnp.result_type(operand, updates) != operand.dtype:
        return operand.at[index].add(updates, wrap_negative_indices=wrap_negative_indices)
    updates = jnp.broadcast_to(updates.astype(operand.dtype), (*index.shape, *operand.shape[1:]))
    if wrap_negative_indices and jnp.issubdtype(index.dtype, jnp.signedinteger):
        index = index.astype(jnp.promote_types(index.dtype, jnp.int32))
        index = jnp.where(index < 0, index + operand.shape[0], index)
    return _update(operand, index.reshape(-1), updates.reshape(index.size, *operand.shape[1:]))


@functools.partial(jax.jit, static_argnames="length")
def bincount(x, length):
    """jnp.bincount(x, length=length): negative numbers count as 0. Unsigned x saves a pass."""
    x, start = jnp.asarray(x), jnp.zeros(length, int)
    if x.ndim != 1 or not _is_ours(start, x):
        return jnp.bincount(x, length=length)
    index = jnp.maximum(x, 0) if jnp.issubdtype(x.dtype, jnp.signedinteger) else x
    return _update(start, index, jnp.ones((), start.dtype))


@functools.cache
def load():
    """Loads libatomtune_cuda and registers its calls with XLA.

    Compiling the first call does so too. A program stored by jax.export needs it before it runs.
    """
    library = _extension.library()
    calls = ctypes.CDLL(str(_extension.for_jax()))
    calls.atomtune_jax_start.restype = ctypes.c_char_p
    why = calls.atomtune_jax_start(os.fsencode(library))
    if why is not None:
        raise OSError(f"atomtune: {why.decode()}")
    jax.ffi.register_ffi_target("atomtune_update", jax.ffi.pycapsule(calls.atomtune_jax_update),
                                platform="CUDA")


def _is_ours(targets, index):
    return targets.dtype in _TYPES and index.dtype in _INDICES


def _segments(data, segment_ids, num_segments, op):
    data, index = jnp.asarray(data), jnp.asarray(segment_ids)
    if not _is_ours(data, index) or index.ndim != 1:
        return getattr(jax.ops, f"segment_{op.replace('add', 'sum')}")(data, index, num_segments)
    dtype = jnp.float32 if op == "add" and data.dtype in _HALVES else data.dtype
    floats = jnp.issubdtype(dtype, jnp.floating)
    least, most = (-jnp.inf, jnp.inf) if floats else (jnp.iinfo(dtype).min, jnp.iinfo(dtype).max)
    first = {"add": 0, "min": most, "max": least}[op]
    start = jnp.full((num_segments, *data.shape[1:]), first, dtype)
    data = jnp.broadcast_to(data, (index.size, *data.shape[1:]))
    return _update(start, index, data, op).astype(data.dtype)


def _update(start, index, values, op="add"):
    """start after start[index[u]] op= values[u] for all u. A negative index is out of range, and
    left out. values has a value or a row for each index, or is the number 1."""
    if start.size == 0 or index.size == 0:
        return start
    varying = [_varying(x) for x in (start, index, values)]
    every = frozenset().union(*varying)
    return _update_p.bind(*(
        jax.lax.pcast(x, tuple(every - own), to="varying") if every - own else x
        for x, own in zip((start, index, values), varying)), op=op)


def _varying(x):
    """The mesh axes along which x varies in jax.shard_map."""
    about = jax.typeof(x)
    return about.vma if hasattr(about, "vma") else about.manual_axis_type.varying


def _rows(source, index):
    return source.at[index].get(mode="fill", fill_value=0, wrap_negative_indices=False)


_update_p = core.Primitive("atomtune_update")
_update_p.def_abstract_eval(lambda start, index, values, op: start.update(weak_type=False))
_compiled = jax.jit(_update, static_argnames="op")


@_update_p.def_impl
def _alone(*arguments, op):
    with jax.disable_jit(False):
        return _compiled(*arguments, op=op)


def _jax_own(start, index, values, op):
    return getattr(start.at[index], op)(values, mode="drop", wrap_negative_indices=False)


def _lower(ctx, start, index, values, op):
    axes = ctx.module_context.axis_context
    mesh = getattr(axes, "mesh", None)  # in jax.shard_map
    if {*mesh.axis_names} - {*axes.manual_axes} if mesh else getattr(axes, "num_devices", 1) > 1:
        raise NotImplementedError("atomtune: XLA cannot partition this call among devices: use "
                                  "jax.shard_map around it")
    load()
    targets, indices, loaded = (x.dtype.name for x in ctx.avals_in)
    kind = {"op": _OPS[op], "type": _TYPES.index(targets), "index_type": _INDICES.index(indices),
            "values_type": 0 if loaded == targets else _TYPES.index(loaded)}
    call = jax.ffi.ffi_lowering("atomtune_update", operand_output_aliases={0: 0})
    return call(ctx, start, index, values, **{k: numpy.int32(v) for k, v in kind.items()})


mlir.register_lowering(_update_p, mlir.lower_fun(_jax_own, multiple_results=False))
mlir.register_lowering(_update_p, _lower, platform="cuda")


def _start_tangent(tangent, out, start, index, values, op):
    if op == "add":
        return tangent
    return _shared(jnp.where(start == out, tangent, 0), out, start, index, values)


def _values_tangent(tangent, out, start, index, values, op):
    if op == "add":
        return _update(jnp.zeros_like(out), index, tangent)
    wide = jnp.promote_types(out.dtype, jnp.float32)
    chosen = jnp.where(values == _rows(out, index), tangent, 0).astype(wide)
    return _shared(_update(jnp.zeros_like(out, wide), index, chosen), out, start, index, values)


def _shared(tangent, out, start, index, values):
    """tangent divided by the number of values that equal the extreme."""
    wide = jnp.promote_types(out.dtype, jnp.float32)
    equal = _update((start == out).astype(wide), index,
                    (values == _rows(out, index)).astype(wide))
    return (tangent / jnp.maximum(equal, 1)).astype(out.dtype)


def _transpose(cotangent, start, index, values, op):
    if type(cotangent) is ad.Zero:
        return None, None, None
    of_values = ad.is_undefined_primal(values)
    return (cotangent if ad.is_undefined_primal(start) else None, None,
            _rows(cotangent, index).astype(values.aval.dtype) if of_values else None)


ad.defjvp2(_update_p, _start_tangent, None, _values_tangent)
ad.primitive_transposes[_update_p] = _transpose


def _batch(arguments, dimensions, op):
    size = next(x.shape[d] for x, d in zip(arguments, dimensions) if d is not None)

    def along(axis):
        return [jnp.moveaxis(x, d, axis) if d is not None else
                jnp.broadcast_to(jnp.expand_dims(x, axis), (*x.shape[:axis], size, *x.shape[axis:]))
                for x, d in zip(arguments, dimensions)]

    ones = arguments[2].ndim == 0
    if dimensions[1] is None and not ones:  # the batch lies in the rows
        start, _, values = along(1)
        return _update(start, arguments[1], values, op), 1
    start, index, values = along(0)
    bins = start.shape[1]
    index = index.astype(jnp.int64 if index.dtype.itemsize == 8 else jnp.int32)
    if size * bins > jnp.iinfo(jnp.int32).max:
        return jax.lax.map(lambda x: _update(*x, op), (start, index, values)), 0
    first = bins * jnp.arange(size, dtype=index.dtype)[:, None]
    index = jnp.where((index >= 0) & (index < bins), index + first, -1)
    flat = [x.reshape(-1, *x.shape[2:]) for x in (start, index)]
    values = arguments[2] if ones else values.reshape(-1, *values.shape[2:])
    return _update(*flat, values, op).reshape(start.shape), 0


batching.primitive_batchers[_update_p] = _batch

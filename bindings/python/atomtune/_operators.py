"""The operators torch.ops.atomtune.*: schemas, shapes for torch.compile, gradients.

The CUDA kernels are those of libatomtune_cuda, which csrc calls. On the CPU PyTorch's own operators
do the work.

A new call has its schema, shape and gradient here, its function in _functions.py and its kernel in
csrc/operators.cpp. An operator of PyTorch to override has its function in csrc/aten.cpp.
"""

import threading

import torch

from . import _arguments, _extension

_SCHEMAS = {
    "scatter_add": "(Tensor index, Tensor src, SymInt dim_size, int? ignore_index=None, "
                   "bool deterministic=False) -> Tensor",
    "scatter_add_": "(Tensor(a!) out, Tensor index, Tensor src, int? ignore_index=None, "
                    "bool deterministic=False) -> ()",
    "scatter_min": "(Tensor index, Tensor src, SymInt dim_size, int? ignore_index=None) -> Tensor",
    "scatter_min_": "(Tensor(a!) out, Tensor index, Tensor src, int? ignore_index=None) -> ()",
    "scatter_max": "(Tensor index, Tensor src, SymInt dim_size, int? ignore_index=None) -> Tensor",
    "scatter_max_": "(Tensor(a!) out, Tensor index, Tensor src, int? ignore_index=None) -> ()",
    "bincount": "(Tensor index, SymInt dim_size, int? ignore_index=None) -> Tensor",
}
if not hasattr(torch.Tag, "pt2_compliant_tag"):
    raise ImportError("atomtune's operators need PyTorch 2.4 or later, this is "
                      f"{torch.__version__}; choose and predict need none")
_library = torch.library.Library("atomtune", "DEF")
for _name, _schema in _SCHEMAS.items():
    _library.define(_name + _schema, tags=(torch.Tag.pt2_compliant_tag,))

HALVES = (torch.float16, torch.bfloat16)


def sum_dtype(dtype):
    """The type of a sum: halves are summed in float32."""
    return torch.float32 if dtype in HALVES else dtype


def kept(index, src, ignore_index):
    """The updates whose index is not ignored."""
    if ignore_index is None:
        return index, src
    keep = ~ignored(index, ignore_index)
    return index[keep], src[keep]


def ignored(index, ignore_index):
    """Where index is the one to ignore. PyTorch would cut that off to the type of index."""
    return long(index) == _arguments.integer("ignore_index", ignore_index, -2**63, 2**63 - 1)


def beside(index, src):
    """index with an entry for each element of src."""
    return index.reshape(-1, *[1] * (src.dim() - 1)).expand_as(src)


def long(index):
    """index as int64: a TypeError where it holds no integers."""
    torch.iinfo(index.dtype)
    return index.to(torch.int64)


# The CPU's kernels.


def _cpu_scatter_add_(out, index, src, ignore_index=None, deterministic=False):
    index, src = kept(index, src, ignore_index)
    out.index_add_(0, index, src.to(out.dtype))


def _cpu_scatter_add(index, src, dim_size, ignore_index=None, deterministic=False):
    out = src.new_zeros((dim_size, *src.shape[1:]), dtype=sum_dtype(src.dtype))
    _cpu_scatter_add_(out, index, src, ignore_index)
    return out


def _cpu_reduce_(how):
    def reduce_(out, index, src, ignore_index=None):
        index, src = kept(index, src, ignore_index)
        out.scatter_reduce_(0, beside(long(index), src), src, how)

    return reduce_


def identity(how, dtype):
    """What no update moves: the largest value for a minimum, the least for a maximum."""
    ends = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    if dtype.is_floating_point:
        return float("inf") if how == "amin" else float("-inf")
    return ends.max if how == "amin" else ends.min


def _cpu_reduce(how):
    reduce_ = _cpu_reduce_(how)

    def reduce(index, src, dim_size, ignore_index=None):
        out = src.new_full((dim_size, *src.shape[1:]), identity(how, src.dtype))
        reduce_(out, index, src, ignore_index)
        return out

    return reduce


def _cpu_bincount(index, dim_size, ignore_index=None):
    ones = torch.ones_like(index, dtype=torch.int64)
    return _cpu_scatter_add(index, ones, dim_size, ignore_index)


_CPU = {"scatter_add": _cpu_scatter_add, "scatter_add_": _cpu_scatter_add_,
        "scatter_min": _cpu_reduce("amin"), "scatter_min_": _cpu_reduce_("amin"),
        "scatter_max": _cpu_reduce("amax"), "scatter_max_": _cpu_reduce_("amax"),
        "bincount": _cpu_bincount}
for _name, _kernel in _CPU.items():
    _library.impl(_name, _kernel, "CPU")

# The first call on a GPU loads the kernels, which then replace these.
_lock = threading.Lock()
_until_loaded = torch.library.Library("atomtune", "IMPL")


def load(verbose=False):
    """Loads the CUDA kernels, where that was not done yet."""
    global _until_loaded
    with _lock:
        if _until_loaded is not None:
            _extension.load(verbose)
            _until_loaded._destroy()
            _until_loaded = None


def _load_first(name):
    def call(*args, **kwargs):
        load()
        return getattr(torch.ops.atomtune, name)(*args, **kwargs)

    return call


for _name in _SCHEMAS:
    _until_loaded.impl(_name, _load_first(_name), "CUDA")

# Shapes.


@torch.library.register_fake("atomtune::scatter_add", lib=_library)
def _(index, src, dim_size, ignore_index=None, deterministic=False):
    return src.new_empty((dim_size, *src.shape[1:]), dtype=sum_dtype(src.dtype))


@torch.library.register_fake("atomtune::bincount", lib=_library)
def _(index, dim_size, ignore_index=None):
    return index.new_empty((dim_size,), dtype=torch.int64)


for _name in ("scatter_min", "scatter_max"):
    torch.library.register_fake(
        f"atomtune::{_name}",
        lambda index, src, dim_size, ignore_index=None: src.new_empty((dim_size, *src.shape[1:])),
        lib=_library)
for _name in ("scatter_add_", "scatter_min_", "scatter_max_"):
    torch.library.register_fake(f"atomtune::{_name}", lambda *args, **kwargs: None, lib=_library)

# Gradients: an update's gradient is that of its target.


def _remember(ctx, inputs, output):
    index, src, _, ignore_index, _ = inputs
    ctx.save_for_backward(index)
    ctx.dtype, ctx.ignore_index = src.dtype, ignore_index


def _gather(ctx, grad):
    (index,) = ctx.saved_tensors
    return None, gather(grad, index, ctx.ignore_index).to(ctx.dtype), None, None, None


def gather(targets, index, ignore_index):
    """The targets' entries at index, 0 where it is ignored."""
    if ignore_index is None:
        return targets.index_select(0, index)
    where = ignored(index, ignore_index)
    entries = targets.index_select(0, index.masked_fill(where, 0))
    return entries.masked_fill(where.reshape(-1, *[1] * (entries.dim() - 1)), 0)


torch.library.register_autograd("atomtune::scatter_add", _gather, setup_context=_remember,
                                lib=_library)


# The gradient of a minimum or maximum is shared evenly among the updates that have its value.


def _remember_extreme(ctx, inputs, output):
    index, src, ctx.dim_size, ctx.ignore_index = inputs
    ctx.save_for_backward(index, src, output)


def _share(ctx, grad):
    index, src, output = ctx.saved_tensors
    ties = (src == gather(output, index, ctx.ignore_index)).to(grad.dtype)
    number = torch.ops.atomtune.scatter_add.default(index, ties, ctx.dim_size, ctx.ignore_index)
    share = gather(grad / number.clamp(min=1), index, ctx.ignore_index)
    return None, share * ties, None, None


for _name in ("scatter_min", "scatter_max"):
    torch.library.register_autograd(f"atomtune::{_name}", _share,
                                    setup_context=_remember_extreme, lib=_library)

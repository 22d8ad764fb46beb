"""The calls of libatomtune_cuda on tensors: no compiler, and no code of PyTorch's own ABI.

PyTorch's stable ABI would not do: it hands no Scalar over, which index_add has, and what is raised
below it loses its type and its text, so that running out of memory could not be caught any more.
"""

import ctypes
import os
import pathlib
import struct

import torch

KEY = "CUDA"  # of the dispatcher: the tests run on the CPU
ADD, MIN, MAX = 0, 4, 5  # enum atomtune_op
_TYPES = {torch.int32: 1, torch.float32: 2, torch.int64: 4, torch.float64: 5, torch.bfloat16: 6,
          torch.float16: 7}
_INDICES = {torch.int32: 1, torch.int64: 3}
_HALVES = (torch.float16, torch.bfloat16)
_library = None
_words = {}  # for each device one that becomes 1 where an index is out of range
_workspaces = {}  # bytes that a call needs, by its device and numbers
made = 0  # calls


# struct atomtune_update of atomtune_update.h. Its bytes are made at once, for each call its own.
_STRUCT = struct.Struct("@N4P3Qq9iIiPPN4PQ")


def find():
    """Loads the library, and tells whether there is one.

    It lies beside this file in a wheel, else where ATOMTUNE_CUDA_LIBRARY says.
    """
    global _library
    if not hasattr(torch.library, "get_kernel"):
        return False  # before PyTorch 2.10 an override has no way to PyTorch's own kernel
    beside = pathlib.Path(__file__).resolve().parent / "libatomtune_cuda.so"
    named = os.environ.get("ATOMTUNE_CUDA_LIBRARY")
    if named and not os.path.isabs(named):
        raise ValueError(f"ATOMTUNE_CUDA_LIBRARY is {named}, want an absolute path")
    if not named and not beside.is_file():
        return False
    library = ctypes.CDLL(str(beside) if beside.is_file() else named)
    library.atomtune_update_error.restype = ctypes.c_size_t
    library.atomtune_update_error.argtypes = ctypes.c_char_p, ctypes.c_size_t
    _library = library
    return True


def update(op, out, bins, index, values=None, ignore=None, clear=False, deterministic=False):
    """out[index[u]] op= values[u], of single values or of rows: all contiguous, on one device.

    out has bins of them. Ones are added where there are no values. Enqueued on the current stream.
    """
    dtype, updates, elements = out.dtype, index.numel(), out.numel()
    if updates == 0 or elements == 0:
        if clear:
            out.zero_()
        return
    value, values_type, values_at = 1, 0, 0
    if values is not None:
        if values.dtype != dtype:
            if op == ADD and dtype == torch.float32 and values.dtype in _HALVES:
                values_type = _TYPES[values.dtype]
            else:
                values = values.to(dtype)
        value, values_at = 0, values.data_ptr()
    width = elements // bins
    if width == 1 and dtype not in _HALVES:
        width = 0  # single values
    numbers = (bins, updates, width, ignore or 0, ignore is not None, _TYPES[dtype], op, value,
               values_type, _INDICES[index.dtype], clear, deterministic)
    addresses = out.data_ptr(), index.data_ptr(), values_at
    device = out.device
    if device.type == "cpu" or device.index == torch.cuda.current_device():
        return _make(device, addresses, numbers)
    with torch.cuda.device(device):
        _make(device, addresses, numbers)


def _make(device, addresses, numbers):
    global made
    number = device.index or 0
    stream = 0 if device.type == "cpu" else torch._C._cuda_getCurrentRawStream(number)
    bytes_ = _workspaces.get((number, numbers))
    if bytes_ is None:
        size = ctypes.c_size_t()
        call = _STRUCT.pack(_STRUCT.size, *addresses, 0, *numbers, 0, 0, 0, stream, *[0] * 7)
        _check(_library.atomtune_update_workspace(call, ctypes.byref(size)))
        if len(_workspaces) >= 1 << 12:  # the sizes change from call to call
            _workspaces.clear()
        bytes_ = _workspaces[number, numbers] = size.value
    workspace = torch.empty(max(bytes_, 1), dtype=torch.uint8, device=device)
    word = _word(device)
    status = _library.atomtune_update(_STRUCT.pack(
        _STRUCT.size, *addresses, 0, *numbers, 0, 0, 0, stream, workspace.data_ptr(), bytes_,
        0 if word is None else word.data_ptr(), 0, 0, 0, 0))
    if status < 0:
        _check(status)
    made += 1


def _check(status):
    if status < 0:
        text = ctypes.create_string_buffer(1024)
        _library.atomtune_update_error(text, len(text))
        raise RuntimeError(f"atomtune: {text.value.decode()}")


def _word(device):
    """The device's word. None while a graph is captured, until a call outside has made it."""
    number = device.index or 0
    word = _words.get(number)
    if word is None and not (device.type == "cuda" and torch.cuda.is_current_stream_capturing()):
        with torch.inference_mode(False):  # it outlives the mode
            word = _words[number] = torch.zeros(1, dtype=torch.int32, device=device)
        if device.type == "cuda":
            torch.cuda.current_stream().synchronize()
    return word


def _out_of_range(device):
    word = _words.get(device)
    if word is None:
        return False
    met = bool(word.item())
    word.zero_()
    return met


# The kernels of torch.ops.atomtune.


def _fit(index, src, out=None):
    """The indices and values of a call, contiguous. RuntimeError: they do not go together."""
    if index.dim() != 1 or src.dim() < 1:
        raise RuntimeError(f"atomtune: index and src have {index.dim()} and {src.dim()} "
                           "dimensions, want 1, and 1 at least")
    if index.numel() != src.shape[0]:
        raise RuntimeError(f"atomtune: {index.numel()} indices for {src.shape[0]} "
                           f"{'values' if src.dim() == 1 else 'rows'}")
    if src.numel() > 0 and src[0].numel() >> 32:
        raise RuntimeError(f"atomtune: rows of {src[0].numel()} elements")
    for other in (index, *(() if out is None else (out,))):
        if other.device != src.device:
            raise RuntimeError(f"atomtune: tensors are on {other.device} and {src.device}")
    if out is None:
        return index.contiguous(), src.contiguous()
    if out.dim() != src.dim() or out.shape[1:] != src.shape[1:]:
        raise RuntimeError(f"atomtune: out has the shape {list(out.shape)}, src {list(src.shape)}, "
                           "want them alike but for the first dimension")
    if not apart(out, index, src):
        raise RuntimeError("atomtune: out shares memory with index or src")
    return index.contiguous(), src.contiguous()


def apart(out, *others):
    """Whether out has no memory in common with the others, as far as their ends tell."""
    first, end = _ends(out)
    for other in others:
        its_first, its_end = _ends(other)
        if first < its_end and its_first < end:
            return False
    return True


def _ends(t):
    first = t.data_ptr()
    if t.is_contiguous():
        return first, first + t.nbytes
    if t.numel() == 0:
        return 0, 0
    elements = 1
    for size, stride in zip(t.shape, t.stride()):
        elements += (size - 1) * stride
    return first, first + elements * t.element_size()


def _update_(op, out, index, src, ignore_index, deterministic=False):
    index, src = _fit(index, src, out)
    target = out.contiguous()
    update(op, target, out.shape[0], index, src, ignore_index, deterministic=deterministic)
    if target is not out:
        out.copy_(target)


def _scatter_add_(out, index, src, ignore_index=None, deterministic=False):
    _update_(ADD, out, index, src, ignore_index, deterministic)


def _scatter_add(index, src, dim_size, ignore_index=None, deterministic=False):
    index, src = _fit(index, src)
    dtype = torch.float32 if src.dtype in _HALVES else src.dtype
    out = src.new_empty((dim_size, *src.shape[1:]), dtype=dtype)
    update(ADD, out, dim_size, index, src, ignore_index, clear=True, deterministic=deterministic)
    return out


def _extreme_(op):
    return lambda out, index, src, ignore_index=None: _update_(op, out, index, src, ignore_index)


def _extreme(op, identity):
    def extreme(index, src, dim_size, ignore_index=None):
        out = src.new_full((dim_size, *src.shape[1:]), identity(src.dtype))
        _update_(op, out, index, src, ignore_index)
        return out

    return extreme


def count(index, dim_size, ignore_index=None):
    """How often each number is in index. Each 2^30 are counted in 32 bits, which every GPU adds in
    shared memory by itself."""
    if index.dim() != 1:
        raise RuntimeError(f"atomtune: index has {index.dim()} dimensions, want 1")
    total = None
    for part in index.contiguous().split(1 << 30):
        counts = index.new_empty((dim_size,), dtype=torch.int32)
        update(ADD, counts, dim_size, part, None, ignore_index, clear=True)
        total = counts.to(torch.int64) if total is None else total.add_(counts)
    return total


def register(identity):
    """Puts the library's kernels in place. identity(how, dtype) is what no update moves."""
    library = torch.library.Library("atomtune", "IMPL")
    kernels = {
        "scatter_add": _scatter_add, "scatter_add_": _scatter_add_,
        "scatter_min": _extreme(MIN, lambda dtype: identity("amin", dtype)),
        "scatter_max": _extreme(MAX, lambda dtype: identity("amax", dtype)),
        "scatter_min_": _extreme_(MIN), "scatter_max_": _extreme_(MAX), "bincount": count}
    for name, kernel in kernels.items():
        library.impl(name, kernel, KEY, allow_override=True)
    fragment = torch.library.Library("atomtune", "FRAGMENT")
    from . import _aten

    for schema, function in (("_calls() -> int", lambda: made),
                             ("_out_of_range(int device) -> bool", _out_of_range),
                             ("_override(bool on, int smallest) -> ()", _aten.override)):
        fragment.define(schema)
        fragment.impl(schema.split("(")[0], function, "CompositeExplicitAutograd")
    return library, fragment

"""Updates of any arrays on a GPU that offer __cuda_array_interface__ or DLPack.

    from atomtune import arrays
    arrays.update(out, index, values)    # out[index[u]] += values[u]

Needs libatomtune_cuda and the GPU's driver, but neither PyTorch nor NumPy nor a compiler.
"""

import ctypes
import functools
import math
import typing

from . import _arguments, _extension, _library

DRIVER = "libcuda.so.1"  # the tests name a stand-in

# Their places are the numbers of the header's enumerations.
_TYPES = (*_library._TYPES, "f16")
_INDICES = ("u32", "i32", "u64", "i64", "u8", "i8", "u16", "i16")
_OPS = {"add": 0, "min": 4, "max": 5}
_KINDS = {0: "i", 1: "u", 2: "f", 4: "bf"}  # of DLPack's types


class _Update(ctypes.Structure):
    """struct atomtune_update of atomtune_update.h."""

    _fields_ = [(name, kind) for kind, names in (
        (ctypes.c_size_t, "struct_size"), (ctypes.c_void_p, "out index values old"),
        (ctypes.c_uint64, "bins updates width"), (ctypes.c_int64, "ignore"),
        (ctypes.c_int32, "has_ignore type op value values_type index_type clear deterministic "
                         "row_form row_slots row_wraps"), (ctypes.c_void_p, "stream workspace"),
        (ctypes.c_size_t, "workspace_bytes"), (ctypes.c_void_p, "error chosen tree plan"),
        (ctypes.c_uint64, "calls")) for name in names.split()]


class _Tensor(ctypes.Structure):
    """DLTensor of dlpack.h."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
        ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


class _Array(typing.NamedTuple):
    address: int
    shape: tuple
    type: str
    contiguous: bool
    read_only: bool
    owner: object = None


def update(out, index, values=None, op="add", ignore_index=None, clear=False, deterministic=False,
           stream=None, error=None):
    """Makes out[index[u]] op= values[u] for all u, in place, and returns out without waiting.

    All are C-contiguous arrays on the current GPU. index has integers of any type. values has the
    type of out, or 16 bits where out is float32, and the shape index.shape + out.shape[1:]: where
    out has more than one dimension, each index updates a row. Without values ones are added. op
    is "add", "min" or "max"; clear sets out to zero first; deterministic asks for bitwise the same
    sums on every run. An update is left out if its index is ignore_index or out of range, and below
    zero is out of range. error, an array of one uint32, is set to 1 where one was out of range;
    without it such an index goes unreported.

    stream is the handle of the stream to use: by default the one that the interface of out names,
    else that of another array, else the legacy default stream. The call waits for other streams
    that are named, and they wait for the call. DLPack orders only earlier work: later work of
    other streams on such an array has to wait for this stream.

    Raises TypeError or ValueError where there is no such call, and leaves out as it was.
    """
    given = {"out": out, "index": index, "values": values, "error": error}
    given = {name: array for name, array in given.items() if array is not None}
    interfaces = {name: _interface(name, array) for name, array in given.items()}
    named = [i["stream"] for i in interfaces.values() if i and i.get("stream")]
    if stream is None and named:
        stream = named[0]
    stream = stream or 1  # either is the legacy default stream
    read = {name: _of_interface(interfaces[name]) if interfaces[name]
            else _of_dlpack(name, array, stream) for name, array in given.items()}
    _check(op, **read)
    out_, index_, values_, error_ = map(read.get, ("out", "index", "values", "error"))
    updates, width = math.prod(index_.shape), math.prod(out_.shape[1:])
    if out_.shape[0] * width == 0 or updates == 0 and not clear:
        return out
    _check_devices(read)
    call = _Update(
        ctypes.sizeof(_Update), out_.address, index_.address, values_ and values_.address,
        bins=out_.shape[0], updates=updates, width=width if width > 1 else 0,
        has_ignore=ignore_index is not None, ignore=0 if ignore_index is None
        else _arguments.integer("ignore_index", ignore_index, -2**63, 2**63 - 1),
        type=_TYPES.index(out_.type), op=_OPS[op], value=values_ is None,
        values_type=_TYPES.index(values_.type) if values_ and values_.type != out_.type else 0,
        index_type=_INDICES.index(index_.type), clear=_arguments.flag("clear", clear),
        deterministic=_arguments.flag("deterministic", deterministic), stream=stream,
        error=error_ and error_.address)
    library, others = _loaded()[0], set(named) - {stream}
    for other in others:
        _wait(stream, other)
    status = library.atomtune_update(ctypes.byref(call))
    for other in others:
        _wait(other, stream)
    if status < 0:
        text = ctypes.create_string_buffer(1024)
        library.atomtune_update_error(text, ctypes.c_size_t(len(text)))
        # -1 and -7 are ATOMTUNE_ARGUMENT and ATOMTUNE_UNSUPPORTED.
        kind = ValueError if status in (-1, -7) else RuntimeError
        raise kind(text.value.decode(errors="replace"))
    return out


def _interface(name, array):
    """The array's interface, or None for DLPack, which is better than one that names no stream."""
    interface = getattr(array, "__cuda_array_interface__", None)
    dlpack = hasattr(array, "__dlpack__")
    if interface is None and not dlpack:
        raise TypeError(f"{name} offers neither __cuda_array_interface__ nor DLPack")
    return None if dlpack and (interface is None or interface["version"] < 3) else interface


def _of_interface(interface):
    shape, kind, (address, read_only) = (interface[key] for key in ("shape", "typestr", "data"))
    size = int(kind[2:])
    masked = "masked " if interface.get("mask") is not None else ""
    return _Array(address, tuple(shape), f"{masked}{kind[:2].strip('<|')}{8 * size}",
                  _contiguous(shape, interface.get("strides"), size), read_only)


def _of_dlpack(name, array, stream):
    device = array.__dlpack_device__()[0]
    if device not in (2, 13):  # kDLCUDA, kDLCUDAManaged
        raise ValueError(f"{name} is not on an NVIDIA GPU: its DLPack device is {device}")
    capsule = array.__dlpack__(stream=stream)
    t = _Tensor.from_address(_pointer(capsule, b"dltensor"))
    shape, strides = t.shape[:t.dimensions], t.strides[:t.dimensions] if t.strides else None
    kind = _KINDS.get(t.code, f"DLPack's {t.code}:") if t.lanes == 1 else "vectors of "
    return _Array((t.data or 0) + t.byte_offset, tuple(shape), f"{kind}{t.bits}",
                  _contiguous(shape, strides, 1), False, capsule)


def _contiguous(shape, strides, unit):
    """Whether elements lie in the order of C. An element is so many units of the strides."""
    return strides is None or 0 in shape or all(
        size == 1 or stride == unit * math.prod(shape[d + 1:])
        for d, (size, stride) in enumerate(zip(shape, strides)))


def _check(op, out, index, values=None, error=None):
    """Refuses arrays that do not fit. The library refuses what it has no kernel for."""
    if op not in _OPS:
        raise ValueError(f"op is {op!r}, want one of {', '.join(_OPS)}")
    rows = out.shape[1:]
    for name, array, types, shape in (
            ("out", out, _TYPES, out.shape[:1] + rows or "one of a dimension or more"),
            ("index", index, _INDICES, index.shape), ("error", error, ("u32",), (1,)),
            ("values", values, (out.type, *("f16", "bf16") * (out.type == "f32")),
             index.shape + rows)):
        if array is None:
            continue
        if array.type not in types:
            raise TypeError(f"{name} has elements of {array.type}, want {' or '.join(types)}")
        if array.shape != shape:
            raise ValueError(f"{name} has the shape {array.shape}, want {shape}")
        if not array.contiguous:
            raise ValueError(f"{name} is not C-contiguous: pass a copy")
        if array.read_only and name in ("out", "error"):
            raise ValueError(f"{name} is read-only")


def _check_devices(read):
    devices, number, driver = {}, ctypes.c_int(), _loaded()[1]
    for name, array in read.items():
        if 0 not in array.shape:
            place = ctypes.c_void_p(array.address)
            if driver.cuPointerGetAttribute(ctypes.byref(number), 9, place) != 0:  # its device
                raise ValueError(f"{name} is not memory of a GPU")
            devices[name] = number.value
    if driver.cuCtxGetDevice(ctypes.byref(number)) == 0:  # else the library takes that of out
        devices["the current context"] = number.value
    if len(set(devices.values())) > 1:
        raise ValueError(f"the arrays must be on the current device, and are on {devices}")


def _wait(stream, other):
    """Later work of the stream waits for what is in the other one."""
    driver, event = _loaded()[1], ctypes.c_void_p()
    failed = (driver.cuEventCreate(ctypes.byref(event), 2)  # without a time
              or driver.cuEventRecord(event, ctypes.c_void_p(other))
              or driver.cuStreamWaitEvent(ctypes.c_void_p(stream), event, 0))
    driver.cuEventDestroy_v2(event)
    if failed:
        raise RuntimeError(f"the driver cannot order the streams: error {failed}")


@functools.lru_cache(maxsize=None)
def _loaded():
    """The library and the driver."""
    return ctypes.CDLL(str(_extension.library())), ctypes.CDLL(DRIVER)

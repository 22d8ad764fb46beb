"""Answers with times, of the C library libatomtune."""

import ctypes
import ctypes.util
import dataclasses
import functools
import math
import os
import pathlib
import typing
from array import array

from . import _arguments, _choice, _sample

_TYPES = ("u32", "i32", "f32", "u64", "i64", "f64", "bf16")
_INDICES = ("uint32", "int32", "uint64", "int64")


class _Flag(ctypes.c_int32):
    """A number that stands for true or false."""


class _Structure(ctypes.Structure):
    """A structure of atomtune.h. ctypes would cut off numbers that are too large for a field."""

    def __init__(self, **values):
        kinds = dict(self._fields_)
        super().__init__(ctypes.sizeof(self), **{
            name: _field(name, value, kinds[name]) for name, value in values.items()})


def _field(name, value, kind):
    """value for a field of this kind."""
    if kind is ctypes.c_char_p:
        return _arguments.text(name, value) or None
    if kind is _Flag:
        return _arguments.flag(name, value)
    bits = 8 * ctypes.sizeof(kind)
    least = -1 << bits - 1 if kind(-1).value < 0 else 0
    return _arguments.integer(name, value, least, least + (1 << bits) - 1)


class _Call(_Structure):
    """struct atomtune_call of atomtune.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("device", ctypes.c_char_p), ("only", ctypes.c_char_p),
        ("exclude", ctypes.c_char_p), ("bins", ctypes.c_uint64),
        ("memory_bytes", ctypes.c_uint64), ("ignore", ctypes.c_int64),
        ("has_ignore", _Flag), ("type", ctypes.c_int32), ("op", ctypes.c_int32),
        ("value", _Flag), ("index", ctypes.c_int32), ("returns", _Flag), ("keeps", _Flag),
        ("deterministic", _Flag), ("no_sort", _Flag), ("cautious", _Flag), ("relaid", _Flag),
        ("whole", _Flag), ("rule_launch", _Flag),
        ("launch_threads", ctypes.c_uint32), ("launch_blocks", ctypes.c_uint64),
        ("launch_unroll", ctypes.c_uint32), ("launches", ctypes.c_uint32),
        ("sampling_cost_us", ctypes.c_double), ("sampling_most_us", ctypes.c_double),
        ("seed", ctypes.c_uint64), ("width", ctypes.c_uint64), ("values", ctypes.c_int32),
        ("calls", ctypes.c_uint32)]


class _Choice(_Structure):
    """struct atomtune_choice of atomtune.h."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t), ("implementation", ctypes.c_char * 96),
        ("kind", ctypes.c_char * 24), ("predicted_us", ctypes.c_double),
        ("low_us", ctypes.c_double), ("high_us", ctypes.c_double),
        ("speedup_over_naive", ctypes.c_double), ("loss_bound", ctypes.c_double),
        ("floor_us", ctypes.c_double), ("launch_blocks", ctypes.c_uint64),
        ("launch_threads", ctypes.c_uint32), ("launch_unroll", ctypes.c_uint32),
        ("shared_bytes", ctypes.c_uint64), ("memory_bytes", ctypes.c_uint64),
        ("sampled", ctypes.c_uint64), ("source", ctypes.c_int32), ("reserved", ctypes.c_int32),
        ("reason", ctypes.c_char * 2048)]


# enum atomtune_source, in words.
_SOURCES = ("whole", "sample", "prior", "plan", "leaf")


@dataclasses.dataclass(frozen=True)
class Prediction:
    """The best form by the closed forms and trees of libatomtune, and its time in microseconds.

    The time lies between low_us and high_us in 9 of 10 cases, and loss_bound bounds the choice's time
    over the best's where all intervals hold; the three are None where no call of the device was
    recorded. floor_us is the least time of any form. A time of 0 is not known. source says what was read: the "whole" stream, a "sample" of so many
    updates (sampled), or none of it, "prior", where times are means over kinds of streams.
    """

    implementation: str
    kind: str
    predicted_us: float
    low_us: typing.Optional[float]
    high_us: typing.Optional[float]
    speedup_over_naive: float
    loss_bound: typing.Optional[float]
    floor_us: float
    launch_blocks: int
    launch_threads: int
    launch_unroll: int
    shared_bytes: int
    memory_bytes: int
    sampled: int
    source: str
    reason: str


def predict(index, bins=0, *, device=None, type="f32", one=False, returns=False, only="",
            exclude="", keeps=False, deterministic=False, ignore_index=None, whole=False,
            calls=1, launches=None, width=0, value_type=None):
    """Chooses with times: with whole=True as the command atomtune choose does.

    index is a list, what turns into a NumPy array, or a torch tensor, of 32 or 64-bit integers in any
    order of bytes. device is a built-in device or the path of a profile, by default that of choose. only and
    exclude name implementations, with commas or blanks between them; keeps adds to
    existing values. The same indices come in this many calls, so that what is prepared once (the frequent
    targets, a re-layout) counts only once; launches is another name of calls. What is read by
    default is a sample that pays within these calls, so that a single one is often answered by the means of
    many streams; whole reads all.
    With a width each index updates a row of so many targets, as in scatter_add of rows; all is read
    then. value_type is the type of their values where it is not that of the targets; rows may be of
    "bf16".
    A warning says where some of a sample of the indices are outside of the bins.
    Raises FileNotFoundError where there is no libatomtune: see library_path.
    """
    types = _TYPES if width else _TYPES[:-1]
    for name, of in ("type", type), ("value_type", type if value_type is None else value_type):
        if of not in types:
            raise ValueError(f"{name} {of!r}: want one of {', '.join(types)}")
    index = _arguments.stream(index)
    _sample.look(index, bins or _sample.NO_TARGET, ignore_index)
    buffer, code, n = _memory(index)
    call = _Call(
        device=_choice.default_device() if device is None else device, only=only, exclude=exclude,
        bins=bins,
        ignore=0 if ignore_index is None else ignore_index, has_ignore=ignore_index is not None,
        type=_TYPES.index(type), value=_arguments.flag("one", one), index=code,
        returns=returns, keeps=keeps, deterministic=deterministic, whole=whole,
        calls=calls if launches is None else 0, launches=0 if launches is None else launches,
        width=width, values=0 if value_type in (None, type) else _TYPES.index(value_type))
    choice = _Choice()
    library = _load(library_path())
    if library.atomtune_choose(ctypes.byref(call), ctypes.c_void_p(buffer.address), n,
                               ctypes.byref(choice)) != 0:
        raise ValueError(_last_error(library))
    values = {f.name: getattr(choice, f.name) for f in dataclasses.fields(Prediction)}
    for name in "low_us", "high_us", "loss_bound":
        if math.isnan(values[name]):
            values[name] = None
    values["source"] = _SOURCES[choice.source]
    return Prediction(**{name: value.decode(errors="replace") if isinstance(value, bytes) else value
                         for name, value in values.items()})


def library_path():
    """libatomtune: ATOMTUNE_LIBRARY where it is set, else the system's, else the checkout's.

    No path depends on the working directory.
    """
    named = os.environ.get("ATOMTUNE_LIBRARY")
    if named:
        if os.path.dirname(named) and not os.path.isabs(named):
            raise ValueError(f"ATOMTUNE_LIBRARY={named} depends on the working directory: "
                             "name an absolute path")
        return named
    built = pathlib.Path(__file__).resolve().parents[2] / "clib/build/lib/libatomtune.so"
    found = ctypes.util.find_library("atomtune") or (str(built) if built.exists() else None)
    if found is None:
        raise FileNotFoundError("no libatomtune: build it (make -C bindings/clib) and name it in "
                                "ATOMTUNE_LIBRARY, or install it")
    return found


@functools.lru_cache(maxsize=None)
def _load(path):
    library = ctypes.CDLL(path)
    library.atomtune_choose.restype = ctypes.c_int
    library.atomtune_choose.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64,
                                        ctypes.c_void_p]
    library.atomtune_last_error.restype = ctypes.c_size_t
    library.atomtune_last_error.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


def _last_error(library):
    text = ctypes.create_string_buffer(4096)
    library.atomtune_last_error(text, len(text))
    return text.value.decode(errors="replace")


@dataclasses.dataclass(frozen=True)
class _Buffer:
    address: int
    owner: object  # keeps the memory


def _memory(index):
    """The memory of a stream, the code of its type, and its length."""
    name = _arguments.type_name(index)
    if name is None:
        numbers = array("q", map(_arguments.entry, index))
        return _Buffer(numbers.buffer_info()[0], numbers), _INDICES.index("int64"), len(numbers)
    if name not in _INDICES:
        raise TypeError(f"indices of type {name}: want 32 or 64-bit integers")
    if hasattr(index, "is_cuda"):
        index = index.detach().cpu().resolve_neg().contiguous()
        address = index.data_ptr()
    else:
        import numpy

        index = numpy.require(index, index.dtype.newbyteorder("="), "CA")
        address = index.ctypes.data
    return _Buffer(address, index), _INDICES.index(name), len(index)

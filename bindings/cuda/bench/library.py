"""The libraries of scatter.cu: one for each kind of call, built by nvcc and loaded by ctypes."""

import ctypes
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


class Kind:
    """A kind of call: the type of the targets, and whether values are loaded or are 1."""

    def __init__(self, type_, value, ctype):
        self.type, self.value, self.ctype = type_, value, ctype

    @property
    def ones(self):
        return self.value == "one"

    def __str__(self):
        return f"{self.type}_{self.value}"


# The types of indices that the implementations read, in C++ and as a tensor of the same bits.
INDICES = {"u32": ("uint32_t", "int32"), "u16": ("uint16_t", "int16"), "u8": ("uint8_t", "uint8")}

KINDS = [
    Kind("f32", "loaded", "float"),
    Kind("f64", "loaded", "double"),
    Kind("u32", "loaded", "uint32_t"),
    Kind("u32", "one", "uint32_t"),
]


class Problem(ctypes.Structure):
    """struct Problem of problem.cuh."""

    _fields_ = [
        ("out", ctypes.c_void_p),
        ("index", ctypes.c_void_p),
        ("wide", ctypes.c_void_p),
        ("values", ctypes.c_void_p),
        ("bins", ctypes.c_uint64),
        ("updates", ctypes.c_uint64),
        ("sum", ctypes.c_void_p),
        ("count", ctypes.c_void_p),
    ]


class BenchError(RuntimeError):
    """What a library or nvcc says."""


def newest_source():
    """The time of the last change of a header or source that the libraries are made of."""
    newest = 0.0
    for folder in (HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "companion")):
        for name in os.listdir(folder):
            if name.endswith((".cu", ".cuh", ".h")):
                newest = max(newest, os.path.getmtime(os.path.join(folder, name)))
    return newest


def build(folder, nvcc="nvcc", kinds=KINDS, index="u32", library=None):
    """Builds what is older than its sources, all at once, with the folder of libatomtune_cuda where it
    is to be timed. Returns the path for each kind."""
    through = [] if library is None else [
        "-DBENCH_LIBRARY", f"-L{library}", "-latomtune_cuda", "-Xlinker", f"-rpath={library}"]
    os.makedirs(folder, exist_ok=True)
    paths, running = {}, []
    for kind in kinds:
        path = os.path.join(folder, f"scatter_{kind}_{index}.so")
        paths[str(kind)] = path
        if os.path.exists(path) and os.path.getmtime(path) >= newest_source():
            continue
        # Without unique symbols no library takes the static variables of another for its own.
        partial = f"{path}.{os.getpid()}.part"  # others may build into the folder too
        command = [nvcc, "-O3", "-std=c++17", "-arch=native", "-shared",
                   "-Xcompiler", "-fPIC,-fno-gnu-unique",
                   f"-DBENCH_T={kind.ctype}", f"-DBENCH_ONES={int(kind.ones)}",
                   f"-DBENCH_I={INDICES[index][0]}",
                   os.path.join(HERE, "scatter.cu"), "-o", partial, *through]
        running.append((path, partial, subprocess.Popen(command, stdout=subprocess.PIPE,
                                                        stderr=subprocess.STDOUT, text=True)))
    for path, partial, process in running:
        said, _ = process.communicate()
        if process.returncode != 0:
            raise BenchError(f"nvcc: {os.path.basename(path)}: {said.strip()}")
        os.replace(partial, path)
    return paths


class Library:
    """One kind of call on one problem at a time."""

    def __init__(self, path):
        self._lib = ctypes.CDLL(path)
        for name in ("words", "versions", "name", "chosen"):
            getattr(self._lib, "bench_" + name).restype = ctypes.c_char_p
        for name in ("open", "time", "wrong", "check", "wait"):
            getattr(self._lib, "bench_" + name).restype = ctypes.c_longlong
        self._lib.bench_wait.argtypes = [ctypes.c_double]
        self._lib.bench_name.argtypes = [ctypes.c_longlong]
        self._lib.bench_chosen.argtypes = [ctypes.c_longlong]
        self._lib.bench_wrong.argtypes = [ctypes.c_longlong]
        self._lib.bench_time.argtypes = [ctypes.c_longlong, ctypes.c_int,
                                         ctypes.POINTER(ctypes.c_float)]

    def _good(self, status):
        if status < 0:
            raise BenchError(self._lib.bench_words().decode())
        return status

    def versions(self):
        return self._lib.bench_versions().decode()

    def open(self, problem, plans=True):
        """Takes a problem. Returns (implementation, launch, index) of each call, without those of
        plans where they are not to be made."""
        number = self._good(self._lib.bench_open(ctypes.byref(problem), int(plans)))
        return [tuple(self._lib.bench_name(c).decode().split("\t")) for c in range(number)]

    def close(self):
        self._lib.bench_close()

    def time(self, call, repeats):
        """Returns the times of calls in microseconds, and whether launching was hidden."""
        us = (ctypes.c_float * repeats)()
        hidden = self._good(self._lib.bench_time(call, repeats, us))
        return list(us), hidden == 1

    def wrong(self, call):
        """Makes a call and returns how many targets are wrong after it."""
        return self._good(self._lib.bench_wrong(call))

    def check(self):
        """Returns how many targets are wrong as they stand."""
        return self._good(self._lib.bench_check())

    def chosen(self, call):
        """Returns the form and launch of the last call, if the library reports them."""
        name = self._lib.bench_chosen(call)
        if name is None:
            raise BenchError(self._lib.bench_words().decode())
        return name.decode()

    def wait(self, us):
        """Has the device wait in the default stream."""
        self._good(self._lib.bench_wait(us))

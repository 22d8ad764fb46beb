"""The stand-in for libatomtune_cuda, on the CPU: needs a C++ compiler."""

import ctypes
import functools
import os
import pathlib
import subprocess
import tempfile

from atomtune import _extension

HERE = pathlib.Path(__file__).resolve().parent


@functools.cache
def use():
    """Compiles the stand-in, has atomtune call it for tensors on the CPU, and returns its path."""
    path = f"{tempfile.mkdtemp()}/libatomtune_cuda.so"
    subprocess.run(["c++", "-O2", "-std=c++17", "-fPIC", "-shared",
                    f"-I{HERE.parents[1] / 'clib/include'}", HERE / "cpu_library.cpp", "-o", path],
                   check=True)
    os.environ["ATOMTUNE_CUDA_LIBRARY"] = path
    _extension.KEY = "CPU"
    return path


def variable(name):
    return ctypes.c_int.in_dll(ctypes.CDLL(use()), name)

"""The stand-in for libatomtune_cuda, on the CPU: needs PyTorch 2.10 and a C++ compiler."""

import os
import pathlib
import subprocess
import tempfile

import torch
from atomtune import _compiled

HERE = pathlib.Path(__file__).resolve().parent


def use():
    """Compiles the stand-in and has atomtune call it for tensors on the CPU."""
    path = f"{tempfile.mkdtemp()}/libatomtune_cuda.so"
    include = pathlib.Path(torch.__file__).parent / "include"
    subprocess.run(["c++", "-O2", "-std=c++17", "-fPIC", "-shared", f"-I{include}",
                    f"-I{HERE.parents[1] / 'clib/include'}", HERE / "cpu_library.cpp", "-o", path],
                   check=True)
    os.environ["ATOMTUNE_CUDA_LIBRARY"] = path
    _compiled.KEY = "CPU"

"""Operators, gradients and overrides over libatomtune_cuda, on the CPU: needs PyTorch 2.10 or later
and a C++ compiler.

The library is plain loops in cpu_library.cpp. What holds of the extension as well is in operators_test.py.
"""

import itertools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import operators_test as shared  # its tests are run here too
from operators_test import atomtune, some
from atomtune import _aten, _compiled, _operators

HERE = pathlib.Path(__file__).resolve().parent


def build(folder):
    """Compiles the stand-in for the library and returns its path."""
    path = f"{folder}/libatomtune_cuda.so"
    include = pathlib.Path(torch.__file__).parent / "include"
    subprocess.run(["c++", "-O2", "-std=c++17", "-fPIC", "-shared", f"-I{include}",
                    f"-I{HERE.parents[1] / 'clib/include'}", HERE / "cpu_library.cpp", "-o", path],
                   check=True)
    return path


def setUpModule():
    os.environ["ATOMTUNE_CUDA_LIBRARY"] = build(tempfile.mkdtemp())
    _compiled.KEY = "CPU"
    _operators.use_extension()


class Functions(shared.Functions):
    pass


class Gradients(shared.Gradients):
    pass


class Overrides(shared.Overrides):
    test_leaves_the_rest = None  # which is less than of the extension: see Taken


if __name__ == "__main__":
    unittest.main()

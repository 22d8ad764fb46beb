"""Builds the CUDA side with PyTorch's loader of extensions, once for each installation."""

import hashlib
import itertools
import os
import pathlib
import stat

_HERE = pathlib.Path(__file__).resolve().parent
_INDICES = ("i32", "i64")

# (operator, target, value): each is compiled for both types of indices. Values of float16 and
# bfloat16 are converted first where ("add", "f32", "f16") and ("add", "f32", "bf16") are not here.
INSTANCES = (
    [("add", target, target) for target in ("f32", "f64", "i32", "i64")]
    + [("add", "f32", half) for half in ("f16", "bf16")]
    + [(op, target, target) for op in ("min", "max") for target in ("f32", "i32")]
    + [("count", "i32", "none")]
    + [("add_rows", "f32", value) for value in ("f32", "f16", "bf16")]
    + [("add_rows", "bf16", "bf16")]
)
# Those that are compiled for indices of 64 bits alone: others are converted first.
WIDE_INSTANCES = (
    [("add_rows", target, target) for target in ("f64", "i32", "i64", "f16")]
    + [(op, target, target) for op in ("min_rows", "max_rows") for target in ("f32", "i32")]
)


def headers():
    """The folder with the CUDA headers: in a wheel beside this file, else in the checkout."""
    for folder in (_HERE / "cuda", _HERE.parents[1] / "cuda"):
        if (folder / "atomtune_dispatch.cuh").is_file():
            return folder
    raise FileNotFoundError(f"atomtune_dispatch.cuh is neither in {_HERE / 'cuda'} nor in "
                            f"{_HERE.parents[1] / 'cuda'}")


def build_folder():
    """Where objects are kept: TORCH_EXTENSIONS_DIR or ~/.cache/torch_extensions, by version."""
    import torch

    root = os.environ.get("TORCH_EXTENSIONS_DIR") or pathlib.Path.home() / ".cache/torch_extensions"
    key = hashlib.sha256(f"{torch.__version__} {_HERE}".encode()).hexdigest()[:16]
    return pathlib.Path(root).absolute() / f"atomtune_{key}"


def private_folder(path):
    """Makes the folder where there is none, and returns its path without links.

    Libraries are loaded from it. PermissionError: others may write to it, or put another one in its
    place. What is made is for this user alone.
    """
    path = path.resolve()
    writable = stat.S_IWGRP | stat.S_IWOTH
    for folder in (*reversed(path.parents), path):
        folder.mkdir(mode=0o700, exist_ok=True)
        about, last = folder.stat(), folder == path
        if os.name == "posix" and (
                last and about.st_uid not in (0, os.geteuid())
                or about.st_mode & writable and (last or not about.st_mode & stat.S_ISVTX)):
            raise PermissionError(
                f"others may write to {folder} ({stat.filemode(about.st_mode)}, of user {about.st_uid}), "
                f"and libraries are loaded from {path}: name another folder in TORCH_EXTENSIONS_DIR, "
                "or remove this one")
    return path


def write_instances(folder):
    """Writes a source for each instance, where it is not there yet, and returns their paths."""
    paths = []
    for (op, target, value), index in itertools.chain(itertools.product(INSTANCES, _INDICES),
                                                      itertools.product(WIDE_INSTANCES, ("i64",))):
        path = folder / f"{op}_{target}_{index}_{value}.cu"
        text = f'#include "instance.cuh"\n\nATOMTUNE_INSTANCE({op}, {target}, {index}, {value});\n'
        if not path.exists() or path.read_text() != text:
            # An unchanged time lets ninja keep the object; another process may compile it now.
            fresh = path.with_suffix(f".{os.getpid()}")
            fresh.write_text(text)
            fresh.replace(path)
        paths.append(path)
    return paths


def load(verbose=False):
    """Builds what is not built yet and loads the library.

    A first build needs nvcc and ninja, and takes long; later ones only load.
    """
    from torch.utils import cpp_extension

    folder = private_folder(build_folder())
    sources = sorted((_HERE / "csrc").glob("*.cpp")) + [_HERE / "csrc/rows_sort.cu"] + write_instances(folder)
    # PyTorch's flags take the conversions of half types away, which the header uses.
    halves = [f"-U__CUDA_NO_{name}__" for name in
              ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS", "BFLOAT16_CONVERSIONS")]
    cpp_extension.load(
        name="atomtune_torch", sources=[str(s) for s in sources],
        extra_include_paths=[str(_HERE / "csrc"), str(headers())],
        extra_cflags=["-O2"], extra_cuda_cflags=["-O3", *halves],
        build_directory=str(folder), with_cuda=True, is_python_module=False, verbose=verbose)

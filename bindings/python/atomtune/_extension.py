"""Finds libatomtune_cuda, and the C++ that calls it from PyTorch and from JAX.

That code is compiled for one version of PyTorch, and for all of JAX. A wheel has it for some
versions; for others it is compiled at the first call.
"""

import hashlib
import os
import pathlib
import shutil
import stat
import subprocess

_HERE = pathlib.Path(__file__).resolve().parent
_CSRC = _HERE / "csrc"
# The library's headers: in a wheel they are in csrc too.
_HEADERS = _CSRC if (_CSRC / "atomtune_update.h").is_file() else _HERE.parents[1] / "clib/include"
JAX = "jax_ffi.so"
KEY = "CUDA"  # of the dispatcher: the tests run on the CPU


def library():
    """The path of libatomtune_cuda.

    It lies beside this file in a wheel, else where ATOMTUNE_CUDA_LIBRARY says.
    """
    beside = _HERE / "libatomtune_cuda.so"
    if beside.is_file():
        return beside
    named = os.environ.get("ATOMTUNE_CUDA_LIBRARY")
    if not named:
        raise FileNotFoundError(f"{beside} not found: set ATOMTUNE_CUDA_LIBRARY to the library")
    if not os.path.isabs(named):
        raise ValueError(f"ATOMTUNE_CUDA_LIBRARY is {named}, want an absolute path")
    if not os.path.isfile(named):
        raise FileNotFoundError(f"ATOMTUNE_CUDA_LIBRARY is {named}, which is not a file")
    return pathlib.Path(named)


def name(version):
    """The name of the file for a version of PyTorch, whichever CUDA that was built with."""
    return f"torch_{version.split('+')[0]}.so"


def compiler(source, headers, *options):
    """The command that compiles a source with a framework's headers, without the file to write."""
    return [os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-s", "-shared", "-fPIC",
            f"-ffile-prefix-map={_HERE}=atomtune", f"-ffile-prefix-map={headers}=include",
            f"-I{_HEADERS}", f"-I{headers}", str(_CSRC / source), *options,
            # Exceptions reach PyTorch, also where CXX would take a libstdc++ of its own.
            "-l:libstdc++.so.6", "-o"]


def command(torch, new_abi=True):
    """The command that compiles what calls the library from the PyTorch in that folder."""
    return compiler("all.cpp", torch / "include", f"-D_GLIBCXX_USE_CXX11_ABI={int(new_abi)}",
                    f"-I{torch / 'include/torch/csrc/api/include'}",
                    f"-L{torch / 'lib'}", "-ltorch_cpu", "-lc10")


def jax_command(headers):
    """The command that compiles what calls it from JAX, with the headers of jaxlib."""
    return compiler("jax.cpp", headers, "-ldl")


def build_folder(key):
    """Where it is kept: in TORCH_EXTENSIONS_DIR or ~/.cache/torch_extensions, by its sources."""
    root = os.environ.get("TORCH_EXTENSIONS_DIR") or pathlib.Path.home() / ".cache/torch_extensions"
    return pathlib.Path(root).absolute() / f"atomtune_{hashlib.sha256(key).hexdigest()[:16]}"


def private_folder(path):
    """Creates the folder if it does not exist, and returns its path without links.

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
                f"others may write to {folder} ({stat.filemode(about.st_mode)}, of user "
                f"{about.st_uid}), and libraries are loaded from {path}: name another folder in "
                "TORCH_EXTENSIONS_DIR, or remove this one")
    return path


def compiled(file, framework, command, verbose=False):
    """The path of a file that the command makes: in a wheel, else compiled where it was not yet."""
    if (_HERE / file).is_file():
        return _HERE / file
    sources = [path.read_bytes() for path in sorted({*_CSRC.glob("*.*"), *_HEADERS.glob("*.*")})]
    key = b"".join([repr((framework, command)).encode(), *sources])
    path = private_folder(build_folder(key)) / file
    if path.is_file():
        return path
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(
            f"{command[0]} was not found, and atomtune has nothing compiled for {framework}: "
            "name a C++ compiler in CXX")
    fresh = path.with_suffix(f".{os.getpid()}")  # another process may compile it now
    if verbose:
        print(*command, fresh)
    made = subprocess.run([*command, str(fresh)], stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} fails:\n{made.stderr[:4000]}")
    fresh.replace(path)
    return path


def for_torch(verbose=False):
    import torch

    folder = pathlib.Path(torch.__file__).resolve().parent
    return compiled(name(torch.__version__), f"PyTorch {torch.__version__}",
                    command(folder, torch.compiled_with_cxx11_abi()), verbose)


def for_jax():
    import jax

    headers = pathlib.Path(jax.ffi.include_dir())
    return compiled(JAX, f"JAX {jax.__version__}", jax_command(headers))


def load(verbose=False):
    """Loads the library and what calls it from PyTorch."""
    import torch

    found = library()
    torch.ops.load_library(for_torch(verbose))
    torch.ops.atomtune._start(str(found), KEY)

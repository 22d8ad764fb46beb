"""atomtune: which form of atomic updates is fastest for these indices, and calls that use it.

    import atomtune
    sums = atomtune.scatter_add(index, src, dim_size)    # torch tensors on a GPU
    atomtune.enable()                                    # PyTorch's own operators as well
    print(atomtune.choose(index, bins))                  # lists, NumPy arrays, tensors

choose needs nothing but Python, predict the C library; the rest needs PyTorch 2.4 or later, and
on a GPU libatomtune_cuda. atomtune.jax has such calls for JAX.
"""

import importlib

from ._choice import Choice, choose, devices
from ._library import Prediction, library_path, predict

__version__ = "0.1.0"

_FROM_TORCH = {
    "_functions": ("scatter_add", "scatter_add_", "index_add_", "bincount", "segment_sum",
                   "scatter_min", "scatter_max", "out_of_range", "calls", "build"),
    "_overrides": ("enable", "disable", "enabled", "explain"),
}
_MODULES = {name: module for module, names in _FROM_TORCH.items() for name in names}

__all__ = ["Choice", "Prediction", "choose", "devices", "library_path", "predict", *_MODULES]


def __dir__():
    return __all__


def __getattr__(name):
    """PyTorch is imported with the first name that needs it."""
    if name not in _MODULES:
        raise AttributeError(f"module 'atomtune' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"atomtune.{_MODULES[name]}"), name)
    globals()[name] = value
    return value

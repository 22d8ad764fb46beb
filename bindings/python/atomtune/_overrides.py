"""Puts atomtune's kernels in place of PyTorch's own, where they have something to offer."""

import importlib.util
import sys

import torch

from . import _arguments, _operators

# Below so many updates a launch alone takes longer than plain atomics.
SMALLEST = 1 << 14

_INDUCTOR = "torch._inductor.compile_fx"
_MODES = ("auto", "tune", "always")  # of override.cpp
_mode = None  # smallest and the number of the mode, while enabled


class Enabled:
    """What enable returns: as a context manager it restores what was before at its end."""

    def __init__(self, before):
        self._before = before

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        _set(self._before)


def enable(smallest=SMALLEST, mode="auto"):
    """Lets PyTorch's own sums and counts by index use atomtune.

    It holds for all CUDA tensors of the process, until disable() or the end of a with
    statement. Taken are calls with at least smallest updates of what atomtune has (see
    python/README.md); others go to PyTorch's kernels, and explain() lists which, and why.
    Calls alike, of one operator, type and size, are first made by both, and timed: the faster makes
    the others, and both are timed now and then again. With the mode "tune", atomtune also measures the
    best implementation of single values at the second call of the same sizes, keeps it, and measures again
    where calls become slower, or a sample would choose a faster one. With "always" it makes all the calls that it can, by its sample.
    Where PyTorch's deterministic algorithms are asked for, it does, and the result is bitwise the
    same on every run.

    torch.compile generates its own code for these operators. Graphs that it compiles from now on,
    forward or backward, call the operators instead where they have at least smallest updates at the
    sizes compiled for. Such graphs keep their calls: after disable() PyTorch's kernels make them.
    Graphs compiled before keep their code. A pass already set as
    torch._inductor.config.post_grad_custom_post_pass runs too.
    """
    if mode not in _MODES:
        raise ValueError(f"mode {mode!r}: want one of {', '.join(_MODES)}")
    before = _mode
    _set((_arguments.integer("smallest", smallest, 0, 2**63 - 1), _MODES.index(mode)))
    return Enabled(before)


def explain():
    """How often calls of PyTorch's operators were taken, and why not, since the process began.

    A dictionary from (operator, kind of shape, "taken" or the reason) to a number.
    """
    if not hasattr(torch.ops.atomtune, "_explain"):
        return {}  # not loaded yet
    rows = (line.split("\t") for line in torch.ops.atomtune._explain().splitlines())
    return {(operator, shape, reason): int(number) for operator, shape, reason, number in rows}


def disable():
    """Restores PyTorch's own operators."""
    _set(None)


def enabled():
    """Whether the overrides are on."""
    return _mode is not None


def _set(mode):
    global _mode
    if mode is None and _mode is None:
        return
    _operators.load()
    if not hasattr(torch.ops.atomtune, "_override"):
        raise RuntimeError("atomtune.enable() needs PyTorch 2.9 or later, this is "
                           f"{torch.__version__}")
    torch.ops.atomtune._override(mode is not None, *(mode or (0, 0)))
    _mode = mode
    if _INDUCTOR in sys.modules:
        _compile()
    elif _watch not in sys.meta_path:
        sys.meta_path.insert(0, _watch)


def _compile():
    """Has Inductor's new graphs call what is overridden."""
    from . import _compiled
    _compiled.use(_mode)


class _Watch:
    """A finder of modules that waits for Inductor: its import takes a second, and only torch.compile
    needs it."""

    def find_spec(self, name, path=None, target=None):
        if name != _INDUCTOR:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute = spec.loader.exec_module
        spec.loader.exec_module = lambda module: (execute(module), _compile())
        return spec


_watch = _Watch()

"""What the call on the GPU would choose, asked on the host."""

import dataclasses
import math
import sys

from . import _arguments, _sample

TYPES = {"i32": 0, "u32": 0, "f32": 1, "i64": 2, "u64": 2, "f64": 3}
ROW_TYPES = {"f16": 2, "bf16": 2, **{name: 8 if code >= 2 else 4 for name, code in TYPES.items()}}


@dataclasses.dataclass(frozen=True)
class Choice:
    """An implementation and its launch, with the features that led to it.

    blocks_per_sm, threads and unroll are 0 where the implementation has launches of its own.
    """

    implementation: str
    blocks_per_sm: int
    threads: int
    unroll: int
    device: str
    features: dict = dataclasses.field(compare=False, repr=False)

    def __str__(self):
        launch = f"{self.blocks_per_sm}x{self.threads}x{self.unroll}"
        how = f"{launch} an SM" if self.threads else "launches of its own"
        return f"{self.implementation} at {how} on {self.device}"


def choose(index, bins=None, *, type="f32", one=False, returns=False, ignore_index=None,
           device=None, width=0):
    """Returns the form and launch in which the call on a GPU would make these updates.

    index has one dimension: a list, a NumPy array or a torch tensor, on a GPU too. Only some
    2,500 entries are read; without bins, the number of targets, all are, for the highest. A warning
    says where some of them are outside of the bins. type
    is the type of the targets, one says that each update adds the constant 1, returns
    that old values are wanted. device is the name of a tree (devices() lists them), by default that
    of the current GPU where PyTorch is loaded and has one, else h200, as for predict.

    With a width each index updates a row of so many targets, and the call goes to runs, hot or sort by
    the sizes, and by the sample's top where they do not settle it, as aligned arrays and default
    options have it. Rows may be of f16 or bf16 too. predict chooses among their implementations by the
    indices.
    """
    from . import _tree

    width = _arguments.integer("width", width, 0, 2**32 - 1)
    types = ROW_TYPES if width else TYPES
    if type not in types:
        raise ValueError(f"type {type!r}: want one of {', '.join(types)}")
    if width and (_arguments.flag("one", one) or _arguments.flag("returns", returns)):
        raise ValueError("rows need loaded values and cannot return old values")
    if device is None:
        device = default_device()
    if device not in _tree.NODES:
        raise ValueError(f"device {device!r}: want one of {', '.join(devices())}")
    if ignore_index is not None:
        ignore_index = _arguments.integer("ignore_index", ignore_index, -2**63, 2**63 - 1)
    index = _arguments.stream(index)
    bins = _arguments.integer("bins", _sample.highest(index) + 1 if bins is None else bins, 0,
                              2**32 - 2)
    if width:
        row = width * ROW_TYPES[type]
        sizes = {"updates": len(index), "row_bytes": row, "target_bytes": bins * row}
        form = _row_form(*sizes.values(), _tree.L2_BYTES[device])
        if form == "automatic":
            features = _sample.features(_tree.sample, index, bins, ignore_index)
            sizes["top"] = features[_tree.FEATURES.index("top")]
            form = "hot" if sizes["top"] >= _worth(len(index), row) else "runs"
        return Choice(form, 0, 0, 0, device, sizes)
    features = _sample.features(_tree.sample, index, bins, ignore_index, TYPES[type],
                                _arguments.flag("one", one), _arguments.flag("returns", returns))
    action = _tree.choose(device, features)
    return Choice(*action, device, dict(zip(_tree.FEATURES, features)))


def _row_form(updates, row_bytes, target_bytes, cache_bytes):
    """rows::form_of of atomtune_rows_call.cuh."""
    if updates < 1 << 16:
        return "runs"
    sorts = target_bytes > cache_bytes and row_bytes >= 256 and 1 << 19 <= updates < 1 << 32
    return "sort" if sorts else "automatic"


def _worth(updates, row_bytes):
    """rows::worth_of of atomtune_rows.cuh."""
    alone = 24000 / (5 + row_bytes / 32) / updates
    return int(32 - 32 * math.exp(-32 * max(alone, 1 / 128)))


def devices():
    """The names of the devices with a tree."""
    from . import _tree

    return tuple(_tree.NODES)


def default_device():
    """The device of that list whose name is in that of the current GPU, else the command's default."""
    torch = sys.modules.get("torch")
    title = ""
    if torch is not None and torch.cuda.is_available():
        title = torch.cuda.get_device_name().lower()
    return next((name for name in devices() if name in title), "h200")

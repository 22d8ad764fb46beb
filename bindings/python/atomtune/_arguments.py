"""What callers hand over, as what it means: whatever would lose its meaning is refused."""

import operator
import sys

# Whose memory alone does not say what they hold.
_MASKED = (("numpy.ma", "MaskedArray"), ("torch.masked", "MaskedTensor"))


def stream(index):
    """index as a tensor, a NumPy array, or what else it is: of one dimension, and integers.

    Of a list each entry is looked at when it is read, by entry.
    """
    for module, name in _MASKED:
        if isinstance(index, getattr(sys.modules.get(module), name, ())):
            raise TypeError("index has a mask: leave masked entries out, or fill them with a number "
                            "and name that as ignore_index")
    if hasattr(index, "__array__") and not hasattr(index, "is_cuda"):
        import numpy

        index = numpy.asarray(index)
    dimensions = getattr(index, "ndim", 1)
    if dimensions != 1:
        advice = ": choose a row, as in index[0]" if dimensions == 2 else ""
        raise ValueError(f"index has {dimensions} dimensions, want 1{advice}")
    name = type_name(index)
    if name is not None and not name.startswith(("int", "uint")):
        raise TypeError(f"index holds {name}, want integers")
    return index


def type_name(index):
    """The name of the type of a tensor's or an array's entries, of whatever order of bytes."""
    dtype = getattr(index, "dtype", None)
    return dtype and getattr(dtype, "name", str(dtype).removeprefix("torch."))


def entry(value):
    """An entry of a list, which is not a bool."""
    if isinstance(value, bool):
        raise TypeError(f"index holds {value}, want integers")
    return operator.index(value)


def integer(name, value, least, most):
    """value as an int within these bounds: neither a bool nor a float is one."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, want an integer")
    number = operator.index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}, want {least} to {most}")
    return number


def flag(name, value):
    """Whether value is true: nothing but True, False and numbers equal to them is either."""
    if value not in (False, True):
        raise ValueError(f"{name} is {value!r}, want True or False")
    return bool(value)


def text(name, value):
    """value as bytes for C, where a zero would end them."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{name} is {value!r}, want a string without a zero byte")
    return value.encode()

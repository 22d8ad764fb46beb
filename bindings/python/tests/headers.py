"""What the C headers say, asked of a C compiler."""

import ctypes
import pathlib
import subprocess
import tempfile

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "clib/include"


def numbers(expressions):
    """The values of these expressions in C."""
    program = "".join(['#include <stdio.h>\n#include "atomtune_update.h"\nint main(void) {\n',
                       *(f'printf("%lld\\n", (long long)({e}));\n' for e in expressions),
                       "return 0; }\n"])
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "numbers"
        subprocess.run(["cc", "-x", "c", "-", f"-I{HEADERS}", "-o", binary], input=program,
                       text=True, check=True)
        printed = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    return list(map(int, printed.split()))


def layouts(**structures):
    """The sizes and offsets of structures of ctypes by their names in C, here and in the header."""
    here, lines = [], []
    for name, structure in structures.items():
        here.append(ctypes.sizeof(structure))
        lines.append(f"sizeof(struct {name})")
        for field, _ in structure._fields_:
            here.append(getattr(structure, field).offset)
            lines.append(f"offsetof(struct {name}, {field})")
    return here, numbers(lines)

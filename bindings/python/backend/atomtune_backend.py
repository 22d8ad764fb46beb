"""Builds the wheel with nothing but Python's standard library (PEP 517).

The wheel is for any platform: what calls the library from PyTorch or JAX travels as sources, and is compiled
where it is used. With the setting compiled, a folder of shared libraries, these come too, and it is
for Linux on x86_64. The same files give the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKOUT = ROOT.parent
STAMP = (1980, 1, 1, 0, 0, 0)  # of every file in the wheel


def project():
    """name, version, description and requires-python of pyproject.toml.

    Python has no reader for TOML before 3.11: each of these is one line with one string.
    """
    text = (ROOT / "pyproject.toml").read_text()
    fields = {}
    for key in ("name", "version", "description", "requires-python"):
        match = re.search(rf'^{key} = "([^"]*)"$', text, re.MULTILINE)
        if match is None:
            raise ValueError(f"{ROOT / 'pyproject.toml'} has no line {key} = \"...\"")
        fields[key] = match[1]
    return fields


def contents(compiled):
    """The files of the package by their path in the wheel."""
    package = ROOT / "atomtune"
    files = {f"atomtune/{path.relative_to(package).as_posix()}": path
             for path in package.rglob("*")
             if path.suffix in (".py", ".cpp", ".h") and "__pycache__" not in path.parts}
    for name in ("atomtune.h", "atomtune_update.h"):
        files[f"atomtune/csrc/{name}"] = CHECKOUT / "clib/include" / name
    if compiled:
        files.update({f"atomtune/{path.name}": path for path in pathlib.Path(compiled).glob("*.so")})
    return {name: files[name].read_bytes() for name in sorted(files)}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns the name of its file."""
    fields = project()
    stem = f"{fields['name']}-{fields['version']}"
    info = f"{stem}.dist-info"
    compiled = (config_settings or {}).get("compiled")
    files = contents(compiled)
    tag = "py3-none-linux_x86_64" if compiled else "py3-none-any"
    files[f"{info}/LICENSE"] = (CHECKOUT.parent / "LICENSE").read_bytes()
    files[f"{info}/METADATA"] = metadata(fields).encode()
    files[f"{info}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: atomtune_backend\n"
                              + f"Root-Is-Purelib: {str(not compiled).lower()}\nTag: {tag}\n".encode())
    rows = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in files.items()]
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    name = f"{stem}-{tag}.whl"
    target = pathlib.Path(wheel_directory) / name
    partial = target.with_name(name + ".partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, STAMP)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, data)
    partial.replace(target)
    return name


def metadata(fields):
    return (f"Metadata-Version: 2.1\nName: {fields['name']}\nVersion: {fields['version']}\n"
            f"Summary: {fields['description']}\nRequires-Python: {fields['requires-python']}\n"
            "License-File: LICENSE\nDescription-Content-Type: text/markdown\n\n"
            + (ROOT / "README.md").read_text())


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are the repository: there is no source distribution")

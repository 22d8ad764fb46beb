"""Libraries are built in, and loaded from, folders to which nobody else may write."""

import os
import pathlib
import stat
import sys
import tempfile
import types
import unittest
from unittest import mock

from atomtune import _extension


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


class BuildFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        before = os.umask(0)
        self.addCleanup(os.umask, before)

    def made(self, name, mode):
        path = self.root / name
        path.mkdir()
        path.chmod(mode)
        return path

    def test_what_is_made_is_private(self):
        path = self.root / "a/b/c"
        self.assertEqual(_extension.private_folder(path), path)
        for folder in (path, path.parent, path.parent.parent):
            self.assertEqual(mode(folder), 0o700)
        self.assertEqual(_extension.private_folder(path), path)

    def test_a_folder_that_others_may_write_to_is_refused(self):
        for number, bits in enumerate((0o777, 0o770, 0o702, 0o1777, 0o720)):
            with self.assertRaisesRegex(PermissionError, str(self.made(str(number), bits))):
                _extension.private_folder(self.root / str(number))

    def test_one_that_others_may_replace_is_refused(self):
        for number, bits in enumerate((0o777, 0o770)):
            above = self.made(str(number), bits)
            with self.assertRaisesRegex(PermissionError, str(above)):
                _extension.private_folder(above / "a/b")
        (self.root / "link").symlink_to(above)
        with self.assertRaisesRegex(PermissionError, str(above)):
            _extension.private_folder(self.root / "link")

    def test_what_others_may_only_read_or_add_to_is_taken(self):
        self.assertTrue(_extension.private_folder(self.made("read", 0o755)))
        self.assertTrue(_extension.private_folder(self.made("sticky", 0o1777) / "mine"))

    def test_a_folder_of_another_user_is_refused(self):
        path = self.made("other", 0o755)
        if os.geteuid() == 0:
            os.chown(path, 4712, -1)
        with mock.patch("os.geteuid", return_value=4711):
            with self.assertRaises(PermissionError):
                _extension.private_folder(path)

    def test_what_is_compiled_lies_in_such_a_folder(self):
        torch = types.ModuleType("torch")
        torch.__version__, torch.__file__ = "2.10.0+cpu", "/nowhere/torch/__init__.py"
        torch.compiled_with_cxx11_abi = lambda: True
        compiler = self.root / "compiler"
        compiler.write_text('#!/bin/sh\nfor last; do :; done\necho "$@" >"$last"\n')
        compiler.chmod(0o755)
        for above, works in ((self.made("shut", 0o755), True), (self.made("open", 0o777), False)):
            with mock.patch.dict(sys.modules, {"torch": torch}), mock.patch.dict(os.environ, {
                    "TORCH_EXTENSIONS_DIR": str(above), "CXX": str(compiler)}):
                if not works:
                    self.assertRaises(PermissionError, _extension.for_torch)
                    continue
                path = _extension.for_torch()
                self.assertEqual((path.name, mode(path.parent)), ("torch_2.10.0.so", 0o700))
                self.assertIn("-I/nowhere/torch/include", path.read_text())
                compiler.write_text("#!/bin/sh\nexit 1\n")
                self.assertEqual(_extension.for_torch(), path)  # once is enough
                torch.__version__ = "2.11.0"
                self.assertRaisesRegex(RuntimeError, "fails", _extension.for_torch)
                compiler.unlink()
                self.assertRaisesRegex(FileNotFoundError, "name a C.. compiler", _extension.for_torch)


if __name__ == "__main__":
    unittest.main()

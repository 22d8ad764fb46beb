"""The wheel holds what it needs, is the same each time, and works where it is installed."""

import base64
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


sys.path.insert(0, str(ROOT / "python/backend"))
import atomtune_backend


def make(folder):
    """Makes the wheel and returns its path."""
    made = subprocess.run([ROOT.parent / "script/wheel", folder], capture_output=True, text=True, check=True)
    return pathlib.Path(made.stdout.strip())


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = make(self.folder.name)

    def test_holds_sources_and_the_tree(self):
        with zipfile.ZipFile(self.path) as wheel:
            names = set(wheel.namelist())
            for name in ("__init__.py", "_tree.py", "csrc/all.cpp", "csrc/library.h"):
                self.assertIn(f"atomtune/{name}", names)
            self.assertFalse([n for n in names if "test" in n or "__pycache__" in n])
            for name in ("atomtune.h", "atomtune_update.h"):
                self.assertEqual(wheel.read(f"atomtune/csrc/{name}"),
                                 (ROOT / "clib/include" / name).read_bytes())

    def test_record_holds_the_hash_of_every_file(self):
        with zipfile.ZipFile(self.path) as wheel:
            (record,) = [n for n in wheel.namelist() if n.endswith("/RECORD")]
            rows = {row[0]: row for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
            self.assertEqual(set(rows), set(wheel.namelist()))
            for name, (_, digest, size) in rows.items():
                if name == record:
                    continue
                data = wheel.read(name)
                want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=")
                self.assertEqual((digest, size), (f"sha256={want.decode()}", str(len(data))))

    def test_is_the_same_each_time(self):
        first = self.path.read_bytes()
        self.assertEqual(make(self.folder.name).read_bytes(), first)

    def test_files_stand_in_an_order_of_their_own(self):
        """A folder lists its files in any order, which is another where it was copied."""
        with zipfile.ZipFile(self.path) as wheel:
            names = [n for n in wheel.namelist() if n.startswith("atomtune/")]
            self.assertEqual(names, sorted(names))

    def test_version_is_that_of_the_package(self):
        sys.path.insert(0, str(ROOT / "python"))
        import atomtune

        self.assertEqual(self.path.name, f"atomtune-{atomtune.__version__}-py3-none-any.whl")

    def test_with_the_library_it_is_for_one_platform(self):
        compiled = pathlib.Path(self.folder.name) / "some libraries"
        compiled.mkdir()
        for name in ("libatomtune_cuda.so", "torch_2.10.0.so"):
            (compiled / name).write_text(name)
        path = pathlib.Path(self.folder.name) / atomtune_backend.build_wheel(
            self.folder.name, {"compiled": compiled})
        self.assertTrue(path.name.endswith("-py3-none-linux_x86_64.whl"))
        with zipfile.ZipFile(path) as wheel, zipfile.ZipFile(self.path) as without:
            names = set(wheel.namelist())
            self.assertEqual(names - set(without.namelist()),
                             {"atomtune/libatomtune_cuda.so", "atomtune/torch_2.10.0.so"})
            self.assertEqual(wheel.read("atomtune/torch_2.10.0.so"), b"torch_2.10.0.so")
            (about,) = [wheel.read(n).decode() for n in names if n.endswith("/WHEEL")]
        self.assertIn("Root-Is-Purelib: false\nTag: py3-none-linux_x86_64\n", about)

    def test_works_where_it_is_unpacked(self):
        """A wheel without scripts is installed by unpacking it."""
        site = pathlib.Path(self.folder.name) / "site"
        with zipfile.ZipFile(self.path) as wheel:
            wheel.extractall(site)
        program = ("import atomtune, pathlib; from atomtune import _extension as e; "
                   "print(atomtune.__file__, *e.command(pathlib.Path('torch'))); "
                   "atomtune.choose([1, 2, 3])")
        got = subprocess.run([sys.executable, "-c", program], cwd=self.folder.name,
                             env={"PYTHONPATH": str(site)}, capture_output=True, text=True,
                             check=True).stdout.split()
        self.assertEqual(got[0], str(site / "atomtune/__init__.py"))
        self.assertIn(f"-I{site / 'atomtune/csrc'}", got)


if __name__ == "__main__":
    unittest.main()

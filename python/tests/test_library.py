"""predict over the C library, which ATOMTUNE_LIBRARY names or make -C clib has built."""

import ctypes
import os
import pathlib
import subprocess
import tempfile
import unittest
from unittest import mock

import numpy as np

import atomtune
from atomtune import _library

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "clib/include"


class Layouts(unittest.TestCase):
    def test_structures_are_those_of_the_header(self):
        lines, checked = [], 0
        for name, structure in (("call", _library._Call), ("choice", _library._Choice)):
            lines.append(f'printf("%zu\\n", sizeof(struct atomtune_{name}));')
            lines += [f'printf("%zu\\n", offsetof(struct atomtune_{name}, {field}));'
                      for field, _ in structure._fields_]
        program = ("#include <stdio.h>\n#include <stddef.h>\n#include <atomtune.h>\n"
                   "int main(void) {" + "\n".join(lines) + "return 0; }\n")
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "layout"
            subprocess.run(["cc", "-x", "c", "-", f"-I{HEADERS}", "-o", binary], input=program,
                           text=True, check=True)
            places = [int(p) for p in subprocess.run([binary], capture_output=True, text=True,
                                                     check=True).stdout.split()]
        for structure in (_library._Call, _library._Choice):
            self.assertEqual(ctypes.sizeof(structure), places.pop(0))
            for field, _ in structure._fields_:
                self.assertEqual(getattr(structure, field).offset, places.pop(0), field)
                checked += 1
        self.assertEqual((checked, places),
                         (len(_library._Call._fields_) + len(_library._Choice._fields_), []))


class Predictions(unittest.TestCase):
    def test_lists_and_arrays_agree(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        want = atomtune.predict(index, 256, whole=True)
        self.assertGreater(want.predicted_us, 0)
        self.assertLessEqual(want.low_us, want.predicted_us)
        self.assertGreater(want.speedup_over_naive, 1)
        for of in (index.tolist(), index.astype(np.uint32), index.astype(np.int32),
                   index.astype(np.uint64), np.repeat(index, 2)[::2]):
            self.assertEqual(atomtune.predict(of, 256, whole=True), want)

    def test_options_reach_the_library(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        plain = atomtune.predict(index, 256, whole=True, only="naive match", exclude="match")
        self.assertEqual(plain.implementation, "naive")
        best = atomtune.predict(index, 256, whole=True)
        self.assertGreater(plain.predicted_us, best.predicted_us)
        wide = atomtune.predict(index, 256, whole=True, type="f64", only="naive")
        self.assertNotEqual(wide.predicted_us, plain.predicted_us)

    def test_a_prediction_says_what_was_read(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        for options, source, sampled in (({"whole": True}, "whole", False), ({}, "prior", False),
                                         ({"launches": 10**6}, "sample", True)):
            got = atomtune.predict(index, 256, **options)
            self.assertEqual((got.source, got.sampled > 0), (source, sampled))

    def test_bad_arguments_name_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, "abacus"):
            atomtune.predict([1, 2], device="abacus")
        with self.assertRaisesRegex(ValueError, "type 'f99'"):
            atomtune.predict([1, 2], type="f99")
        with self.assertRaisesRegex(TypeError, "float64"):
            atomtune.predict(np.zeros(3))
        with self.assertRaisesRegex(ValueError, "."):
            atomtune.predict([5], 3, whole=True)

    def test_a_library_that_is_not_there(self):
        with mock.patch.dict(os.environ, {"ATOMTUNE_LIBRARY": "/no/libatomtune.so"}):
            with self.assertRaisesRegex(OSError, "/no/libatomtune.so"):
                atomtune.predict([1, 2])

    def test_no_library_of_the_working_directory(self):
        for relative in ("build/libatomtune.so", "./libatomtune.so", "../libatomtune.so"):
            with mock.patch.dict(os.environ, {"ATOMTUNE_LIBRARY": relative}):
                with self.assertRaisesRegex(ValueError, f"{relative} .* absolute path"):
                    _library.library_path()
        for named in ("/opt/libatomtune.so", "libatomtune.so"):  # the loader finds a bare name
            with mock.patch.dict(os.environ, {"ATOMTUNE_LIBRARY": named}):
                self.assertEqual(_library.library_path(), named)
        with mock.patch.dict(os.environ, {"ATOMTUNE_LIBRARY": ""}):
            with mock.patch("ctypes.util.find_library", return_value=None):
                self.assertTrue(os.path.isabs(_library.library_path()))


if __name__ == "__main__":
    unittest.main()

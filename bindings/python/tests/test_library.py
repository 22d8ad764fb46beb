"""predict over the C library, which ATOMTUNE_LIBRARY names or make -C bindings/clib has built."""

import ctypes
import os
import unittest
import warnings
from unittest import mock

import numpy as np

import atomtune
import headers
import streams
from atomtune import _choice, _library


class Layouts(unittest.TestCase):
    def test_structures_are_those_of_the_header(self):
        self.assertEqual(*headers.layouts(atomtune_call=_library._Call,
                                          atomtune_choice=_library._Choice))

    def test_numbers_of_types_are_those_of_the_header(self):
        names = [f"ATOMTUNE_{name.upper()}" for name in _library._TYPES]
        names += [f"ATOMTUNE_INDEX_{'U' if name[0] == 'u' else 'I'}{name[-2:]}"
                  for name in _library._INDICES]
        self.assertEqual(headers.numbers(names), [*range(7), *range(4)])

    def test_types_are_those_of_the_tree(self):
        library = _library._load(_library.library_path())
        features = (ctypes.c_uint32 * 13)()
        for number, name in enumerate(_library._TYPES[:-1]):
            call = _library._Call(bins=5, type=number)
            self.assertEqual(library.atomtune_features(ctypes.byref(call), None, ctypes.c_uint64(0),
                                                       features), 0)
            self.assertEqual(features[2], _choice.TYPES[name])


class Predictions(unittest.TestCase):
    def test_a_warning_says_how_many_sampled_indices_are_outside(self):
        with self.assertWarnsRegex(UserWarning, "1 of 40 sampled .* 5 bins, the first -1 at 3"):
            atomtune.predict([0, 1, 2, -1] + 36 * [4], 5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            atomtune.predict([0, 1, 2, -1] + 36 * [4], 5, ignore_index=-1)

    def test_lists_and_arrays_agree(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        want = atomtune.predict(index, 256, whole=True)
        self.assertGreater(want.predicted_us, 0)
        self.assertLessEqual(want.low_us, want.predicted_us)
        self.assertGreater(want.speedup_over_naive, 1)
        for of in (index.tolist(), tuple(index), bytes(index.astype(np.uint8)), *streams.alike(index)):
            got = atomtune.predict(of, 256, whole=True)  # indices of fewer bytes are read sooner
            self.assertEqual(got.implementation, want.implementation)
            self.assertAlmostEqual(got.predicted_us / want.predicted_us, 1, delta=0.1)

    def test_intervals_are_of_devices_with_recorded_calls(self):
        index = np.arange(10_000) % 256
        for device, has in (("h200", True), ("h100", True), ("gtx680", False), ("mi300x", False)):
            for whole in (True, False):
                got = atomtune.predict(index, 256, device=device, whole=whole)
                for value in (got.low_us, got.high_us, got.loss_bound):
                    self.assertEqual(value is not None, has, (device, got))

    def test_options_reach_the_library(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        plain = atomtune.predict(index, 256, whole=True, only="naive match", exclude="match")
        self.assertEqual(plain.implementation, "naive")
        best = atomtune.predict(index, 256, whole=True)
        self.assertGreater(plain.predicted_us, best.predicted_us)
        for option in ({"type": "f64"}, {"one": True}, {"returns": True}, {"device": "gtx680"}):
            other = atomtune.predict(index, 256, **{"whole": True, "only": "naive", **option})
            self.assertNotEqual(other.predicted_us, plain.predicted_us, option)
        self.assertNotEqual(atomtune.predict(index, 256, whole=True, deterministic=True).implementation,
                            best.implementation)

    def test_rows(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        one = atomtune.predict(index, 256, whole=True)
        times = [atomtune.predict(index, 256, width=128, **of).predicted_us
                 for of in ({}, {"value_type": "bf16"}, {"type": "bf16"})]
        self.assertGreater(times[0], times[1])
        self.assertGreater(min(times), one.predicted_us)
        self.assertEqual(atomtune.predict(index, 256, width=64).source, "whole")
        self.assertLess(atomtune.predict(index, 256, width=64, keeps=True).predicted_us, times[0])
        for wrong in ({"type": "bf16"}, {"width": 8, "value_type": "f16"}, {"width": 8, "returns": True},
                      {"width": 8, "deterministic": True}, {"width": -1}, {"width": 2**64}):
            with self.assertRaises(ValueError):
                atomtune.predict(index, 256, **wrong)

    def test_clearing_the_targets_takes_time(self):
        index = np.arange(1000)
        for name in ("f32", "i32", "u64"):
            cleared, kept = (atomtune.predict(index, 10**7, whole=True, type=name, keeps=keeps)
                             for keeps in (False, True))
            self.assertGreater(cleared.predicted_us, 2 * kept.predicted_us)

    def test_ignored_indices_are_left_out(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        for dtype in ("int32", ">i4", "int64", "uint32"):
            for number in (0, 7, 255):
                self.assertEqual(
                    atomtune.predict(index.astype(dtype), 256, ignore_index=number),
                    atomtune.predict(index[index != number].astype(dtype), 256, whole=True))
        for padding in (-1, -2):  # -1 is the highest index of an unsigned type as well
            padded = np.where(index < 9, padding, index)
            for dtype in ("int32", "int64"):
                self.assertEqual(atomtune.predict(padded.astype(dtype), 256, ignore_index=padding),
                                 atomtune.predict(index[index >= 9].astype(dtype), 256, whole=True))
        for number in (2**32 + 7, 2**32, -2**32 + 7):  # which a type of 32 bits does not have
            with self.assertRaisesRegex(ValueError, "index 7"):
                atomtune.predict(np.array([0, 7], np.int32), 7, ignore_index=number, whole=True)

    def test_the_last_index_of_a_type_is_a_target(self):
        for dtype, last in (("int32", 2**31 - 1), ("uint32", 2**32 - 1), ("int64", 2**32 - 1)):
            index = np.array([last, 0], dtype)
            self.assertGreater(atomtune.predict(index, last + 1, whole=True).predicted_us, 0)
            for bins in (last, 1):
                with self.assertRaisesRegex(ValueError, str(last)):
                    atomtune.predict(index, bins, whole=True)
        for index in (np.array([0, -1], np.int32), np.array([0, -1], np.int64), [0, -1]):
            with self.assertRaisesRegex(ValueError, "index -1"):
                atomtune.predict(index, whole=True)

    def test_a_prediction_says_what_was_read(self):
        index = np.random.RandomState(1).randint(0, 256, 100_000)
        for options, source, sampled in (({"whole": True}, "whole", False), ({}, "prior", False),
                                         ({"calls": 10**6}, "sample", True), ({"launches": 10**6}, "sample", True)):
            got = atomtune.predict(index, 256, **options)
            self.assertEqual((got.source, got.sampled > 0), (source, sampled))

    def test_tables_are_told_their_targets_where_the_indices_come_again(self):
        index = np.where(np.arange(100_000) % 8, 3, np.arange(100_000) % 60_000)
        for calls, table in ((1, False), (10**6, True)):
            got = atomtune.predict(index, 60_000, whole=True, only="naive hot:s=64,r=32", calls=calls)
            self.assertEqual(got.implementation.startswith("hot"), table)
            self.assertEqual(got, atomtune.predict(index, 60_000, whole=True, only="naive hot:s=64,r=32", launches=calls))

    def test_bad_arguments_name_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, "abacus"):
            atomtune.predict([1, 2], device="abacus")
        with self.assertRaisesRegex(ValueError, "type 'f99'"):
            atomtune.predict([1, 2], type="f99")
        with self.assertRaisesRegex(TypeError, "float64"):
            atomtune.predict(np.zeros(3))
        with self.assertRaisesRegex(ValueError, "."):
            atomtune.predict([5], 3, whole=True)
        long = "\N{GREEK SMALL LETTER ALPHA}"
        for shift in ("", "a"):  # one of them is cut off within a letter
            with self.assertRaisesRegex(ValueError, long):
                atomtune.predict([1, 2], device=shift + long * 1000)

    def test_what_is_no_stream_of_indices_is_refused(self):
        for index in (*streams.refused(), [1.5, 2], ["a"], "a", [1, True], [False], np.zeros(3, np.int8)):
            with self.assertRaises(TypeError):
                atomtune.predict(index, 5)
        for index in (np.array(5), np.zeros((2, 5), int), memoryview(np.zeros((2, 5), int))):
            with self.assertRaises(ValueError):
                atomtune.predict(index, 5)
        with self.assertRaises(OverflowError):
            atomtune.predict([2**64], 5)

    def test_numbers_do_not_wrap(self):
        for wrong in ({"bins": 2**64 + 50}, {"bins": -1}, {"ignore_index": 2**64 + 7},
                      {"ignore_index": 2**63}, {"launches": -1}, {"launches": 2**32 + 1}, {"calls": -1}, {"one": 2},
                      {"returns": 2}, {"keeps": "no"}, {"whole": None}, {"deterministic": -1},
                      {"device": "h200\0x"}, {"only": "naive\0sr"}, {"exclude": "\0"}, {"only": None},
                      {"exclude": ["naive"]}, {"device": b"h200"}):
            name = next(iter(wrong)).partition("_")[0]
            with self.assertRaisesRegex(ValueError, f"^{name} is "):
                atomtune.predict([1, 2], **wrong)
        for wrong in ({"bins": 50.0}, {"bins": True}, {"ignore_index": 7.0}, {"ignore_index": False},
                      {"launches": 1.5}, {"launches": True}, {"launches": "1"}, {"calls": 1.5}, {"bins": None}):
            name = next(iter(wrong)).partition("_")[0]
            with self.assertRaisesRegex(TypeError, f"^{name} is "):
                atomtune.predict([1, 2], **wrong)
        index = [0, 1, 1]
        self.assertEqual(atomtune.predict(index, np.uint8(2), launches=np.int64(1), one=np.True_),
                         atomtune.predict(index, 2, launches=1, one=True))

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

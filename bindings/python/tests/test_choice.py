"""choose reads the same sample of a list, an array and a tensor, and walks the exported tree."""

import pathlib
import random
import re
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from unittest import mock

import numpy as np

import atomtune
import streams
from atomtune import _sample, _tree


def some(n, bins, seed=1):
    generator = random.Random(seed)
    return [min(int(bins * generator.random() ** 2), bins - 1) for _ in range(n)]


class Samples(unittest.TestCase):
    def test_lists_and_arrays_give_the_features_of_the_whole_stream(self):
        checked = 0
        for n in (0, 1, 31, 32, 33, 511, 512, 2047, 2048, 2049, 70_000):
            for bins in (1, 100, 10_000):
                index = some(n, bins)
                want = _tree.sample(index, bins, 1)
                for of in (index, tuple(index), np.array(index, dtype=np.int64),
                           np.array(index, dtype=np.uint32)):
                    got = _sample.features(_tree.sample, of, bins, None, 1)
                    self.assertEqual(got, want)
                    checked += 1
        self.assertEqual(checked, 132)

    def test_indices_out_of_range_and_ignored_are_no_targets(self):
        index = some(5000, 100)
        plain = [i if i < 50 and i != 7 else 2**32 - 1 for i in index]
        self.assertEqual(_sample.features(_tree.sample, index, 50, 7, 1),
                         _tree.sample(plain, 50, 1))
        self.assertEqual(_sample.features(_tree.sample, [-1] * 40, 50, None, 1),
                         _tree.sample([2**32 - 1] * 40, 50, 1))

    def test_only_the_sample_is_read(self):
        class Counted(list):
            read = 0

            def __getitem__(self, number):
                Counted.read += 1
                return 0

        atomtune.choose(Counted([0] * 1_000_000), 5)
        self.assertLessEqual(Counted.read, 4096)
        self.assertGreater(Counted.read, 1024)

    def test_a_warning_says_how_many_sampled_indices_are_outside(self):
        with self.assertWarnsRegex(UserWarning, "1 of 40 sampled .* 5 bins, the first 7 at 3"):
            atomtune.choose([0, 1, 2, 7] + [0] * 36, 5)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            atomtune.choose([0, 1, 2, 7] + [0] * 36, 5, ignore_index=7)

    def test_what_is_no_stream_of_indices_is_refused(self):
        for index in (*streams.refused(), [1.5, 2], ["a"], [True, 0], [1, False]):
            for bins in (5, None):
                with self.assertRaises(TypeError):
                    atomtune.choose(index, bins)
        for index in (np.zeros((2, 5), dtype=np.int64), np.zeros((1, 2, 3), dtype=np.int32)):
            with self.assertRaisesRegex(ValueError, "dimensions, want 1"):
                atomtune.choose(index, 5)
        for bins in (-1, 2**32 - 1):
            with self.assertRaisesRegex(ValueError, "want 0 to"):
                atomtune.choose([0, 1], bins)

    def test_attributes_of_memory_do_not_change_the_sample(self):
        index = np.array(some(10_000, 100))
        want = atomtune.choose(index.tolist(), 100)
        for same in streams.alike(index):
            got = atomtune.choose(same, 100)
            self.assertEqual((got, got.features), (want, want.features))
            self.assertEqual(atomtune.choose(same).features["bins"], index.max() + 1)

    def test_numbers_are_integers_that_fit(self):
        for wrong in ({"bins": 5.0}, {"bins": True}, {"bins": "5"}, {"ignore_index": 0.0},
                      {"ignore_index": True}):
            with self.assertRaises(TypeError):
                atomtune.choose([0, 1], **wrong)
        for wrong in ({"bins": 2**64 + 5}, {"ignore_index": 2**64 + 1}, {"ignore_index": -2**63 - 1},
                      {"one": 2}, {"returns": "yes"}, {"device": "h200\0"}, {"type": "f32\0"}):
            with self.assertRaises(ValueError):
                atomtune.choose([0, 1], **wrong)
        self.assertEqual(atomtune.choose([0, 1], np.int64(5), one=np.True_),
                         atomtune.choose([0, 1], 5, one=True))

    def test_the_last_index_is_one_of_the_bins(self):
        for dtype, last in ((np.int32, 2**31 - 1), (np.int64, 2**32 - 3), (np.uint32, 2**32 - 3)):
            index = np.array([last, 0, -1 if dtype != np.uint32 else 2**32 - 1], dtype=dtype)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(atomtune.choose(index[:2], last + 1).features,
                                 atomtune.choose(index[:2]).features)
            for bins, outside in ((last, 2), (last + 1, 1)):
                with self.assertWarnsRegex(UserWarning, f"{outside} of 3"):
                    atomtune.choose(index, bins)

    def test_index_0_can_be_ignored(self):
        index = some(5000, 100)
        self.assertEqual(atomtune.choose(index, 100, ignore_index=0).features,
                         atomtune.choose([i or 200 for i in index], 100, ignore_index=200).features)
        pairs = [0, 200] * 2500  # both left out, or one
        with self.assertWarns(UserWarning):
            self.assertNotEqual(atomtune.choose(pairs, 100, ignore_index=0).features,
                                atomtune.choose(pairs, 100).features)


class Choices(unittest.TestCase):
    def test_the_choice_is_the_tree_s_leaf(self):
        for device in atomtune.devices():
            index = some(100_000, 3000)
            choice = atomtune.choose(index, 3000, device=device)
            features = _tree.sample(index, 3000, 1)
            self.assertEqual(choice.features, dict(zip(_tree.FEATURES, features)))
            want = _tree.choose(device, features)
            got = (choice.implementation, choice.blocks_per_sm, choice.threads, choice.unroll)
            self.assertEqual(got, want)
            self.assertTrue(str(choice).startswith(choice.implementation + " at "))

    def test_calls_with_and_without_contention_differ(self):
        hot = atomtune.choose([0] * 1_000_000, 1_000_000)
        spread = atomtune.choose(range(1_000_000), 1_000_000)
        self.assertNotEqual(hot.implementation, spread.implementation)

    def test_bins_are_the_highest_index_and_one(self):
        for index in ([3, 9, 4], np.array([3, 9, 4])):
            self.assertEqual(atomtune.choose(index).features["bins"], 10)
        self.assertEqual(atomtune.choose([]).features["bins"], 0)

    def test_bad_arguments_name_what_is_wrong(self):
        with self.assertRaisesRegex(ValueError, "type 'f99': want one of i32"):
            atomtune.choose([1], type="f99")
        with self.assertRaisesRegex(ValueError, "device 'abacus': want one of"):
            atomtune.choose([1], device="abacus")
        with self.assertRaisesRegex(ValueError, "2 dimensions"):
            atomtune.choose(np.zeros((2, 2), dtype=int))
        with self.assertRaisesRegex(ValueError, "bins is -1"):
            atomtune.choose([1], -1)

    def test_the_device_is_that_of_the_current_gpu(self):
        torch = types.ModuleType("torch")
        for name, there, want in [(f"NVIDIA {d.upper()} NVL", True, d) for d in atomtune.devices()] + [
                ("NVIDIA H100", False, "h200"), ("Abacus", True, "h200")]:
            torch.cuda = mock.Mock(**{"is_available.return_value": there,
                                      "get_device_name.return_value": name})
            with mock.patch.dict(sys.modules, {"torch": torch}):
                self.assertEqual(atomtune.choose([1, 2, 3]).device, want)

    def test_rows_go_as_the_header_has_it(self):
        cuda = pathlib.Path(__file__).resolve().parents[2] / "cuda"
        rules = [re.search(rf"^inline {name}\(.*?^}}", (cuda / file).read_text(), re.M | re.S).group()
                 for name, file in (("RowForm form_of", "atomtune_rows_call.cuh"),
                                    ("uint32_t worth_of", "atomtune_rows.cuh"))]
        edges = [n + d for n in (1 << 16, 1 << 19, 1 << 32) for d in (-1, 0)]
        cases = [(device, n, width, type, bins) for device in atomtune.devices() for n in edges
                 for width, type in ((63, "f32"), (64, "f32"), (32, "i64"), (127, "bf16"), (128, "f16"))
                 for bins in (1, 204_800, 204_801, 245_760, 245_761, 10**6)]
        got, lines = [], []
        for device, n, width, type, bins in cases:
            choice = atomtune.choose(range(n), bins, width=width, type=type, device=device, ignore_index=7)
            row = width * {"f32": 4, "i64": 8}.get(type, 2)
            sizes = {"updates": n, "row_bytes": row, "target_bytes": bins * row}
            self.assertEqual(choice.features, {**choice.features, **sizes})
            got.append(choice.implementation)
            lines.append(f"print({n}u, {row}u, {bins * row}u, {_tree.L2_BYTES[device]}u, "
                         f"{choice.features.get('top', 0)});")
        program = "\n".join(["#include <cmath>", "#include <cstdint>", "#include <cstdio>",
                             "enum class RowForm { automatic, runs, hot, sort };",
                             "namespace calling { struct Device { uint64_t cache_bytes; }; }", *rules,
                             "void print(uint64_t n, uint64_t row, uint64_t targets, uint64_t cache, uint32_t top) {"
                             "  const RowForm f = form_of(n, row, targets, {cache});"
                             '  puts(f == RowForm::runs ? "runs" : f == RowForm::sort ? "sort" :'
                             '       top >= worth_of(n, row) ? "hot" : "runs"); }',
                             "int main() {", *lines, "}"])
        with tempfile.TemporaryDirectory() as folder:
            binary = pathlib.Path(folder) / "rule"
            subprocess.run(["c++", "-x", "c++", "-", "-o", binary], input=program, text=True, check=True)
            want = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(got, want)
        self.assertEqual(set(want), {"runs", "hot", "sort"})

    def test_rows_are_worth_a_table_from_a_share_on(self):
        tops = {}
        for share in (1, 10, 100):
            index = [0 if u * 2654435769 % 2**32 % share == 0 else u for u in range(100_000)]
            choice = atomtune.choose(index, 100_000, width=8, device="h200")
            tops[share] = choice.features["top"], choice.implementation
        self.assertEqual(tops[1], (32, "hot"))
        self.assertEqual(tops[100][1], "runs")

    def test_what_rows_cannot_be_is_refused(self):
        for wrong in ({"width": -1}, {"width": 2**32}, {"width": 4, "one": True}, {"width": 4, "returns": True},
                      {"type": "bf16"}, {"width": 4, "type": "f8"}):
            with self.assertRaises(ValueError):
                atomtune.choose([0, 1], **wrong)

    def test_choosing_imports_neither_torch_nor_numpy(self):
        program = ("import sys, atomtune; atomtune.choose([1, 2, 3]); "
                   "sys.exit(len({'torch', 'numpy'} & set(sys.modules)))")
        self.assertEqual(subprocess.run([sys.executable, "-c", program]).returncode, 0)


class OldPyTorch(unittest.TestCase):
    def test_operators_say_what_they_need(self):
        old = types.ModuleType("torch")
        old.__version__, old.Tag = "1.13.0", type("Tag", (), {})
        extension = types.ModuleType("atomtune._extension")
        with mock.patch.dict(sys.modules, {"torch": old, "atomtune._extension": extension}):
            sys.modules.pop("atomtune._operators", None)
            with self.assertRaisesRegex(ImportError, "need PyTorch 2.4 or later, this is 1.13.0"):
                import atomtune._operators  # noqa: F401


if __name__ == "__main__":
    unittest.main()

"""Operators, gradients and overrides, on the CPU: needs PyTorch 2.4 or later and a C++ compiler.

The kernels are plain loops in cpu_call.cpp. What runs on a GPU is tested by gpu_test.py.
"""

import pathlib
import sys
import tempfile
import unittest

import torch
from torch.utils import cpp_extension

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import atomtune
from atomtune import _extension, _operators, _overrides

HERE = pathlib.Path(__file__).resolve().parent
CSRC = HERE.parent / "atomtune" / "csrc"


def build():
    """Builds the operators for the CPU and registers them."""
    folder = tempfile.mkdtemp()
    sources = [CSRC / "operators.cpp", CSRC / "override.cpp", CSRC / "registry.cpp",
               HERE / "cpu_call.cpp"]
    cpp_extension.load(
        name="atomtune_cpu", sources=[str(s) for s in sources], build_directory=folder,
        extra_include_paths=[str(CSRC)], extra_cflags=["-DATOMTUNE_TORCH_KEY=CPU"],
        is_python_module=False)


def setUpModule():
    build()
    _extension.load = lambda verbose=False: None
    _operators.use_extension()  # registers the kernels of cpu_call.cpp


def some(n, bins, dtype, index_dtype=torch.int64, seed=1):
    generator = torch.Generator().manual_seed(seed)
    index, src = (torch.randint(least, end, (n,), generator=generator, device="cpu")
                  for least, end in ((0, bins), (-4, 5)))
    device = torch.get_default_device()
    return index.to(device, index_dtype), src.to(device, dtype)


class Functions(unittest.TestCase):
    def test_scatter_add_is_pytorchs(self):
        for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
            for index_dtype in (torch.int32, torch.int64):
                index, src = some(1000, 37, dtype, index_dtype)
                before = atomtune.calls()
                got = atomtune.scatter_add(index, src, 37)
                self.assertEqual(atomtune.calls(), before + 1)
                want = torch.zeros(37, dtype=dtype).index_add_(0, index, src)
                self.assertEqual(got.dtype, dtype)
                self.assertTrue(torch.equal(got, want))

    def test_halves_are_summed_in_float32(self):
        for dtype in (torch.float16, torch.bfloat16):
            index, src = some(5000, 3, dtype)
            got = atomtune.scatter_add(index, src.fill_(1), 3)
            self.assertEqual(got.dtype, torch.float32)
            self.assertTrue(torch.equal(got.long(), torch.bincount(index, minlength=3)))

    def test_in_place_adds_to_what_is_there(self):
        index, src = some(1000, 37, torch.float32)
        out = torch.arange(37.0)
        want = out.clone().index_add_(0, index, src)
        self.assertIs(atomtune.scatter_add_(out, index, src), out)
        self.assertTrue(torch.equal(out, want))
        strided = torch.zeros(74)[::2]
        atomtune.scatter_add_(strided, index, src)
        self.assertTrue(torch.equal(strided, want - torch.arange(37.0)))
        out = torch.arange(37.0)
        self.assertTrue(torch.equal(atomtune.index_add_(out, 0, index, src), want))
        rows = torch.zeros(37, 2)
        atomtune.index_add_(rows, 0, index, src[:, None].expand(-1, 2), alpha=2)
        self.assertTrue(torch.equal(rows[:, 1], 2 * strided))

    def test_rows(self):
        index, _ = some(100, 7, torch.float32)
        src = torch.arange(300.0).reshape(100, 3)
        want = torch.zeros(7, 3).index_add_(0, index, src)
        self.assertTrue(torch.equal(atomtune.scatter_add(index, src, 7), want))
        got = atomtune.scatter_add(index, src[:, :1], 7)
        self.assertTrue(torch.equal(got, want[:, :1]))

    def test_rows_have_a_kernel(self):
        index, _ = some(100, 7, torch.float32)
        src = (torch.arange(600).reshape(100, 2, 3) % 4).float()
        want = torch.zeros(7, 2, 3).index_add_(0, index, src)
        for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int32,
                      torch.int64):
            for to in (index, index.int()):
                before = atomtune.calls()
                got = atomtune.scatter_add(to, src.to(dtype), 7)
                self.assertEqual(got.dtype, _operators.sum_dtype(dtype))
                self.assertTrue(torch.equal(got.float(), want), dtype)
                out = torch.ones(7, 2, 3, dtype=dtype)
                self.assertIs(atomtune.index_add_(out, 0, to, src.to(dtype)), out)
                self.assertTrue(torch.equal(out.float(), want + 1), dtype)
                self.assertEqual(atomtune.calls(), before + 2, dtype)
        other = atomtune.scatter_add(index, src.to(torch.int16), 7)
        self.assertTrue(torch.equal(other.float(), want))
        self.assertEqual(atomtune.scatter_add(index, src[:, :0], 7).shape, (7, 0, 3))
        with self.assertRaisesRegex(RuntimeError, "alike but for the first"):
            atomtune.scatter_add_(torch.zeros(7, 3, 2), index, src)

    def test_rows_are_deterministic_where_asked(self):
        index, _ = some(100, 7, torch.float32)
        for dtype, calls in ((torch.float32, 2), (torch.int64, 2), (torch.bfloat16, 1)):
            src, before = torch.ones(100, 3, dtype=dtype), atomtune.calls()
            sums = atomtune.scatter_add(index, src, 7, deterministic=True)
            out = torch.zeros(7, 3, dtype=dtype)
            atomtune.scatter_add_(out, index, src, deterministic=True)
            self.assertTrue(torch.equal(sums, out.to(sums.dtype)))
            self.assertEqual(atomtune.calls(), before + calls, dtype)

    def test_ignored_indices_are_left_out(self):
        index, src = some(1000, 37, torch.float32)
        keep = index != 5
        want = torch.zeros(37).index_add_(0, index[keep], src[keep])
        self.assertTrue(torch.equal(atomtune.scatter_add(index, src, 37, ignore_index=5), want))
        rows = atomtune.scatter_add(index, src[:, None].expand(-1, 2), 37, ignore_index=5)
        self.assertTrue(torch.equal(rows[:, 0], want))
        counts = atomtune.bincount(index, dim_size=37, ignore_index=5)
        self.assertEqual(int(counts[5]), 0)
        self.assertEqual(int(counts.sum()), int(keep.sum()))

    def test_an_index_out_of_range_is_remembered_once(self):
        index, src = some(1000, 37, torch.float32)
        atomtune.out_of_range("cuda:0")
        atomtune.scatter_add(index, src, 37)
        self.assertFalse(atomtune.out_of_range("cuda:0"))
        got = atomtune.scatter_add(index, src, 36)
        self.assertTrue(torch.equal(got, atomtune.scatter_add(index, src, 37)[:36]))
        self.assertTrue(atomtune.out_of_range("cuda:0"))
        self.assertFalse(atomtune.out_of_range("cuda:0"))

    def test_bincount_is_pytorchs(self):
        index, src = some(1000, 37, torch.float32)
        for minlength in (0, 100):
            got = atomtune.bincount(index, minlength=minlength)
            self.assertTrue(torch.equal(got, torch.bincount(index, minlength=minlength)))
            got = atomtune.bincount(index.to(torch.uint8), src, minlength)
            self.assertTrue(torch.equal(got, torch.bincount(index, src, minlength)))
        self.assertEqual(atomtune.bincount(index[:0]).shape, (0,))

    def test_weights_are_summed_in_float64_but_float32(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.float32):
            index, weights = some(1000, 37, dtype)
            want = torch.bincount(index, weights)
            for got in (atomtune.bincount(index, weights),
                        atomtune.bincount(index, weights, dim_size=37)):
                self.assertEqual(got.dtype, want.dtype, dtype)
                self.assertTrue(torch.equal(got, want), dtype)

    def test_segments(self):
        src = torch.arange(10.0)
        offsets = torch.tensor([0, 3, 3, 10])
        want = torch.tensor([3.0, 0.0, 42.0])
        self.assertTrue(torch.equal(atomtune.segment_sum(src, offsets=offsets), want))
        ids = torch.tensor([0] * 3 + [2] * 7)
        self.assertTrue(torch.equal(atomtune.segment_sum(src, ids=ids, dim_size=3), want))
        with self.assertRaisesRegex(ValueError, "either offsets or ids"):
            atomtune.segment_sum(src)
        with self.assertRaisesRegex(ValueError, "dim_size"):
            atomtune.segment_sum(src, ids=ids)

    def test_extremes(self):
        index, src = some(1000, 37, torch.float32)
        for function, how, empty in ((atomtune.scatter_min, "amin", float("inf")),
                                     (atomtune.scatter_max, "amax", -float("inf"))):
            for dtype in (torch.float32, torch.int32, torch.float64):
                values = src.to(dtype)
                got = function(index, values, 38)
                want = torch.zeros(37, dtype=dtype).scatter_reduce(
                    0, index, values, how, include_self=False)
                self.assertTrue(torch.equal(got[:37], want))
            self.assertEqual(float(function(index, src, 38)[37]), empty)

    def test_a_nan_is_least_and_greatest(self):
        src = torch.tensor([1, float("nan"), 2, -float("nan"), 5])
        for function, rest in ((atomtune.scatter_min, 2), (atomtune.scatter_max, 5)):
            for to in (torch.tensor([0, 0, 1, 2, 1]), torch.tensor([0, 0, 1, 2, 1]).int()):
                for values in (src, src[:, None].expand(-1, 3)):
                    got = function(to, values, 3)
                    self.assertTrue(bool(got[::2].isnan().all()))
                    self.assertTrue(bool((got[1] == rest).all()))

    def test_extremes_of_rows(self):
        index, src = some(1000, 37, torch.float32)
        src = torch.stack([src, -src, src + 1], 1).reshape(1000, 3, 1)
        for function, how in ((atomtune.scatter_min, "amin"), (atomtune.scatter_max, "amax")):
            for dtype, calls in ((torch.float32, 1), (torch.int32, 1), (torch.float64, 0)):
                values, before = src.to(dtype), atomtune.calls()
                for to in (index, index.int()):
                    got = function(to, values, 38, ignore_index=36)
                    self.assertEqual(got.shape, (38, 3, 1))
                    want = torch.zeros(38, 3, 1, dtype=dtype).index_reduce(
                        0, index, values, how, include_self=False)
                    self.assertTrue(torch.equal(got[:36], want[:36]))
                    identity = _operators.identity(how, dtype)
                    self.assertTrue(bool((got[36:] == identity).all()))
                self.assertEqual(atomtune.calls(), before + 2 * calls, dtype)

    def test_numbers_do_not_wrap(self):
        for index_dtype in (torch.int32, torch.int64):
            index, src = some(1000, 37, torch.float32, index_dtype)
            rows = src[:, None].expand(-1, 2).double()
            for ignore in (0, 5, 2**32 + 5, -2**32 + 5, 2**63 - 1):
                kept = index != ignore if abs(ignore) < 2**31 else index >= 0
                want = torch.zeros(37).index_add_(0, index[kept], src[kept])
                value = src.clone().requires_grad_()
                sums = atomtune.scatter_add(index, value, 37, ignore_index=ignore)
                sums.sum().backward()
                self.assertTrue(torch.equal(sums, want), ignore)
                self.assertTrue(torch.equal(value.grad, kept.float()), ignore)
                got = atomtune.scatter_add(index, rows, 37, ignore_index=ignore)
                self.assertTrue(torch.equal(got[:, 0].float(), want), ignore)
                counts = atomtune.bincount(index, dim_size=37, ignore_index=ignore)
                self.assertEqual(int(counts.sum()), int(kept.sum()), ignore)
                got = atomtune.scatter_min(index, rows[:, 0], 37, ignore_index=ignore)
                least = atomtune.scatter_min(index[kept], rows[kept, 0], 37)
                self.assertTrue(torch.equal(got, least), ignore)
            for wrong in (2**64 + 5, -2**63 - 1, 5.0, "5"):
                for call in (lambda: atomtune.scatter_add(index, src, 37, ignore_index=wrong),
                             lambda: atomtune.scatter_add(index, rows, 37, ignore_index=wrong),
                             lambda: atomtune.scatter_min(index, rows[:, 0], 37, ignore_index=wrong),
                             lambda: atomtune.scatter_add(index, src, wrong * 8)):
                    with self.assertRaises((TypeError, ValueError, RuntimeError)):
                        call()
        for smallest in (-1, 1.5, True, 2**64 + 5):
            with self.assertRaises((TypeError, ValueError)):
                atomtune.enable(smallest)
        offsets = torch.tensor([0, 200, 255], dtype=torch.uint8)
        got = atomtune.segment_sum(torch.ones(255), offsets=offsets)
        self.assertEqual(got.tolist(), [200, 55])
        with self.assertRaisesRegex(RuntimeError, "rows of 4294967297"):
            atomtune.scatter_add(index[:1], torch.zeros(1).expand(1, 2**32 + 1), 1)

    def test_indices_are_integers(self):
        src = torch.ones(3, dtype=torch.float64)
        for index in (torch.tensor([0, 1.5, 2]), torch.tensor([True, False, True])):
            for call in (lambda: atomtune.bincount(index), lambda: atomtune.scatter_add(index, src, 3),
                         lambda: atomtune.bincount(index, dim_size=3),
                         lambda: atomtune.scatter_min(index, src, 3),
                         lambda: atomtune.segment_sum(src, offsets=index)):
                with self.assertRaises((TypeError, RuntimeError)):
                    call()
        for dtype in (torch.uint8, torch.int16, torch.uint32, torch.uint64):
            got = atomtune.bincount(torch.tensor([0, 2, 2], dtype=dtype))
            self.assertEqual(got.tolist(), [1, 0, 2])

    def test_what_is_written_is_not_read(self):
        index, shared = torch.tensor([0, 0, 1, 2]), torch.arange(8.0)
        numbers = torch.zeros(4, dtype=torch.int64)
        for call in (lambda: atomtune.scatter_add_(shared[:4], index, shared[:4]),
                     lambda: atomtune.scatter_add_(shared[:4], index, shared[2:6]),
                     lambda: torch.ops.atomtune.scatter_min_(shared[:4], index, shared[2:6]),
                     lambda: atomtune.scatter_add_(numbers, numbers, numbers + 1),
                     lambda: atomtune.scatter_add_(torch.zeros(1).expand(4), index, shared[:4]),
                     lambda: atomtune.scatter_add_(numbers, index, shared[:4])):
            with self.assertRaises(RuntimeError):
                call()
        self.assertTrue(torch.equal(shared, torch.arange(8.0)))
        negative = torch.view_as_complex(torch.ones(4, 2)).conj().imag
        self.assertEqual(atomtune.scatter_add(index, negative, 3).tolist(), [-2, -1, -1])

    def test_bad_arguments(self):
        index, src = some(10, 3, torch.float32)
        with self.assertRaisesRegex(RuntimeError, "10 indices for 9 values"):
            torch.ops.atomtune.scatter_add(index, src[1:], 3)
        with self.assertRaisesRegex(AttributeError, "nothing"):
            atomtune.nothing


class Gradients(unittest.TestCase):
    def test_sum(self):
        index, src = some(50, 7, torch.float64)
        src.requires_grad_()
        weights = torch.arange(7.0, dtype=torch.float64)
        (atomtune.scatter_add(index, src, 7, ignore_index=2) * weights).sum().backward()
        self.assertTrue(torch.equal(src.grad, torch.where(index == 2, 0, weights[index])))

    def test_sum_of_rows(self):
        index, _ = some(50, 7, torch.float32)
        src = torch.zeros(50, 3, requires_grad=True)
        weights = torch.arange(21.0).reshape(7, 3)
        (atomtune.scatter_add(index, src, 7, ignore_index=2) * weights).sum().backward()
        want = torch.where((index == 2)[:, None], 0, weights[index])
        self.assertTrue(torch.equal(src.grad, want))

    def test_sum_of_halves(self):
        index, src = some(50, 7, torch.float16)
        src.requires_grad_()
        atomtune.scatter_add(index, src, 7).sum().backward()
        self.assertEqual(src.grad.dtype, torch.float16)
        self.assertTrue(torch.equal(src.grad, torch.ones_like(src)))

    def test_in_place(self):
        index, src = some(50, 7, torch.float32)
        src.requires_grad_()
        out = torch.zeros(7)
        atomtune.scatter_add_(out, index, src)
        (out * torch.arange(7.0)).sum().backward()
        self.assertTrue(torch.equal(src.grad, torch.arange(7.0)[index]))

    def test_extremes_share_it_among_ties(self):
        index = torch.tensor([0, 0, 0, 1])
        src = torch.tensor([2.0, 1.0, 2.0, 5.0], requires_grad=True)
        atomtune.scatter_max(index, src, 3)[:2].sum().backward()
        self.assertEqual(src.grad.tolist(), [0.5, 0.0, 0.5, 1.0])
        rows = torch.tensor([[2.0, 1.0], [1.0, 1.0], [2.0, 0.0], [5.0, 3.0]], requires_grad=True)
        atomtune.scatter_max(index, rows, 3)[:2].sum().backward()
        self.assertEqual(rows.grad.tolist(), [[0.5, 0.5], [0.0, 0.5], [0.5, 0.0], [1.0, 1.0]])


class Overrides(unittest.TestCase):
    def tearDown(self):
        atomtune.disable()

    def taken(self, function):
        before = atomtune.calls()
        with atomtune.enable(smallest=100):
            got = function()
        self.assertFalse(atomtune.enabled())
        taken = atomtune.calls() - before
        self.assertTrue(torch.equal(got, function()))
        return taken

    def test_takes_what_it_has(self):
        index, src = some(1000, 37, torch.float32)
        zeros, rows = torch.zeros(37), torch.zeros(37, 2)
        pairs = torch.stack([src, src], 1)
        for function in (lambda: zeros.scatter_add(0, index, src),
                         lambda: zeros.clone().scatter_add_(-1, index, src),
                         lambda: zeros.clone().scatter_add_(0, index[:500], src),
                         lambda: zeros.index_add(0, index.int(), src),
                         lambda: zeros.clone().index_add_(0, index, src),
                         lambda: rows.index_add(0, index, pairs),
                         lambda: rows.clone().index_add_(0, index.int(), pairs),
                         lambda: rows.double().index_add(0, index, pairs.double()),
                         lambda: rows.half().index_add(0, index, pairs.half()),
                         lambda: torch.bincount(index),
                         lambda: torch.bincount(index.to(torch.uint8), minlength=50),
                         lambda: torch.bincount(index, src),
                         lambda: torch.bincount(index, src.long())):
            self.assertEqual(self.taken(function), 1)

    def test_leaves_the_rest(self):
        index, src = some(1000, 37, torch.float32)
        zeros, square = torch.zeros(37), torch.zeros(37, 2)
        pairs = torch.stack([src, src], 1)
        for function in (lambda: zeros.scatter_add(0, index[:99], src),
                         lambda: zeros.clone().scatter_add_(0, index[:99], src),
                         lambda: zeros.clone().scatter_add_(0, index[::2], src),
                         lambda: zeros.half().scatter_add_(0, index, src.half()),
                         lambda: square.scatter_add(0, index[:, None].expand(-1, 2), pairs),
                         lambda: square.index_add(1, index[:0], square[:, :0]),
                         lambda: square.short().index_add(0, index, pairs.short()),
                         lambda: square.index_add(0, index, pairs, alpha=2),
                         lambda: torch.zeros(2, 37).t().index_add(0, index, pairs),
                         lambda: zeros.index_add(0, index, src, alpha=2),
                         lambda: zeros.clone().index_add_(0, index, src, alpha=2),
                         lambda: torch.zeros(74)[::2].index_add_(0, index, src)):
            self.assertEqual(self.taken(function), 0)

    def test_errors_are_pytorchs(self):
        index, src = some(1000, 37, torch.float32)
        with atomtune.enable(0):
            with self.assertRaisesRegex(RuntimeError, "dtype"):
                torch.zeros(37).scatter_add_(0, index, src.double())
            with self.assertRaisesRegex(RuntimeError, "non-negative"):
                torch.bincount(index - 1)
            with self.assertRaisesRegex(RuntimeError, "same length"):
                torch.bincount(index, src[1:])

    def test_gradients_stay(self):
        index, src = some(1000, 37, torch.float32)
        src.requires_grad_()
        before = atomtune.calls()
        with atomtune.enable(0):
            torch.zeros(37).scatter_add(0, index, src).mul(torch.arange(37.0)).sum().backward()
        self.assertEqual(atomtune.calls(), before + 1)
        self.assertTrue(torch.equal(src.grad, torch.arange(37.0)[index]))

    def test_nests(self):
        with atomtune.enable(5):
            with atomtune.enable():
                self.assertEqual(_overrides._smallest, _overrides.SMALLEST)
            self.assertEqual(_overrides._smallest, 5)
        self.assertFalse(atomtune.enabled())
        atomtune.enable()
        self.assertTrue(atomtune.enabled())
        atomtune.disable()
        self.assertFalse(atomtune.enabled())


if __name__ == "__main__":
    unittest.main()

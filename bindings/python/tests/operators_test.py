"""Operators, gradients and overrides over libatomtune_cuda, on the CPU: needs PyTorch 2.9 or later
and a C++ compiler.

The library is plain loops in cpu_library.cpp; with ATOMTUNE_TEST_DEVICE=cuda it is the one that
atomtune finds.
"""

import collections
import itertools
import math
import os
import pathlib
import sys
import time
import unittest
import unittest.mock

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import atomtune
import stand_in
from atomtune import _extension, _operators, _overrides

DEVICE = os.environ.get("ATOMTUNE_TEST_DEVICE", "cpu")


def setUpModule():
    if DEVICE == "cpu":
        stand_in.use()
    else:
        torch.set_default_device(DEVICE)
    with torch.inference_mode():  # what the first call makes outlives the mode
        atomtune.build()
        atomtune.scatter_add(torch.tensor([0]), torch.ones(1), 1)


class Library(unittest.TestCase):
    def test_its_path_depends_on_no_folder(self):
        for path, error in (("libatomtune_cuda.so", ValueError), ("/nowhere/at/all.so", OSError),
                            ("", OSError)):
            with unittest.mock.patch.dict(os.environ, ATOMTUNE_CUDA_LIBRARY=path):
                with self.assertRaisesRegex(error, "ATOMTUNE_CUDA_LIBRARY"):
                    _extension.library()

    def test_its_errors_have_their_text(self):
        half = torch.zeros(3, dtype=torch.float16)
        with self.assertRaisesRegex(RuntimeError, "atomtune: .*no"):
            torch.ops.atomtune.scatter_add_(half, torch.tensor([0]), half[1:2] + 1, None, True)

    def test_what_is_no_library_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "atomtune: "):
            torch.ops.atomtune._start(__file__, _extension.KEY)

    def test_an_index_out_of_range_is_told_after_inference(self):
        with torch.inference_mode():
            atomtune.scatter_add(torch.tensor([3]), torch.ones(1), 3)
        self.assertTrue(atomtune.out_of_range("cuda:0"))
        self.assertFalse(atomtune.out_of_range("cuda:0"))


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
        with atomtune.enable(smallest=100, mode="always"):
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

    def test_gradients_stay(self):
        index, src = some(1000, 37, torch.float32)
        src.requires_grad_()
        before = atomtune.calls()
        with atomtune.enable(0, mode="always"):
            torch.zeros(37).scatter_add(0, index, src).mul(torch.arange(37.0)).sum().backward()
        self.assertEqual(atomtune.calls(), before + 1)
        self.assertTrue(torch.equal(src.grad, torch.arange(37.0)[index]))

    @unittest.skipUnless(DEVICE == "cpu", "the stand-in is slow where asked")
    def test_the_faster_makes_the_call(self):
        index, src = some(1000, 37, torch.float32)
        zeros = torch.zeros(37)
        want = zeros.scatter_add(0, index, src)

        def taken(calls, **how):
            before = atomtune.calls()
            with atomtune.enable(0, **how):
                for _ in range(calls):
                    self.assertTrue(torch.equal(zeros.scatter_add(0, index, src), want))
            return atomtune.calls() - before

        slow_us = stand_in.variable("slow_us")
        self.addCleanup(setattr, slow_us, "value", 0)
        slow_us.value = 3000
        with atomtune.enable(0):
            taken(10)  # both are timed
            self.assertLess(taken(40), 4)
            self.assertEqual(taken(5, mode="always"), 5)
            torch.use_deterministic_algorithms(True)
            self.addCleanup(torch.use_deterministic_algorithms, False)
            self.assertEqual(taken(5), 5)
        reasons = {reason for operator, _, reason in atomtune.explain() if operator == "scatter_add"}
        self.assertIn("PyTorch is faster", reasons)

    @unittest.skipUnless(DEVICE == "cpu", "the stand-in counts")
    def test_plans_are_made_for_calls_of_the_same_sizes(self):
        index, src = some(2000, 37, torch.float32)
        plans = stand_in.variable("plans")
        wants = {n: torch.zeros(37).scatter_add(0, index[:n], src[:n]) for n in range(1997, 2001)}

        def made(number, n=2000):
            before = plans.value
            for _ in range(number):
                self.assertTrue(torch.equal(torch.zeros(37).scatter_add(0, index[:n], src[:n]), wants[n]))
            return plans.value - before

        with atomtune.enable(0, mode="tune"):
            self.assertEqual(made(1), 0)
            self.assertEqual(made(1), 1)
            self.assertEqual(made(30), 0)
            self.assertEqual([made(1, n) for n in (1999, 1998, 1997)], [0, 0, 0])
        self.assertRaises(ValueError, atomtune.enable, mode="fast")

    @unittest.skipUnless(DEVICE == "cpu", "the stand-in is slow where asked")
    def test_plans_are_made_anew_where_calls_become_slower(self):
        index, src = some(2000, 37, torch.float32)
        out, plans, slow_us = torch.zeros(37), stand_in.variable("plans"), stand_in.variable("slow_us")
        self.addCleanup(setattr, slow_us, "value", 0)
        slower = torch.library.Library("aten", "IMPL")  # than both
        self.addCleanup(slower._destroy)
        slower.impl("scatter_add_", lambda self, *rest: time.sleep(0.02) or self, "CPU", allow_override=True)
        made = []
        with atomtune.enable(0, mode="tune"):
            for slow_us.value in (0, 2000, 2000, 2000):
                before = plans.value
                for _ in range(40):
                    out.scatter_add_(0, index, src)
                made.append(plans.value - before)
        self.assertEqual(made[0], 1)
        self.assertIn(sum(made[1:]), (1, 2, 3), made)

    def test_nests(self):
        with atomtune.enable(5):
            with atomtune.enable():
                self.assertEqual(_overrides._mode, (_overrides.SMALLEST, 0))
            self.assertEqual(_overrides._mode, (5, 0))
        self.assertFalse(atomtune.enabled())
        atomtune.enable()
        self.assertTrue(atomtune.enabled())
        atomtune.disable()
        self.assertFalse(atomtune.enabled())


TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64)


def numbers(shape, dtype, seed=1):
    """Few and small ones, so that sums in any order are the same."""
    return random(-4, 5, shape, seed).to(dtype)


def indices(shape, bins, dtype=torch.int64):
    return random(0, bins, shape, 2).to(dtype)


def random(least, end, shape, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(least, end, shape, generator=generator, device="cpu").to(DEVICE)


def rows_of_three():
    """A target, values and their indices."""
    return (numbers((9, 3), torch.float32), numbers((40, 3), torch.float32, 3), indices((40,), 9))


def first_line(caught):
    return str(caught.exception).splitlines()[0]


def doubled(a):
    if not isinstance(a, torch.Tensor) or not a.is_floating_point():
        return a
    return a.detach().double().requires_grad_(a.requires_grad)


def strided(t):
    """The same numbers, not side by side."""
    return torch.stack([t, t], -1)[..., 0]


class Taken(unittest.TestCase):
    def same(self, function, taken=True, rounding=0):
        """function gives PyTorch's result, and is taken or not."""
        want, before = function(), atomtune.calls()
        with atomtune.enable(0, mode="always"):
            got = function()
        self.assertEqual(got.dtype, want.dtype)
        self.assertEqual(got.shape, want.shape)
        torch.testing.assert_close(got, want, rtol=rounding, atol=0, equal_nan=True)
        self.assertEqual(atomtune.calls() > before, taken)

    def both(self, name, self_, *args, **named):
        """The functional operator and the one in place, of tensors side by side and not."""
        for change in (lambda t: t, strided):
            given = [change(a) if isinstance(a, torch.Tensor) and a.is_floating_point() else a
                     for a in args]
            self.same(lambda: getattr(torch.Tensor, name)(change(self_), *given, **named))

            def in_place():
                out = change(self_.clone())
                self.assertIs(getattr(torch.Tensor, name + "_")(out, *given, **named), out)
                return out

            self.same(in_place)

    def test_index_add(self):
        for dtype, dim in itertools.product(TYPES, (0, 1, 2, -1)):
            out = numbers((5, 6, 7), dtype)
            for alpha, index_dtype in ((1, torch.int64), (3, torch.int32)):
                index = indices((40,), out.shape[dim], index_dtype)
                shape = list(out.shape)
                shape[dim] = 40
                self.both("index_add", out, dim, index, numbers(shape, dtype, 3), alpha=alpha)
        self.both("index_add", numbers((9,), torch.float32), 0, indices((50,), 9),
                  numbers((50,), torch.float32), alpha=0.5)

    def test_scatter_add(self):
        for dtype in TYPES:
            self.both("scatter_add", numbers((9,), dtype), 0, indices((50,), 9),
                      numbers((60,), dtype))
            for dim in (0, 1):
                out = numbers((5, 6, 7), dtype)
                shape = list(out.shape)
                shape[dim] = 40
                lead = indices(shape[:dim + 1], out.shape[dim])
                index = lead.reshape(*lead.shape, *[1] * (2 - dim)).expand(shape)
                self.both("scatter_add", out, dim, index, numbers(shape, dtype, 3))
            for dim, sizes in itertools.product((0, 1, 2), ((5, 6, 7), (4, 3, 1), (2, 6, 7))):
                shape = list(sizes)
                shape[dim] = 40
                for index_dtype in (torch.int32, torch.int64):
                    self.both("scatter_add", out, dim, indices(shape, out.shape[dim], index_dtype),
                              numbers([size + 1 for size in shape], dtype, 3))
                self.both("scatter_add", out, dim, indices(shape[::-1], out.shape[dim]).permute(
                    2, 1, 0), numbers(shape, dtype, 3))

    def test_reduce(self):
        for dtype, how, include in itertools.product(TYPES, ("sum", "mean", "amax", "amin"),
                                                     (True, False)):
            index, out, src = indices((40,), 8), numbers((9, 3), dtype), numbers((40, 3), dtype, 3)
            self.both("scatter_reduce", out, 0, index[:, None].expand(-1, 3), src, how,
                      include_self=include)
            self.both("scatter_reduce", out, 0, indices((40, 2), 9), src, how,
                      include_self=include)
            for own in (index, index.int()):
                self.both("scatter_reduce", out[:, 0].clone(), 0, own, src[:, 0].clone(), how,
                          include_self=include)
            if how != "sum":
                for dim, o, s in ((0, out, src), (1, out.t().contiguous(), src.t().contiguous())):
                    self.both("index_reduce", o, dim, index, s, how, include_self=include)

    def test_extremes_of_nan(self):
        index = indices((40,), 8)
        for dtype, how, include in itertools.product(TYPES[:4], ("amax", "amin"), (True, False)):
            out, src = numbers((9, 3), dtype), numbers((40, 3), dtype, 3)
            for own, every in ((out, 7), (src, 13)):
                own.view(-1)[::every], own.view(-1)[3::every] = math.nan, -math.nan
                own.view(-1)[4::every], own.view(-1)[5::every] = math.inf, -math.inf
            self.both("index_reduce", out, 0, index, src, how, include_self=include)
            self.both("scatter_reduce", out, 0, index[:, None].expand(-1, 3), src, how,
                      include_self=include)
            self.both("scatter_reduce", out[:, 0].clone(), 0, index, src[:, 0].clone(), how,
                      include_self=include)

    def test_index_put(self):
        for dtype in TYPES:
            out, i, j = numbers((5, 6, 7), dtype), indices((40,), 10) - 5, indices((3, 1), 12) - 6
            i = i.clamp(-5, 4)
            for where, shape in (((i,), (40, 6, 7)), ((i.int(),), (40, 6, 7)), ((i,), (7,)),
                                 ((i,), ()), ((i, j), (3, 40, 7)), ((i, j, i), (3, 40)),
                                 ((None, j), (5, 3, 1, 7)), ((None, None, i), (5, 6, 40)),
                                 ((None, i, j), (5, 3, 40))):
                values = numbers(shape, dtype, 3)
                slices = tuple(slice(None) if w is None else w for w in where)
                self.same(lambda: torch.ops.aten.index_put(out, where, values, True))

                def in_place():
                    own = strided(out.clone())
                    return torch.ops.aten.index_put_(own, where, values, True)

                self.same(in_place)
                if dtype.is_floating_point:
                    def gradient():
                        x = out.clone().requires_grad_()
                        y = x[slices]
                        y.backward(numbers(y.shape, dtype, 3))
                        return x.grad

                    self.same(gradient)

    def test_embedding(self):
        for dtype, scale, padding in itertools.product(TYPES[:4], (False, True), (None, 3)):
            def gradient():
                weight = numbers((9, 4), dtype).requires_grad_()
                rows = torch.nn.functional.embedding(indices((6, 10), 9), weight, padding,
                                                     scale_grad_by_freq=scale)
                rows.backward(rows.detach().round() * 8)
                return weight.grad

            self.same(gradient, rounding=2**-6 if scale else 0)

    def test_embedding_bag(self):
        for mode, padding, weighted in itertools.product(("sum", "mean"), (None, 3), (False, True)):
            if weighted and mode == "mean":
                continue

            def gradient():
                weight = numbers((9, 4), torch.float32).requires_grad_()
                bags = torch.nn.functional.embedding_bag(
                    indices((60,), 9), weight, torch.tensor([0, 7, 7, 30, 59]), mode=mode,
                    padding_idx=padding,
                    per_sample_weights=numbers((60,), torch.float32, 5) if weighted else None)
                bags.backward(numbers(bags.shape, torch.float32, 7))
                return weight.grad

            self.same(gradient, rounding=1e-5 if mode == "mean" else 0)

    def test_bincount(self):
        for dtype in (torch.uint8, torch.int32, torch.int64):
            index = indices((500,), 20).to(dtype)
            self.same(lambda: torch.bincount(index, minlength=50))
            for weights in (numbers((500,), t) for t in TYPES):
                self.same(lambda: torch.bincount(index, weights))

    def test_histc(self):
        """PyTorch has none of integers on the CPU."""
        for dtype in (torch.int32, torch.int64):
            values = indices((20, 25), 30, dtype) - 10
            want = torch.stack([(values == v).sum() for v in range(-3, 13)]).to(dtype)
            before = atomtune.calls()
            with atomtune.enable(0, mode="always"):
                got = torch.histc(values, bins=16, min=-3, max=12)
            torch.testing.assert_close(got, want, rtol=0, atol=0)
            self.assertEqual(atomtune.calls(), before + 1)
        self.same(lambda: torch.histc(values.double(), bins=16, min=-3, max=12), False)

    def test_segment_reduce(self):
        lengths = torch.tensor([7, 0, 30, 3])
        offsets = torch.tensor([0, 7, 7, 37, 40])
        for dtype, how, initial, where, shape in itertools.product(
                TYPES[:4], ("sum", "mean"), (None, 2), ({"lengths": lengths},
                {"lengths": lengths, "unsafe": True}, {"offsets": offsets},
                {"offsets": offsets[1:-1], "unsafe": True}), ((40,), (40, 3), (40, 2, 3))):
            def both():
                data = numbers(shape, dtype).requires_grad_()
                out = torch.segment_reduce(data, how, **where, initial=initial)
                out.nansum().backward()
                return torch.cat([out.detach().view(-1), data.grad.view(-1)])

            with self.subTest(dtype=dtype, how=how, initial=initial, where=where, shape=shape):
                self.same(both, rounding=2**-7 if how == "mean" else 0)
        for wrong in (torch.tensor([41, -1]), torch.tensor([1, 2])):
            with atomtune.enable(0, mode="always"), self.assertRaisesRegex(RuntimeError, "lengths"):
                torch.segment_reduce(numbers((40,), torch.float32), "sum", lengths=wrong)

    def test_leaves_what_it_has_not(self):
        out, src, index = rows_of_three()
        mask = torch.arange(9) % 2 == 0
        for function, reason in (
                (lambda: out.short().index_add(0, index, src.short()), "type"),
                (lambda: out.index_reduce(0, index, src, "prod"), "product"),
                (lambda: out.index_put((mask,), out[mask], True), "mask"),
                (lambda: out.half().index_put((index[:2],), src.half()[:2], True),
                 "more targets than updates"),
                (lambda: out.index_put((torch.arange(3),), src[:3]), "few updates")):
            before = sum(n for key, n in atomtune.explain().items() if key[2] == reason)
            self.same(function, False)
            after = sum(n for key, n in atomtune.explain().items() if key[2] == reason)
            self.assertGreater(after, before, reason)

    @unittest.skipUnless(DEVICE == "cpu", "the stand-in tells")
    def test_deterministic_is_asked_for_at_each_call(self):
        asked = stand_in.variable("deterministic_calls")
        self.addCleanup(torch.use_deterministic_algorithms, False)
        out, src, index = rows_of_three()
        with atomtune.enable(0, mode="always"):
            for wanted, dtype in itertools.product((False, True), (torch.float32, torch.bfloat16)):
                torch.use_deterministic_algorithms(wanted)
                before, calls = asked.value, atomtune.calls()
                out.to(dtype).index_add(0, index, src.to(dtype))
                out.to(dtype).index_put_((index,), src.to(dtype), True)
                self.assertEqual(atomtune.calls() - calls, 2)
                self.assertEqual(asked.value - before, 2 * wanted)

    def test_gradients(self):
        index = indices((12,), 5)
        wide = index[:, None].expand(-1, 2)
        src, out = torch.randn(12, 2, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
        with atomtune.enable(0, mode="always"):
            before = atomtune.calls()
            for function in (lambda o, s: o.index_add(0, index, s, alpha=2),
                             lambda o, s: o.scatter_add(0, wide, s),
                             lambda o, s: o.scatter_reduce(0, wide, s, "mean"),
                             lambda o, s: o.scatter_reduce(0, wide, s, "sum", include_self=False),
                             lambda o, s: o.index_put((index,), s, True),
                             lambda o, s: o[index] * s,
                             lambda o, s: torch.nn.functional.embedding(index, o) * s):
                inputs = out.clone().requires_grad_(), src.clone().requires_grad_()
                self.assertTrue(torch.autograd.gradcheck(function, inputs))
                self.assertTrue(torch.autograd.gradgradcheck(function, inputs))
            self.assertGreater(atomtune.calls(), before + 7)

    def test_errors_are_pytorchs(self):
        out, src, index = rows_of_three()
        for function in (lambda: out.index_add(0, index, src.double()),
                         lambda: out.index_add(2, index, src),
                         lambda: out.index_add(0, index[1:], src),
                         lambda: out.scatter_add(0, index[:, None].expand(-1, 4), src),
                         lambda: out.scatter_reduce(0, index, src, "mean"),
                         lambda: out.index_put((index,), src.double(), True),
                         lambda: out.index_put((index, index, index), src, True),
                         lambda: out.index_put((index,), src[1:], True),
                         lambda: out.clone().index_add_(0, index, src, alpha=None),
                         lambda: torch.zeros(1, 3).expand(9, 3).index_add_(0, index, src),
                         lambda: torch.bincount(index - 1)):
            with self.assertRaises(Exception) as want:
                function()
            with atomtune.enable(0, mode="always"), self.assertRaises(type(want.exception)) as got:
                function()
            self.assertEqual(first_line(got), first_line(want))

    def test_samples_of_pytorch(self):
        """Those of PyTorch's own tests."""
        try:
            from torch.testing._internal import common_methods_invocations as known
        except ModuleNotFoundError as error:
            self.skipTest(f"PyTorch's tests need {error.name}")

        names = ("scatter_add", "index_add", "index_reduce", "scatter_reduce", "index_put",
                 "bincount", "nn.functional.embedding", "nn.functional.embedding_bag",
                 "__getitem__", "gather", "index_select", "take_along_dim", "histc",
                 "_segment_reduce")
        made = collections.Counter()
        for info in known.op_db:
            if info.name not in names:
                continue
            for dtype in info.supported_dtypes(DEVICE):
                grad = dtype.is_floating_point and info.supports_autograd
                for sample in info.sample_inputs(DEVICE, dtype, requires_grad=grad):
                    before = atomtune.calls()
                    with self.subTest(op=info.name, dtype=dtype, sample=str(sample)[:400]):
                        want = self.results(info, sample, grad)
                        with atomtune.enable(0, mode="always"):
                            got = self.results(info, sample, grad)
                        if want == "not implemented":
                            self.assertEqual(got, want)
                        elif dtype in (torch.float16, torch.bfloat16):
                            # Both round each sum, so that neither is the measure of the other.
                            exact = self.results(info, sample.transform(doubled), grad)
                            for g, w, e in zip(got, want, exact):
                                self.same_halves(g, w, e, torch.finfo(dtype).eps)
                        else:
                            torch.testing.assert_close(got, want, equal_nan=True)
                    made[info.name] += 1
                    made[info.name, "taken"] += atomtune.calls() > before
            for error in info.error_inputs(DEVICE) if info.error_inputs_func else ():
                if "out of bounds" in error.error_regex:
                    continue  # such an update is left out
                with self.assertRaises(error.error_type) as want:
                    self.call(info, error.sample_input)
                with atomtune.enable(0, mode="always"), self.assertRaises(error.error_type) as got:
                    self.call(info, error.sample_input)
                self.assertEqual(first_line(got), first_line(want))
                made[info.name, "errors"] += 1
        if __name__ == "__main__":
            print(dict(made))
        self.assertGreater(made["index_add", "taken"], 10)
        self.assertGreater(made["index_put", "taken"], 3)

    def call(self, info, sample):
        return info.op(sample.input, *sample.args, **sample.kwargs)

    def results(self, info, sample, grad):
        sample = sample.transform(lambda a: a.detach().clone().requires_grad_(a.requires_grad)
                                  if isinstance(a, torch.Tensor) else a)
        try:
            got = self.call(info, sample)
            if not (grad and isinstance(got, torch.Tensor) and got.requires_grad):
                return [got]
            wanted = [a for a in (sample.input, *sample.args)
                      if isinstance(a, torch.Tensor) and a.requires_grad]
            return [got.detach(), *torch.autograd.grad(got.double().sum(), wanted, allow_unused=True)]
        except NotImplementedError:  # for this type
            return "not implemented"

    def same_halves(self, got, want, exact, eps):
        if exact is None:
            return self.assertIs(got, None)
        self.assertEqual((got.dtype, got.shape), (want.dtype, want.shape))
        self.assertTrue(torch.equal(got.isfinite(), want.isfinite()))
        finite = want.isfinite() & exact.isfinite()
        if not finite.any():
            return
        ours, theirs = ((t.double() - exact)[finite].abs().max() for t in (got, want))
        self.assertLessEqual(float(ours), float(2 * theirs + 2 * eps * exact[finite].abs().max()))


if __name__ == "__main__":
    unittest.main()

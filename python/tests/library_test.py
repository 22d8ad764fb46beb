"""Operators, gradients and overrides over libatomtune_cuda, on the CPU: needs PyTorch 2.10 or
later and a C++ compiler.

The library is plain loops in cpu_library.cpp; with ATOMTUNE_TEST_DEVICE=cuda it is the one that
atomtune finds. What holds of the extension as well is in
operators_test.py.
"""

import collections
import itertools
import math
import os
import pathlib
import sys
import unittest
import unittest.mock

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import operators_test as shared  # its tests are run here too
import stand_in
from operators_test import atomtune
from atomtune import _compiled, _operators

DEVICE = os.environ.get("ATOMTUNE_TEST_DEVICE", "cpu")


def setUpModule():
    if DEVICE == "cpu":
        stand_in.use()
    else:
        torch.set_default_device(DEVICE)
    _operators.use_extension()


class Library(unittest.TestCase):
    def test_its_path_depends_on_no_folder(self):
        with unittest.mock.patch.dict(os.environ, ATOMTUNE_CUDA_LIBRARY="libatomtune_cuda.so"):
            with self.assertRaisesRegex(ValueError, "absolute"):
                _compiled.find()
        with unittest.mock.patch.dict(os.environ, ATOMTUNE_CUDA_LIBRARY="/nowhere/at/all.so"):
            with self.assertRaises(OSError):
                _compiled.find()

    def test_its_errors_have_their_text(self):
        with self.assertRaisesRegex(RuntimeError, "atomtune: "):
            _compiled.update(_compiled.MIN, torch.zeros(3), 3, torch.tensor([0]), torch.ones(1),
                             clear=True)


    def test_an_index_out_of_range_is_told_after_inference(self):
        _compiled._words.clear()
        with torch.inference_mode(), atomtune.enable(0):
            torch.zeros(3).index_put_((torch.tensor([1]),), torch.ones(1), accumulate=True)
            atomtune.scatter_add(torch.tensor([3]), torch.ones(1), 3)
        self.assertTrue(atomtune.out_of_range("cuda:0"))
        self.assertFalse(atomtune.out_of_range("cuda:0"))


class Functions(shared.Functions):
    pass


class Gradients(shared.Gradients):
    pass


class Overrides(shared.Overrides):
    test_leaves_the_rest = None  # which is less than of the extension: see Taken


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


def strided(t):
    """The same numbers, not side by side."""
    return torch.stack([t, t], -1)[..., 0]


class Taken(unittest.TestCase):
    def same(self, function, taken=True, rounding=0):
        """function gives PyTorch's result, and is taken or not."""
        want, before = function(), atomtune.calls()
        with atomtune.enable(0):
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
            with atomtune.enable(0):
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
            with atomtune.enable(0), self.assertRaisesRegex(RuntimeError, "lengths"):
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
                (lambda: out.index_put((index,), src), "few updates")):
            before = sum(n for key, n in atomtune.explain().items() if key[2] == reason)
            self.same(function, False)
            after = sum(n for key, n in atomtune.explain().items() if key[2] == reason)
            self.assertGreater(after, before, reason)

    def test_deterministic_is_asked_for_at_each_call(self):
        asked = []
        real = _compiled.update
        self.addCleanup(setattr, _compiled, "update", real)

        def update(*args, **named):
            asked.append(named.get("deterministic"))
            real(*args, **named)

        _compiled.update = update
        self.addCleanup(torch.use_deterministic_algorithms, False)
        out, src, index = rows_of_three()
        with atomtune.enable(0):
            for wanted in (False, True, False):
                torch.use_deterministic_algorithms(wanted)
                for dtype in (torch.float32, torch.bfloat16):
                    out.to(dtype).index_add(0, index, src.to(dtype))
                    out.to(dtype).index_put_((index,), src.to(dtype), True)
        self.assertEqual(asked, [False] * 4 + [True] * 4 + [False] * 4)

    def test_gradients(self):
        index = indices((12,), 5)
        wide = index[:, None].expand(-1, 2)
        src, out = torch.randn(12, 2, dtype=torch.float64), torch.randn(5, 2, dtype=torch.float64)
        with atomtune.enable(0):
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
            with atomtune.enable(0), self.assertRaises(type(want.exception)) as got:
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
                        with atomtune.enable(0):
                            got = self.results(info, sample, grad)
                        torch.testing.assert_close(got, want, equal_nan=True)
                    made[info.name] += 1
                    made[info.name, "taken"] += atomtune.calls() > before
            for error in info.error_inputs(DEVICE) if info.error_inputs_func else ():
                if "out of bounds" in error.error_regex:
                    continue  # such an update is left out
                with self.assertRaises(error.error_type) as want:
                    self.call(info, error.sample_input)
                with atomtune.enable(0), self.assertRaises(error.error_type) as got:
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
        got = self.call(info, sample)
        if not (grad and isinstance(got, torch.Tensor) and got.requires_grad):
            return [got]
        wanted = [a for a in (sample.input, *sample.args)
                  if isinstance(a, torch.Tensor) and a.requires_grad]
        return [got.detach(), *torch.autograd.grad(got.double().sum(), wanted, allow_unused=True)]


if __name__ == "__main__":
    unittest.main()

"""torch.compile under enable(), over the stand-in for libatomtune_cuda, on the CPU: needs PyTorch 2.9
or later and a C++ compiler."""

import pathlib
import sys
import unittest

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import atomtune
import stand_in
from torch._inductor import config

F = torch.nn.functional
UPDATES, TARGETS, WIDTH = 1 << 14, 500, 4


def setUpModule():
    stand_in.use()
    atomtune.build()


def numbers(*shape, seed=1):
    """Whole and small ones, whose sums are the same in any order."""
    return torch.randint(-4, 5, shape, generator=torch.Generator().manual_seed(seed)).float()


def stream(updates=UPDATES, seed=2):
    return torch.randint(TARGETS, (updates,), generator=torch.Generator().manual_seed(seed))


def results(function, *inputs):
    """What function returns of copies, what it leaves in them, and the gradient of the first."""
    inputs = [t.detach().clone().requires_grad_(t.requires_grad) for t in inputs]
    out = function(*inputs)
    if not out.requires_grad:
        return [out, *inputs]
    out.backward(numbers(*out.shape, seed=3))
    return [out.detach(), inputs[0].grad]


def seen():
    return sum(atomtune.explain().values())


def embedding(weight, index):
    return F.embedding(index, weight) * 2


def scatter_add(out, index, src):
    return out.scatter_add(0, index[:, None].expand_as(src), src).relu()


def index_add(out, index, src):
    out.index_add_(0, index, src, alpha=2)
    return out.t().index_add(1, index.flip(0), src.t())


def reduce(how):
    return lambda out, index, src: out.scatter_reduce(0, index, src, how) + 1


class Compiled(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        self.weight = numbers(TARGETS, WIDTH)
        self.parameter = self.weight.clone().requires_grad_()
        self.index, self.src = stream(), numbers(UPDATES, WIDTH, seed=4)

    def tearDown(self):
        atomtune.disable()

    def made(self, function, *inputs):
        """How many calls the overrides see and take of a function compiled with them."""
        want, before = results(function, *inputs), (seen(), atomtune.calls())
        with atomtune.enable(mode="always"):
            got = results(torch.compile(function, fullgraph=True), *inputs)
        torch.testing.assert_close(got, want, rtol=0, atol=0)
        return seen() - before[0], atomtune.calls() - before[1]

    def test_sums_are_taken(self):
        single = self.weight[:, 0].contiguous(), self.index, self.src[:, 0].contiguous()
        for function, inputs, calls in (
                (embedding, (self.parameter, self.index), 1),
                (lambda x, i: F.embedding(i, x, padding_idx=3), (self.parameter, self.index.int()), 1),
                (lambda x, i: x[i], (self.parameter, self.index - TARGETS), 1),
                (scatter_add, (self.weight, self.index, self.src), 1),
                (index_add, (self.weight, self.index, self.src), 2),
                (reduce("sum"), single, 1), (reduce("amax"), single, 1), (reduce("mean"), single, 2)):
            with self.subTest(function=function):
                self.assertEqual(self.made(function, *inputs)[1], calls)

    def test_the_rest_is_inductors(self):
        apart = numbers(TARGETS, 2, TARGETS).requires_grad_()
        for function, inputs in (
                (lambda x, i: x[i], (self.parameter, self.index[1:])),
                (lambda x, i: x[i], (numbers(9 * UPDATES).half().requires_grad_(), self.index)),
                (lambda x, i: x[i, :, i], (apart, self.index)),
                (lambda x, i, s: x.index_put((i,), s), (self.weight, self.index, self.src[:1]))):
            with self.subTest(function=function):
                self.assertEqual(self.made(function, *inputs), (0, 0))

    def test_graphs_keep_what_they_have(self):
        inputs = self.weight, self.index, self.src
        self.assertEqual(self.made(index_add, *inputs), (2, 2))
        before = atomtune.calls()
        results(torch.compile(index_add, fullgraph=True), *inputs)
        self.assertEqual(atomtune.calls(), before)
        torch._dynamo.reset()
        without = torch.compile(index_add, fullgraph=True)
        results(without, *inputs)
        with atomtune.enable(mode="always"):
            results(without, *inputs)
        self.assertEqual(atomtune.calls(), before)

    def test_no_break_of_the_graph(self):
        with atomtune.enable(mode="always"):
            explained = torch._dynamo.explain(index_add)(self.weight, self.index, self.src)
        self.assertEqual((explained.graph_count, explained.graph_break_count), (1, 0))

    def test_sizes_change(self):
        graphs = []
        with config.patch(post_grad_custom_post_pass=graphs.append), atomtune.enable(mode="always"):
            compiled, before = torch.compile(scatter_add, dynamic=True, fullgraph=True), atomtune.calls()
            for more in (0, 5, 9):
                index = stream(UPDATES + more)
                inputs = numbers(TARGETS + more, WIDTH), index, numbers(len(index), WIDTH)
                self.assertTrue(torch.equal(compiled(*inputs), scatter_add(*inputs)))
            self.assertEqual(atomtune.calls(), before + 6)
        self.assertEqual(len(graphs), 1)  # a user's pass has seen it



if __name__ == "__main__":
    unittest.main()


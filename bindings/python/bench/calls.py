"""Times of PyTorch's operators with PyTorch alone, with atomtune.enable(), and of the library.

The library is called on the same indices and contiguous values; of means it makes the sums. All
results are checked against PyTorch's on the CPU in double precision.
"""

import dataclasses
import functools
import sys
import types
from typing import Callable

import timing
import torch

F = torch.nn.functional
STREAMS = ("uniform", "zipf", "half", "sorted")
BAG = 32  # updates of each bag of EmbeddingBag


@dataclasses.dataclass
class Case:
    name: str
    make: Callable  # of target, index and values: what is timed
    how: str = "sum"
    rows: bool = True
    dtype: torch.dtype = torch.float32
    own: bool = True  # its result lies in a tensor of its own

    def given(self, index, values):
        """The indices and values of the call, of those of a stream."""
        values = (values if self.rows else values[:, 0]).to(self.dtype).contiguous()
        if self.how == "bags":
            values = values[::BAG].repeat_interleave(BAG, 0)
        elif self.how == "segments":
            index, order = index.sort()
            values = values[order]
        return index, values

    def library(self, out, index, values):
        ops = torch.ops.atomtune
        if self.how == "count":
            return lambda: ops.bincount(index, len(out))
        if self.own:
            return lambda: ops.scatter_add(index, values, len(out))
        update = ops.scatter_max_ if self.how == "amax" else ops.scatter_add_
        return lambda: (update(out, index, values), out)[1]


def gradient(forward):
    def make(out, index, values):
        x = out.detach().requires_grad_()
        y = forward(index, x)
        return lambda: torch.autograd.grad(y, x, values, retain_graph=True)[0]

    return make


def both_ways(forward):
    def make(out, index, values):
        x = out.detach().requires_grad_()
        return lambda: torch.autograd.grad(forward(index, x), x, values)[0]

    return make


def compiled(function):
    """function by torch.compile, once without and once with the overrides."""
    code = function.__code__  # of different names, so that they share no graph
    own = [torch.compile(types.FunctionType(code.replace(co_name=name), function.__globals__))
           for name in ("pytorch", "atomtune")]
    return lambda *arguments: own[timing.ours()](*arguments)


def in_place(function):
    return lambda out, index, values: lambda: function(out, index, values)


def bags(out, index, values):
    return gradient(lambda i, x: F.embedding_bag(i.view(-1, BAG), x, mode="sum"))(
        out, index, values[::BAG].contiguous())


def segments(out, index, values):
    lengths = torch.bincount(index, minlength=len(out))
    return lambda: torch.segment_reduce(values, "sum", lengths=lengths)


def index_put(out, index, values):
    return lambda: out.index_put_((index,), values, accumulate=True)


def index_add(out, index, values):
    return lambda: out.index_add_(0, index, values)


def scatter_add(out, index, values):
    return lambda: out.scatter_add_(0, expanded(index, values), values)


def scatter_reduce(how):
    return lambda out, index, values: lambda: out.scatter_reduce_(
        0, expanded(index, values), values, how)


def expanded(index, values):
    return index if values.dim() == 1 else index[:, None].expand_as(values)


rows = functools.partial(Case, own=False)
single = functools.partial(Case, own=False, rows=False)
CASES = (
    Case("x[i] forward and backward, rows", both_ways(lambda i, x: x[i])),
    Case("x[i] backward, rows", gradient(lambda i, x: x[i])),
    single("index_put_ accumulate, single", index_put),
    rows("index_put_ accumulate, rows", index_put),
    Case("Embedding backward", gradient(F.embedding)),
    Case("EmbeddingBag backward, sum", bags, "bags"),
    rows("scatter_add_ expanded, rows", scatter_add),
    rows("scatter_reduce_ mean, rows", scatter_reduce("mean"), "mean"),
    rows("scatter_reduce_ amax, rows", scatter_reduce("amax"), "amax"),
    single("scatter_reduce_ sum, single", scatter_reduce("sum")),
    single("scatter_reduce_ amax, single", scatter_reduce("amax"), "amax"),
    rows("index_reduce_ amax, rows",
         lambda out, index, values: lambda: out.index_reduce_(0, index, values, "amax"), "amax"),
    rows("index_add_ f32, rows", index_add),
    rows("index_add_ bf16, rows", index_add, dtype=torch.bfloat16),
    *(single(f"scatter_add_ {name}, single", scatter_add, dtype=dtype) for name, dtype in (
        ("f32", torch.float32), ("f16", torch.float16), ("f64", torch.float64),
        ("i64", torch.int64))),
    Case("bincount", lambda out, index, values: lambda: torch.bincount(index, minlength=len(out)),
         "count", False, torch.int64),
    Case("segment_reduce sum, rows", segments, "segments"),
    Case("compiled Embedding forward and backward",
         both_ways(compiled(lambda i, x: F.embedding(i, x)))),
    single("compiled scatter_add_ f32, single",
           in_place(compiled(lambda out, i, src: out.scatter_add_(0, i, src)))),
    rows("compiled index_add_ f32, rows",
         in_place(compiled(lambda out, i, src: out.index_add_(0, i, src)))),
)


class Stream:
    """Indices by name and seed, and the results of all updates by them in double precision."""

    def __init__(self, name, arguments, values):
        self._targets, self._values = arguments.targets, values
        self.copies = [self._draw(name, arguments.n, seed)
                       for seed in range(8 if arguments.fresh else 1)]

    def _draw(self, name, n, seed):
        generator = torch.Generator().manual_seed(seed)
        index = torch.randint(self._targets, (n,), generator=generator)
        if name == "zipf":
            return timing.zipf(n, self._targets, 1.2, generator)
        if name == "half":
            return index.masked_fill_(torch.rand(n, generator=generator) < 0.5, self._targets // 3)
        return index.sort().values if name == "sorted" else index

    @functools.cache
    def reference(self, how):
        """The results by PyTorch on the CPU, and the sums of magnitudes."""
        index, values = self.copies[0], self._values.double()
        out = torch.zeros(self._targets, values.shape[1], dtype=torch.float64)
        if how == "amax":
            return out.scatter_reduce_(0, index[:, None].expand_as(values), values, how), out * 0
        if how == "count":
            return out.index_add_(0, index, torch.ones_like(values)), out * 0
        if how == "bags":
            values = values[::BAG].repeat_interleave(BAG, 0)
        return out.index_add(0, index, values), out.index_add(0, index, values.abs())

    def error(self, case, how, got):
        """The largest error, as a share of the bound of rounding."""
        want, magnitudes = self.reference("sum" if how in ("mean", "segments") else how)
        if not case.rows:
            want, magnitudes = want[:, 0], magnitudes[:, 0]
        if how == "mean":  # the target itself counts too
            number = 1 + self.reference("count")[0]
            want, magnitudes = want / number, magnitudes / number
        floating = case.dtype.is_floating_point
        # Halves are rounded at each add: in order, the worst of 10^7 sums is off by 2 eps.
        bound = 8 * (torch.finfo(case.dtype).eps if floating else 0) * magnitudes
        error = (got.double() - want.to(got.device)).abs()
        return (error / (bound + 1e-12).to(got.device)).max().item()


def measure(case, name, stream, values, arguments):
    device = arguments.device
    shape = (arguments.targets, arguments.width) if case.rows else (arguments.targets,)
    out = torch.zeros(shape, dtype=case.dtype, device=device)
    given = [case.given(index.to(device), values) for index in stream.copies]
    calls = [case.make(out, *own) for own in given]
    library = [case.library(out, *own) for own in given]
    errors = {"pytorch": stream.error(case, case.how, calls[0]())}
    out.zero_()
    got, made = timing.seen(calls[0])
    errors["atomtune"] = stream.error(case, case.how, got)
    out.zero_()
    errors["library"] = stream.error(case, "sum" if case.how == "mean" else case.how, library[0]())
    result = {"name": case.name, "stream": name, "made": made, "errors": errors,
              "correct": all(error <= 1 for error in errors.values())}  # a NaN is not
    result |= timing.medians_us({"pytorch": calls, "atomtune": calls, "library": library},
                                arguments, out.zero_, sleep=1_000_000)
    timing.progress(result)
    return result


def main(argv=None):
    parser = timing.parser(__doc__, n=1 << 20, targets=1 << 17, width=64)
    parser.add_argument("--fresh", action="store_true",
                        help="cycle through 8 copies of each stream with different seeds")
    arguments = parser.parse_args(argv)
    if arguments.n % BAG:
        parser.error(f"--n {arguments.n} is not a multiple of {BAG}")
    timing.start(arguments.device)
    # Whole numbers of so few bits that they are the same in every type.
    generator = torch.Generator().manual_seed(1)
    values = torch.randint(-31, 32, (arguments.n, arguments.width), generator=generator).float()
    on_device = values.to(arguments.device)
    results = []
    for name in STREAMS:
        stream = Stream(name, arguments, values)
        results += [measure(case, name, stream, on_device, arguments) for case in CASES
                    if (arguments.only or "") in case.name]
    return timing.finish(arguments, results, {
        "library, us": lambda r: timing.shown_us(r, "library"),
        "operators": lambda r: ", ".join(r["made"])})


if __name__ == "__main__":
    sys.exit(main())

"""What runs on a GPU: python3 tests/gpu_test.py [NAME...]. Needs PyTorch 2.4 or later and nvcc.

Each test prints PASS or FAIL with the end of its traceback. Tests run in one child process; one
that hangs or leaves the GPU in an error ends the child, and the next goes on in a new one.
Lines of TIME are medians of CUDA events around single calls, and judge nothing.
"""

import os
import pathlib
import queue
import subprocess
import sys
import threading
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

LIMIT_S = 240  # for one test: the first builds the extension
TESTS = {}


def test(function):
    TESTS[function.__name__] = function
    return function


def check(condition, text="is false"):
    if not condition:
        raise AssertionError(text)


def same(got, want):
    import torch

    check(got.dtype == want.dtype, f"dtype {got.dtype}, want {want.dtype}")
    check(got.shape == want.shape, f"shape {tuple(got.shape)}, want {tuple(want.shape)}")
    got, want = got.cpu(), want.cpu()
    if not torch.equal(got, want):
        wrong = (got != want).nonzero()
        at = tuple(wrong[0].tolist())
        raise AssertionError(f"{len(wrong)} of {got.numel()} differ, first at {at}: {got[at]}, "
                             f"want {want[at]}")


def stream(kind, n, bins, dtype=None, seed=1):
    """Indices on the GPU: uniform, zipf, one row, sorted, or half on one row."""
    import torch

    generator = torch.Generator("cuda").manual_seed(seed)
    uniform = torch.randint(0, bins, (n,), generator=generator, device="cuda")
    if kind == "zipf":
        u = torch.rand(n, generator=generator, device="cuda", dtype=torch.float64)
        uniform = (bins ** u - 1).long().clamp(0, bins - 1)
    elif kind == "one":
        uniform = torch.full_like(uniform, bins // 2)
    elif kind == "sorted":
        uniform = uniform.sort().values
    elif kind == "half":
        hot = torch.rand(n, generator=generator, device="cuda") < 0.5
        uniform = uniform.masked_fill(hot, bins // 3)
    return uniform.to(dtype or torch.int64)


KINDS = ("uniform", "zipf", "one", "sorted", "half")


def values(n, dtype, seed=2):
    """Small whole numbers, whose sums are exact in any order."""
    import torch

    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randint(-2, 3, (n,), generator=generator, device="cuda").to(dtype)


def sums(index, src, bins, dtype=None):
    """The plain reference, on the CPU."""
    import torch

    dtype = dtype or src.dtype
    out = torch.zeros(bins, dtype=torch.float64 if dtype.is_floating_point else torch.int64)
    return out.index_add_(0, index.cpu().long(), src.cpu().to(out.dtype)).to(dtype)


@test
def build():
    import atomtune

    atomtune.build()
    check(atomtune.calls() == 0)


@test
def types():
    import torch
    import atomtune

    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
        for index_dtype in (torch.int32, torch.int64):
            for kind in KINDS:
                index, src = stream(kind, 100_000, 1000, index_dtype), values(100_000, dtype)
                before = atomtune.calls()
                same(atomtune.scatter_add(index, src, 1000), sums(index, src, 1000))
                check(atomtune.calls() == before + 1, "the call was not atomtune's")


@test
def sizes():
    import torch
    import atomtune

    for n in (0, 1, 31, 32, 33, 1000, 2049, 1 << 16, 1 << 20, (1 << 22) + 7):
        for bins in (1, 2, 100, 5000, 1 << 16, 1 << 20):
            for kind in ("uniform", "one", "half"):
                index, src = stream(kind, n, bins), values(n, torch.float32)
                same(atomtune.scatter_add(index, src, bins), sums(index, src, bins))
    check(not atomtune.out_of_range(), "an index was called out of range")


@test
def halves():
    import torch
    import atomtune

    for dtype in (torch.float16, torch.bfloat16):
        for kind in KINDS:
            index, src = stream(kind, 300_000, 100), values(300_000, dtype)
            same(atomtune.scatter_add(index, src, 100), sums(index, src, 100, torch.float32))


@test
def in_place_views_and_misalignment():
    import torch
    import atomtune

    index, src = stream("zipf", 100_001, 1000)[1:], values(100_001, torch.float32)[1:]
    want = sums(index, src, 1000)
    out = torch.ones(1001, device="cuda")
    check(atomtune.scatter_add_(out[1:], index, src).data_ptr() == out[1:].data_ptr())
    same(out[1:], want + 1)
    strided = torch.zeros(2000, device="cuda")[::2]
    atomtune.scatter_add_(strided, index, src)
    same(strided, want)
    got = atomtune.scatter_add(index.repeat_interleave(2)[::2], src, 1000)
    same(got, want)
    same(atomtune.scatter_add(index.int()[3:], src[3:], 1000), sums(index[3:], src[3:], 1000))
    rows = values(300_000, torch.float32).reshape(100_000, 3)
    got = atomtune.scatter_add(index, rows, 1000)
    same(got[:, 2], sums(index, rows[:, 2], 1000))


@test
def many_targets():
    import torch
    import atomtune

    bins = 1 << 31
    for index_dtype in (torch.int32, torch.int64):
        index = torch.tensor([0, bins - 1, 5, bins - 1], device="cuda").to(index_dtype)
        src = torch.tensor([1, 2, 3, 4], device="cuda", dtype=torch.int32)
        got = atomtune.scatter_add(index.repeat(5000), src.repeat(5000), bins)
        check(got[[0, 5, bins - 1]].tolist() == [5000, 15000, 30000])
        check(int(got.sum()) == 50000)
        del got


@test
def counts():
    import torch
    import atomtune

    for kind in KINDS:
        for index_dtype in (torch.int32, torch.int64, torch.uint8):
            index = stream(kind, 200_000, 200, index_dtype)
            for minlength in (0, 300):
                same(atomtune.bincount(index, minlength=minlength),
                     torch.bincount(index.cpu(), minlength=minlength))
            src = values(200_000, torch.float32)
            same(atomtune.bincount(index, src, dim_size=200), sums(index, src, 200))


@test
def extremes():
    import torch
    import atomtune

    for dtype in (torch.float32, torch.int32, torch.float64):
        for kind in KINDS:
            index, src = stream(kind, 100_000, 1000), values(100_000, dtype) * 1000
            src += torch.arange(100_000, device="cuda") % 997
            for function, how in ((atomtune.scatter_min, "amin"), (atomtune.scatter_max, "amax")):
                start = function(index[:0], src[:0], 1000).cpu()
                want = start.scatter_reduce(0, index.cpu(), src.cpu(), how)
                same(function(index, src, 1000), want)


@test
def segments():
    import torch
    import atomtune

    src = values(50_000, torch.float32)
    offsets = torch.tensor([0, 7, 7, 1000, 50_000], device="cuda")
    want = torch.stack([src[a:b].sum() for a, b in zip(offsets[:-1], offsets[1:])])
    same(atomtune.segment_sum(src, offsets=offsets), want)


@test
def ignored_and_out_of_range():
    import torch
    import atomtune

    index, src = stream("uniform", 100_000, 1000), values(100_000, torch.float32)
    keep = index != 7
    same(atomtune.scatter_add(index, src, 1000, ignore_index=7),
         sums(index[keep], src[keep], 1000))
    padded = index.masked_fill(~keep, -100)
    atomtune.out_of_range()
    same(atomtune.scatter_add(padded, src, 1000, ignore_index=-100),
         sums(index[keep], src[keep], 1000))
    check(not atomtune.out_of_range(), "an ignored index was called out of range")
    guarded = torch.zeros(3000, device="cuda")
    atomtune.scatter_add_(guarded[1000:2000], index * 3 - 1000, src)
    inside = (index * 3 >= 1000) & (index * 3 < 2000)
    same(guarded[1000:2000], sums(index[inside] * 3 - 1000, src[inside], 1000))
    check(not guarded[:1000].any() and not guarded[2000:].any(), "written outside of out")
    check(atomtune.out_of_range(), "indices out of range were not told")
    check(not atomtune.out_of_range(), "it was told twice")


@test
def gradients():
    import torch
    import atomtune

    index = stream("zipf", 1000, 50)
    src = torch.randn(1000, device="cuda", dtype=torch.float64, requires_grad=True)
    weights = torch.randn(50, device="cuda", dtype=torch.float64)
    (atomtune.scatter_add(index, src, 50, ignore_index=3) * weights).sum().backward()
    same(src.grad, torch.where(index == 3, 0, weights[index]))
    src = values(1000, torch.float32).requires_grad_()
    atomtune.scatter_max(index, src, 50)[index.unique()].sum().backward()
    check(abs(float(src.grad.sum()) - len(index.unique())) < 1e-3)
    half = torch.ones(1000, device="cuda", dtype=torch.float16, requires_grad=True)
    atomtune.scatter_add(index, half, 50).sum().backward()
    same(half.grad, torch.ones_like(half))


@test
def operators_are_well_formed():
    import torch
    import atomtune

    atomtune.build()
    index = stream("zipf", 100, 50)
    src = torch.randn(100, device="cuda", dtype=torch.float32)
    ops, checked = torch.ops.atomtune, 0
    for op, args in ((ops.scatter_add, (index, src.requires_grad_(), 50)),
                     (ops.scatter_max, (index, src, 50)),
                     (ops.bincount, (index, 50)),
                     (ops.scatter_add_, (torch.zeros(50, device="cuda"), index, src.detach()))):
        torch.library.opcheck(op.default, args)
        checked += 1
    check(checked == 4)


@test
def compiled():
    import torch
    import atomtune

    def step(index, src, out):
        counts = atomtune.bincount(index, dim_size=100)
        total = atomtune.scatter_add(index, src * 2, 100)
        atomtune.scatter_add_(out, index, src.detach())
        return total / counts.clamp(min=1), out

    index = stream("zipf", 100_000, 100)
    src = values(100_000, torch.float32).requires_grad_()
    function = torch.compile(step, fullgraph=True)
    before = atomtune.calls()
    got, out = function(index, src, torch.zeros(100, device="cuda"))
    check(atomtune.calls() == before + 3, f"{atomtune.calls() - before} calls, want 3")
    want, _ = step(index, src, torch.zeros(100, device="cuda"))
    check(torch.allclose(got, want), "sums differ")  # a compiled division rounds otherwise
    same(out, sums(index, src.detach(), 100))
    (grad,) = torch.autograd.grad(got.sum(), src)
    (expected,) = torch.autograd.grad(want.sum(), src)
    check(torch.allclose(grad, expected), "gradients differ")
    other = stream("uniform", 50_000, 100)
    got, _ = function(other, src[:50_000], torch.zeros(100, device="cuda"))
    want, _ = step(other, src[:50_000], torch.zeros(100, device="cuda"))
    check(torch.allclose(got, want), "sums of another length differ")


@test
def graph_with_changed_data():
    import torch
    import atomtune

    n, bins, replays = 1 << 17, 3000, 1000
    index, src = stream("uniform", n, bins), values(n, torch.float32)
    atomtune.scatter_add(index, src, bins)
    atomtune.bincount(index, dim_size=bins)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = atomtune.scatter_add(index, src, bins)
        counts = atomtune.bincount(index, dim_size=bins)
    for replay in range(replays):
        if replay % 100 == 0:
            index.copy_(stream(KINDS[replay // 100 % len(KINDS)], n, bins, seed=replay))
            src.copy_(values(n, torch.float32, seed=replay))
        graph.replay()
        if replay % 100 == 99:
            same(out, sums(index, src, bins))
            same(counts, torch.bincount(index.cpu(), minlength=bins))


@test
def two_streams():
    import torch
    import atomtune

    sides = [torch.cuda.Stream() for _ in range(2)]
    inputs = [(stream(kind, 1 << 20, bins), values(1 << 20, torch.float32), bins)
              for kind, bins in (("half", 3000), ("zipf", 1 << 18))]
    torch.cuda.synchronize()
    results = [[], []]
    for _ in range(20):
        for side, (index, src, bins), list_ in zip(sides, inputs, results):
            with torch.cuda.stream(side):
                list_.append(atomtune.scatter_add(index, src, bins))
    torch.cuda.synchronize()
    for (index, src, bins), list_ in zip(inputs, results):
        want = sums(index, src, bins)
        for got in list_:
            same(got, want)


@test
def deterministic():
    import torch
    import atomtune

    for kind in KINDS:
        for bins in (100, 100_000):
            index, src = stream(kind, 1 << 18, bins), torch.randn(1 << 18, device="cuda")
            first = atomtune.scatter_add(index, src, bins, deterministic=True)
            near = torch.zeros(bins, dtype=torch.float64).index_add_(0, index.cpu(),
                                                                     src.cpu().double())
            check(torch.allclose(first.cpu().double(), near, rtol=1e-3, atol=0.2), "far off")
            for _ in range(50):
                again = atomtune.scatter_add(index, src, bins, deterministic=True)
                check(torch.equal(first, again), f"{kind}, {bins} targets: results differ")


@test
def overrides():
    import torch
    import atomtune

    n, bins = 1 << 18, 3000
    index, src = stream("half", n, bins), values(n, torch.float32)
    zeros, rows = torch.zeros(bins, device="cuda"), torch.zeros(bins, 4, device="cuda")
    wide = src[:, None].expand(-1, 4).contiguous()
    cases = (
        (1, lambda: zeros.scatter_add(0, index, src)),
        (1, lambda: zeros.clone().scatter_add_(0, index, src)),
        (1, lambda: zeros.index_add(0, index, src)),
        (1, lambda: zeros.clone().index_add_(0, index.int(), src)),
        (1, lambda: torch.bincount(index)),
        (1, lambda: torch.bincount(index, src)),
        (0, lambda: zeros.half().scatter_add_(0, index, src.half().clamp(0, 0))),
        (0, lambda: zeros.clone().scatter_add_(0, index[:100], src)),
        (0, lambda: zeros.clone().scatter_add_(0, index[::2], src)),
        (0, lambda: rows.clone().index_add_(0, index, wide)),
        (0, lambda: rows.index_add(0, index, wide)),
        (0, lambda: rows.scatter_add(0, index[:, None].expand(-1, 4), wide)),
        (0, lambda: zeros.index_add(0, index, src, alpha=3)),
    )
    for number, (taken, function) in enumerate(cases):
        want = function()
        before = atomtune.calls()
        with atomtune.enable():
            got = function()
        check(atomtune.calls() - before == taken, f"case {number}: {atomtune.calls() - before} "
                                                  f"calls taken, want {taken}")
        same(got, want)
        before = atomtune.calls()
        function()
        check(atomtune.calls() == before, f"case {number}: still on after disable")
    weights = torch.randn(bins, device="cuda")
    leaf = src.clone().requires_grad_()
    with atomtune.enable():
        (zeros.scatter_add(0, index, leaf) * weights).sum().backward()
    same(leaf.grad, weights[index])
    with torch.inference_mode(), atomtune.enable():
        same(zeros.index_add(0, index, src), sums(index, src, bins))


@test
def overrides_are_deterministic_where_asked():
    import torch
    import atomtune

    index, src = stream("zipf", 1 << 18, 1000), torch.randn(1 << 18, device="cuda")
    zeros = torch.zeros(1000, device="cuda")
    torch.use_deterministic_algorithms(True)
    try:
        with atomtune.enable():
            first = zeros.scatter_add(0, index, src)
            for _ in range(20):
                check(torch.equal(first, zeros.scatter_add(0, index, src)), "results differ")
    finally:
        torch.use_deterministic_algorithms(False)


def median_us(function, repeats=20):
    import torch

    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda._sleep(100_000)  # the host enqueues while the GPU waits
        start.record()
        function()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1000)
    return sorted(times)[repeats // 2]


@test
def times():
    import torch
    import atomtune

    checked = 0
    for n, bins in ((1 << 20, 3000), (1 << 24, 3000), (1 << 24, 1 << 20)):
        for kind in KINDS:
            index, src = stream(kind, n, bins), values(n, torch.float32)
            out = torch.zeros(bins, device="cuda")
            plain = median_us(lambda: out.scatter_add_(0, index, src))
            ours = median_us(lambda: atomtune.scatter_add_(out, index, src))
            with atomtune.enable():
                taken = median_us(lambda: out.scatter_add_(0, index, src))
            print(f"TIME n={n} bins={bins} {kind}: PyTorch {plain:.1f} us, atomtune {ours:.1f}, "
                  f"enabled {taken:.1f}", flush=True)
            checked += min(plain, ours, taken) > 0
    index, src, out = stream("uniform", 1 << 14, 64), values(1 << 14, torch.float32), out[:64]
    for name, function in (("scatter_add_", lambda: atomtune.scatter_add_(out, index, src)),
                           ("scatter_add", lambda: atomtune.scatter_add(index, src, 64)),
                           ("PyTorch", lambda: out.scatter_add_(0, index, src))):
        start = time.perf_counter()
        for _ in range(200):
            function()
        host = (time.perf_counter() - start) / 200 * 1e6
        torch.cuda.synchronize()
        print(f"TIME host {name}: {host:.1f} us a call", flush=True)
    check(checked == 15)


@test
def choice_from_a_tensor():
    import atomtune

    index = stream("half", 1 << 20, 3000)
    on_gpu, on_cpu = atomtune.choose(index, 3000), atomtune.choose(index.cpu().numpy(), 3000)
    check(on_gpu == on_cpu, f"{on_gpu} and {on_cpu}")
    check(on_gpu.implementation != "")


def child(names):
    """Runs tests one by one and prints their verdicts; ends at an error that stays on the GPU."""
    import torch

    torch.manual_seed(1)
    for name in names:
        print(f"BEGIN {name}", flush=True)
        start, error = time.monotonic(), ""
        try:
            TESTS[name]()
        except BaseException:  # a failed test must not end the others
            error = "\n".join(traceback.format_exc().strip().splitlines()[-6:])
        try:
            torch.cuda.synchronize()
            broken = False
        except Exception as e:
            error, broken = error or f"the GPU is left in an error: {e}", True
        seconds = time.monotonic() - start
        print(f"{'FAIL' if error else 'PASS'} {name} ({seconds:.1f} s)", flush=True)
        if error:
            print("     " + error.replace("\n", "\n     "), flush=True)
        if broken:
            os._exit(3)


def run(names):
    """Runs a child over names and returns those that it did not come to, and its verdicts."""
    process = subprocess.Popen([sys.executable, __file__, "--child", *names], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = queue.Queue()

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    begun, verdicts, end = [], {}, time.monotonic() + LIMIT_S
    while True:
        try:
            line = lines.get(timeout=max(0.1, end - time.monotonic()))
        except queue.Empty:
            process.kill()
            print(f"     no end after {LIMIT_S} s")
            break
        if line is None:
            break
        word, _, rest = line.partition(" ")
        if word == "BEGIN":
            begun.append(rest.strip())
            end = time.monotonic() + LIMIT_S
            continue
        if word in ("PASS", "FAIL") and rest.split()[0] in TESTS:
            verdicts[rest.split()[0]] = word
        print(line, end="", flush=True)
    process.wait()
    for name in begun:
        if name not in verdicts:
            verdicts[name] = "FAIL"
            print(f"FAIL {name} (its process ended)", flush=True)
    left = [name for name in names if name not in verdicts]
    return (left if begun else []), verdicts


def main(names):
    unknown = [name for name in names if name not in TESTS]
    if unknown:
        print(f"no test {', '.join(unknown)}: there are {', '.join(TESTS)}", file=sys.stderr)
        return 2
    names = names or list(TESTS)
    left, verdicts = list(names), {}
    while left:
        left, more = run(left)
        verdicts.update(more)
        if not more:
            break
    passed = sum(v == "PASS" for v in verdicts.values())
    print(f"{passed} of {len(names)} tests passed")
    return 0 if passed == len(names) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))

"""The calls within PyTorch: gradients, graphs, streams, overrides."""

from gpu_streams import KINDS, check, same, stream, sums, test, values


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
def overrides():
    import torch
    import atomtune

    atomtune.build()
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
        (1, lambda: zeros.half().scatter_add_(0, index, src.half().clamp(0, 0))),
        (0, lambda: zeros.clone().scatter_add_(0, index[:100], src)),
        (1, lambda: zeros.clone().scatter_add_(0, index[::2], src)),
        (1, lambda: rows.clone().index_add_(0, index, wide)),
        (1, lambda: rows.index_add(0, index.int(), wide)),
        (1, lambda: rows.index_add(0, index, wide, alpha=2)),
        (1, lambda: rows.double().index_add(0, index, wide.double())),
        (1, lambda: rows.long().index_add(0, index, wide.long())),
        (0, lambda: rows.short().index_add(0, index, wide.short())),
        (1, lambda: rows.scatter_add(0, index[:, None].expand(-1, 4), wide)),
        (1, lambda: zeros.index_add(0, index, src, alpha=3)),
    )
    for number, (taken, function) in enumerate(cases):
        want = function()
        before = atomtune.calls()
        with atomtune.enable(mode="always"):
            got = function()
        check(atomtune.calls() - before == taken, f"case {number}: {atomtune.calls() - before} "
                                                  f"calls taken, want {taken}")
        same(got, want)
        before = atomtune.calls()
        function()
        check(atomtune.calls() == before, f"case {number}: still on after disable")
    weights = torch.randn(bins, device="cuda")
    leaf = src.clone().requires_grad_()
    with atomtune.enable(mode="always"):
        (zeros.scatter_add(0, index, leaf) * weights).sum().backward()
    same(leaf.grad, weights[index])
    with torch.inference_mode(), atomtune.enable(mode="always"):
        same(zeros.index_add(0, index, src), sums(index, src, bins))


@test
def overrides_are_deterministic_where_asked():
    import torch
    import atomtune

    index, src = stream("zipf", 1 << 18, 1000), torch.randn(1 << 18, device="cuda")
    zeros = torch.zeros(1000, device="cuda")
    torch.use_deterministic_algorithms(True)
    try:
        with atomtune.enable(mode="always"):
            first = zeros.scatter_add(0, index, src)
            for _ in range(20):
                check(torch.equal(first, zeros.scatter_add(0, index, src)), "results differ")
    finally:
        torch.use_deterministic_algorithms(False)


@test
def choice_from_a_tensor():
    import atomtune

    index = stream("half", 1 << 20, 3000)
    on_gpu, on_cpu = atomtune.choose(index, 3000), atomtune.choose(index.cpu().numpy(), 3000)
    check(on_gpu == on_cpu, f"{on_gpu} and {on_cpu}")
    check(on_gpu.implementation != "")

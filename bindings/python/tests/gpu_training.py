"""Training with the overrides on: mixed precision, torch.compile, graphs of whole steps,
the same bits, DDP."""

import contextlib

from gpu_streams import check, same, stream, test


def model(rows=5000, width=16):
    """An embedding whose rows are gathered, weighted and summed by target."""
    import torch

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = torch.nn.Embedding(rows, width)
            self.linear = torch.nn.Linear(width, width)

        def forward(self, words, targets):
            x = self.linear(self.embedding(words))
            pooled = x.new_zeros(rows, width).index_add(0, targets, torch.tanh(x) / 1000)
            most = pooled.scatter_reduce(0, targets[:, None].expand(-1, width), x, "amax")
            return (most[words] * x).float().square().mean()

    torch.manual_seed(3)
    return Model().cuda()


def steps(number=4, enabled=True, autocast=None, wrap=lambda m: m):
    """How the parameters change in so many steps of training, and the calls that were taken."""
    import torch
    import atomtune

    words, targets = stream("zipf", 1 << 16, 5000, seed=4), stream("half", 1 << 16, 5000, seed=5)
    net = wrap(model())
    first = [p.detach().clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler(enabled=autocast is torch.float16)
    before = atomtune.calls()
    with atomtune.enable(mode="always") if enabled else contextlib.nullcontext():
        for _ in range(number):
            optimizer.zero_grad()
            with torch.autocast("cuda", autocast, enabled=autocast is not None):
                loss = net(words, targets)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
    changes = [p.detach() - old for p, old in zip(net.parameters(), first)]
    return changes, atomtune.calls() - before


@test
def mixed_precision():
    import torch

    for autocast, bound in ((None, 1e-3), (torch.bfloat16, 5e-2), (torch.float16, 5e-2)):
        want, none = steps(enabled=False, autocast=autocast)
        got, taken = steps(autocast=autocast)
        check(none == 0 and taken >= 4 * 4, f"{autocast}: {taken} calls taken")
        for a, b in zip(got, want):
            error = float((a - b).norm() / b.norm())
            check(error < bound, f"{autocast}: changes differ by {error}")


@test
def the_same_bits_in_training():
    import torch

    torch.use_deterministic_algorithms(True)
    try:
        first, taken = steps()
        check(taken >= 4 * 4, f"{taken} calls taken")
        for _ in range(3):
            for a, b in zip(steps()[0], first):
                same(a, b)
    finally:
        torch.use_deterministic_algorithms(False)


@test
def compiled_training():
    import torch

    want, _ = steps()
    for mode in ("default", "reduce-overhead"):
        got, taken = steps(wrap=lambda m: torch.compile(m, mode=mode, fullgraph=True))
        check(taken >= 4, f"{mode}: {taken} calls taken")
        for a, b in zip(got, want):
            check(float((a - b).norm() / b.norm()) < 1e-4, f"{mode}: parameters differ")


@test
def graph_of_a_step():
    import torch
    import atomtune

    words, targets = stream("zipf", 1 << 16, 5000), stream("half", 1 << 16, 5000)
    net = model()

    def gradients():
        for p in net.parameters():
            p.grad = None
        net(words, targets).backward()
        return [p.grad for p in net.parameters()]

    with atomtune.enable(mode="always"):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            gradients()
        torch.cuda.current_stream().wait_stream(side)
        graph, before = torch.cuda.CUDAGraph(), atomtune.calls()
        with torch.cuda.graph(graph):
            captured = gradients()
        check(atomtune.calls() >= before + 4, "the graph holds no calls")
    for kind in ("uniform", "one", "sorted"):
        words.copy_(stream(kind, 1 << 16, 5000, seed=6))
        graph.replay()
        got = [g.clone() for g in captured]
        for a, b in zip(got, gradients()):
            check(float((a - b).norm() / b.norm()) < 1e-3, f"{kind}: gradients differ")


@test
def data_parallel():
    import os
    import torch

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29513")
    torch.distributed.init_process_group("nccl", rank=0, world_size=1)
    try:
        want, _ = steps()
        got, taken = steps(wrap=torch.nn.parallel.DistributedDataParallel)
        check(taken >= 4 * 4, f"{taken} calls taken")
        for a, b in zip(got, want):
            check(float((a - b).norm() / b.norm()) < 1e-3, "changes differ")
    finally:
        torch.distributed.destroy_process_group()

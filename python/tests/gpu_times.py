"""Times of the calls beside PyTorch's own. They judge nothing."""

import time

from gpu_streams import KINDS, check, stream, test, values


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
    shapes = ((1 << 14, 3000), (1 << 16, 3000), (1 << 18, 3000), (1 << 20, 3000), (1 << 24, 3000),
              (1 << 20, 1 << 20), (1 << 24, 1 << 20))
    for n, bins in shapes:
        for kind in KINDS:
            index, src = stream(kind, n, bins), values(n, torch.float32)
            out = torch.zeros(bins, device="cuda")
            plain = median_us(lambda: out.scatter_add_(0, index, src))
            ours = median_us(lambda: atomtune.scatter_add_(out, index, src))
            with atomtune.enable(smallest=0):
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
    check(checked == len(shapes) * len(KINDS))

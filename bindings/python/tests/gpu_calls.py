"""The calls on a GPU: types, sizes, memory, indices."""

from gpu_streams import (KINDS, check, extremes_of_rows, same, stream, sums, sums_of_rows, test,
                         values)


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
def rows():
    import torch
    import atomtune

    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32,
                  torch.int64):
        for kind in KINDS:
            for width in (2, 3, 8, 20, 128, 300):
                n = (1 << 21) // width
                index = stream(kind, n, 1000, torch.int32 if width == 8 else None)
                src = values(n * width, dtype).reshape(n, width)
                before = atomtune.calls()
                same(atomtune.scatter_add(index, src, 1000), sums_of_rows(index, src, 1000))
                check(atomtune.calls() == before + 1, "the call was not atomtune's")
    for dtype in (torch.float16, torch.bfloat16):
        index, src = stream("uniform", 4096, 1000), values(4096 * 6, dtype)
        out = torch.ones(1000, 2, 3, device="cuda", dtype=dtype)
        atomtune.index_add_(out, 0, index, src.reshape(4096, 2, 3))
        want = sums_of_rows(index, src.reshape(4096, 6), 1000) + 1
        same(out.reshape(1000, 6).float(), want)
    for dtype in (torch.float32, torch.int32):
        for width in (2, 3, 8, 128, 300):
            index = stream("zipf", 1 << 15, 50, torch.int32 if width == 8 else None)
            index[:50] = torch.arange(50, device="cuda")
            src = values((1 << 15) * width, dtype).reshape(-1, width)
            for function, how in ((atomtune.scatter_min, "amin"), (atomtune.scatter_max, "amax")):
                same(function(index, src, 50), extremes_of_rows(how, index, src, 50))
    check(not atomtune.out_of_range(), "an index was called out of range")


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
        index, src = stream(kind, 1 << 14, 100), torch.randn(1 << 14, 20, device="cuda")
        first = atomtune.scatter_add(index, src, 100, deterministic=True)
        check(torch.allclose(first.cpu(), sums_of_rows(index, src, 100), rtol=1e-3, atol=0.2), "far off")
        for _ in range(20):
            again = atomtune.scatter_add(index, src, 100, deterministic=True)
            check(torch.equal(first, again), f"{kind}, rows: results differ")

"""Streams on a GPU, their sums on the CPU, and the list of tests."""

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


def sums_of_rows(index, src, bins):
    """The same of rows, as float32 where they are of 16 bits."""
    import torch

    out = torch.zeros(bins, src.shape[1], dtype=torch.float64)
    dtype = torch.float32 if src.element_size() == 2 else src.dtype
    return out.index_add_(0, index.cpu().long(), src.cpu().double()).to(dtype)


def extremes_of_rows(how, index, src, bins):
    """The least or greatest elements, of rows that all occur."""
    import torch

    out = torch.zeros(bins, src.shape[1], dtype=src.dtype)
    return out.index_reduce_(0, index.cpu().long(), src.cpu(), how, include_self=False)

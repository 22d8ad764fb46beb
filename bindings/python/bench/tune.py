"""Times mode="tune" on indices that change with every call while their kind stays, and across a change of kind.

"same" are calls on the same indices again and again, to which a plan can be fitted as well as can be.
"""

import statistics
import sys

import timing
import torch

import atomtune

UPDATES, KEPT = 1 << 20, 8  # index tensors of a kind, in turn
SLEEP = 200_000
LEARN, TIMED = 40, 24


def kinds(device):
    """The kinds by name: what draws indices of so many targets."""
    def draw(make):
        return lambda bins, seed: make(bins, torch.Generator(device).manual_seed(seed))

    def uniform(bins, g):
        return torch.randint(bins, (UPDATES,), generator=g, device=device)

    def skewed(exponent):
        def make(bins, g):
            weights = torch.arange(1, bins + 1, device=device, dtype=torch.float64).pow(-exponent).cumsum(0)
            draws = torch.rand(UPDATES, generator=g, device=device, dtype=torch.float64)
            ranks = torch.searchsorted(weights, draws * weights[-1]).clamp_(max=bins - 1)
            return torch.randperm(bins, generator=torch.Generator(device).manual_seed(7), device=device)[ranks]
        return draw(make)

    def hot(number, share):
        def make(bins, g):
            taken = torch.rand(UPDATES, generator=g, device=device) < share
            return torch.where(taken, uniform(bins, g) % number, uniform(bins, g))
        return draw(make)

    def runs(bins, g):
        return uniform(bins, g)[: UPDATES // 8].repeat_interleave(8)

    return {"uniform": draw(uniform), "zipf 0.8": skewed(0.8), "zipf 1.2": skewed(1.2),
            "zipf 1.6": skewed(1.6), "half on one": hot(1, 0.5), "most on 64": hot(64, 0.9),
            "sorted": draw(lambda bins, g: uniform(bins, g).sort()[0]), "runs": draw(runs)}


def times(calls, arguments):
    """The time of each call, in turn."""
    sleep = SLEEP if arguments.device == "cuda" else 0
    return [timing._time_us(call, arguments.device, sleep) for call in calls]


def measured(out, values, indices, mode, arguments):
    """The median time of a call once mode has learned: of all indices in turn."""
    calls = [lambda index=index: out.scatter_add_(0, index, values) for index in indices]
    with atomtune.enable(*mode):
        for turn in range(LEARN):
            calls[turn % len(calls)]()
        return statistics.median(times((calls * TIMED)[:TIMED], arguments))


def one(name, draw, bins, arguments):
    indices = [draw(bins, seed) for seed in range(KEPT)]
    values = torch.rand(UPDATES, device=arguments.device)
    out = torch.zeros(bins, device=arguments.device)
    same = [measured(out, values, [index], (1, "tune"), arguments) for index in indices[:3]]
    result = {"name": f"{bins:,} targets", "stream": name, "made": "", "same_us": statistics.mean(same),
              "pytorch_us": measured(out, values, indices, (timing.NEVER,), arguments),
              "atomtune_us": measured(out, values, indices, (1, "tune"), arguments),
              "auto_us": measured(out, values, indices, (1, "auto"), arguments), "share": 1}
    with atomtune.enable(1, mode="always"):
        got = torch.zeros(bins, device=arguments.device).scatter_add_(0, indices[0], values)
    want = torch.zeros(bins, dtype=torch.float64).scatter_add_(0, indices[0].cpu(), values.cpu().double())
    result["correct"] = torch.allclose(got.cpu().double(), want, rtol=1e-4, atol=1e-4)
    result["over_same"] = result["atomtune_us"] / result["same_us"]
    timing.progress(result)
    return result


def change(first, then, bins, arguments):
    """The times of calls behind a change of kind over that which they come to."""
    values = torch.rand(UPDATES, device=arguments.device)
    out = torch.zeros(bins, device=arguments.device)
    before, after = ([draw(bins, seed) for seed in range(KEPT)] for draw in (first, then))
    settled = measured(out, values, after, (1, "tune"), arguments)
    with atomtune.enable(1, mode="tune"):
        for turn in range(100):
            out.scatter_add_(0, before[turn % KEPT], values)
        calls = [lambda index=index: out.scatter_add_(0, index, values) for index in after]
        return [us / settled for us in times((calls * 20)[:80], arguments)]


def main():
    arguments = timing.parser(__doc__, updates=UPDATES).parse_args()
    arguments.mode = "tune"
    timing.start(arguments.device)
    own = kinds(arguments.device)
    results = [one(name, draw, bins, arguments) for bins in (1 << 8, 1 << 12, 1 << 14, 1 << 17, 1 << 20)
               for name, draw in own.items() if not arguments.only or arguments.only in name]
    for a, b in (("zipf 1.2", "sorted"), ("sorted", "zipf 1.2"), ("uniform", "half on one")):
        over = change(own[a], own[b], 1 << 17, arguments)
        late = [k for k, r in enumerate(over) if r > 1.3]
        print(f"{a}, then {b}: calls {', '.join(f'{r:.2f}' for r in over[:24])}; last above 1.3: "
              f"{late[-1] + 1 if late else 0}, median of the last 20: {statistics.median(over[-20:]):.2f}")
    over = [r["over_same"] for r in results]
    print(f"tune over the same indices: {statistics.geometric_mean(over):.3f}, at most {max(over):.2f}")
    return timing.finish(arguments, results, {
        "over the same indices": lambda r: f"{r['over_same']:.2f}",
        "auto over tune": lambda r: f"{r['auto_us'] / r['atomtune_us']:.2f}"})


if __name__ == "__main__":
    sys.exit(main())

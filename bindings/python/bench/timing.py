"""What calls.py and layers.py share: arguments, times with and without atomtune, output."""

import argparse
import collections
import contextlib
import datetime
import json
import pathlib
import platform
import statistics
import sys
import time

import torch

PYTHON = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PYTHON), str(PYTHON / "tests")]
import atomtune
from atomtune import _overrides


NEVER = 1 << 62  # updates: all calls are PyTorch's


def parser(text, **sizes):
    own = argparse.ArgumentParser(description=text)
    for name, size in sizes.items():
        own.add_argument(f"--{name}", type=int, default=size, help="default: %(default)s")
    own.add_argument("--device", choices=("cuda", "cpu"), default="cuda",
                     help="cpu: over the stand-in for the library that the tests use")
    own.add_argument("--mode", default="auto", help="of atomtune.enable(), default: %(default)s")
    own.add_argument("--only", metavar="NAME", help="those whose name contains NAME")
    own.add_argument("--seconds", type=float, default=1, help="for each, default: %(default)s")
    own.add_argument("--json", metavar="FILE", help="write all results there")
    own.add_argument("--markdown", metavar="FILE", help="write the printed table there too")
    return own


def start(device):
    """Loads the library, or the stand-in for it."""
    if device == "cpu":
        import stand_in
        stand_in.use()
    atomtune.build()


def zipf(n, bins, exponent, generator):
    """n targets, the k-th most frequent with a weight of 1 / k^exponent, in no order."""
    weights = torch.arange(1, bins + 1, dtype=torch.float64).pow(-exponent).cumsum(0)
    draws = torch.rand(n, generator=generator, dtype=torch.float64) * weights[-1]
    return torch.randperm(bins, generator=generator)[torch.searchsorted(weights, draws)]


def seen(call, times=1, mode="always"):
    """What call returns with all taken that can be, and how often an operator was, or why it was not."""
    before = collections.Counter(atomtune.explain())
    with atomtune.enable(mode=mode):
        for _ in range(times):
            result = call()
    made = collections.Counter()
    for (operator, _, reason), number in (collections.Counter(atomtune.explain()) - before).items():
        made[f"{operator}: {reason}"] += number
    return result, dict(made)


def ours():
    """Whether calls can be taken now."""
    mode = _overrides._mode
    return mode is not None and mode[0] < NEVER


def taken(made):
    """The number of operators that were taken, and of all."""
    return sum(n for reason, n in made.items() if reason.endswith(": taken")), sum(made.values())


def medians_us(variants, arguments, before=lambda: None, sleep=0):
    """The median time of each variant, which are called in turn: 3 times at least, 51 at most.

    Each is "pytorch", "atomtune" or another name, and calls to cycle through. On a GPU the time is
    between two events. It sleeps for so many cycles first, in which the host enqueues the call.
    Of so many calls before, atomtune knows who makes such calls faster; share is that of the last
    of these that it made.
    """
    times = {name: [] for name in variants}
    with atomtune.enable(mode=arguments.mode):  # what it learns is forgotten at the end
        for number in 40, 10:
            _, made = seen(variants["atomtune"][0], number, arguments.mode)
        end = time.monotonic() + arguments.seconds
        for turn in range(51):
            if turn >= 3 and time.monotonic() > end:
                break
            for name, calls in variants.items():
                with contextlib.nullcontext() if name == "atomtune" else atomtune.enable(NEVER):
                    before()
                    times[name].append(_time_us(calls[turn % len(calls)], arguments.device, sleep))
    return {f"{name}_us": statistics.median(own) for name, own in times.items()} | {
        "repeats": len(times["pytorch"]), "share": taken(made)[0] / max(taken(made)[1], 1)}


def _time_us(call, device, sleep):
    if device == "cpu":
        begin = time.perf_counter()
        call()
        return (time.perf_counter() - begin) * 1e6
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    if sleep:
        torch.cuda._sleep(sleep)
    first.record()
    call()
    last.record()
    torch.cuda.synchronize()
    return first.elapsed_time(last) * 1000


def progress(result):
    print(f"{result['name']}, {result['stream']}: {result['pytorch_us']:.1f} us, with atomtune "
          f"{result['atomtune_us']:.1f}, {result['made']}{'' if result['correct'] else ', WRONG'}",
          file=sys.stderr, flush=True)


def shown_us(result, name):
    time_us = result[f"{name}_us"]
    return f"{time_us:,.0f}" if time_us >= 100 else f"{time_us:.1f}"


def finish(arguments, results, columns):
    """Prints the table of the results and writes the files. Returns the exit status.

    columns has for each heading what it shows of a result.
    """
    if not results:
        sys.exit(f"no name contains {arguments.only}")
    groups, ratios = collections.defaultdict(list), collections.defaultdict(list)
    for result in results:
        result["ratio"] = result["pytorch_us"] / result["atomtune_us"]
        groups[result["name"]].append(result)
        ratios[result["stream"]].append(result["ratio"])
    means = {stream: statistics.geometric_mean(own) for stream, own in ratios.items()}
    cuda = arguments.device == "cuda"
    document = {
        "device": torch.cuda.get_device_name() if cuda else f"CPU {platform.machine()}",
        "torch": torch.__version__, "cuda": torch.version.cuda, "python": platform.python_version(),
        "date": datetime.date.today().isoformat(), "arguments": {
            name: value for name, value in vars(arguments).items()
            if name not in ("json", "markdown")},
        "ratio_means": means, "results": results}
    columns = {"PyTorch, us": lambda r: shown_us(r, "pytorch"),
               "with atomtune, us": lambda r: shown_us(r, "atomtune"),
               "times as fast": lambda r: f"{r['ratio']:.3g}",
               "made by atomtune": lambda r: f"{r['share']:.0%}"} | columns
    lines = [f"{document['device']}, PyTorch {document['torch']}, {document['date']}; "
             f"{' / '.join(means)}:", "",
             f"| | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for name, group in groups.items():
        cells = [[show(result) for result in group] for show in columns.values()]
        cells = [" / ".join(own if len(set(own)) > 1 else own[:1]) for own in cells]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    mean = " / ".join(f"{own:.3g}" for own in means.values())
    lines.append(f"| geometric mean | | | {mean} |" + " |" * (len(columns) - 3))
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(document, indent=1) + "\n")
    if arguments.markdown:
        pathlib.Path(arguments.markdown).write_text(text)
    return int(not all(result["correct"] for result in results))

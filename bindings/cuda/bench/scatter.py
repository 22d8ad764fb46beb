"""Times atomtune's one call against PyTorch, CUB, plain atomics and every form of the header, on
index streams in one process, and writes a table of all times.

    python3 scatter.py --out h200.csv --budget 240 recorded real

    python3 scatter.py --out ladder.csv --only ladder,atomtune,naive recorded real

Each folder holds raw files of indices, little-endian and 32 bits wide, and their list,
streams.csv: label, updates, bins, file. Rows are written as they are measured. README.md beside
this file says what a time is.
"""

import argparse
import csv
import io
import os
import re
import statistics
import sys
import time

import torch

import library
import rivals
import streams

COLUMNS = ["group", "label", "updates", "bins", "unique", "distinct_per_warp", "max_frequency",
           "type", "value", "index", "implementation", "launch", "chosen", "median_us", "min_us",
           "max_us", "repeats", "hidden", "wrong"]

REPEATS, FEW, WARM_UP = 10, 3, 2
MOST_BROKEN = 2
SLOW_US = 20000       # such calls are made FEW times
HOPELESS, WORSE = 20, 1.5  # times the best form: timed once, timed FEW times

EMPTY, LADDER = "empty", "ladder"
CALL, CHOSEN = "atomtune", "atomtune:chosen"
PLANS = ("atomtune:plan", "atomtune:tuned")
BEST, UNSEEN = "best", "best:unseen"


def is_form(name):
    """Whether a call may be the best form: the ladder runs one of them in a launch of its own."""
    return not name.startswith(("atomtune", "cub::")) and name not in (EMPTY, LADDER)


class Wanted:
    """The implementations that a table is to have: all, or those of a list and the empty kernel."""

    def __init__(self, names=None):
        self.names = None if names is None else set(names) | {EMPTY}
        self.unseen = set(self.names or ())

    def writes(self, name):
        self.unseen.discard(name)
        return self.names is None or name in self.names

    def times(self, name):
        """Every form is timed where the best of them is asked for."""
        return self.writes(name) or is_form(name) and any(map(self.writes, (BEST, UNSEEN)))

    def plans(self):
        return any(map(self.writes, PLANS))

    def check(self):
        """Refuses names that no implementation of a stream has."""
        if self.unseen:
            raise ValueError(f"--only: unknown name {', '.join(sorted(self.unseen))}")


def knows_stream(name):
    """Whether a form was given the frequent targets beforehand."""
    return name.startswith("hot:") and "sample=" not in name


class Timed:
    """The times of one call in microseconds."""

    def __init__(self, us, hidden):
        self.us, self.hidden = us, hidden

    @property
    def median(self):
        return statistics.median(self.us)


def time_call(lib, call, best_us=None):
    """Times a call. A form that is far behind best_us is timed less often."""
    first, hidden = lib.time(call, 1)
    if best_us is not None and first[0] > HOPELESS * best_us:
        first, hidden = lib.time(call, 1)  # the first may have loaded the kernel
        if first[0] > HOPELESS * best_us:
            return Timed(first, hidden)
    if first[0] > SLOW_US:
        return Timed(*lib.time(call, FEW))
    lib.time(call, WARM_UP - 1)
    few = Timed(*lib.time(call, FEW))
    if best_us is not None and few.median > WORSE * best_us:
        return few
    rest, also = lib.time(call, REPEATS - FEW)
    return Timed(few.us + rest, few.hidden and also)


class Bench:
    """Writes the rows of one stream after another."""

    def __init__(self, libraries, writer, device, wanted=None, index="u32"):
        self.libraries, self.writer, self.device = libraries, writer, device
        self.wanted, self.failed = wanted or Wanted(), []
        self.narrow = getattr(torch, library.INDICES[index][1])

    def measure(self, stream):
        index = stream.read().to(self.device)
        count = torch.bincount(index, minlength=stream.bins).double()
        known = {
            "group": stream.group, "label": stream.label, "updates": stream.updates,
            "bins": stream.bins, "unique": int((count > 0).sum().item()),
            "distinct_per_warp": f"{streams.distinct_per_warp(index):.4g}",
            "max_frequency": int(count.max().item()),
        }
        narrow = index.to(self.narrow)
        values = streams.values_of(stream.updates, self.device)
        total = torch.bincount(index, weights=values.double(), minlength=stream.bins).double()
        for kind in library.KINDS:
            task = rivals.Task(kind, index, narrow, values, stream.bins, total, count)
            self.measure_kind(known, task)
        self.wanted.check()

    def measure_kind(self, known, task):
        lib = self.libraries[str(task.kind)]
        row = dict(known, type=task.kind.type, value=task.kind.value)
        calls = lib.open(task.problem(), self.wanted.plans())
        try:
            chosen = self.choice(lib, calls, row)
            best, unseen = self.forms(lib, calls, row, chosen)
            for name, call in ((BEST, best), (UNSEEN, unseen)):
                if call is not None and self.wanted.writes(name):
                    again = Timed(*lib.time(call, REPEATS))
                    self.write(row, name, calls[call][1:], again, 0, calls[call][0])
            for rival in filter(lambda r: self.wanted.writes(r.name), rivals.of_torch(task)):
                timed = Timed(*rivals.time_rival(lib, rival, SLOW_US, REPEATS, FEW))
                self.write(row, rival.name, ("", "i64"), timed, rival.wrong(lib))
        finally:
            lib.close()

    def choice(self, lib, calls, row):
        """Asks once which form the one call runs."""
        for call, (name, launch, index) in enumerate(calls):
            if name == CHOSEN:
                self.note_wrong(row, name, lib.wrong(call))
                return lib.chosen(call)
        return ""

    def forms(self, lib, calls, row, chosen):
        """Times all calls of the library. Returns the best form, and the best of those that no
        one told the frequent targets."""
        best, us = {True: None, False: None}, {True: None, False: None}
        for call, (name, launch, index) in enumerate(calls):
            if name == CHOSEN or not self.wanted.times(name):
                continue
            timed = time_call(lib, call, us[True] if is_form(name) else None)
            wrong = 0 if name == EMPTY else lib.wrong(call)
            self.write(row, name, (launch, index), timed, wrong,
                       chosen if name == CALL else lib.chosen(call))
            if not is_form(name) or wrong:
                continue
            for knowing in (True, False):
                if (knowing or not knows_stream(name)) and (
                        us[knowing] is None or timed.median < us[knowing]):
                    best[knowing], us[knowing] = call, timed.median
        return best[True], best[False]

    def note_wrong(self, row, name, wrong):
        if wrong:
            self.fail(f"{row['label']} {row['type']} {row['value']} {name}: {wrong} wrong targets")

    def fail(self, said):
        self.failed.append(said)
        print("failed: " + said, file=sys.stderr, flush=True)

    def write(self, row, name, place, timed, wrong, chosen=""):
        self.note_wrong(row, name, wrong)
        if not self.wanted.writes(name):
            return
        launch, index = place
        self.writer.writerow(dict(
            row, index=index, implementation=name, launch=launch, chosen=chosen,
            median_us=f"{timed.median:.3f}", min_us=f"{min(timed.us):.3f}",
            max_us=f"{max(timed.us):.3f}", repeats=len(timed.us), hidden=int(timed.hidden),
            wrong=wrong))


def head(lib):
    """What the table was measured with."""
    driver = ""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as lines:
            driver = re.search(r"\d+\.[\d.]*\d|$", lines.readline()).group()
    except (OSError, IndexError):
        pass
    versions = dict(pair.split("=") for pair in lib.versions().split())
    return [("gpu", torch.cuda.get_device_name()), ("driver", driver),
            ("cuda", versions["cuda"]), ("cub", versions["cub"]), ("torch", torch.__version__),
            ("measured", time.strftime("%Y-%m-%d"))]


def parse(args):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", required=True, help="table to write, CSV")
    parser.add_argument("--budget", type=float, default=float("inf"),
                        help="seconds after which no stream is begun")
    parser.add_argument("--build", default="/tmp/atomtune-bench", help="folder of the libraries")
    parser.add_argument("--nvcc", default="nvcc", help="compiler")
    parser.add_argument("--library", metavar="FOLDER", type=os.path.abspath,
                        help="folder of libatomtune_cuda, which is timed too")
    parser.add_argument("--first", default="skewed", help="folder whose streams come first")
    parser.add_argument("--only", metavar="NAME,NAME", type=lambda text: text.split(","),
                        help="implementations to measure; best times all forms (default: all)")
    parser.add_argument("--index", default="u32", choices=library.INDICES,
                        help="indices of the implementations; streams of more targets are left out")
    parser.add_argument("folders", nargs="+", metavar="FOLDER", help="streams")
    return parser.parse_args(args)


def measure_all(todo, budget, bench, rows, out):
    """Measures streams until the budget is spent. The rows of a stream are written together, so
    that a run which is killed leaves whole ones. Ends after some streams in a row on which the
    library fails: then the device is gone. Returns how many were measured."""
    start, broken = time.monotonic(), 0
    for done, stream in enumerate(todo):
        if time.monotonic() - start > budget:
            return done
        try:
            bench.measure(stream)
            broken = 0
        except RuntimeError as error:  # the library's, or PyTorch's
            broken += 1
            bench.fail(f"{stream.label}: {error}")
            if broken > MOST_BROKEN:
                return done
        out.write(rows.getvalue())
        out.flush()
        rows.seek(0)
        rows.truncate()
        print(f"{done + 1} of {len(todo)}, {time.monotonic() - start:.0f} s: {stream.label}",
              file=sys.stderr, flush=True)
    return len(todo)


def main(args):
    flags = parse(args)
    todo = streams.in_order([s for f in flags.folders for s in streams.read_folder(f)],
                            flags.first)
    todo = [s for s in todo if s.bins <= 1 << int(flags.index[1:])]
    if os.path.exists(flags.out):
        raise ValueError(f"--out {flags.out}: it already exists")
    paths = library.build(flags.build, flags.nvcc, index=flags.index, library=flags.library)
    torch.cuda.init()
    libraries = {kind: library.Library(path) for kind, path in paths.items()}
    with open(flags.out, "x", newline="", encoding="utf-8") as out:
        for key, value in head(next(iter(libraries.values()))):
            out.write(f"# {key}: {value}\n")
        rows = io.StringIO()
        writer = csv.DictWriter(rows, COLUMNS, lineterminator="\n")
        writer.writeheader()
        bench = Bench(libraries, writer, "cuda", Wanted(flags.only), flags.index)
        done = measure_all(todo, flags.budget, bench, rows, out)
    print(f"{flags.out}: {done} of {len(todo)} streams, {len(bench.failed)} failures")
    return 1 if bench.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (OSError, ValueError, library.BenchError) as error:
        print(f"scatter.py: {error}", file=sys.stderr)
        sys.exit(1)

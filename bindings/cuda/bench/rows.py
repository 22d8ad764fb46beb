"""Times atomtune's updates of rows against PyTorch's index_add_, and writes a table of all times.

    python3 rows.py --out h200.csv --budget 240 streams...

Each folder holds raw files of indices and their list, as scatter.py takes them. What a time is,
README.md beside this file says.
"""

import argparse
import csv
import ctypes
import os
import statistics
import subprocess
import sys
import time

import torch

import library
import streams

COLUMNS = ["label", "updates", "rows", "unique", "max_frequency", "type", "width", "form",
           "slots", "median_us", "min_us", "max_us", "repeats", "wrong"]

KINDS = {"f32": ("float", "float", torch.float32, torch.float32),
         "bf16": ("__nv_bfloat16", "__nv_bfloat16", torch.bfloat16, torch.bfloat16),
         "bf16 to f32": ("float", "__nv_bfloat16", torch.float32, torch.bfloat16)}
WIDTHS = [2, 3, 4, 8, 16, 32, 64, 128, 256]
FEWEST, MOST = 1 << 21, 1 << 30  # elements of values

FORMS = {"automatic": 0, "runs": 1, "hot": 2, "sort": 3, "naive": 4}
SLOT_BYTES = [2048, 8192]  # of a warp, beside the default

REPEATS, FEW, SLOW_US = 10, 3, 20000
AHEAD_CYCLES = 300000  # the device waits so long, so that the host has enqueued the call


def build(folder, nvcc="nvcc"):
    """Builds the library of each kind of call, all at once, and loads them."""
    os.makedirs(folder, exist_ok=True)
    running = {}
    for kind, (target, value, _, _) in KINDS.items():
        path = os.path.join(folder, "rows_" + kind.replace(" ", "_") + ".so")
        command = [nvcc, "-O3", "-std=c++17", "-arch=native", "-shared",
                   "-Xcompiler", "-fPIC,-fno-gnu-unique", f"-DBENCH_T={target}",
                   f"-DBENCH_S={value}", os.path.join(library.HERE, "rows.cu"), "-o", path]
        running[kind] = path, subprocess.Popen(command, stdout=subprocess.PIPE,
                                               stderr=subprocess.STDOUT, text=True)
    loaded = {}
    for kind, (path, process) in running.items():
        said, _ = process.communicate()
        if process.returncode != 0:
            raise library.BenchError(f"nvcc: {kind}: {said.strip()}")
        loaded[kind] = ctypes.CDLL(path).rows_add
        loaded[kind].restype = ctypes.c_longlong
    return loaded


def time_call(call):
    """Returns the times of calls in microseconds, after one that is not counted."""
    def once():
        start = torch.cuda.Event(enable_timing=True)
        stop = torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(AHEAD_CYCLES)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return 1e3 * start.elapsed_time(stop)

    once()
    first = once()
    return [first] + [once() for _ in range((FEW if first > SLOW_US else REPEATS) - 1)]


class Case:
    """Updates of rows of one kind: indices, values, targets and what these must become."""

    def __init__(self, index, bins, values, target):
        self.index, self.bins, self.values = index, bins, values
        self.width = values.shape[1]
        self.out = torch.zeros(bins, self.width, dtype=target, device=index.device)
        self.want = torch.zeros(bins, self.width, dtype=torch.float64, device=index.device)
        part = max(1, (1 << 26) // self.width)
        for at in range(0, len(index), part):
            self.want.index_add_(0, index[at:at + part], values[at:at + part].double())

    def wrong(self, call):
        """Makes a call on cleared targets and counts those that are wrong. Whole numbers are
        exact below 2^24, those of 16 bits below 2^8; others have what rounding may do."""
        self.out.zero_()
        call()
        exact = 1 << (8 if self.out.dtype == torch.bfloat16 else 24)
        got, small = self.out.double(), self.want <= exact
        wrong = (got != self.want) & small
        if self.out.dtype == torch.float32:
            bound = 2.0 ** -24 * len(self.index) * self.want
            wrong |= ((got - self.want).abs() > bound) & ~small
        return int(wrong.sum().item())

    def ours(self, add, form, slots):
        """A call of the library with memory of its own."""
        def run(workspace, size):
            pointer = ctypes.c_void_p
            return add(FORMS[form], slots, pointer(workspace), ctypes.c_size_t(size),
                       pointer(self.out.data_ptr()), ctypes.c_ulonglong(self.bins),
                       pointer(self.index.data_ptr()), pointer(self.values.data_ptr()),
                       ctypes.c_ulonglong(len(self.index)), self.width,
                       pointer(torch.cuda.current_stream().cuda_stream))

        size = run(None, 0)
        if size < 0:
            raise library.BenchError(f"{form}: error {-size}")
        memory = torch.empty(max(size, 1), dtype=torch.uint8, device=self.index.device)

        def call():
            status = run(memory.data_ptr(), size)
            if status != 0:
                raise library.BenchError(f"{form}: error {-status}")
        return call

    def calls(self, add):
        yield "torch.index_add_", 0, lambda: self.out.index_add_(0, self.index, self.values)
        for form in FORMS:
            yield form, 0, self.ours(add, form, 0)
        for size in SLOT_BYTES:
            slots = size // (4 * min(self.width, 32 * 16 // self.values.element_size()))
            if 2 <= slots <= 1024:
                power = 1 << (slots.bit_length() - 1)
                yield "hot", power, self.ours(add, "hot", power)


def small_values(number, device, part=1 << 26):
    """1, 2 or 3 for each element, of one byte each, in an order that repeats after part."""
    once = streams.values_of(min(number, part), device).to(torch.int8)
    return once.repeat(-(-number // part))[:number] if number > part else once


class Bench:
    """Writes the rows of one case after another."""

    def __init__(self, libraries, writer, device):
        self.libraries, self.writer, self.device = libraries, writer, device
        self.failed = 0

    def measure(self, stream, width):
        index = stream.read().to(self.device)
        count = torch.bincount(index, minlength=stream.bins)
        drawn = small_values(stream.updates * width, self.device).view(-1, width)
        for kind, (_, _, target, value) in KINDS.items():
            known = {"label": stream.label, "updates": stream.updates, "rows": stream.bins,
                     "unique": int((count > 0).sum().item()),
                     "max_frequency": int(count.max().item()), "type": kind, "width": width}
            case = Case(index, stream.bins, drawn.to(value), target)
            for form, slots, call in case.calls(self.libraries[kind]):
                if form == "torch.index_add_" and target != value:
                    continue  # PyTorch adds values of the targets' type only
                self.write(known, form, slots, time_call(call), case.wrong(call))

    def write(self, known, form, slots, us, wrong):
        if wrong and not form.startswith("torch."):
            self.failed += 1
            print(f"failed: {known} {form}: {wrong} wrong", file=sys.stderr, flush=True)
        self.writer.writerow(dict(
            known, form=form, slots=slots, median_us=f"{statistics.median(us):.4g}",
            min_us=f"{min(us):.4g}", max_us=f"{max(us):.4g}", repeats=len(us), wrong=wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--budget", type=float, default=240, help="seconds")
    parser.add_argument("--libraries", default="/tmp/atomtune-rows")
    args = parser.parse_args()
    libraries = build(args.libraries)
    tasks = [(s, width) for f in args.folders for s in streams.read_folder(f)
             for width in WIDTHS if FEWEST <= s.updates * width < MOST]
    # The widest first: what the budget leaves out are the narrow rows.
    tasks.sort(key=lambda task: (-task[1], task[0].label))
    begin, done = time.time(), 0
    partial = f"{args.out}.{os.getpid()}.part"
    with open(partial, "w", newline="", encoding="utf-8") as out:
        props = torch.cuda.get_device_properties(0)
        out.write(f"# gpu: {props.name}\n# torch: {torch.__version__}\n"
                  f"# cuda: {torch.version.cuda}\n# measured: {time.strftime('%Y-%m-%d')}\n")
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        bench = Bench(libraries, writer, torch.device("cuda"))
        for stream, width in tasks:
            if time.time() - begin > args.budget:
                break
            bench.measure(stream, width)
            out.flush()
            done += 1
    os.replace(partial, args.out)
    print(f"{args.out}: {done} of {len(tasks)} cases, {bench.failed} failures")
    return 1 if bench.failed or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

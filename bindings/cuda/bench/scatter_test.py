"""Tests the bench without a GPU: the table, the checks of results and the choice of what is timed
how often, with a library that adds on the host and made-up times. Needs PyTorch and NumPy.

    python3 -m unittest scatter_test
"""

import csv
import ctypes
import io
import os
import tempfile
import unittest
from unittest import mock

import numpy
import torch

import library
import rivals
import scatter
import streams

TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double, "u32": ctypes.c_uint32}
CALLS = [("empty", "1x32x1", ""), ("atomtune", "", "u32"), ("atomtune", "", "i64"),
         ("atomtune:chosen", "", "u32"), ("ladder", "", "u32"), ("naive", "1056x256x1", "u32"),
         ("hot:s=64", "132x1024x1", "u32"), ("hot:s=64,sample=2048", "132x1024x1", "u32"),
         ("sort", "", "u32"), ("match", "132x1024x4", "u32")]
US = [2, 9, 9.5, 9, 4, 20, 6, 8, 5000, 13]


class Event:
    """An event that says it was reached only after the host went on."""

    def __init__(self, enable_timing):
        self.enable_timing = enable_timing

    def record(self):
        pass

    def query(self):
        return False

    def synchronize(self):
        pass

    def elapsed_time(self, _):
        return 0.1


class Host:
    """A library that adds on the host. The call of place broken adds nothing."""

    def __init__(self, kind, broken=None):
        self.kind, self.broken, self.asked, self.p = kind, broken, [], None
        self.plans = None

    def array(self, address, type_, count):
        return numpy.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(type_)), (count,))

    def open(self, problem, plans=True):
        p = self.p = problem
        self.plans = plans
        self.index = self.array(p.index, ctypes.c_uint32, p.updates)
        self.wide = self.array(p.wide, ctypes.c_int64, p.updates)
        self.out = self.array(p.out, TYPES[self.kind.type], p.bins)
        self.sum = self.array(p.sum, ctypes.c_double, p.bins)
        self.values = 1 if self.kind.ones else self.array(
            p.values, TYPES[self.kind.type], p.updates)
        return CALLS

    def close(self):
        self.p = None

    def time(self, call, repeats):
        self.asked.append((CALLS[call][0], repeats))
        return [float(US[call])] * repeats, True

    def wrong(self, call):
        self.out[:] = 0
        if call != self.broken:
            index = self.wide if CALLS[call][2] == "i64" else self.index
            numpy.add.at(self.out, index, self.values)
        return self.check()

    def check(self):
        return int((self.out.astype(float) != self.sum).sum())

    def chosen(self, call):
        return {"atomtune:chosen": "hot:s=64,sample=2048",
                "ladder": "private:r=32,pad=1 1056x256x4"}.get(CALLS[call][0], "")

    def wait(self, us):
        assert us > 0


def measured(folder, broken=None, only=None):
    """The rows of a run on one made-up stream, the libraries and the bench."""
    index = numpy.random.default_rng(1).integers(0, 50, 3000, dtype="u4")
    index[::2] = 7
    index.astype("<u4").tofile(os.path.join(folder, "0.u32"))
    with open(os.path.join(folder, "streams.csv"), "w", encoding="utf-8") as out:
        out.write('label,updates,bins,file\n"made:up,here",3000,64,0.u32\n')
    libraries = {str(kind): Host(kind, broken) for kind in library.KINDS}
    text = io.StringIO()
    writer = csv.DictWriter(text, scatter.COLUMNS)
    writer.writeheader()
    bench = scatter.Bench(libraries, writer, "cpu", scatter.Wanted(only))
    with mock.patch.object(torch.cuda, "Event", Event):
        bench.measure(streams.read_folder(folder)[0])
    return list(csv.DictReader(io.StringIO(text.getvalue()))), libraries, bench


class BenchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="made")
        self.addCleanup(self.folder.cleanup)

    def test_rows(self):
        rows, _, bench = measured(self.folder.name)
        self.assertEqual(bench.failed, [])
        of_f32 = {(r["implementation"], r["index"]): r for r in rows if r["type"] == "f32"}
        self.assertEqual(len(of_f32), 13)  # without atomtune:chosen, with two bests, two of torch
        self.assertEqual(len(rows), 3 * 13 + 12)
        self.assertEqual(of_f32["atomtune", "u32"]["chosen"], "hot:s=64,sample=2048")
        self.assertEqual(of_f32["best", "u32"]["chosen"], "hot:s=64")
        self.assertEqual(of_f32["best:unseen", "u32"]["chosen"], "hot:s=64,sample=2048")
        self.assertEqual(of_f32["torch.scatter_add_", "i64"]["median_us"], "100.000")
        first = rows[0]
        self.assertEqual((first["label"], first["updates"], first["bins"]),
                         ("made:up,here", "3000", "64"))
        self.assertGreater(int(first["max_frequency"]), 1500)
        self.assertLessEqual(float(first["distinct_per_warp"]), 17)

    def test_ladder(self):
        rows, _, _ = measured(self.folder.name)
        ladder = [r for r in rows if r["implementation"] == "ladder"]
        self.assertEqual([r["chosen"] for r in ladder],
                         ["private:r=32,pad=1 1056x256x4"] * len(library.KINDS))
        self.assertEqual({(r["index"], r["launch"], r["repeats"]) for r in ladder},
                         {("u32", "", str(scatter.REPEATS))})
        # It is faster than all forms, and no form itself.
        self.assertEqual({r["chosen"] for r in rows if r["implementation"] == "best"},
                         {"hot:s=64"})

    def test_only(self):
        def names(only):
            rows, libraries, _ = measured(self.folder.name, only=only)
            asked = {name for lib in libraries.values() for name, _ in lib.asked}
            plans = {lib.plans for lib in libraries.values()}
            return {r["implementation"] for r in rows}, asked, plans
        written, asked, plans = names(["ladder", "torch.bincount"])
        self.assertEqual(written, {"empty", "ladder", "torch.bincount"})
        self.assertEqual(asked, {"empty", "ladder"})
        self.assertEqual(plans, {False})
        written, asked, plans = names(["best", "naive"])
        self.assertEqual(written, {"empty", "best", "naive"})
        self.assertEqual(asked, {"empty", "naive", "hot:s=64", "hot:s=64,sample=2048", "sort",
                                 "match"})
        self.assertEqual(names(None)[2], {True})
        with self.assertRaisesRegex(ValueError, "--only: nothing is called lader, match2"):
            names(["lader", "ladder", "match2"])

    def test_repeats(self):
        rows, _, _ = measured(self.folder.name)
        repeats = {r["implementation"]: int(r["repeats"]) for r in rows if r["index"] == "u32"}
        self.assertEqual(repeats["naive"], scatter.REPEATS)  # no form was there before
        self.assertEqual(repeats["hot:s=64"], scatter.REPEATS)
        self.assertEqual(repeats["match"], scatter.FEW)      # twice the best
        self.assertEqual(repeats["sort"], 1)                 # hopeless
        self.assertEqual(repeats["atomtune"], scatter.REPEATS)

    def test_wrong(self):
        rows, _, bench = measured(self.folder.name, broken=6)
        kinds = len(library.KINDS)
        self.assertEqual(len(bench.failed), kinds)
        self.assertIn("hot:s=64", bench.failed[0])
        bests = [r["chosen"] for r in rows if r["implementation"] == "best"]
        self.assertEqual(bests, ["hot:s=64,sample=2048"] * kinds)

    def test_wrong_rival(self):
        kind = library.KINDS[0]
        index = torch.arange(40) % 8
        values = streams.values_of(40, "cpu")
        count = torch.bincount(index, minlength=8).double()
        total = torch.bincount(index, weights=values.double(), minlength=8)
        task = rivals.Task(kind, index, index.to(torch.int32), values, 8, total, count)
        host = Host(kind)
        host.open(task.problem())
        good, lost = rivals.of_torch(task)[0], rivals.Rival("lost", task, lambda: task.out)
        self.assertEqual(good.wrong(host), 0)
        self.assertEqual(lost.wrong(host), 8)


class RunTest(unittest.TestCase):
    def run_streams(self, broken, budget=1000):
        """Runs ten streams of which some are broken. Returns how many were done, what was
        written, and the failures."""
        rows, out, failed = io.StringIO(), io.StringIO(), []

        class Bench:
            def measure(self, stream):
                rows.write(stream.label + " begins\n")
                if int(stream.label) in broken:
                    raise library.BenchError("no more memory")
                rows.write(stream.label + " ends\n")

            def fail(self, said):
                failed.append(said)

        todo = [streams.Stream("g", str(i), 1, 1, "") for i in range(10)]
        with mock.patch("sys.stderr", io.StringIO()):
            done = scatter.measure_all(todo, budget, Bench(), rows, out)
        return done, out.getvalue(), failed

    def test_goes_on(self):
        done, text, failed = self.run_streams({3, 4, 8})
        self.assertEqual(done, 10)
        self.assertEqual(failed, [f"{i}: no more memory" for i in (3, 4, 8)])
        self.assertEqual(text.count("begins"), 10)
        self.assertEqual(text.count("ends"), 7)

    def test_ends(self):
        done, text, failed = self.run_streams({3, 4, 5, 6})
        self.assertEqual((done, len(failed)), (5, 3))
        self.assertEqual(text.count("ends"), 3)
        self.assertEqual(self.run_streams({}, budget=-1), (0, "", []))


class StreamsTest(unittest.TestCase):
    def test_values(self):
        def value_of(u):
            h = u * 2654435761 & 0xFFFFFFFF
            h = (h ^ h >> 15) * 2246822519 & 0xFFFFFFFF
            return 1 + (h >> 16) % 3
        self.assertEqual(streams.values_of(1000, "cpu").tolist(),
                         [value_of(u) for u in range(1000)])

    def test_order(self):
        some = [streams.Stream("g", str(i), 1, 1, "") for i in range(40)]
        some += [streams.Stream("skewed", str(i), 1, 1, "") for i in range(3)]
        order = streams.in_order(some, "skewed")
        self.assertEqual([s.group for s in order[:3]], ["skewed"] * 3)
        self.assertEqual(order, streams.in_order(some[20:40] + some[:20] + some[40:], "skewed"))
        self.assertNotEqual([s.label for s in order[3:]], sorted(s.label for s in order[3:]))

    def test_distinct(self):
        index = torch.arange(64)
        index[32:] = 5
        self.assertEqual(streams.distinct_per_warp(index), 16.5)
        self.assertEqual(streams.distinct_per_warp(index[:31]), 0)

    def test_list(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "streams.csv"), "w", encoding="utf-8") as out:
                out.write("label,updates,bins,file\na,1,2,a.u32\nb,x,2,b.u32\n")
            with self.assertRaisesRegex(ValueError, "streams.csv:3"):
                streams.read_folder(folder)
            numpy.array([0, 9], dtype="<u4").tofile(os.path.join(folder, "a.u32"))
            for updates, bins, said in ((3, 10, "2 indices"), (2, 9, "index 9")):
                with self.assertRaisesRegex(ValueError, said):
                    streams.Stream("g", "a", updates, bins, os.path.join(folder, "a.u32")).read()


if __name__ == "__main__":
    unittest.main()

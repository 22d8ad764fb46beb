"""The scripts of bench, small and on the CPU: needs what operators_test.py needs."""

import contextlib
import json
import pathlib
import sys
import tempfile
import unittest

import torch

PYTHON = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PYTHON), str(PYTHON / "bench")]
import calls
import stand_in


@contextlib.contextmanager
def wrong_sums():
    wrong = stand_in.variable("wrong")
    wrong.value = 1
    yield
    wrong.value = 0


class Bench(unittest.TestCase):
    def run_small(self, script, *arguments, status=0):
        with tempfile.TemporaryDirectory() as folder:
            files = [f"{folder}/results.json", f"{folder}/results.md"]
            self.assertEqual(status, script.main([
                "--device", "cpu", "--seconds", "0", "--json", files[0], "--markdown", files[1],
                *arguments]))
            document = json.loads(pathlib.Path(files[0]).read_text())
            table = pathlib.Path(files[1]).read_text()
        for result in document["results"]:
            with self.subTest(name=result["name"], stream=result["stream"]):
                self.assertEqual(result["correct"], status == 0)
                self.assertGreater(min(result["pytorch_us"], result["atomtune_us"]), 0)
                self.assertGreater(sum(result["made"].values()), 0)
                self.assertIn(f"\n| {result['name']} | ", table)
        return document["results"]

    def run_calls(self, *arguments, **named):
        return self.run_small(calls, "--n", "16384", "--targets", "500", "--width", "4", *arguments,
                              **named)

    def test_calls(self):
        results = self.run_calls()
        self.assertEqual(len(results), len(calls.CASES) * len(calls.STREAMS))
        by_name = {(r["name"], r["stream"]): r["made"] for r in results}
        self.assertEqual(by_name["bincount", "half"], {"bincount: taken": 1})

    def test_calls_of_fresh_indices(self):
        self.assertEqual(len(self.run_calls("--fresh", "--only", "Embedding backward")), 4)

    def test_a_wrong_sum_is_found(self):
        with wrong_sums():
            self.run_calls("--only", "scatter_add_ i64", status=1)

    def test_layers(self):
        try:
            import layers
        except ModuleNotFoundError as error:
            self.skipTest(f"needs {error.name}")
        small = "--nodes", "2000", "--width", "8"
        results = self.run_small(layers, *small)
        self.assertEqual(len(results), 8 * 3)
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            edges = layers.social(300, 20000, torch.Generator().manual_seed(1))
            file.write("# source target\n")
            file.writelines(f"{source} {target}\n" for source, target in edges.t().tolist())
            file.flush()
            given = self.run_small(layers, *small, "--only", "GIN", "--edges", file.name)
        self.assertEqual([result["stream"] for result in given], ["zipf", "sorted", "given"])
        self.assertEqual(given[2]["made"], {"scatter_add_: taken": 1, "index_add_: taken": 1})
        with wrong_sums():
            self.run_small(layers, *small, "--only", "GIN", status=1)


if __name__ == "__main__":
    unittest.main()

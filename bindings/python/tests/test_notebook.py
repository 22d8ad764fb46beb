"""The notebook runs without a screen and still prints what it has stored.

ATOMTUNE_UPDATE_GOLDEN=1 stores what it prints and plots now.
"""

import json
import os
import pathlib
import unittest

import notebook

PATH = pathlib.Path(__file__).resolve().parent.parent / "examples/choose.ipynb"


def printed(outputs):
    return "".join("".join(o["text"]) for o in outputs if o["output_type"] == "stream")


def plots(outputs):
    return [o["data"]["image/png"] for o in outputs if o["output_type"] == "display_data"]


class Notebook(unittest.TestCase):
    maxDiff = None

    def test_prints_and_plots_what_it_has_stored(self):
        if os.environ.get("ATOMTUNE_UPDATE_GOLDEN"):
            notebook.write(PATH)
        cells = notebook.code(json.loads(PATH.read_text()))
        pairs = list(zip(cells, notebook.execute(cells)))
        for cell, outputs in pairs:
            self.assertEqual(printed(outputs), printed(cell["outputs"]))
            self.assertEqual(len(plots(outputs)), len(plots(cell["outputs"])))
        figures = [plot for _, outputs in pairs for plot in plots(outputs)]
        self.assertEqual(len(figures), 2)
        self.assertTrue(all(len(plot) > 10_000 for plot in figures))

    def test_an_error_names_its_cell(self):
        with self.assertRaisesRegex(RuntimeError, "cell 1 fails: [^$]*ZeroDivisionError"):
            notebook.execute([{"source": ["x = 1"]}, {"source": ["x / 0"]}])


if __name__ == "__main__":
    unittest.main()

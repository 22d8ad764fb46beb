"""Runs a notebook without Jupyter: python3 tests/notebook.py examples/choose.ipynb [--write].

Cells run one after the other in one namespace, with plots that go to no screen. --write stores
what they print and plot in the notebook.
"""

import base64
import contextlib
import io
import json
import os
import pathlib
import sys
import traceback

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def execute(cells):
    """Runs the code cells and returns the outputs of each, in the notebook's format."""
    namespace, outputs = {"__name__": "__main__"}, []
    for number, cell in enumerate(cells):
        source = "".join(cell["source"])
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(source, f"cell {number}", "exec"), namespace)
            except Exception:
                raise RuntimeError(f"cell {number} fails: {traceback.format_exc()}") from None
        outputs.append(text(printed.getvalue()) + figures())
    return outputs


def text(printed):
    if not printed:
        return []
    return [{"name": "stdout", "output_type": "stream",
             "text": printed.splitlines(keepends=True)}]


def figures():
    """The open figures, which are closed."""
    found = []
    for number in plt.get_fignums():
        image = io.BytesIO()
        figure = plt.figure(number)
        figure.savefig(image, format="png", dpi=80, metadata={"Software": None})
        plt.close(figure)
        found.append({"data": {"image/png": base64.b64encode(image.getvalue()).decode()},
                      "metadata": {}, "output_type": "display_data"})
    return found


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def write(path):
    notebook = json.loads(path.read_text())
    cells = code(notebook)
    for number, (cell, outputs) in enumerate(zip(cells, execute(cells))):
        cell["outputs"], cell["execution_count"] = outputs, number + 1
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(notebook, indent=1, sort_keys=True) + "\n")
    os.replace(partial, path)


if __name__ == "__main__":
    notebook_path = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--write"]:
        write(notebook_path)
    else:
        for result in execute(code(json.loads(notebook_path.read_text()))):
            for output in result:
                print("".join(output.get("text", ["(a figure)\n"])), end="")

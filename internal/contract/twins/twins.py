"""What the Python package answers: arguments in threes, a file of 32-bit indices, its bins and the
number of a type. Prints a JSON document a line."""

import array
import json
import sys

import atomtune

TYPES = ("u32", "i32", "f32", "u64", "i64", "f64")
for path, bins, number in zip(*[iter(sys.argv[1:])] * 3):
    with open(path, "rb") as file:
        index = array.array("I", file.read())
    for device in ("h200", "h100"):
        call = {"type": TYPES[int(number)], "device": device}
        leaf = atomtune.choose(list(index), int(bins), **call)
        best = atomtune.predict(list(index), int(bins), whole=True, **call)
        print(json.dumps({
            "device": device, "features": list(leaf.features.values()),
            "action": leaf.implementation, "implementation": best.implementation, "class": best.kind,
            "predicted_us": best.predicted_us, "low_us": best.low_us, "high_us": best.high_us,
            "floor_us": best.floor_us,
            "launch": f"{best.launch_blocks}x{best.launch_threads}x{best.launch_unroll}"}))

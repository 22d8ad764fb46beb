"""Times JAX's .at[].add, segment_sum of rows and bincount against those of atomtune.jax, on a GPU.

A program makes --calls calls, whose indices differ. A call's time is the median of --runs programs.
"""

import argparse
import pathlib
import statistics
import sys
import time

import jax
import jax.numpy as jnp
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import atomtune.jax

parser = argparse.ArgumentParser(description=__doc__)
for size, number in dict(updates=1 << 20, bins=1 << 17, width=64, calls=8, runs=21).items():
    parser.add_argument(f"--{size}", type=int, default=number)
given = parser.parse_args()
random = numpy.random.default_rng(1)  # sums of its small integers are equal in any order


def stream(kind):
    uniform = random.integers(0, given.bins, given.updates)
    if kind == "zipf 1.2":
        p = numpy.arange(1, given.bins + 1) ** -1.2
        return random.choice(random.permutation(given.bins), given.updates, p=p / p.sum())
    return {"half on one": numpy.where(random.random(given.updates) < 0.5, 7, uniform),
            "sorted": numpy.sort(uniform), "one update": uniform[:1]}.get(kind, uniform)


def program_us(call, indices, updates):
    program = jax.jit(lambda indices, updates: [call(index, updates) for index in indices])
    result, times = jax.block_until_ready(program(indices, updates)), []
    for _ in range(given.runs):
        start = time.perf_counter()
        jax.block_until_ready(program(indices, updates))
        times.append(time.perf_counter() - start)
    return result[-1], statistics.median(times) * 1e6 / given.calls


whole, correct = jnp.zeros(given.bins, "float32"), True
calls = {".at[].add": ((), lambda i, x: whole.at[i].add(x),
                       lambda i, x: atomtune.jax.scatter_add(whole, i, x)),
         "segment_sum of rows": ((given.width,), lambda i, x: jax.ops.segment_sum(x, i, given.bins),
                                 lambda i, x: atomtune.jax.segment_sum(x, i, given.bins)),
         "bincount": ((), lambda i, x: jnp.bincount(i, length=given.bins),
                      lambda i, x: atomtune.jax.bincount(i, given.bins))}
print(f"{jax.devices()[0].device_kind}, JAX {jax.__version__}, us of a call: JAX / atomtune")
for name, (row, theirs, ours) in calls.items():
    for kind in ("uniform", "zipf 1.2", "half on one", "sorted", "one update"):
        indices = [jnp.asarray(stream(kind), "int32") for _ in range(given.calls)]
        values = jnp.asarray(random.integers(0, 4, (indices[0].size, *row)), "float32")
        (want, jax_us), (got, own_us) = (program_us(c, indices, values) for c in (theirs, ours))
        correct &= (same := bool((want == got).all()))
        print(f"{name}, {kind}: {jax_us:.1f} / {own_us:.1f}{'' if same else ', WRONG'}", flush=True)
sys.exit(not correct)

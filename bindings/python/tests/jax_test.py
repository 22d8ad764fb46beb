"""atomtune.jax against JAX's own functions, on the CPU: needs JAX 0.8.3 and a C++ compiler.

XLA's handler is that of the GPU but for the stream and the scratch memory, which XLA has none of on
the CPU. The library is plain loops in cpu_library.cpp.
"""

import ctypes
import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
import jax.test_util
import numpy
from jax.interpreters import mlir
from jax.sharding import NamedSharding, PartitionSpec

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import stand_in
from atomtune import _extension
from atomtune import jax as ours

FLOATS = ("float32", "float64", "float16", "bfloat16")
TYPES = (*FLOATS, "int32", "int64", "uint32", "uint64")
INDICES = ("int32", "int64", "uint32", "uint64", "int8", "uint8", "int16", "uint16")


def setUpModule():
    global handler
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TORCH_EXTENSIONS_DIR"] = cache
        library = stand_in.use()
        ours.load()
        command = _extension.compiler(HERE / "jax_cpu.cpp", jax.ffi.include_dir(), "-ldl")
        subprocess.run([*command, f"{cache}/cpu.so"], check=True, capture_output=True)
        handler = ctypes.CDLL(f"{cache}/cpu.so")
    handler.atomtune_jax_start(os.fsencode(library))
    jax.ffi.register_ffi_target("atomtune_update", jax.ffi.pycapsule(handler.atomtune_jax_cpu),
                                platform="cpu")
    mlir.register_lowering(ours._update_p, ours._lower, platform="cpu")


def calls():
    return ctypes.c_int.in_dll(handler, "atomtune_jax_calls").value


def some(n, bins, *row, dtype="float32", index_dtype="int32", least=0, seed=1):
    """Integers as values, whose sums are exact in all types."""
    random = numpy.random.default_rng(seed)
    index = random.integers(least, bins + 3, n)
    return jnp.asarray(index, index_dtype), jnp.asarray(random.integers(0, 4, (n, *row)), dtype)


class Same(unittest.TestCase):
    def same(self, got, want):
        self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
        if got.dtype == "bfloat16":
            got, want = got.astype("float32"), want.astype("float32")
        numpy.testing.assert_array_equal(got, want)

    def called(self, call, *arguments, **named):
        before = calls()
        got = jax.block_until_ready(call(*arguments, **named))
        self.assertEqual(calls(), before + 1)
        return got


class Results(Same):
    def test_segments(self):
        pairs = [(dtype, "int32") for dtype in TYPES] + [("float64", dtype) for dtype in INDICES]
        for dtype, index_dtype in pairs:
            for row in ((), (3,), (2, 5), (1,)) if index_dtype == "int32" else ((3,),):
                ids, data = some(40, 7, *row, dtype=dtype, index_dtype=index_dtype,
                                 least=0 if index_dtype.startswith("u") else -9)
                with self.subTest(dtype=dtype, index=index_dtype, row=row):
                    before = calls()
                    got, want = (jax.jit(lambda x, i: [
                        getattr(m, f"segment_{name}")(x, i, 7) for name in ("sum", "min", "max")
                    ])(data, ids) for m in (ours, jax.ops))
                    for g, w in zip(got, want):
                        self.same(g, w)
                    self.assertEqual(calls(), before + 3)

    def test_scatter_add(self):
        for dtype in TYPES:
            for row in ((), (2, 5), (1,)):
                index, updates = some(40, 7, *row, dtype=dtype, least=-9)
                operand = jnp.arange(7 * updates[0].size).reshape(7, *row).astype(dtype)
                for wraps in (True, False) if dtype == "float32" else (True,):
                    with self.subTest(dtype, row=row, wraps=wraps):
                        self.same(self.called(ours.scatter_add, operand, index, updates, wraps),
                                  operand.at[index].add(updates, wrap_negative_indices=wraps))

    def test_scatter_add_takes_what_at_takes(self):
        operand = jnp.ones((200, 3), "float32")
        for index, updates in ((jnp.int32(1), jnp.arange(3.0)), (jnp.asarray([[0, -1], [1, 1]]), 2),
                               (jnp.asarray([-128, 127], "int8"), 1.5),
                               (jnp.asarray([0, 1]), jnp.arange(3, dtype="float32"))):
            updates = updates if isinstance(updates, (int, float)) else updates.astype("float32")
            self.same(self.called(ours.scatter_add, operand, index, updates),
                      operand.at[index.astype("int32")].add(updates))  # JAX's fails for int8

    def test_bincount(self):
        for index_dtype in INDICES:
            x, _ = some(300, 50, index_dtype=index_dtype,
                        least=0 if index_dtype.startswith("u") else -5)
            self.same(self.called(ours.bincount, x, 50), jnp.bincount(x, length=50))

    def test_other_types_are_jaxs_own(self):
        ids, data = some(40, 7)
        before = calls()
        for dtype in ("int8", "complex64"):
            self.same(ours.segment_sum(data.astype(dtype), ids, 7),
                      jax.ops.segment_sum(data.astype(dtype), ids, 7))
        self.same(ours.segment_max(data > 1, ids, 7), jax.ops.segment_max(data > 1, ids, 7))
        whole = jnp.arange(7)
        self.same(ours.scatter_add(whole, ids, data + 0.5), whole.at[ids].add(data + 0.5))
        self.assertEqual(calls(), before)

    def test_edges(self):
        for n, bins, row in ((0, 5, ()), (0, 5, (3,)), (1, 5, ()), (9, 1, ()), (9, 1, (4,)),
                             (9, 0, ()), (9, 4, (0,)), (0, 0, ())):
            with self.subTest(n=n, bins=bins, row=row):
                ids, data = some(n, bins, *row, least=-2)
                for name in ("segment_sum", "segment_min", "segment_max"):
                    self.same(getattr(ours, name)(data, ids, bins),
                              getattr(jax.ops, name)(data, ids, bins))
                self.same(ours.bincount(ids, bins), jnp.bincount(ids, length=bins))
                whole = jnp.ones((bins, *row))
                self.same(ours.scatter_add(whole, ids, data), whole.at[ids].add(data))

    def test_data_has_a_value_for_each_id(self):
        ids = jnp.asarray([0, 2, 2])
        self.same(ours.segment_sum(jnp.ones(1), ids, 3), jax.ops.segment_sum(jnp.ones(1), ids, 3))
        for data in (jnp.ones(2), jnp.ones(4), jnp.ones((2, 3))):
            self.assertRaises(ValueError, ours.segment_sum, data, ids, 3)

    def test_a_nan_wins(self):
        data, ids = jnp.asarray([1, jnp.nan, 3, 4]), jnp.asarray([0, 0, 1, 1])
        for name in ("segment_min", "segment_max"):
            self.same(getattr(ours, name)(data, ids, 3), getattr(jax.ops, name)(data, ids, 3))

    def test_halves_are_summed_in_float32(self):
        ones = jnp.ones(3000, "bfloat16")
        got = ours.segment_sum(ones, jnp.zeros(3000, "int32"), 1)
        self.same(got, jnp.asarray([3000], "bfloat16"))

    def test_what_the_library_refuses_is_an_error(self):
        call = jax.ffi.ffi_call("atomtune_update", jax.ShapeDtypeStruct((3,), "float16"))
        kind = dict.fromkeys(("op", "values_type"), 0) | {"type": 7, "index_type": 1}
        with self.assertRaisesRegex(Exception, "atomtune: no such call"):
            jax.block_until_ready(call(
                jnp.ones(3, "float16"), jnp.zeros(2, "int32"), jnp.ones((), "float16"),
                **{name: numpy.int32(number) for name, number in kind.items()}))


class Transformations(Same):
    def test_gradients(self):
        for row in ((), (3,)):
            ids = jnp.asarray([0, 3, 3, -1, 1, 0, 4, 3, 1, 0, 0, 7])
            random = numpy.random.default_rng(2)
            data = random.permutation(12 * (row or (1,))[0]).reshape(12, *row).astype("float64")
            whole = random.normal(size=(4, *row))
            touched = jnp.asarray([0, 1, 3])  # the other is infinite

            @jax.jit
            def all_of(w, x):
                return (ours.segment_sum(x, ids, 4), ours.segment_max(x, ids, 4)[touched],
                        ours.segment_min(x, ids, 4)[touched] ** 2, ours.scatter_add(w, ids, x) ** 2)
            jax.test_util.check_grads(all_of, (whole, data), order=2, eps=1e-3)

    def test_gradients_are_jaxs_where_values_are_equal(self):
        for dtype in FLOATS:
            ids, data = some(30, 6, 3, dtype=dtype, least=-3)
            got, want = (jax.jit(jax.grad(lambda x: sum(
                (getattr(module, f"segment_{name}")(x, ids, 9)[:6].astype("float32") ** 2).sum()
                for name in ("sum", "min", "max"))))(data) for module in (ours, jax.ops))
            self.assertEqual(got.dtype, want.dtype)
            numpy.testing.assert_allclose(got.astype("float64"), want.astype("float64"), 2e-2)

    def test_linear_transpose(self):
        index, updates = some(30, 6, 3)
        whole = jnp.ones((6, 3), "float32")
        got, want = (jax.linear_transpose(call, whole, updates)(whole) for call in (
            lambda w, x: ours.scatter_add(w, index, x), lambda w, x: w.at[index].add(x)))
        for g, w in zip(got, want):
            self.same(g, w)

    def test_vmap(self):
        for row in ((), (3,)):
            ids, data = some(5 * 40, 7, *row, least=-9)
            ids, data = ids.reshape(5, 40), data.reshape(5, 40, *row)
            whole = jnp.ones((7, *row), "float32")
            for axes, x, i in (((0, None), data, ids[0]), ((None, 0), data[0], ids),
                               ((0, 0), data, ids), ((1, 0), jnp.moveaxis(data, 0, 1), ids)):
                for name in ("segment_sum", "segment_max"):
                    with self.subTest(name, axes=axes, row=row):
                        got, want = (jax.jit(jax.vmap(
                            functools.partial(getattr(m, name), num_segments=7), axes))
                            for m in (ours, jax.ops))
                        self.same(self.called(got, x, i), want(x, i))

            def others(segment_sum, scatter_add):
                return jax.jit(lambda x, i: (
                    jax.vmap(jax.vmap(lambda x, i: segment_sum(x, i, 7)), (0, None))(x[None], i),
                    jax.vmap(lambda i: scatter_add(whole, i, x[0]))(i),
                    jax.vmap(jax.grad(lambda x, i: (segment_sum(x, i, 7) ** 2).sum()))(x, i)))
            got = others(ours.segment_sum, ours.scatter_add)(data, ids)
            want = others(jax.ops.segment_sum, lambda w, i, x: w.at[i].add(x))(data, ids)
            for g, w in zip(got, want):
                self.same(g, w)

    def test_vmap_of_counts(self):
        ids, _ = some(200, 50, least=-5, index_dtype="int8")
        ids = ids.reshape(4, 50)
        self.same(self.called(jax.vmap(lambda x: ours.bincount(x, 50)), ids),
                  jax.vmap(lambda x: jnp.bincount(x, length=50))(ids))

    def test_vmap_of_many_targets_is_one_by_one(self):
        bins = 1 << 30
        many = jax.jit(jax.vmap(lambda x, y: ours.segment_sum(x, y, bins)))
        for dtype in ("int32", "int64"):
            shapes = [jax.ShapeDtypeStruct((4, 9), own) for own in ("float32", dtype)]
            self.assertEqual(many.eval_shape(*shapes).shape, (4, bins))
            self.assertIn("while", many.lower(*shapes).as_text())

    def test_shapes_are_known_without_a_call(self):
        before = calls()
        for name in ("segment_sum", "segment_max"):
            got = jax.eval_shape(lambda x, y: getattr(ours, name)(x, y, 9),
                                 jax.ShapeDtypeStruct((5, 2), "bfloat16"),
                                 jax.ShapeDtypeStruct((5,), "int32"))
            self.assertEqual((got.shape, got.dtype), ((9, 2), jnp.bfloat16))
        self.assertEqual(calls(), before)

    def test_a_donated_operand_gets_the_sums(self):
        index, updates = some(40, 7)
        whole = jnp.ones(7, "float32")
        want, place = whole.at[index].add(updates), whole.unsafe_buffer_pointer()
        got = self.called(jax.jit(ours.scatter_add, donate_argnums=0), whole, index, updates)
        self.same(got, want)
        self.assertTrue(whole.is_deleted())
        self.assertEqual(got.unsafe_buffer_pointer(), place)

    def test_an_operand_that_is_not_donated_stays(self):
        index, updates = some(40, 7)
        whole = jnp.ones(7, "float32")
        self.called(ours.scatter_add, whole, index, updates)
        self.same(whole, jnp.ones(7, "float32"))

    def test_without_jit(self):
        index, updates = some(40, 7)
        with jax.disable_jit():
            got = self.called(ours.segment_sum, updates, index, 7)
        self.same(got, jax.ops.segment_sum(updates, index, 7))

    def test_loops_and_checkpoints(self):
        index, updates = some(40, 7)
        whole = jnp.zeros(7, "float32")
        got = jax.jit(lambda w: jax.lax.fori_loop(
            0, 3, lambda _, x: ours.scatter_add(x, index, updates), w))(whole)
        self.same(got, whole.at[index].add(3 * updates))
        loss = jax.checkpoint(lambda x: (ours.segment_sum(x, index, 7) ** 2).sum())
        self.same(jax.grad(loss)(updates),
                  jax.grad(lambda x: (jax.ops.segment_sum(x, index, 7) ** 2).sum())(updates))


class Lowering(Same):
    def test_for_a_gpu_without_one(self):
        index, updates = some(40, 7)
        for call in (lambda x, i: ours.segment_sum(x, i, 7), lambda x, i: ours.segment_max(x, i, 7),
                     lambda x, i: ours.scatter_add(jnp.ones(7, "float32"), i, x),
                     lambda x, i: ours.bincount(i, 7),
                     jax.grad(lambda x, i: ours.segment_max(x, i, 7)[1])):
            text = jax.jit(call).trace(updates, index).lower(lowering_platforms=("cuda",)).as_text()
            self.assertIn("@atomtune_update(", text)
            self.assertNotIn('"stablehlo.scatter"', text)

    def test_elsewhere_it_is_jaxs_own(self):
        index, updates = some(40, 7)
        traced = jax.jit(lambda x, i: ours.segment_sum(x, i, 7)).trace(updates, index)
        text = traced.lower(lowering_platforms=("tpu",)).as_text()
        self.assertNotIn("atomtune_update(", text)
        self.assertIn('"stablehlo.scatter"', text)

    def test_on_the_cpu_without_the_library(self):
        program = ("import jax.numpy as jnp, atomtune.jax as a; "
                   "print(a.segment_sum(jnp.ones(3), jnp.asarray([0, 2, 2]), 3), "
                   "a.bincount(jnp.asarray([-1, 5, 2, 2]), 3))")
        own = {k: v for k, v in os.environ.items() if k != "ATOMTUNE_CUDA_LIBRARY"}
        text = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              check=True, cwd=HERE.parent, env=own).stdout
        self.assertEqual(text, "[1. 0. 2.] [1 0 2]\n")


class Devices(Same):
    def setUp(self):
        self.mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
        self.ids, self.data = some(40, 7, 3, least=-2)

    def sharded(self, x):
        return jax.device_put(x, NamedSharding(self.mesh, PartitionSpec("x")))

    def test_sharded_inputs_are_refused(self):
        for call in (ours.segment_sum, jax.jit(ours.segment_sum, static_argnums=2)):
            with self.assertRaisesRegex(NotImplementedError, "jax.shard_map"):
                call(self.sharded(self.data), self.sharded(self.ids), 7)

    def test_shard_map_makes_a_call_on_each(self):
        parts = PartitionSpec("x")
        for check in (True, False):
            def each(m):
                return jax.jit(jax.shard_map(
                    lambda x, i: jax.lax.psum(m.segment_sum(x, i, 7), "x"), mesh=self.mesh,
                    in_specs=(parts, parts), out_specs=PartitionSpec(), check_vma=check))
            before = calls()
            got = jax.block_until_ready(each(ours)(self.sharded(self.data), self.sharded(self.ids)))
            self.assertEqual(calls(), before + 2)
            self.same(got, jax.ops.segment_sum(self.data, self.ids, 7))

    def test_gradients_of_shard_map(self):
        def loss(w, x, i, add):
            return jax.lax.psum((add(w, i, x) ** 2).sum(), "x")
        parts, whole = PartitionSpec("x"), jnp.ones((7, 3), "float32")
        got, want = (jax.jit(jax.grad(jax.shard_map(
            lambda w, x, i: loss(w, x, i, add), mesh=self.mesh,
            in_specs=(PartitionSpec(), parts, parts), out_specs=PartitionSpec()), (0, 1)))(
                whole, self.sharded(self.data), self.sharded(self.ids))
            for add in (ours.scatter_add, lambda w, i, x: w.at[i].add(x)))
        for g, w in zip(got, want):
            self.same(numpy.asarray(g), numpy.asarray(w))

    def test_each_device_alone(self):
        for device in jax.devices():
            got = self.called(ours.segment_sum, *jax.device_put((self.data, self.ids), device), 7)
            self.assertEqual(got.devices(), {device})


if __name__ == "__main__":
    unittest.main()

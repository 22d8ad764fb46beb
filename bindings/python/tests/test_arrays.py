"""Updates of arrays by protocol, over NumPy's memory and stand-ins for library and driver."""

import ctypes
import importlib
import os
import subprocess
import sys
import types
import unittest
from unittest import mock

import numpy as np

import headers
import stand_in
from atomtune import arrays


class Interface:
    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {
            "version": 3, "shape": array.shape, "typestr": array.dtype.str,
            "strides": array.strides,
            "data": (array.ctypes.data if array.size else 0, not array.flags.writeable), **more}


class DLPack:
    """NumPy's own capsule, said to be on a GPU, with other fields of its tensor."""

    def __init__(self, array, device=2, **fields):
        self.array, self.device, self.fields, self.stream = array, device, fields, None

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, stream=None):
        self.stream = stream
        capsule = self.array.__dlpack__()
        tensor = arrays._Tensor.from_address(arrays._pointer(capsule, b"dltensor"))
        for name, value in self.fields.items():
            setattr(tensor, name, value)
        return capsule


def setUpModule():
    with mock.patch.dict(os.environ):
        arrays.DRIVER = stand_in.use()
        arrays._loaded()


def stood(kind, name):
    return kind.in_dll(arrays._loaded()[0], name)


def order():
    """What happened in streams since this was last asked."""
    text = stood(ctypes.c_char * 4096, "order")
    happened, text.value = text.value.decode(), b""
    return happened


class Header(unittest.TestCase):
    def test_structure_and_numbers_are_those_of_the_header(self):
        self.assertEqual(*headers.layouts(atomtune_update=arrays._Update))
        names = [f"ATOMTUNE_{name.upper()}" for name in (*arrays._TYPES, *arrays._OPS)]
        names += [f"ATOMTUNE_INDEX_{name.upper()}" for name in arrays._INDICES]
        self.assertEqual(headers.numbers(names), [
            *range(len(arrays._TYPES)), *arrays._OPS.values(), *range(len(arrays._INDICES))])


class Updates(unittest.TestCase):
    def setUp(self):
        self.random = np.random.RandomState(1)

    def test_sums_are_numpys(self):
        for protocol in Interface, DLPack:
            for dtype in "int32", "int64", "float32", "float64":
                for index_dtype in "int32", "int64":
                    for shape, rows in ((50,), ()), ((50,), (3,)), ((5, 2), (2, 3)), ((50,), (1,)):
                        index = self.random.randint(0, 7, shape).astype(index_dtype)
                        values = self.random.randint(-9, 9, shape + rows).astype(dtype)
                        out = self.random.randint(-9, 9, (7, *rows)).astype(dtype)
                        want = out.copy()
                        np.add.at(want, index, values)
                        given = protocol(out)
                        got = arrays.update(given, protocol(index), protocol(values))
                        self.assertIs(got, given)
                        np.testing.assert_array_equal(out, want)

    def test_counts_extremes_and_what_is_left_out(self):
        index = np.array([1, 0, 1, 3, -1, 2, 2])
        values = np.array([5, 2, 7, 1, 9, 4, -4], "f4")

        def made(*given, **options):
            out = np.full(3, 3, "f4")
            arrays.update(Interface(out), Interface(index), *map(Interface, given), **options)
            return out.tolist()
        self.assertEqual(made(), [4, 5, 5])
        self.assertEqual(made(clear=True), [1, 2, 2])
        self.assertEqual(made(values, ignore_index=1), [5, 3, 3])
        self.assertEqual(made(values, op="min"), [2, 3, -4])
        self.assertEqual(made(values, op="max"), [3, 7, 4])
        before = stood(ctypes.c_int, "deterministic_calls").value
        self.assertEqual(made(values, deterministic=True), [5, 15, 3])
        self.assertEqual(stood(ctypes.c_int, "deterministic_calls").value, before + 1)
        word = np.zeros(1, "u4")
        made(values, error=Interface(word), ignore_index=3)
        self.assertEqual(word[0], 1)
        word[0], index[3:5] = 0, 0
        made(values, error=Interface(word))
        self.assertEqual(word[0], 0)

    def test_values_of_16_bits(self):
        index, values = np.array([1, 0, 1]), np.array([1, 2, 4.5], "f2")
        for dtype in "f4", "f2":
            out = np.ones(2, dtype)
            arrays.update(Interface(out), Interface(index), Interface(values))
            self.assertEqual(out.tolist(), [3, 6.5])
        brain = (values.astype("f4").view("u4") >> 16).astype("u2")
        out, rows = np.ones(2, "f4"), np.zeros((2, 1), "u2")
        arrays.update(DLPack(out), DLPack(index), DLPack(brain, code=4))
        arrays.update(DLPack(rows, code=4), DLPack(index), DLPack(brain.reshape(3, 1), code=4))
        self.assertEqual(out.tolist(), [3, 6.5])
        self.assertEqual((rows.astype("u4") << 16).view("f4").tolist(), [[2], [5.5]])

    def test_places_in_memory(self):
        out, one, two = np.zeros(4), np.zeros(1, int), np.ones((1, 2))
        arrays.update(DLPack(out[:3], byte_offset=8), DLPack(one), DLPack(two[0, :1]))
        self.assertEqual(out.tolist(), [0, 1, 0, 0])
        rows = Interface(out.reshape(2, 2))
        arrays.update(rows, Interface(one, strides=(99,)), Interface(two, strides=(99, 8)))
        self.assertEqual(out.tolist(), [1, 2, 0, 0])

    def test_empty_arrays(self):
        none = np.zeros(0)
        out = np.ones(3)
        for clear in False, True:
            arrays.update(Interface(out), Interface(none.astype(int)), Interface(none), clear=clear)
            self.assertEqual(out.tolist(), [1 - clear] * 3)
        arrays.update(Interface(none), Interface(np.zeros(2, int)), Interface(np.ones(2)))

    def test_streams_are_in_order(self):
        index, values, word = np.array([1]), np.ones(1), np.zeros(1, "u4")
        far = 1 << 40 | 7  # the whole handle counts

        def happened(out, index, values, stream=None):
            order()
            arrays.update(out, index, values, stream=stream, error=Interface(word))
            return order()
        for stream in None, 0, 1:
            plain = map(Interface, (np.zeros(3), index, values))
            self.assertEqual(happened(*plain, stream), "update in 1; ")
        three = Interface(np.zeros(3), stream=far), Interface(index), Interface(values, stream=9)
        self.assertEqual(happened(*three),
                         f"{far} waits for 9; update in {far}; 9 waits for {far}; ")
        self.assertCountEqual(happened(*three, stream=5).split("; "), [
            "5 waits for 9", f"5 waits for {far}", "update in 5", "9 waits for 5",
            f"{far} waits for 5", ""])
        packed = DLPack(values)
        happened(*three[:2], packed)
        self.assertEqual(packed.stream, far)
        packed.__cuda_array_interface__ = Interface(values, version=2).__cuda_array_interface__
        happened(*three[:2], packed, stream=6)
        self.assertEqual(packed.stream, 6)

    def test_what_is_no_call_is_refused(self):
        good = {"out": np.zeros((4, 2), "f4"), "index": np.zeros(6, int),
                "values": np.ones((6, 2), "f4")}
        locked = np.zeros((4, 2), "f4")
        locked.flags.writeable = False
        twice = np.ones((6, 4), "f4")
        for error, text, wrong in (
                (TypeError, "out offers", {"out": [1, 2]}),
                (TypeError, "values offers", {"values": 1}),
                (TypeError, "index has elements of f64", {"index": Interface(np.zeros(6))}),
                (TypeError, "index has elements of b8", {"index": Interface(np.zeros(6, bool))}),
                (TypeError, "index has elements of >i64", {"index": Interface(np.zeros(6, ">i8"))}),
                (TypeError, "of masked i64", {"index": Interface(np.zeros(6, int), mask=1)}),
                (TypeError, "out has elements of c64", {"out": Interface(np.zeros((4, 2), "c8"))}),
                (TypeError, "values has elements of f64", {"values": Interface(np.ones((6, 2)))}),
                (TypeError, "values has elements of i32", {"values": DLPack(twice.astype("i4"))}),
                (TypeError, "values has elements of DLPack's 5", {"values": DLPack(twice, code=5)}),
                (TypeError, "error has elements", {"error": Interface(np.zeros(1, "i8"))}),
                (ValueError, "error has the shape", {"error": Interface(np.zeros(2, "u4"))}),
                (ValueError, "out has the shape", {"out": Interface(np.zeros((), "f4"))}),
                (ValueError, "values has the shape", {"values": Interface(good["values"][:5])}),
                (ValueError, "values has the shape", {"values": Interface(twice)}),
                (ValueError, "values is not C-cont", {"values": Interface(twice[:, ::2])}),
                (ValueError, "values is not C-cont", {"values": DLPack(twice[:, :2])}),
                (ValueError, "out is not C-cont", {"out": Interface(np.zeros((2, 4), "f4").T)}),
                (ValueError, "out is read-only", {"out": Interface(locked)}),
                (ValueError, "index is not on an NVIDIA", {"index": DLPack(np.zeros(6), device=1)}),
                (ValueError, "op is", {"op": "mul"}),
                (ValueError, "clear is", {"clear": 2}),
                (ValueError, "ignore_index is", {"ignore_index": 2**63}),
                (ValueError, "no such call", {"op": "min", "deterministic": True}),
                (ValueError, "no such call", {"values": None})):
            given = {name: Interface(array) for name, array in good.items()}
            with self.assertRaisesRegex(error, text, msg=text):
                arrays.update(**{**given, **wrong})
        elsewhere = stood(ctypes.c_void_p, "elsewhere")
        for name, array in good.items():
            elsewhere.value = array.ctypes.data
            with self.assertRaisesRegex(ValueError, f"'{name}': 1"):
                arrays.update(**{name: Interface(array) for name, array in good.items()})
        elsewhere.value = None
        self.assertFalse(good["out"].any())
        arrays.update(**{name: Interface(array) for name, array in good.items()})
        self.assertTrue(good["out"].any())

    def test_needs_no_other_package(self):
        program = ("import sys; sys.modules.update(numpy=None, torch=None, cupy=None); "
                   "import atomtune.arrays")
        subprocess.run([sys.executable, "-c", program], check=True)


class Array(np.ndarray):
    """What CuPy's array is to its users, with the interface."""

    @property
    def __cuda_array_interface__(self):
        return Interface(self.view(np.ndarray), stream=7).__cuda_array_interface__


def array(*given, **options):
    return np.array(*given, **options).view(Array)


def own(name):
    """A function of CuPy."""
    return mock.Mock(side_effect=lambda *given: getattr(np, name)(*given) if name == "bincount"
                     else np.add.at(*given))


class CuPy(unittest.TestCase):
    def setUp(self):
        self.bincount, self.scatter_add, self.at = map(own, ("bincount", "scatter_add", "at"))
        stream = types.SimpleNamespace(ptr=7)
        modules = {
            "cupy": types.SimpleNamespace(
                ndarray=Array, bincount=self.bincount, add=types.SimpleNamespace(at=self.at),
                empty=lambda *given: np.full(*given[:1], 99, *given[1:]).view(Array),
                ascontiguousarray=lambda *given: np.ascontiguousarray(*given).view(Array),
                cuda=types.SimpleNamespace(get_current_stream=lambda: stream)),
            "cupyx": types.SimpleNamespace(scatter_add=self.scatter_add)}
        patch = mock.patch.dict(sys.modules, modules)
        patch.start()
        self.addCleanup(patch.stop)
        self.cupy = importlib.import_module("atomtune.cupy")

    def test_additions(self):
        index = np.array([3, 0, -1, 4, 3])  # below 0 and beyond the end they wrap around
        for call, theirs in (self.cupy.scatter_add, self.scatter_add), (self.cupy.add_at, self.at):
            for rows, dtype in ((), "f8"), ((2,), "f4"), ((), "f4"):
                out = array(np.zeros((4, *rows)), dtype=dtype)
                values = array(np.arange(5 * out[0].size).reshape(5, *rows), dtype="f8")
                want = out.view(np.ndarray).copy()
                np.add.at(want, index % 4, values)
                order()
                self.assertIsNone(call(out, array(index), values))
                np.testing.assert_array_equal(out, want)
                self.assertEqual(order(), "update in 7; ")
            theirs.assert_not_called()

    def test_other_additions_are_cupys(self):
        for out, index, values in (
                (array(np.zeros(3)), array([True, False, True]), array([1., 2])),
                (array(np.zeros(3)), array([0, 2]), array([5.])),
                (array(np.zeros((2, 3))).T, array([0, 2]), array(np.ones((2, 2)))),
                (array(np.zeros(3), dtype="c8"), array([0, 2]), array([5., 5])),
                (array(np.zeros(3)), slice(0, 2), array([5., 5])),
                (array(np.zeros((2, 3))), (array([0, 1]), array([0, 2])), array([5., 5]))):
            before, want = self.scatter_add.call_count, out.copy()
            np.add.at(want, index, values)
            self.cupy.scatter_add(out, index, values)
            np.testing.assert_array_equal(out, want)
            self.assertEqual(self.scatter_add.call_count, before + 1)

    def test_counts(self):
        for dtype in "i4", "i8":
            x = array([1, 5, 1, 0], dtype=dtype)
            for options in ({}, {"minlength": 9}, {"minlength": None},
                            {"weights": array([1, 2, 3, 4], dtype="f4")}):
                want = np.bincount(x, options.get("weights"), options.get("minlength") or 0)
                got = self.cupy.bincount(x, **options)
                np.testing.assert_array_equal(got, want)
                self.assertEqual(got.dtype, want.dtype)
        self.bincount.assert_not_called()
        for x in array([1, -1], dtype="i1"), array([-(2**63), 1]), array([[1]]):
            with self.assertRaises(ValueError):  # NumPy's
                self.cupy.bincount(x)
        self.assertEqual(self.bincount.call_count, 3)


if __name__ == "__main__":
    unittest.main()

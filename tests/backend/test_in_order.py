"""Copies of arrays that lie in memory otherwise, by the compiled form and by NumPy."""

import itertools

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from proa.backend import in_order as module
from proa.backend.in_order import in_order, lying_as, reshaped, turn_into, turned
from proa.backend.loops.elementwise import ElementwiseLoop
from proa.ops.core import native

compiled = pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")
SHAPES = [(2, 3, 5, 7), (8, 64, 28, 28), (1, 16, 9, 9), (40, 30), (2, 64, 1, 33), (7, 9, 40), (3, 17, 130), (1, 1),
          (0, 3)]


@pytest.fixture(params=[True, False], ids=["compiled", "by NumPy"])
def ways(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(module, "turning", [])
    elif native.module is None:
        pytest.skip(f"the compiled form is not in use: {native.obstacle}")


def layouts(shape, dtype):
    """Arrays of the shape with the same values, their dimensions in memory in every order."""
    values = (np.arange(np.prod(shape)) % 2039).reshape(shape).astype(dtype)
    for order in itertools.permutations(range(len(shape))):
        yield np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16", "complex64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_have_the_values_and_lie_as_asked(shape, dtype, ways):
    plain, *others = layouts(shape, dtype)
    for x in others:
        copy = in_order(x)
        assert copy.flags.c_contiguous and copy.dtype == x.dtype and np.array_equal(copy, plain)
        there = lying_as(plain, x)
        assert np.array_equal(there, plain)
        assert all(n == 1 or a == b for n, a, b in zip(shape, there.strides, x.strides, strict=True))
        assert lying_as(x, x) is x


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(3, 16, 40), (2, 16, 7), (1, 5, 9), (4, 1, 8), (2, 0, 3)])
def test_matrices_are_turned_into_parts_of_an_array(shape, dtype, ways):
    n, rows, columns = shape
    x, out = np.arange(np.prod(shape)).reshape(shape).astype(dtype), np.full((n, columns + 5, rows), -1, dtype)
    turn_into(x, out[:, 2:2 + columns])
    assert np.array_equal(out[:, 2:2 + columns], x.swapaxes(1, 2))
    assert (out[:, :2] == -1).all() and (out[:, -3:] == -1).all()
    turn_into(x[:, ::-1], out[::-1, 1:1 + columns])
    assert np.array_equal(out[::-1, 1:1 + columns], x[:, ::-1].swapaxes(1, 2))


def test_what_lies_in_order_is_no_copy(ways):
    x = np.zeros((64, 32), "float32")
    assert in_order(x) is x and np.shares_memory(reshaped(x, (32, 64)), x)


def test_parts_of_arrays_are_copied_by_numpy(ways):
    x = np.arange(64 * 48 * 3).reshape(64, 48, 3).astype("float32")
    for part in (x[:, ::2], x[::-1], x.transpose(2, 1, 0)[:, 1:], np.broadcast_to(x[:1], x.shape)):
        assert in_order(part).flags.c_contiguous and np.array_equal(in_order(part), part)


def test_another_shape_is_a_view_where_there_is_one(ways):
    images = np.arange(2 * 9 * 9 * 16).reshape(2, 9, 9, 16).astype("float32").transpose(0, 3, 1, 2)
    assert np.shares_memory(reshaped(images, (2, 4, 4, 9, 9)), images)
    flat = reshaped(images, (2, -1))
    assert np.array_equal(flat, np.ascontiguousarray(images).reshape(2, -1))
    with pytest.raises(ValueError, match="cannot reshape"):
        reshaped(images, (5, -1))


@compiled
def test_images_are_turned():
    images = np.arange(2 * 9 * 9 * 16).reshape(2, 9, 9, 16).astype("float32").transpose(0, 3, 1, 2)
    assert turned(images, np.ascontiguousarray(images)).flags.c_contiguous
    assert turned(np.ascontiguousarray(images), images).strides == images.strides
    assert turned(images.transpose(2, 1, 0, 3), np.zeros((9, 16, 2, 9), "float32")) is None  # no matrices


def test_a_loop_over_arrays_in_two_orders():
    x, y = (np.random.RandomState(n).randn(2, 24, 9, 11).astype("float32") for n in (0, 1))
    loop = ElementwiseLoop(["r0 = a0 * a1 + a2"], ["float32"])
    for first, second in itertools.product(layouts(x.shape, "float32"), layouts(y.shape, "float32")):
        first[...], second[...] = x, y
        result, = loop(first, second, np.float32([2.0]))
        assert result.strides == first.strides and np.array_equal(result, x * y + np.float32(2))


def test_a_loop_over_arrays_that_differ_in_steps_along_one_element():
    values = np.arange(2 * 576, dtype="float32").reshape(2, 576, 1, 1)
    given = [as_strided(values, strides=(2304, 4, *steps)) for steps in ((4, 4), (2304, 2304), (2304, 4), (4, 2304))]
    loop = ElementwiseLoop(["r0 = a0 * a1"], ["float32"])
    for first, second in itertools.product(given, given):
        assert lying_as(first, second) is first
        result, = loop(first, second)
        assert np.array_equal(result, values * values)

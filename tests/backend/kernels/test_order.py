"""Sorting, the first k, order statistics and different elements as loops: exactly what NumPy's kernels give."""

import numpy as np
import pytest
from comparing import needs_loops, normal
from proa.backend.kernels import binary_search, select, sort, unique
from proa.core.flags import flags_guard
from proa.ops.array import sorting
from proa.ops.core.operator import find

pytestmark = needs_loops
SHAPES = [(100, 100), (30, 999), (7, 90), (1, 70_000), (3, 5, 7), (20_000,), (1000, 2)]
DTYPES = ["float32", "int64", "int32", "int16", "uint8", "bool"]


def values(shape, dtype):
    """Values with ties, and of floats both zeros, infinities and NaN of both signs."""
    x = normal(*shape) * 100
    if dtype in ("float32", "float64"):
        x = x.astype(dtype)
        for start, step, value in ((0, 7, 0.0), (3, 11, -0.0), (6, 17, np.inf), (8, 19, -np.inf), (5, 1300, np.nan),
                                   (9, 2900, -np.nan)):
            x.flat[start::step] = value
        return x
    return x > 0 if dtype == "bool" else (x.astype("int64") & (255 if dtype == "uint8" else -1)).astype(dtype)


def exactly(type, accelerated, *inputs, **attrs):
    with flags_guard({"FLAGS_cpu_engines": ""}):
        assert accelerated(*inputs, **attrs) is NotImplemented
    found = accelerated(*inputs, **attrs)
    for a, b in zip(found, find(type).kernel(np, *inputs, **attrs), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, -1])
def test_sorting(shape, dtype, axis):
    x = values(shape, dtype)
    for backwards in (False, True):
        exactly("argsort", sort.argsort, x, axis=axis, descending=backwards)
        for k in (1, 2, 40):
            if k <= x.shape[axis]:
                found = sort.topk(x, k=k, axis=axis, largest=backwards)
                plain = sorting.topk_op.kernel(np, x, k=k, axis=axis, largest=backwards)
                whole = sorting.argsort_op.kernel(np, x, axis=axis, descending=backwards)
                for a, b, c in zip(found, plain, whole, strict=True):
                    wanted = np.take(c, range(k), axis)
                    np.testing.assert_array_equal(a, wanted)
                    np.testing.assert_array_equal(b, wanted)  # the first of equals, here too


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("largest", [True, False])
def test_the_first_of_float64(shape, axis, largest):
    x = values(shape, "float64")
    for k in (1, 4, 11, 32):
        if k * 8 <= x.shape[axis] or k <= min(4, x.shape[axis]):
            found = sort.topk(x, k=k, axis=axis, largest=largest)
            whole = sorting.argsort_op.kernel(np, x, axis=axis, descending=largest)
            for a, b in zip(found, whole, strict=True):
                np.testing.assert_array_equal(a, np.take(b, range(k), axis))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("axis", [0, -1])
def test_order_statistics(shape, dtype, axis):
    x = values(shape, dtype)
    n = x.shape[axis]
    if n < 64:  # whose counts of digits take longer than sorting them
        assert select.order_statistics(x, rank=0, axis=axis) is NotImplemented
        return
    for rank, count in ((0, 1), (n // 2, 1), (max(0, n // 2 - 1), min(2, n)), (n - 1, 1)):
        for spread in (False, True):
            exactly("order_statistics", select.order_statistics, x, rank=rank, count=count, axis=axis,
                    propagate_nan=spread)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("wanted", [(), ("counts",), ("index",), ("index", "inverse", "counts")])
def test_different_elements(dtype, wanted):
    for shape in SHAPES[:2] + SHAPES[3:4]:
        exactly("unique", unique.unique, values(shape, dtype), **{f"return_{name}": True for name in wanted})


def test_integers_that_lie_far_apart_are_left_alone():
    x = np.array([0, 1 << 40] * 100)
    assert sort.argsort(x) is NotImplemented and unique.unique(x) is NotImplemented
    assert select.order_statistics(x, rank=1) is NotImplemented
    near = x // 300 + (1 << 50)
    assert np.array_equal(sort.argsort(near)[0], np.sort(near))


def test_a_strided_array():
    x = normal(200, 60)[::2, ::3]
    exactly("argsort", sort.argsort, x, axis=1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("count", [1, 2, 7, 64, 1000])
def test_places_in_a_sorted_sequence(count, dtype):
    sequence = np.sort(values((count,), dtype))
    wanted = values((259,), dtype)
    wanted = np.where(wanted != wanted, np.zeros((), dtype), wanted)
    wanted[:50] = np.resize(sequence[sequence == sequence], 50)
    for right in (False, True):
        for out_int32 in (False, True):
            exactly("searchsorted", binary_search.searchsorted, sequence, wanted, out_int32=out_int32, right=right)


def test_a_nan_that_is_sought_is_left_to_the_kernel():
    wanted = np.zeros(300, "float32")
    wanted[7] = np.nan
    assert binary_search.searchsorted(np.arange(9, dtype="float32"), wanted) is NotImplemented

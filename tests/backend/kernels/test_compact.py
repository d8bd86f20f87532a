"""What masks choose, running sums, and filled, copied and joined arrays, as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import compact, copying, scan
from proa.core.flags import flags_guard
from proa.ops.array import concat_split, creation, reshape, where  # noqa: F401 - declare operators

pytestmark = needs_loops


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("shape", [(5000,), (100, 100), (3, 4097), (12, 13, 14), (2000, 1), (5, 6, 7, 8)])
def test_masks(shape, share):
    mask = np.random.default_rng(0).random(shape) < share
    agree("where_index", compact.where_index, mask, rtol=0, atol=0)
    agree("where_index", compact.where_index, mask * 3, rtol=0, atol=0)
    for dtype in ("float64", "float32", "int16", "uint8"):
        agree("masked_select", compact.masked_select, (normal(*shape) ** 2 * 50).astype(dtype), mask, rtol=0, atol=0)


def test_a_mask_that_is_not_in_order():
    mask = (np.random.default_rng(0).random((60, 70)) < 0.5).T
    agree("where_index", compact.where_index, mask, rtol=0, atol=0)
    agree("masked_select", compact.masked_select, normal(70, 60), mask, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,axis", [((100, 100), 0), ((101, 90), 1), ((7, 2000), -1), ((3000,), 0), ((5, 40, 6), 1),
                                        ((2, 3, 3000), 1)])
def test_running_sums(shape, axis, dtype):
    x = normal(*shape, dtype=dtype)
    agree("cumsum", scan.cumsum, x, axis=axis, rtol=0, atol=0)  # in the same order, so to the last bit
    agree("cumsum", scan.cumsum, x, flatten=True, rtol=0, atol=0)
    agree("cumsum", scan.cumsum, x, axis=axis, reverse=True, rtol=0, atol=0)
    agree("cumsum", scan.cumsum, x, flatten=True, reverse=True, rtol=0, atol=0)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "bool"])
def test_copies(dtype):
    x = (normal(400, 400) * 9).astype(dtype)
    agree("assign", copying.copied, x, rtol=0, atol=0)
    for axis, parts in ((0, [x, x[:7]]), (1, [x[None], x[None, 5:90]]), (-2, [x, x[::2]])):
        agree("concat", lambda parts, axis: copying.joined(parts, axis, False), parts, axis=axis, rtol=0, atol=0)
    for axis in (0, -3):
        agree("stack", lambda parts, axis: copying.joined(parts, axis, True), [x, x[::-1]], axis=axis, rtol=0, atol=0)
    assert copying.joined([x, x], 1, False) is NotImplemented
    assert copying.joined([x, x.astype("complex64")], 0, False) is NotImplemented
    assert copying.joined([x[:90]] * 9, 0, False) is NotImplemented  # each is copied by one thread: NumPy's call is one


@pytest.mark.parametrize("dtype,value", [("float32", np.nan), ("float64", -2.5), ("int64", -(1 << 60)), ("uint8", 200),
                                         ("bool", True)])
def test_filling(dtype, value):
    for engines in ("", "loops"):  # without loops NumPy fills it
        with flags_guard({"FLAGS_cpu_engines": engines}):
            found = copying.filled((300, 400), value, np.dtype(dtype))
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.full((300, 400), value, dtype))

"""Sums, means and extremes over large arrays as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import reduce

pytestmark = needs_loops
CASES = [((300, 100), [0]), ((300, 100), [1]), ((300, 100), [-1]), ((300, 100), []), ((100, 4, 70), [0, 1]),
         ((100, 4, 70), [1, 2]), ((100, 4, 70), [1]), ((100, 4, 70), [0, 2]), ((8, 16, 12, 20), [0, 2, 3]),
         ((3, 5000, 5), [1]), ((2, 3, 9001), [2]), ((70_003,), [0]), ((200_001,), [0]), ((5, 1, 6000), [0, 1]),
         ((4, 20_000), [0])]


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    monkeypatch.setattr(reduce, "_LEAST_OF_EXTREMES", reduce._LEAST)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("shape,dim", CASES)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_reductions(name, shape, dim, keep, dtype):
    x = normal(*shape, dtype=dtype)
    narrow = dtype == "float32"
    agree(f"reduce_{name}", getattr(reduce, f"reduce_{name}"), x, dim=dim, keep_dim=keep, reduce_all=not dim,
          rtol=1e-5 if narrow else 1e-9, atol=(1e-3 if name == "sum" else 1e-5) if narrow else 1e-9)


@pytest.mark.parametrize("dim", [[0], [1], []])
@pytest.mark.parametrize("name", ["sum", "max", "min"])
def test_values_that_are_not_finite(name, dim):
    x = normal(200, 100)
    x[5, 6], x[7, 8], x[9, 10], x[11, 10] = np.nan, np.inf, -np.inf, np.inf
    agree(f"reduce_{name}", getattr(reduce, f"reduce_{name}"), x, dim=dim, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("at", [0, 1, 63, 99])
def test_extremes_tell_zeros_and_nans_apart(dtype, at):
    rows = np.zeros((100, 100), dtype)
    rows[0], rows[1], rows[2] = -0.0, -0.0, 0.0
    rows[1, at], rows[2, at] = 0.0, -0.0
    rows[3, at], rows[4, at] = np.nan, np.copysign(np.nan, -1)
    rows[5], rows[6] = -np.inf, np.inf
    rows[7], rows[8] = np.nan, np.copysign(np.nan, -1)
    rows[9:, at] = np.finfo(dtype).smallest_subnormal
    top, bottom = (function(rows, dim=[1]) for function in (reduce.reduce_max, reduce.reduce_min))
    np.testing.assert_array_equal(top, rows.max(1))
    np.testing.assert_array_equal(bottom, rows.min(1))
    assert np.signbit(top[:3]).tolist() == [True, False, False]
    assert np.signbit(bottom[:3]).tolist() == [True, True, True]


def test_strides_of_one_dtype_are_not_those_of_another():
    whole = normal(200, 64, dtype="float64")
    reduce.reduce_sum(whole, dim=(1,))
    every_second = normal(200, 128)[:, ::2]
    assert every_second.strides == whole.strides
    assert reduce.reduce_sum(every_second, dim=(1,)) is NotImplemented  # not dense, whatever was with such strides


def test_long_sums_are_accurate():
    x = np.full(10_000_001, 0.1, "float32")
    exact = x.astype("float64").sum()
    assert abs(float(reduce.reduce_sum(x)) - exact) < 2e-6 * exact  # by vectors of 16 bytes; one after the other 0.09
    assert abs(float(reduce.mean(x)) - 0.1) < 1e-7
    columns = reduce.reduce_sum(x[:-1].reshape(-1, 10), dim=[0])
    np.testing.assert_allclose(columns, exact / 10, rtol=1e-5)


@pytest.mark.parametrize("shape,to", [((64, 300), (300,)), ((8, 50, 64), (64,)), ((8, 50, 64), (1, 64)),
                                      ((8, 50, 64), (8, 1, 64)), ((8, 50, 64), (8, 50, 1)), ((8, 50, 64), (1,)),
                                      ((8, 50, 64), ()), ((1, 50, 640), (50, 1)), ((8, 30, 9, 9), (1, 30, 1, 1))])
def test_sum_to_a_shape(shape, to):
    x = normal(*shape)
    found = agree("sum_to_shape", lambda x, shape: reduce.sum_to(x, tuple(shape)), x, shape=to, rtol=1e-5, atol=1e-3)
    assert found.shape == to


def test_what_is_left_to_numpy():
    x = normal(200, 10, 30)
    assert reduce.reduce_sum(x.transpose(2, 1, 0), dim=[0]) is NotImplemented
    assert reduce.reduce_sum(x, dim=[0], out_dtype=object()) is NotImplemented
    assert reduce.reduce_sum(normal(4, 4), dim=[0]) is NotImplemented
    assert reduce.reduce_sum(normal(10, 20, 10, 20), dim=[1, 3]) is NotImplemented
    assert reduce.sum_to(x, x.shape) is NotImplemented

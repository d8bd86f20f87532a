"""The error function on the host against the standard library's, and steps."""

import math

import numpy as np
import proa as paddle
import pytest
from proa.ops.math.erf import erf, erfc

POINTS = np.concatenate([np.linspace(-7, 7, 4001), np.geomspace(1e-300, 1, 400), [np.inf, -np.inf, 0.0, -0.0]])
EXACT = np.array([math.erf(v) for v in POINTS])


def test_float64():
    np.testing.assert_allclose(erf(POINTS), EXACT, rtol=1e-15, atol=1e-300)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_short_floats_round_correctly(dtype):
    x = POINTS.astype(dtype)
    exact = np.array([math.erf(v) for v in x.astype("float64")]).astype(dtype)
    result = erf(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, exact)


def test_shapes_and_nan():
    assert erf(np.zeros((0, 3))).shape == (0, 3) and erf(np.array(0.5)).shape == ()
    assert np.isnan(erf(np.array([np.nan]))).all() and np.isnan(erf(np.array([np.nan], "float32"))).all()
    big = np.random.default_rng(0).standard_normal((3, 20000)).T
    assert erf(big).shape == big.shape and erf(big)[7, 2] == erf(big[7:8, 2:3])[0, 0]


def test_the_complement_keeps_its_digits():
    points = np.concatenate([np.linspace(-7, 26, 4001), [1.0, 6.0, 40.0, np.inf, -np.inf]])
    exact = np.array([math.erfc(v) for v in points])
    np.testing.assert_allclose(erfc(points), exact, rtol=1e-12, atol=1e-300)
    short = points.astype("float32")
    exact = np.array([math.erfc(v) for v in short.astype("float64")])
    assert erfc(short).dtype == "float32"
    np.testing.assert_allclose(erfc(short), exact, rtol=1e-6, atol=1e-37)
    assert np.isnan(erfc(np.array([np.nan, 1.0]))[0]) and erfc(np.zeros((0, 2))).shape == (0, 2)


def test_heaviside_of_what_is_no_number_is_0_and_infinity_has_no_slope():
    """As PaddlePaddle and PyTorch have it; NumPy's is NaN."""
    x = paddle.to_tensor([-1.0, 0.0, 2.0, np.nan, np.inf, -np.inf], stop_gradient=False)
    y = paddle.heaviside(x, paddle.full([6], 0.25))
    assert y.tolist() == [0, 0.25, 1, 0, 1, 0]
    y.sum().backward()
    assert x.grad.tolist() == [0] * 6

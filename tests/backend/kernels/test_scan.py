"""Running products, extremes and linear recurrences as loops."""

import numpy as np
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import scan
from proa.core import dtype as dt

pytestmark = needs_loops
SHAPES = [(7, 301), (300, 13), (5, 11, 17), (4, 200)]
ALONG = [(shape, axis) for shape in SHAPES for axis in range(-1, len(shape) - 1)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,axis", ALONG)
def test_running_products(shape, axis, dtype):
    x = normal(*shape, dtype=dtype)
    agree("cumprod", scan.cumprod, x, dim=axis, rtol=0, atol=0)
    agree("exclusive_cumprod", scan.exclusive_cumprod, x, axis=axis, rtol=0, atol=0)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape,axis", ALONG)
def test_linear_recurrences(shape, axis, reverse):
    a, x = normal(*shape), normal(*shape, seed=1) * np.float32(0.8)
    agree("linear_recurrence", scan.recurrence, a, x, axis=axis, reverse=reverse, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape,axis", ALONG)
def test_running_extremes_and_where_they_are(shape, axis, dtype, name):
    x = np.round(normal(*shape, dtype=dtype) * 3)  # equal ones among them
    x.flat[::97] = np.nan
    agree(name, getattr(scan, name), x, axis=axis, dtype=dt.int64)
    agree(name, getattr(scan, name), x, axis=axis, dtype=dt.int32)

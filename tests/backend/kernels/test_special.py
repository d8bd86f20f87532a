"""Special functions as loops, beside the kernels on NumPy arrays."""

import numpy as np
import pytest
from comparing import agree, needs_loops
from proa.backend.kernels import elementwise, special

pytestmark = needs_loops
ENDS = [0.0, -0.0, 1.0, 2.0, -1.0, -2.0, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e30, -1e5 - 0.5, 1e-30, 171.5]


def numbers(dtype):
    random = np.random.default_rng(0)
    return np.concatenate([random.uniform(-20, 60, 3000), random.normal(size=3000), ENDS]).astype(dtype)


@pytest.mark.parametrize("dtype,rtol", [("float32", 3e-7), ("float64", 3e-13)])
@pytest.mark.parametrize("name", ["lgamma", "digamma"])
def test_the_gamma_functions_family(name, dtype, rtol):
    agree(name, getattr(special, name), numbers(dtype), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("dtype,rtol", [("float32", 3e-7), ("float64", 1e-12)])
def test_the_inverse_error_function(dtype, rtol):
    near = 1 - np.logspace(-16, -1, 200)
    x = np.concatenate([np.linspace(-1, 1, 4001), near, -near, np.logspace(-30, -2, 50), [0.0, -0.0, 1.5, np.nan]])
    agree("erfinv", special.erfinv, x.astype(dtype), rtol=rtol, atol=0)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_of_float64(name):
    random = np.random.default_rng(0)
    x = np.concatenate([random.normal(size=4000), random.uniform(-1.6e6, 1.6e6, 4000), [0.0, -0.0],
                        np.arange(-3000, 3000) * (np.pi / 2)])
    found, right = getattr(elementwise, name)(x), getattr(np, name)(x.astype("longdouble"))
    assert np.max(np.abs(found - right) / np.spacing(np.abs(right).astype("float64"))) <= 2
    np.testing.assert_array_equal(np.signbit(found[x == 0]), np.signbit(right[x == 0]))
    assert getattr(elementwise, name)(np.append(x, 1e7)) is NotImplemented

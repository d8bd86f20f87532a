"""The elementary functions of generated loops against NumPy in wider numbers, over the whole range of theirs."""

import math

import numpy as np
import pytest
from proa.backend.loops import is_ready
from proa.backend.loops.functions import Function
from proa.backend.loops.kernel import Kernel

pytestmark = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-44, 3e38, -3e38]
WIDE = np.concatenate([np.linspace(-110, 95, 20001), np.logspace(-30, 3, 2001), -np.logspace(-30, 3, 2001), SPECIAL])
POSITIVE = np.concatenate([np.logspace(-44, 38, 20001), np.linspace(0.5, 2, 20001), SPECIAL])

CASES = {
    "exp": (WIDE, np.exp, 1), "expm1": (WIDE, np.expm1, 2), "log": (POSITIVE, np.log, 1),
    "log1p": (np.concatenate([POSITIVE, -np.linspace(0, 1, 2001)]), np.log1p, 2), "tanh": (WIDE, np.tanh, 2),
    "erf": (WIDE, np.vectorize(math.erf), 2), "sigmoid": (WIDE, lambda x: 1 / (1 + np.exp(-x)), 3),
    "cosh": (WIDE, np.cosh, 4), "atan": (WIDE, np.arctan, 2),
}


def over_elements(expression):
    return Kernel(Function(source=f"def loop(x, out, n):\n    for i in parallel(n, 8):\n        out[i] = {expression}"))


@pytest.mark.parametrize("name", CASES)
def test_elementary_functions_are_within_units_in_the_last_place(name):
    points, reference, units = CASES[name]
    x = points.astype("float32")
    out = np.empty_like(x)
    over_elements(f"{name}(x[i])")(x, out, x.size)
    with np.errstate(all="ignore"):
        right = reference(x.astype("float64"))
        rounded = right.astype("float32")
        error = np.abs(out - right) / np.spacing(np.abs(rounded))
    ordinary = np.isfinite(rounded) & (np.abs(rounded) > 1.2e-38)
    assert error[ordinary].max() <= units
    np.testing.assert_array_equal(out[~np.isfinite(rounded)], rounded[~np.isfinite(rounded)])


WIDE_64 = np.concatenate([np.linspace(-750, 715, 20001), np.linspace(-8, 8, 20001), np.logspace(-300, 3, 3001),
                          -np.logspace(-300, 3, 3001), SPECIAL, [5e-324, -5e-324, 1e-310, 1e308, -1e308, 709.78]])
POSITIVE_64 = np.concatenate([np.logspace(-320, 307, 20001), np.linspace(0.5, 2, 20001), SPECIAL])
CASES_64 = {
    "exp": (WIDE_64, np.exp, 1.2), "expm1": (WIDE_64, np.expm1, 2), "log": (POSITIVE_64, np.log, 1),
    "log1p": (np.concatenate([POSITIVE_64, -np.linspace(0, 1, 2001)]), np.log1p, 2), "tanh": (WIDE_64, np.tanh, 2.2),
    "erf": (WIDE_64, np.vectorize(math.erf), 3), "sigmoid": (WIDE_64, lambda x: 1 / (1 + np.exp(-x)), 2),
    "cosh": (WIDE_64, np.cosh, 3), "atan": (WIDE_64, np.arctan, 2),
}


@pytest.mark.parametrize("name", CASES_64)
def test_elementary_functions_of_float64_are_within_units_in_the_last_place(name):
    points, reference, units = CASES_64[name]
    x = points.astype("float64")
    out = np.empty_like(x)
    over_elements(f"{name}(x[i])")(x, out, x.size)
    with np.errstate(all="ignore"):
        right = reference(x.astype("longdouble"))
        rounded = right.astype("float64")
        error = np.abs(out - right) / np.spacing(np.abs(rounded))
    ordinary = np.isfinite(rounded) & (np.abs(rounded) > 2.3e-308)
    assert error[ordinary].max() <= units
    np.testing.assert_array_equal(out[~np.isfinite(rounded)], rounded[~np.isfinite(rounded)])
    np.testing.assert_allclose(out[~ordinary], rounded[~ordinary], rtol=0,
                               atol=3e-308 if name == "sigmoid" else 1e-323)  # exp(-x) is infinite early
    np.testing.assert_array_equal(np.signbit(out[x == 0]), np.signbit(rounded[x == 0]))


@pytest.mark.parametrize("dtype,units", [("float32", 3), ("float64", 3)])
def test_angles_of_points(dtype, units):
    random = np.random.default_rng(0)
    sides = np.concatenate([random.standard_normal(5000), SPECIAL]).astype(dtype)
    y, x = (np.ascontiguousarray(side.ravel()) for side in np.meshgrid(sides[-200:], sides))
    out = np.empty_like(x)
    Kernel(Function(source="""def loop(y, x, out, n):
    for i in parallel(n, 8):
        out[i] = atan2(y[i], x[i])"""))(y, x, out, x.size)
    right = np.arctan2(y.astype("longdouble"), x.astype("longdouble"))
    known = ~np.isnan(right)
    np.testing.assert_array_equal(np.isnan(out), ~known)
    assert np.all(np.abs(out - right)[known] <= units * np.spacing(np.abs(right[known]).astype(dtype)))
    np.testing.assert_array_equal(np.signbit(out[known]), np.signbit(right[known]))


def test_powers():
    random = np.random.default_rng(0)
    bases = np.concatenate([np.exp(random.uniform(-80, 80, 3000)), -np.exp(random.uniform(-5, 5, 500)),
                            random.uniform(0.9, 1.1, 3000), range(-5, 6), SPECIAL]).astype("float32")
    exponents = np.concatenate([random.uniform(-50, 50, 200), range(-9, 10), np.arange(-3, 3, 0.5), [1e9, 16777215],
                                SPECIAL]).astype("float32")
    x, y = (np.ascontiguousarray(side.ravel()) for side in np.meshgrid(bases, exponents))
    out = np.empty_like(x)
    Kernel(Function(source="""def loop(x, y, out, n):
    for i in parallel(n, 8):
        out[i] = pow(x[i], y[i])"""))(x, y, out, x.size)
    with np.errstate(all="ignore"):
        right = np.power(x.astype("float64"), y.astype("float64"))
        rounded = right.astype("float32")
        error = np.abs(out - right) / np.spacing(np.abs(rounded))
    ordinary = np.isfinite(rounded) & (np.abs(rounded) > 1.2e-38)
    assert error[ordinary].max() <= 0.51
    np.testing.assert_array_equal(out[~np.isfinite(rounded)], rounded[~np.isfinite(rounded)])
    np.testing.assert_array_equal(np.signbit(out), np.signbit(np.where(np.isnan(out), out, rounded)))
    np.testing.assert_allclose(out[np.isfinite(rounded)], rounded[np.isfinite(rounded)], rtol=1e-6, atol=3e-45)


def test_the_share_below_a_number_is_of_bounded_error():
    x = np.linspace(-4, 4, 100_001).astype("float32")
    out = np.empty_like(x)
    over_elements("normal_cdf(x[i])")(x, out, x.size)
    np.testing.assert_allclose(out, (1 + np.vectorize(math.erf)(x.astype("float64") / 2**0.5)) / 2, rtol=0, atol=4e-7)

"""Remainders and whole quotients of floats as loops: NumPy's bits."""

import numpy as np
import pytest
from comparing import needs_loops, normal
from proa.backend.kernels import remainder
from proa.core.flags import flags_guard

pytestmark = needs_loops
BITS = {"float32": "uint32", "float64": "uint64"}


def both(x, y):
    """[(ours, NumPy's)] of the remainder and the quotient, as bits, all NaN alike."""
    found = []
    with np.errstate(all="ignore"), flags_guard({"FLAGS_kernel_after_elements": 0}):
        for ours, theirs in ((remainder.remainder, np.mod), (remainder.floor_divide, np.floor_divide)):
            pair = ours(x, y), theirs(x, y)
            if pair[0] is NotImplemented:
                return NotImplemented
            assert pair[0].dtype == pair[1].dtype and pair[0].shape == pair[1].shape
            found.append([np.where(np.isnan(a), a.dtype.type(np.nan), a).view(BITS[a.dtype.name]) for a in pair])
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("scales", [(1, 1), (100, 1), (1e4, 1e-2), (1, 100), (1e-30, 1e-38)])
def test_bits_are_numpys(dtype, scales):
    x, y = (normal(6000, seed=seed, dtype="float64") * scale for seed, scale in enumerate(scales))
    x[:1500], y[:1500] = np.round(x[:1500]), np.round(y[:1500]) + 0.5
    x[1500:2000] = y[1500:2000] * np.round(normal(500, seed=3) * 50)
    x[2000:2005] = [0.0, -0.0, np.nan, 1e-45, -1e-45]
    for ours, theirs in both(x.astype(dtype), y.astype(dtype)):
        np.testing.assert_array_equal(ours, theirs)


def test_quotients_that_are_rounded_up_to_a_whole_number():
    y = np.abs(normal(4000, dtype="float64")) + 0.5
    x = np.nextafter(y * np.round(np.abs(normal(4000, seed=1)) * 2**30), 0)  # just below a multiple
    for ours, theirs in both(x, y):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("shapes", [((40, 50), ()), ((40, 50), (50,)), ((600, 1), (1, 50)), ((), (2000,))])
def test_operands_broadcast(shapes):
    for ours, theirs in both(normal(*shapes[0]), normal(*shapes[1], seed=1) + np.float32(0.1)):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("x,y", [(1e30, 1e-30), (1.0, 0.0), (1.0, np.inf), (np.inf, 1.0), (1.0, np.nan)])
def test_what_no_quotient_tells_is_left_to_numpy(x, y):
    row = np.ones(2000, "float32")
    assert both(row * np.float32(x), row * np.float32(y)) is NotImplemented

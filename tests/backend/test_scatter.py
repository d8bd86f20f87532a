"""What several values for one place come to, on the host and on a device, in every dtype."""

import numpy as np
import pytest
from devices_of_tests import KIND, registered
from proa.backend import device_type, scatter

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64", "complex64"]
FUNCTIONS = {"add_at": np.add, "multiply_at": np.multiply, "maximum_at": np.maximum, "minimum_at": np.minimum}


@pytest.fixture
def device():
    """The functions on a device's arrays."""
    with registered():
        yield device_type(KIND).namespace


def values(dtype, *shape):
    drawn = np.random.default_rng(len(shape)).integers(-3 if np.dtype(dtype).kind in "ifc" else 0, 4, shape)
    return (drawn * (1 + 2j) if dtype.startswith("complex") else drawn).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_at(name, dtype, device):
    if dtype.startswith("complex") and name in ("maximum_at", "minimum_at"):
        pytest.skip("complex numbers have no order here")
    target, index, new = values(dtype, 4, 3), (np.array([0, 2, 0, -1]), np.array([1, 1, 1, 0])), values(dtype, 4)
    expected = target.copy()
    FUNCTIONS[name].at(expected, index, new)
    for xp in (np, device):
        found = xp.array(xp.asarray(target))
        getattr(scatter, name)(xp, found, tuple(map(xp.asarray, index)), xp.asarray(new))
        np.testing.assert_array_equal(np.asarray(found.get() if xp is device else found), expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["maximum_at", "minimum_at"])
def test_extremes_are_of_every_digit_and_keep_nan(name, dtype, device):
    rng = np.random.default_rng(0)
    target, values = rng.standard_normal(40).astype(dtype), rng.standard_normal(300).astype(dtype)
    target[3], values[::50], values[7], values[8] = np.nan, np.nan, np.inf, -np.inf
    index = (rng.integers(0, 36, 300),)
    expected = target.copy()
    with np.errstate(invalid="ignore"):
        FUNCTIONS[name].at(expected, index, values)
    found = device.asarray(target)
    getattr(scatter, name)(device, found, tuple(map(device.asarray, index)), device.asarray(values))
    np.testing.assert_array_equal(found.get(), expected)


def test_the_last_value_stays(device):
    target, index, new = np.zeros((3, 2)), (np.array([0, 0, 2]), np.array([1, 1, 0])), np.array([1.0, 2.0, 3.0])
    for xp in (np, device):
        found = xp.asarray(target.copy())
        scatter.assign_at(xp, found, tuple(map(xp.asarray, index)), xp.asarray(new))
        assert found.tolist() == [[0, 2], [0, 0], [3, 0]]


def test_nothing_at_no_place(device):
    found = device.ones(3)
    scatter.multiply_at(device, found, device.zeros(0, "int64"), device.zeros(0))
    assert found.tolist() == [1, 1, 1]

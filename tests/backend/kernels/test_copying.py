"""Copies by loops: along channels that lie side by side, and of the nearest elements."""

import numpy as np
import pytest
from proa.backend.kernels import copying
from proa.core.flags import flags_guard

DTYPES = ["float32", "float64", "uint8", "bool", "float16"]


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(copying, "_LEAST", 1)
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        yield


def images(shape, dtype="float32", last=True, seed=0):
    made = np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 200, shape).astype(dtype)
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(made, 1, -1)), -1, 1) if last else made


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(7,), (5, 9), (2, 3, 4)])
@pytest.mark.parametrize("channels", [(3, 1, 24), (64, 16), (24, 24, 24, 24), (16, 17, 40, 16, 33, 20)])
def test_channels_that_lie_side_by_side_are_joined_as_they_lie(dtype, sizes, channels):
    arrays = [images((2, c, *sizes), dtype, seed=n) for n, c in enumerate(channels)]
    found = copying.joined(arrays, 1, False)
    if found is NotImplemented:
        pytest.skip("no loops here")
    np.testing.assert_array_equal(found, np.concatenate(arrays, 1))
    assert np.moveaxis(found, 1, -1).flags.c_contiguous


def test_what_does_not_lie_so_or_does_not_fit_is_left_to_numpy():
    x = images((2, 3, 5, 5))
    others = [images((2, 3, 5, 5), last=False), images((2, 3, 5, 5), "float64"), images((2, 3, 5, 4)),
              images((1, 3, 5, 5)), images((2, 3, 5, 10))[..., ::2]]
    for other in others:
        assert copying.joined([x, other], 1, False) is NotImplemented


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("last", [True, False])
def test_nearest_elements_are_picked(dtype, last):
    x = images((2, 3, 5, 6), dtype, last)
    down, across = np.array([0, 0, 3, 4, 4, 1, 2]), np.array([5, 0])
    found = copying.picked(x, down, across)
    if found is NotImplemented:
        pytest.skip("no loops here")
    np.testing.assert_array_equal(found, x[:, :, down][..., across])
    assert found.dtype == x.dtype and (np.moveaxis(found, 1, -1) if last else found).flags.c_contiguous
    assert copying.picked(x[..., ::2], down, across) is NotImplemented

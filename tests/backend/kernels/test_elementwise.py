"""Sines and cosines of large arrays against NumPy in float64; relu in an array's memory; prelu."""

import numpy as np
import pytest
from comparing import agree, channels_last, normal
from proa.backend import loops
from proa.backend.kernels import elementwise
from proa.backend.loops import same_bits
from proa.backend.loops.kernel import Kernel
from proa.backend.loops.same_bits import SameBits
from proa.core.flags import flags_guard
from proa.ops.core.operator import find

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="llvmlite is not installed")

NEAR_ZEROS = np.concatenate([np.arange(-3000, 3000) * np.pi / 2, [0.0, -0.0, 1e-40, 1073741760.0, -1073741760.0]])
RANGES = {"one turn": 3.2, "many": 1e4, "a thousand million": 1.07e9}


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("extent", RANGES.values(), ids=RANGES)
def test_within_units_in_the_last_place(name, extent):
    x = np.concatenate([np.random.default_rng(0).uniform(-extent, extent, 100_000), NEAR_ZEROS]).astype("float32")
    out = getattr(elementwise, name)(x)
    right = getattr(np, name)(x.astype("float64"))
    error = np.abs(out - right) / np.spacing(np.abs(right).astype("float32"))
    assert error.max() <= 2
    np.testing.assert_array_equal(np.signbit(out), np.signbit(right))


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_small_angles_next_to_zeros(name):
    """All of a block is below 2048: a quarter of a turn is taken off in parts of float32."""
    zeros = np.arange(1, 1304) * (np.pi / 2)
    beside = (zeros.astype("float32").view("int32")[:, None] + np.arange(-8, 9, dtype="int32")).view("float32")
    x = np.concatenate([beside.ravel(), np.random.default_rng(1).uniform(-2048, 2048, 1 << 20).astype("float32"),
                        np.float32([2048, -2048, 1e-30, -1e-40])])
    right = getattr(np, name)(x.astype("float64"))
    error = np.abs(getattr(elementwise, name)(x) - right) / np.spacing(np.abs(right).astype("float32"))
    assert error.max() <= 2


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("value", [1.1e9, -3e38, np.inf, np.nan])
def test_what_is_beyond_is_left_to_numpy(name, value):
    x = np.linspace(0, 1, elementwise.LEAST).astype("float32")
    x[-1] = value
    assert getattr(elementwise, name)(x) is NotImplemented


def test_arrays_whose_elements_do_not_lie_in_order():
    x = np.random.default_rng(0).standard_normal((256, 128)).astype("float32").T
    np.testing.assert_allclose(elementwise.sin(x), np.sin(x), atol=1e-6)


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_relu_by_numpy_and_by_its_loop_gives_the_same_bits(size):
    x = np.resize(np.array([-0.0, 0.0, np.nan, -1, 2, -np.nan, -np.inf, np.inf], "float32"), size)
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        by_loop = elementwise.relu_in_place(x.copy())
    np.testing.assert_array_equal(np.maximum(x, 0).view("i4"), by_loop.view("i4"))


def test_relu_has_its_loop_when_numpy_has_taken_its_time(monkeypatch):
    monkeypatch.setattr(elementwise, "_relu", SameBits(elementwise._relu_in_place, ("f32*", "i64")))
    monkeypatch.setattr(Kernel, "kept", lambda self, *types: None)
    monkeypatch.setattr(same_bits, "WORTH_THE_COMPILER", 0.0)
    monkeypatch.setattr(same_bits, "WORTH_ITS_MAKING", 1.2e-5)
    x = np.linspace(-1, 1, 100000, dtype="float32")
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 40}):
        assert elementwise.relu_function(x.size) is None
        for _ in range(3):
            elementwise.relu_in_place(x)
        assert elementwise.relu_function(x.size) is not None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("after", [0, 8_000_000])
def test_prelu_has_the_bits_of_numpy(dtype, after):
    kernel = find("prelu").kernels.declared[0].kernel
    x = normal(4, 6, 20, 20, dtype=dtype)
    x[0, 0, 0, :4] = np.nan, np.inf, -np.inf, -0.0
    slopes = normal(6, seed=1, dtype=dtype)
    slopes[1] = np.nan
    with flags_guard({"FLAGS_kernel_after_elements": after}):
        for image in x, channels_last(x):
            agree("prelu", kernel, image, slopes, mode="channel", rtol=0, atol=0)
        agree("prelu", kernel, np.moveaxis(x, 1, 3), slopes, mode="channel", data_format="NHWC", rtol=0, atol=0)
        agree("prelu", kernel, x, slopes[:1], mode="all", rtol=0, atol=0)
        agree("prelu", kernel, x, normal(1, 6, 20, 20, seed=2, dtype=dtype), mode="element", rtol=0, atol=0)
        assert kernel(x, slopes[:5], mode="channel") is NotImplemented
        assert kernel(x, slopes.astype("float16"), mode="channel") is NotImplemented

"""layer_norm, group_norm, instance_norm, batch_norm and their shared gradient as loops."""

import numpy as np
import pytest
from comparing import agree, channels_last, needs_loops, normal
from proa.backend.kernels.batch_norm import batch_norm
from proa.backend.kernels.group_norm import group_norm, instance_norm
from proa.backend.kernels.layer_norm import layer_norm
from proa.ops.core.operator import find
from proa.ops.nn.norm import _norm_grad_by_loops as norm_grad

pytestmark = needs_loops
CLOSE = {"rtol": 1e-5, "atol": 1e-4}
DTYPES = ["float32", "float64"]
IMAGES = [(2, 8, 4, 5), (4, 12, 7), (3, 4, 2, 3, 5), (2, 4, 30, 31), (16, 8, 1, 3), (2, 64, 3, 3)]


def parameters(size, dtype, given=True):
    return (normal(size, seed=5, dtype=dtype), normal(size, seed=6, dtype=dtype)) if given else (None, None)


def close(dtype):
    return CLOSE if dtype == "float32" else {"rtol": 1e-10, "atol": 1e-10}


def check_gradient(kind, x, scale, mean, spread, g, **attrs):
    found = agree("norm_grad", norm_grad, x, scale, mean, spread, g, kind=kind, epsilon=1e-5, **attrs,
                  **close(x.dtype.name))
    assert found[0].strides == x.strides or kind != "batch"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("shape,begin", [((64, 10), 1), ((4, 9, 33), 2), ((4, 9, 33), 1), ((1, 300), 1), ((200, 3), 1),
                                         ((300, 100), 1), ((2, 9000), 1)])
def test_layer_norm(shape, begin, given, dtype):
    x, g = normal(*shape, dtype=dtype) * 3 + 2, normal(*shape, seed=1, dtype=dtype)
    scale, bias = parameters(int(np.prod(shape[begin:])), dtype, given)
    _, mean, variance = agree("layer_norm", layer_norm, x, scale, bias, begin_norm_axis=begin, **close(dtype))
    check_gradient("layer", x, scale, mean, variance, g, begin=begin)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("shape", IMAGES)
def test_group_and_instance_norm(shape, given, dtype):
    x, g = normal(*shape, dtype=dtype) + 2, normal(*shape, seed=1, dtype=dtype)
    scale, bias = parameters(shape[1], dtype, given)
    _, mean, variance = agree("group_norm", group_norm, x, scale, bias, groups=4, **close(dtype))
    check_gradient("group", x, scale, mean, variance, g, groups=4)
    _, mean, inverse = agree("instance_norm", instance_norm, x, scale, bias, **close(dtype))
    check_gradient("instance", x, scale, mean, inverse, g, inverted=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("shape", [(2, 64, 17, 19), (1, 320, 33, 8), (3, 12, 5, 9, 24), (2, 36, 700), (2, 4, 80, 80)])
def test_groups_of_channels_side_by_side_stay_so(shape, given, dtype):
    x, g = channels_last(normal(*shape, dtype=dtype) * 3 + 10), normal(*shape, seed=1, dtype=dtype)
    scale, bias = parameters(shape[1], dtype, given)
    y, mean, variance = agree("group_norm", group_norm, x, scale, bias, groups=4, **close(dtype))
    assert y.strides == x.strides
    for gradient in (g, channels_last(g)):
        check_gradient("group", x, scale, mean, variance, gradient, groups=4)
        found = norm_grad(x, scale, mean, variance, gradient, kind="group", groups=4, epsilon=1e-5)
        assert found[0].strides == x.strides
    _, mean, inverse = agree("instance_norm", instance_norm, x, scale, bias, **close(dtype))
    check_gradient("instance", x, scale, mean, inverse, g, inverted=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [np.ascontiguousarray, channels_last])
@pytest.mark.parametrize("shape", [*IMAGES, (64, 10), (64, 130), (3000, 40), (32, 20, 1, 1), (40, 3, 16, 16)])
def test_batch_norm(shape, order, dtype):
    if len(shape) == 2 and order is channels_last:
        pytest.skip("there are no places")
    x, g = order(normal(*shape, dtype=dtype) * 2 + 3), order(normal(*shape, seed=1, dtype=dtype))
    scale, bias = parameters(shape[1], dtype)
    running = normal(shape[1], seed=7, dtype=dtype), np.abs(normal(shape[1], seed=8, dtype=dtype))
    given = x, scale, bias, *running
    y, _, _, mean, inverse = agree("batch_norm", batch_norm, *given, momentum=0.8, **close(dtype))
    assert y.strides == x.strides
    check_gradient("batch", x, scale, mean, inverse, g, inverted=True)
    check_gradient("batch", x, None, mean, inverse, g, inverted=True)
    check_gradient("batch", x, scale, mean, inverse, g, inverted=True, constant=True)
    for attrs in {"is_test": True}, {"use_global_stats": True}, {"is_test": True, "trainable_statistics": True}:
        agree("batch_norm", batch_norm, *given, **attrs, **close(dtype))
    agree("batch_norm", batch_norm, x, None, None, *running, np.array([0.7], dtype), **close(dtype))


@pytest.mark.parametrize("shape", [(4, 5, 6, 8), (50, 60, 8)])
def test_batch_norm_of_channels_named_last(shape):
    x, g = normal(*shape), normal(*shape, seed=1)
    scale, bias = parameters(8, "float32")
    given = x, scale, bias, np.zeros(8, "float32"), np.ones(8, "float32")
    _, _, _, mean, inverse = agree("batch_norm", batch_norm, *given, data_layout="NHWC", **CLOSE)
    check_gradient("batch", x, scale, mean, inverse, g, inverted=True, data_format="NHWC")


@pytest.mark.parametrize("order", [np.ascontiguousarray, channels_last])
def test_a_gradient_in_another_order_is_brought_into_that_of_the_input(order):
    other = channels_last if order is np.ascontiguousarray else np.ascontiguousarray
    x, g = order(normal(2, 8, 4, 5)), other(normal(2, 8, 4, 5, seed=1))
    _, _, _, mean, inverse = find("batch_norm").kernel(np, x, None, None, np.zeros(8, "float32"), np.ones(8, "float32"))
    check_gradient("batch", x, None, mean, inverse, g, inverted=True)
    check_gradient("batch", x, None, mean, inverse, np.broadcast_to(np.float32(2), x.shape), inverted=True)


@pytest.mark.parametrize("shape", [(64, 10), (16, 8, 6, 6), (5000, 6)])
def test_variance_far_from_zero_is_accurate(shape):
    x = normal(*shape) + 1000
    zeros = np.zeros(shape[1], "float32")
    exact = x.astype("float64").var(axis=tuple(n for n in range(len(shape)) if n != 1))
    _, _, _, mean, inverse = batch_norm(x, None, None, zeros, zeros, epsilon=0.0)
    np.testing.assert_allclose(1 / inverse.astype("float64") ** 2, exact, rtol=1e-4)
    if len(shape) == 2:
        np.testing.assert_allclose(layer_norm(x)[2], x.astype("float64").var(1), rtol=1e-4)


@pytest.mark.parametrize("kernel", ["loops", "plain"])
@pytest.mark.parametrize("shape", [(4, 32, 48, 48), (4, 33, 47, 47), (1, 8, 200, 201)])
def test_statistics_of_many_places_round_seldom(shape, kernel):
    """Thousands of additions one after the other would leave errors of 1e-6, which deep networks make larger."""
    x = channels_last(np.maximum(normal(*shape) * np.float32(1e-2) + np.float32(0.3), 0).astype("float32"))
    ones = [np.ones(shape[1], "float32") for _ in range(4)]
    plain = find("batch_norm").kernel
    _, _, _, mean, inverse = batch_norm(x, *ones) if kernel == "loops" else plain(np, x, *ones, None)[:5]
    exact = x.astype("float64")
    np.testing.assert_allclose(mean, exact.mean((0, 2, 3)), 6e-7)
    np.testing.assert_allclose(inverse, 1 / np.sqrt(exact.var((0, 2, 3)) + 1e-5), 6e-7)


def test_values_that_are_not_finite_stay_in_their_row_or_channel():
    x = normal(16, 20)
    x[1, 2], x[3, 4], x[5, 6] = np.nan, np.inf, -np.inf
    agree("layer_norm", layer_norm, x, None, None, **CLOSE)
    agree("batch_norm", batch_norm, x, None, None, np.zeros(20, "float32"), np.ones(20, "float32"), **CLOSE)
    images = x.reshape(4, 4, 4, 5)
    agree("instance_norm", instance_norm, images, None, None, **CLOSE)
    agree("batch_norm", batch_norm, images, None, None, np.zeros(4, "float32"), np.ones(4, "float32"), **CLOSE)


def test_small_and_half_precision_arrays_are_left_to_numpy():
    assert layer_norm(normal(3, 4)) is NotImplemented
    assert layer_norm(normal(64, 64, dtype="float16")) is NotImplemented
    assert group_norm(normal(4, 8, 8, 8), groups=2, data_layout="NHWC") is NotImplemented

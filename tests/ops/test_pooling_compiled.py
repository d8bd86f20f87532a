"""Maxima of windows and their gradient by the compiled form, beside the kernels of NumPy."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest
from proa.ops.core import native
from proa.ops.nn.pool_kernels import max_pool, max_pool_grad
from proa.ops.nn.windows import geometry

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")

WINDOWS = [((2, 2), (2, 2), (0, 0)), ((3, 3), (2, 2), (1, 1)), ((3, 2), (1, 3), (1, 0)), ((1, 1), (2, 2), (0, 0)),
           ((5, 5), (5, 5), (2, 2)), ((2, 3), (2, 3), (0, 1))]


def images(shape, seed=0):
    """[n, c, h, w] with channels side by side, some elements equal."""
    n, c, h, w = shape
    return np.random.RandomState(seed).randint(-4, 5, (n, h, w, c)).astype("float32").transpose(0, 3, 1, 2)


def in_order(x):
    return np.ascontiguousarray(x.transpose(0, 2, 3, 1))


@pytest.mark.parametrize(("kernel", "strides", "pads"), WINDOWS)
@pytest.mark.parametrize("channels", [1, 3, 4, 5, 6, 7, 8, 9, 12, 16, 19])
@pytest.mark.parametrize("size", [(10, 12), (11, 7)])
def test_a_gradient_goes_to_the_first_of_equal_maxima(kernel, strides, pads, channels, size):
    x = images((3, channels, *size))
    geo = geometry("pool", size, kernel, strides, pads, (1, 1))
    out = max_pool(np, x, geo)
    g = images(out.shape, 1)
    found = native.module.pool_gradient(in_order(x), in_order(out), in_order(g), kernel, strides, pads)
    assert np.array_equal(found.transpose(0, 3, 1, 2), max_pool_grad(np, x, out, g, geo))
    pooled = native.module.pool_windows(x, False, False, kernel, strides, pads, geo.out)
    assert np.array_equal(pooled, out) and pooled.strides == in_order(pooled).transpose(0, 3, 1, 2).strides


@pytest.mark.parametrize("channels", [4, 6, 8, 13])
@pytest.mark.parametrize(("kernel", "strides", "pads"), WINDOWS[:3])
def test_means_of_windows(kernel, strides, pads, channels):
    x = images((2, channels, 9, 8))
    geo = geometry("pool", (9, 8), kernel, strides, pads, (1, 1))
    found = native.module.pool_windows(x, True, False, kernel, strides, pads, geo.out)
    expected = F.avg_pool2d(paddle.to_tensor(np.ascontiguousarray(x), dtype="float64"), kernel, strides, pads).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


def test_large_images_are_shared_among_threads():
    x = images((37, 6, 30, 30))
    geo = geometry("pool", (30, 30), (2, 2), (2, 2), (0, 0), (1, 1))
    out = max_pool(np, x, geo)
    g = images(out.shape, 1)
    found = native.module.pool_gradient(in_order(x), in_order(out), in_order(g), (2, 2), (2, 2), (0, 0))
    assert np.array_equal(found.transpose(0, 3, 1, 2), max_pool_grad(np, x, out, g, geo))
    assert np.array_equal(native.module.pool_windows(x, False, False, (2, 2), (2, 2), (0, 0), geo.out), out)


def test_nothing_goes_to_a_window_with_a_nan():
    x = images((1, 4, 4, 4))
    x[0, :, 1, 1] = np.nan
    out = np.array(max_pool(np, x, geometry("pool", (4, 4), (2, 2), (2, 2), (0, 0), (1, 1))))
    found = native.module.pool_gradient(
        in_order(x), in_order(out), np.ones((1, 2, 2, 4), "float32"), (2, 2), (2, 2), (0, 0))
    assert found[0, :2, :2].tolist() == np.zeros((2, 2, 4)).tolist() and found.sum() == 12


def test_what_is_not_such_is_left_to_others():
    x, out = np.zeros((1, 4, 4, 4), "float32"), np.zeros((1, 2, 2, 4), "float32")
    whole = x, out, out, (2, 2), (2, 2), (0, 0)
    assert native.module.pool_gradient(*whole) is not NotImplemented
    for place, wrong in ((0, x.astype("float64")), (0, x[:, ::2]), (0, x[0]), (0, None), (1, out[..., :3]),
                         (2, out[:, :1]), (0, x[:0]), (4, (0, 2)), (4, (9, 9)), (5, (2, 0)), (5, (-1, 0)),
                         (3, ((1 << 63) - 1, 2)), (4, (2, (1 << 63) - 1))):
        given = [*whole]
        given[place] = wrong
        assert native.module.pool_gradient(*given) is NotImplemented
    assert native.module.pool_windows(in_order(x), False, False, (2, 2), (2, 2), (0, 0), (2, 2)) is NotImplemented
    for wrong in (((1 << 63) - 1, 2), (0, 2)):
        assert native.module.pool_windows(
            x.transpose(0, 3, 1, 2), False, False, (2, 2), wrong, (0, 0), (2, 2)) is NotImplemented
    with pytest.raises(TypeError):
        native.module.pool_gradient(x, out, out, 2, (2, 2), (0, 0))


def test_a_layer_trains_alike_whatever_the_memory_order():
    weight = paddle.to_tensor(np.random.RandomState(3).randn(12, 3, 3, 3).astype("float32"), stop_gradient=False)
    bias = paddle.to_tensor(np.random.RandomState(4).randn(12).astype("float32"), stop_gradient=False)
    data = np.random.RandomState(5).randn(4, 3, 16, 16).astype("float32")
    found = []
    for is_last in (False, True):
        x = paddle.to_tensor(data.transpose(0, 2, 3, 1).copy() if is_last else data, stop_gradient=False)
        image = x.transpose([0, 3, 1, 2]) if is_last else x
        loss = F.max_pool2d(F.relu(F.conv2d(image, weight, bias, padding=1)), 3, 2, 1).square().mean()
        loss.backward()
        gradient = x.grad.numpy().transpose(0, 3, 1, 2) if is_last else x.grad.numpy()
        found.append([loss.numpy(), gradient, weight.grad.numpy(), bias.grad.numpy()])
        for each in (weight, bias):
            each.clear_gradient(False)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)

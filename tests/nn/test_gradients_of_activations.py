"""Gradients of activations: of small and large arrays, in any order of dimensions, beside those that are recorded."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest

ACTIVATIONS = {
    "celu": lambda x: F.celu(x, 0.7), "elu": lambda x: F.elu(x, 0.7), "gelu": F.gelu, "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish, "hardtanh": F.hardtanh, "leaky_relu": F.leaky_relu, "log_sigmoid": F.log_sigmoid,
    "mish": F.mish, "relu": F.relu, "relu6": F.relu6, "selu": F.selu, "sigmoid": F.sigmoid, "silu": F.silu,
    "softplus": F.softplus, "softplus of 5": lambda x: F.softplus(x, 2.0, 5.0), "softsign": F.softsign,
    "swish": F.swish, "tanh": paddle.tanh, "tanhshrink": F.tanhshrink}
SHAPES = [(7,), (), (3, 5), (2, 40_000), (2, 6, 90, 80)]


def gradients(function, values, dtype):
    """Of a pass that walks on arrays, and of one that is recorded."""
    x = paddle.to_tensor(values.astype(dtype), stop_gradient=False)
    y = function(x)
    y.backward(paddle.full_like(y, 1.5))
    recorded, = paddle.grad(function(x), [x], paddle.full_like(y, 1.5), create_graph=True)
    return x.grad.numpy(), recorded.numpy()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_both_passes_agree(name, shape):
    values = np.asarray(np.random.default_rng(0).standard_normal(shape) * 4)
    values.flat[:6] = [0, 3.5, -3, 100, -100, 20][:values.size]
    found, recorded = gradients(ACTIVATIONS[name], values, "float32")
    wide, wide_recorded = gradients(ACTIVATIONS[name], values, "float64")
    np.testing.assert_allclose(found, recorded, rtol=2e-5, atol=2e-6)
    np.testing.assert_allclose(wide, wide_recorded, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(found, wide, rtol=3e-5, atol=2e-6)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_memory_orders_agree(name):
    values = np.random.default_rng(1).standard_normal((4, 8, 30, 40)).astype("float32") * 3
    function, found = ACTIVATIONS[name], []
    for is_last in (False, True):
        x = paddle.to_tensor(values.transpose(0, 2, 3, 1).copy() if is_last else values, stop_gradient=False)
        image = x.transpose([0, 3, 1, 2]) if is_last else x
        y = function(image)
        weights = paddle.arange(y.size, dtype="float32").reshape(y.shape) / y.size
        (y * weights).sum().backward()
        found.append(x.grad.numpy().transpose(0, 3, 1, 2) if is_last else x.grad.numpy())
    np.testing.assert_allclose(*found, rtol=1e-5, atol=1e-6)


def test_where_slopes_meet():
    x = paddle.to_tensor([-3.0, 3.0, -2.0, 2.0, 0.0, float("nan")], stop_gradient=False)
    F.hardswish(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [0, 1, -1 / 6, 7 / 6, 0.5, float("nan")], rtol=1e-6)
    x.clear_gradient()
    F.elu(x, 0.5).sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[[1, 3, 4]], [1, 1, 0.5])

"""Gradients of sums: one number under every place of an array, whose strides are all 0."""

import numpy as np
import proa as paddle
import pytest
from proa import static

LAYERS = {
    "layer_norm": (lambda: paddle.nn.LayerNorm(70), [80, 70]),
    "rows": (lambda: paddle.nn.LayerNorm([4]), [100, 4]),
    "batch_norm": (lambda: paddle.nn.BatchNorm2D(4), [2, 4, 8, 8]),
    "group_norm": (lambda: paddle.nn.GroupNorm(2, 4), [2, 4, 8, 8]),
    "instance_norm": (lambda: paddle.nn.InstanceNorm2D(4), [2, 4, 8, 8]),
    "conv": (lambda: paddle.nn.Conv2D(4, 8, 3), [2, 4, 32, 32]),
    "transposed": (lambda: paddle.nn.Conv2DTranspose(4, 8, 3), [2, 4, 16, 16]),
    "linear": (lambda: paddle.nn.Linear(70, 90), [80, 70]),
    "max_pool": (lambda: paddle.nn.MaxPool2D(2), [2, 4, 32, 32]),
    "avg_pool": (lambda: paddle.nn.AvgPool2D(2), [2, 4, 32, 32]),
    "lstm": (lambda: paddle.nn.LSTM(8, 16), [4, 20, 8]),
    "attention": (lambda: paddle.nn.MultiHeadAttention(32, 4), [2, 40, 32]),
    "softmax": (lambda: paddle.nn.Softmax(), [80, 70]),
    "prelu": (lambda: paddle.nn.PReLU(4), [2, 4, 32, 32]),
    "gelu": (lambda: paddle.nn.GELU(), [80, 70]),
}


def _gradients(layer, values, total):
    x = paddle.to_tensor(values, stop_gradient=False)
    y = layer(x)
    total(y[0] if isinstance(y, tuple) else y).backward()
    found = [x.grad, *(p.grad for p in layer.parameters() if p.trainable and p.grad is not None)]
    layer.clear_gradients()
    return [g.numpy() for g in found]


@pytest.mark.parametrize("name", LAYERS)
def test_as_those_of_a_product_with_ones(name):
    make, shape = LAYERS[name]
    paddle.seed(1)
    layer, values = make(), np.random.RandomState(0).randn(*shape).astype("float32")
    # The gradient of a sum through a norm is 0 but for rounding: sums of some thousand terms of 1, in two orders.
    for plain, spread in zip(_gradients(layer, values, lambda y: y.sum()),
                             _gradients(layer, values, lambda y: (y * paddle.ones(y.shape)).sum()), strict=True):
        np.testing.assert_allclose(plain, spread, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("name", LAYERS)
def test_in_a_program(name):
    make, shape = LAYERS[name]
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), static.program_guard(main, startup):
        paddle.seed(1)
        layer, x = make(), static.data("x", shape)
        x.stop_gradient = len(layer.parameters()) > 0
        y = layer(x)
        y = y[0] if isinstance(y, tuple) else y
        wanted = [p for p in layer.parameters() if p.trainable] or [x]
        found = [static.gradients(loss, wanted) for loss in (y.sum(), (y * paddle.ones(y.shape)).sum())]
        exe = static.Executor()
        exe.run(startup)
        feed = {"x": np.random.RandomState(0).randn(*shape).astype("float32")}
        plain = exe.run(main, feed, found[0])
        for a, b in zip(plain, exe.run(main, feed, found[1]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=2e-4)

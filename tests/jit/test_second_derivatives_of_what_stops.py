"""Second derivatives of converted branches and loops in which gradients are stopped: they stop in these, too."""

import numpy as np
import proa as paddle
import pytest

F = paddle.nn.functional


def in_a_branch(x, n):
    y = x
    if n > 1:
        y = y.detach() * y * y
    return y * y


def in_a_loop(x, n):
    y = x
    for _ in range(n):
        y = y.detach() * 0.3 + F.relu(y)
    return (y * y).tanh()


def without_gradients(x, n):
    y = x
    for _ in range(n):
        with paddle.no_grad():
            scale = (y * 0.5).exp()
        y = scale * y * x
    return y


def stopped_outside(x, n):
    y, d = x, x.detach()
    for _ in range(n):
        y = F.relu(y) + 0.3 * d * y * y
    return y


def stopped_by_hand(x, n):
    y = x
    i = paddle.zeros([], "int64")
    while i < n:
        z = paddle.tanh(y)
        z.stop_gradient = True
        if z.sum() > 0:
            y = z * y * y
        else:
            y = y * y - z
        i += 1
    return y


def derivatives(function):
    x = paddle.to_tensor(np.cos(np.arange(6.0)).reshape(2, 3) + 0.2, stop_gradient=False)
    y = function(x, paddle.to_tensor(2))
    [g] = paddle.grad((y * paddle.to_tensor([1.0, 2.0, -1.0], "float64")).sum(), x, create_graph=True)
    return g.numpy(), paddle.grad((g * g).sum(), x)[0].numpy()


@pytest.mark.parametrize("function", [in_a_branch, in_a_loop, without_gradients, stopped_outside, stopped_by_hand])
def test_second_derivatives_stop_where_first_ones_do(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for found, expected in zip(derivatives(converted), derivatives(function), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)

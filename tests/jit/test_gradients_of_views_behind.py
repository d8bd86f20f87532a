"""`paddle.grad` with respect to a view that is behind its base, and through one: in converted code as in eager code."""

import numpy as np
import proa as paddle
import pytest
from proa.autograd import PyLayer


def of_the_view(x):
    y = x * 1.0
    v = y[0]
    y.scale_(2.0)
    return paddle.grad((v * v).sum(), v)


def of_another_shape(x):
    y = x * 1.0
    v = y.reshape([4])
    y.add_(paddle.ones([2, 2]))
    return paddle.grad((v * v).sum(), v)


def of_second_order(x):
    y = x * 1.0
    v = y[0]
    y.scale_(2.0)
    a = (v * v * v).sum()
    (slope,) = paddle.grad(a, v, create_graph=True)
    return [*paddle.grad((slope * slope).sum(), v), *paddle.grad(a, x)]


def of_a_view_of_the_view(x):
    y = x * 1.0
    v = y[0]
    w = v[0]
    y.scale_(2.0)
    return paddle.grad((v * w).sum() + w, w)


def with_what_it_was_when_it_was_read(x):
    y = x * 1.0
    v = y[0]
    y.scale_(2.0)
    a = (v * v).sum()
    y.scale_(3.0)
    return paddle.grad(a + (v * 2).sum(), x)


def read_without_gradients_too(x):
    y = x * 1.0
    v = y[0]
    y[1] *= 2.0
    a = v * v
    with paddle.no_grad():
        b = v * 2
    return paddle.grad(a, v) + [b]


class Threefold(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 3.0

    @staticmethod
    def backward(ctx, dy):
        return dy * 3.0


def through_a_py_layer(x):
    y = x * 1.0
    v = y[0]
    y[1] *= 2.0
    return paddle.grad(Threefold.apply(v), v)


@pytest.mark.parametrize("function", [of_the_view, of_another_shape, of_second_order, of_a_view_of_the_view,
                                      with_what_it_was_when_it_was_read, read_without_gradients_too,
                                      through_a_py_layer])
def test_as_in_eager_code(function):
    def given():
        return paddle.to_tensor([[1.0, 2.0], [3.0, -4.0]], stop_gradient=False)

    for expected, found in zip(function(given()), paddle.jit.to_static(function, full_graph=True)(given()),
                               strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy())


def test_the_gradient_at_the_time_of_reading():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, -4.0]], stop_gradient=False)
    (found,) = paddle.jit.to_static(with_what_it_was_when_it_was_read, full_graph=True)(x)
    assert found.tolist() == [[20.0, 28.0], [0.0, 0.0]]  # 8 x + 12

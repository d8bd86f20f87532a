"""PyLayer: operations with a gradient of the user's own."""

import weakref

import numpy as np
import proa as paddle
import pytest


class Cube(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x, factor=1.0):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x * x * factor

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * x * x * 3.0 * ctx.factor


def test_gradient_is_the_users():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    Cube.apply(x, factor=2.0).backward()
    np.testing.assert_allclose(x.grad.numpy(), [24.0])


def test_second_order():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    [g] = paddle.grad(Cube.apply(x), x, create_graph=True)
    np.testing.assert_allclose(paddle.grad(g, x)[0].numpy(), [12.0])


def test_several_inputs_and_outputs_with_an_unused_one():
    class Two(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            return a + b, a * 2.0

        @staticmethod
        def backward(ctx, d_sum, d_double):
            return d_sum + d_double * 2.0, d_sum

    a = paddle.to_tensor([1.0], stop_gradient=False)
    b = paddle.to_tensor([1.0], stop_gradient=False)
    total, _ = Two.apply(a, b)
    total.backward()
    assert (float(a.grad), float(b.grad)) == (1.0, 1.0)


def test_wrong_number_and_kind_of_gradients():
    class Wrong(Cube):
        @staticmethod
        def backward(ctx, dy):
            return dy, dy

    class NoTensor(Cube):
        @staticmethod
        def backward(ctx, dy):
            return 1.0

    x = paddle.to_tensor([2.0], stop_gradient=False)
    with pytest.raises(ValueError, match="as many gradients"):
        Wrong.apply(x).backward()
    with pytest.raises(TypeError, match="Tensors or None"):
        NoTensor.apply(x).backward()


def test_nothing_recorded_without_need():
    assert Cube.apply(paddle.ones([1])).stop_gradient
    x = paddle.to_tensor([2.0], stop_gradient=False)
    with paddle.no_grad():
        assert Cube.apply(x).stop_gradient


def test_gradient_of_a_gradient_flows_through_a_saved_output():
    class Exp(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            y = paddle.exp(x)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, dy):
            return dy * ctx.saved_tensor()[0]

    x = paddle.to_tensor([0.5], stop_gradient=False)
    [first] = paddle.grad(Exp.apply(x), x, create_graph=True)
    [second] = paddle.grad(first, x)
    np.testing.assert_allclose(second.numpy(), np.exp([0.5]), rtol=1e-6)
    y = Exp.apply(x)
    kept = weakref.ref(y._edge.node)
    del y
    assert kept() is None  # what was saved does not keep the graph that it is part of


def test_gradients_of_stopped_inputs_may_be_left_out_and_lists_be_nested():
    class Product(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, pair, factor):
            return pair[0] * pair[1] * factor

        @staticmethod
        def backward(ctx, dy):
            return [dy * 2.0, dy * 3.0],

    a, b = (paddle.to_tensor([v], stop_gradient=False) for v in (1.0, 2.0))
    Product.apply([a, b], paddle.to_tensor([5.0])).backward()
    assert (float(a.grad), float(b.grad)) == (2.0, 3.0)
    with pytest.raises(ValueError, match="as many gradients"):
        Product.apply([a, b], paddle.to_tensor([5.0], stop_gradient=False)).backward()

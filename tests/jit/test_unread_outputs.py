"""Outputs that a loss does not read: their gradients are none, not zeros, of which more than zeros may come."""

import numpy as np
import proa as paddle
import pytest
from proa.autograd import PyLayer
from proa.distributed.fleet.utils import recompute

EITHER = pytest.mark.parametrize("full_graph", [False, True])


class Decayed(PyLayer):
    """Its gradient has a part that comes whatever gradient is given."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return g * 2.0 + x * 0.1


def _of_a_py_layer(x):
    return Decayed.apply(x * 1.0), x * x * 3.0


def _with_infinite_slopes(x):
    return paddle.sqrt(x), x * x * 1.5 + x * 3.0


def _one_of_another(x):
    a = paddle.sqrt(x)
    return a.sum() * 2.0, Decayed.apply(x), a + x, paddle.tanh(x)


def _recomputed(x):
    return recompute(lambda t: paddle.tanh(t) * paddle.sqrt(t), x), recompute(lambda t: t * paddle.tanh(t), x)


def _in_rounds(x):
    a, b, count = x, x, paddle.zeros([1])
    while count < 2:
        a, b, count = paddle.sqrt(a), paddle.tanh(b) * b, count + 1
    return a, b * 2.0


def _in_a_branch(x):
    a, b = x, x
    if x.sum() > 0:
        a, b = paddle.sqrt(a), paddle.tanh(b)
    return a, b * 2.0


def _one_value_twice(x):
    a = x * 2.0
    if x.sum() > 0:
        a = paddle.tanh(a)
    return a, a, (a * a).sum() + a.sum() + x.sum() * x.sum()


def _at_random(x):
    kept = paddle.nn.functional.dropout(x, 0.5)
    return paddle.sqrt(kept), kept * x


@EITHER
@pytest.mark.parametrize("function", [_of_a_py_layer, _with_infinite_slopes, _one_of_another, _recomputed, _in_rounds,
                                      _in_a_branch, _one_value_twice, _at_random])
def test_gradients_of_the_last_output_alone(function, full_graph):
    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=full_graph)):
        x, again = (paddle.to_tensor([0.0, 0.5, 1.0], stop_gradient=False) for _ in range(2))
        paddle.seed(3)
        run(x)[-1].sum().backward()
        paddle.seed(3)
        [slope] = paddle.grad(run(again)[-1].sum(), again, create_graph=True)
        (slope * slope).sum().backward()
        found.append((x.grad.numpy(), slope.numpy(), again.grad.numpy()))
        assert np.isfinite(found[-1]).all()
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


@EITHER
def test_second_derivatives_beside_parameters(full_graph):
    """The gradient of `w` is computed, and nothing is computed from it."""
    w = paddle.to_tensor([1.0, -2.0], stop_gradient=False)

    def function(x):
        return Decayed.apply(x) * w

    found = []
    for run in (function, paddle.jit.to_static(function, full_graph=full_graph)):
        x = paddle.to_tensor([0.5, 1.0], stop_gradient=False)
        [slope] = paddle.grad(run(x).sum(), x, create_graph=True)
        (slope * slope).sum().backward()
        found.append(x.grad.numpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
    np.testing.assert_allclose(found[0], [0.41, -0.78], rtol=1e-6)


def test_a_loaded_model(tmp_path):
    class Net(paddle.nn.Layer):
        def forward(self, x):
            return _with_infinite_slopes(x)

    prefix = str(tmp_path / "model")
    paddle.jit.save(Net(), prefix, input_spec=[paddle.static.InputSpec([3], "float32")])
    x = paddle.to_tensor([0.0, 0.5, 1.0], stop_gradient=False)
    paddle.jit.load(prefix)(x)[1].sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [3.0, 4.5, 6.0])


@pytest.mark.parametrize("plain", [_one_of_another, _one_value_twice])
def test_outputs_read_in_turn(plain):
    run = paddle.jit.to_static(plain, full_graph=True)
    for chosen in ([0], [1], [0, 2], [1, 2], [0, 1, 2], [2], [0]):
        found = []
        for function in (plain, run):
            x = paddle.to_tensor([0.3, 0.5, 1.0], stop_gradient=False)
            results = function(x)
            loss = sum(results[index].sum() for index in chosen)
            [slope] = paddle.grad(loss, x, create_graph=True)
            (loss + (slope * slope).sum()).backward()
            found.append(x.grad.numpy())
        # second derivatives of tanh: fused, its 1 - y * y is rounded once less, and differs where it is small
        np.testing.assert_allclose(found[1], found[0], rtol=5e-6, err_msg=str(chosen))

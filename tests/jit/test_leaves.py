"""Tensors that a converted function makes and tells to have gradients: they get these as without conversion."""

import warnings

import numpy as np
import proa as paddle
import pytest

X = np.array([0.5, -1.5], "float32")


def constant(x):
    c = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    return (x * c * c).sum(), c


def of_numpy(x):
    return x * paddle.to_tensor(np.ones(2, "float32"), stop_gradient=False)


def told_later(x):
    c = paddle.full([2], 0.5)
    c.stop_gradient = False
    return {"y": (x * c).sum(), "c": c}


def detached(x):
    q = (x * 2.0).detach()
    q.stop_gradient = False
    return (q * x).sum(), q, x * 3.0


def unused(x):
    return x * 2.0, paddle.to_tensor(1.0, stop_gradient=False)


def derivative_inside(x):
    q = paddle.to_tensor([0.5, 1.0], stop_gradient=False)
    [d] = paddle.grad((x * q * q).sum(), q, create_graph=True)
    return d, q


def of_values(x):
    c = paddle.to_tensor([x[0], 1.0], stop_gradient=False)
    return (x * c).sum(), c


def copied(x):
    c = paddle.to_tensor(x * 2.0, stop_gradient=False)
    return (x * c).sum(), c


def leaves_of(result):
    result = list(result.values()) if isinstance(result, dict) else result
    return list(result) if isinstance(result, (list, tuple)) else [result]


def run(function, wanted):
    x = paddle.to_tensor(X, stop_gradient=not wanted)
    found = []
    for _ in range(2):  # what a run has made is not what the next one makes
        results = leaves_of(function(x))
        stopped = [r.stop_gradient for r in results]
        if not results[0].stop_gradient:
            (results[0].sum() * 3.0 + sum(r.sum() for r in results)).backward()
        found.append((stopped, [r.numpy() for r in results],
                      [None if t.grad is None else t.grad.numpy() for t in [x, *results]]))
    return found


@pytest.mark.parametrize("wanted", [False, True])
@pytest.mark.parametrize("function", [constant, of_numpy, told_later, detached, of_values, copied,
                                       unused, derivative_inside])
def test_leaves_get_gradients(function, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = run(paddle.jit.to_static(function, full_graph=True), wanted)
    for (stopped, values, gradients), (stopped_then, values_then, gradients_then) in zip(
            found, run(function, wanted), strict=True):
        assert stopped == stopped_then
        for a, b in zip([*values, *gradients], [*values_then, *gradients_then], strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_copy_is_told_too():
    x = paddle.ones([2])
    assert not paddle.to_tensor(x, stop_gradient=False).stop_gradient
    assert not paddle.to_tensor([x, x], "float64", stop_gradient=False).stop_gradient
    assert paddle.to_tensor(x).stop_gradient


def test_nothing_is_recorded_under_no_grad():
    with paddle.no_grad():
        y, c = paddle.jit.to_static(constant, full_graph=True)(paddle.to_tensor(X))
    assert y.stop_gradient


def test_a_gradient_of_such_a_gradient():
    function = paddle.jit.to_static(constant, full_graph=True)
    y, c = function(paddle.to_tensor(X, stop_gradient=False))
    [d] = paddle.grad(y, c, create_graph=True)
    np.testing.assert_allclose(d.numpy(), 2 * X * [1.0, 2.0], rtol=1e-6)
    np.testing.assert_allclose(paddle.grad(d.sum(), c)[0].numpy(), 2 * X, rtol=1e-6)

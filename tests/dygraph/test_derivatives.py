"""Jacobians and Hessians: values and shapes that PaddlePaddle 2.6.2 gives, laziness, and what is refused."""

import numpy as np
import proa as paddle
import pytest
from proa.autograd import hessian, jacobian
from proa.incubate import autograd as functional


def counting(*shape):
    values = np.arange(1, 1 + int(np.prod(shape)), dtype="float32").reshape(shape)
    return paddle.to_tensor(values, stop_gradient=False)


def whole(value):
    return np.asarray(value if not value.shape else value[...])


def test_of_a_vector():
    x = counting(2)
    np.testing.assert_array_equal(whole(jacobian(x * x, x)), [[2, 0], [0, 4]])
    np.testing.assert_array_equal(whole(jacobian((x * x).sum(), x)), [2, 4])
    scalar = counting()
    assert float(jacobian(scalar * scalar, scalar)) == 2


def test_of_a_batch():
    x = counting(2, 2)
    found = jacobian(x * x, x, batch_axis=0)
    assert found.shape == [2, 2, 2]
    np.testing.assert_array_equal(whole(found), [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])
    np.testing.assert_array_equal(found[:, 1].numpy(), [[0, 4], [0, 8]])
    np.testing.assert_array_equal(found[1, 1].numpy(), [0, 8])


def test_of_several():
    x, y = counting(2), counting(3)
    (of_x, of_y), (none, twice) = jacobian((x.sum() * y, y * 2), (x, y))
    np.testing.assert_array_equal(whole(of_x), [[1, 1], [2, 2], [3, 3]])
    np.testing.assert_array_equal(whole(of_y), 3 * np.eye(3))
    np.testing.assert_array_equal(whole(none), np.zeros((3, 2)))
    np.testing.assert_array_equal(whole(twice), 2 * np.eye(3))


def test_a_row_is_computed_when_it_is_used():
    x = counting(3)
    found = jacobian(x * x, x)
    assert not found._rows
    np.testing.assert_array_equal(found[-1].numpy(), [0, 0, 6])
    assert list(found._rows) == [2]
    assert float(found[1, 1]) == 4
    with pytest.raises(IndexError, match="3 rows"):
        found[3]


def test_it_is_computed_with_as_a_tensor_is():
    x = counting(2)
    found = jacobian(x * x, x)
    np.testing.assert_array_equal((found + 1).numpy(), [[3, 1], [1, 5]])
    np.testing.assert_array_equal((1 - found).numpy(), [[-1, 1], [1, -3]])
    np.testing.assert_array_equal(found.sum().numpy(), 6)
    assert (found == found[:]).all() and not (found != found).any() and found in [found]
    assert (found < 3).tolist() == [[True, True], [True, False]] == (4 > found).tolist()
    again = paddle.grad(found[:].sum(), x)[0]
    np.testing.assert_array_equal(again.numpy(), [2, 2])


def test_hessians():
    x, y = counting(2), counting(3)
    np.testing.assert_array_equal(whole(hessian((x * x * x).sum(), x)), [[6, 0], [0, 12]])
    (xx, xy), (yx, yy) = hessian((x.sum() * y).sum(), (x, y))
    np.testing.assert_array_equal(whole(xx), np.zeros((2, 2)))
    np.testing.assert_array_equal(whole(xy), np.ones((2, 3)))
    np.testing.assert_array_equal(whole(yx), np.ones((3, 2)))
    np.testing.assert_array_equal(whole(yy), np.zeros((3, 3)))
    batch = counting(2, 2)
    np.testing.assert_array_equal(whole(hessian((batch * batch * batch).sum(1), batch, batch_axis=0)),
                                  [[[6, 0], [0, 12]], [[18, 0], [0, 24]]])


def test_what_is_refused():
    x, square = counting(2), counting(2, 2)
    with pytest.raises(ValueError, match="dimensions"):
        jacobian(square * square, square)
    with pytest.raises(ValueError, match="one value"):
        hessian(x * x, x)
    with pytest.raises(ValueError, match="batch_axis"):
        jacobian(x * x, x, batch_axis=1)
    with pytest.raises(TypeError, match="Tensors"):
        jacobian(x * x, 3)


def test_products():
    x = counting(2, 2)

    def squared(m):
        return paddle.matmul(m, m)

    ys, found = functional.vjp(squared, x)
    np.testing.assert_array_equal(ys.numpy(), [[7, 10], [15, 22]])
    np.testing.assert_array_equal(found.numpy(), [[7, 11], [9, 13]])
    np.testing.assert_array_equal(functional.vjp(squared, x, x)[1].numpy(), [[15, 25], [25, 45]])
    np.testing.assert_array_equal(functional.jvp(squared, x)[1].numpy(), [[7, 9], [11, 13]])
    a, b = counting(2), counting(2)
    np.testing.assert_array_equal(functional.jvp(lambda a, b: a * b, [a, b], [a, b])[1].numpy(), [2, 8])
    (product, total), (of_a, of_b) = functional.vjp(lambda a, b: (a * b, a + b), [a, b], [a, b])
    np.testing.assert_array_equal(of_a.numpy(), [2, 6])
    np.testing.assert_array_equal(of_b.numpy(), [2, 6])
    with pytest.raises(ValueError, match="shapes"):
        functional.vjp(squared, x, a)


def test_derivatives_of_functions():
    a, x = counting(2), counting(2, 2)
    np.testing.assert_array_equal(functional.Jacobian(lambda a, b: a * b, [a, a])[:].numpy(),
                                  [[1, 0, 1, 0], [0, 2, 0, 2]])
    assert functional.Jacobian(lambda m: m * m, x).shape == (4, 4)
    np.testing.assert_array_equal(functional.Jacobian(lambda m: m * m, x, is_batched=True)[:].numpy(),
                                  [[[2, 0], [0, 4]], [[6, 0], [0, 8]]])
    np.testing.assert_array_equal(functional.Hessian(lambda m: (m * m * m).sum(), x)[:].numpy(),
                                  np.diag([6.0, 12, 18, 24]))
    np.testing.assert_array_equal(
        functional.Hessian(lambda m: (m * m * m).sum(1, keepdim=True), x, is_batched=True)[:].numpy(),
        [[[6, 0], [0, 12]], [[18, 0], [0, 24]]])
    with pytest.raises(ValueError, match="one value"):
        functional.Hessian(lambda m: m, x)


def test_forward_gradients():
    x = counting(2)
    y = x * x
    np.testing.assert_array_equal(functional.forward_grad(y, x).numpy(), [2, 4])
    np.testing.assert_array_equal(functional.grad(y, x).numpy(), [2, 4])


@pytest.mark.parametrize("function", [functional.forward_grad, functional.grad])
def test_gradients_of_what_keeps_nothing_to_derive(function):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data("x", [2])
        with pytest.raises(ValueError, match=r"stop_gradient must be False before .* True of \['x'\]"):
            function(x * x, x)


_HOLOMORPHIC = {
    name: getattr(paddle, name)
    for name in "exp expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh cosh tanh "
                "asinh acosh atanh stanh logit logsumexp prod cumprod".split()
} | {
    name: getattr(paddle.nn.functional, name) for name in "sigmoid silu swish log_sigmoid softmax log_softmax".split()
} | {
    "a power": lambda x: x ** 2.5, "a complex power": lambda x: paddle.pow(x, paddle.to_tensor(2 + 1j)),
    "a power of 2": lambda x: 2.0 ** x, "scale": lambda x: paddle.scale(x, 2 + 1j),
    "cross": lambda x: paddle.cross(x, x * x), "addmm": lambda x: paddle.addmm(x[:, None], x[:, None], x[None, :1]),
    "convolution": lambda x: paddle.nn.functional.conv1d(x[None, None], (x * x)[None, None, :2]),
}


@pytest.mark.parametrize("name", _HOLOMORPHIC)
def test_the_gradient_of_a_complex_number_is_the_conjugate_of_the_slope(name):
    function = (lambda x: paddle.cumprod(x, 0)) if name == "cumprod" else _HOLOMORPHIC[name]
    start, step = np.array([0.3 + 0.6j, 0.7 + 0.2j, 0.5 + 0.4j]), np.array([0.6 - 0.3j, -0.2 + 0.5j, 0.4 + 0.7j]) * 1e-6
    x = paddle.to_tensor(start, stop_gradient=False)
    y = function(x)
    weight = np.arange(1, 1 + y.size).reshape(y.shape) * (0.5 + 1.5j)
    [gradient] = paddle.grad(y, x, [paddle.to_tensor(weight)])

    def loss(at):
        return (weight.conj() * function(paddle.to_tensor(at)).numpy()).real.sum()

    grown = loss(start + step) - loss(start - step)
    np.testing.assert_allclose(2 * (gradient.numpy().conj() * step).real.sum(), grown, rtol=1e-6)


def test_a_loss_that_is_real_falls_along_the_gradient_of_a_complex_parameter():
    x = paddle.to_tensor(np.array([0.5 + 2.0j, -1.0 + 0.5j]), stop_gradient=False)
    losses = []
    for _ in range(200):
        loss = paddle.abs(paddle.exp(x) - (1 + 1j)).square().sum()
        losses.append(float(loss))
        [gradient] = paddle.grad(loss, x)
        x = (x - gradient * 0.05).detach()
        x.stop_gradient = False
    assert losses[-1] < 1e-6 < losses[0]


def test_second_gradients_of_a_complex_function_and_those_in_a_program():
    x = paddle.to_tensor(np.array([0.3 + 0.6j]), stop_gradient=False)
    [first] = paddle.grad(paddle.sin(x), x, create_graph=True)
    np.testing.assert_allclose(first.numpy(), np.cos(x.numpy()).conj())
    [second] = paddle.grad(first, x)
    np.testing.assert_allclose(second.numpy(), -np.sin(x.numpy()).conj())

    @paddle.jit.to_static
    def slope(x):
        return paddle.grad(paddle.sin(x).sum(), x)[0]

    np.testing.assert_allclose(slope(x).numpy(), np.cos(x.numpy()).conj())


@pytest.mark.parametrize("batch", [2, None])
def test_in_a_program(batch):
    static, values = paddle.static, np.arange(1.0, 7.0, dtype="float32").reshape(2, 3)
    main = static.Program()
    paddle.enable_static()
    try:
        with static.program_guard(main, static.Program()):
            x, v = static.data("x", [batch, 3]), static.data("v", [3])
            x.stop_gradient = v.stop_gradient = False
            first, second = jacobian(x * x, x, batch_axis=0), hessian((x ** 3).sum(1), x, batch_axis=0)
            fetched = [first[:], first[:, 1], second[:], jacobian(v * v, v)[:], hessian((v ** 3).sum(), (v,))[0][0][:],
                       jacobian(v * 2.0, v)[0]]
            with pytest.raises(ValueError, match="the size must be known"):
                jacobian(static.data("long", [None]), v)
        found = static.Executor().run(main, feed={"x": values, "v": values[0]}, fetch_list=fetched)
    finally:
        paddle.disable_static()
    each = np.stack([np.diag(row) for row in values])
    for value, wanted in zip(found, [2 * each, 2 * each[:, 1], 6 * each, 2 * each[0], 6 * each[0], [2.0, 0.0, 0.0]],
                             strict=True):
        np.testing.assert_allclose(value, wanted, rtol=1e-6)


def test_a_constant_gradient_of_a_recorded_computation_asks_for_gradients():
    """So that what is computed of it takes hooks and `backward`, as in PaddlePaddle; what it started from does not."""
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    start = paddle.ones([2])
    for y, given in ((x.sum(), None), (x * 2, start), (x, start)):
        gradient, = paddle.grad(y, x, given, create_graph=True)
        assert not gradient.stop_gradient and start.stop_gradient and gradient is not start
        seen = []
        gradient.register_hook(seen.append)
        (gradient * 3).sum().backward()
        assert seen[0].tolist() == [3.0, 3.0] and x.grad is None
        assert paddle.grad(y, x, given)[0].stop_gradient
        assert paddle.grad(gradient.sum(), x, allow_unused=True) == [None]

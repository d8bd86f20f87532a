"""batch_norm of one element for each channel: as PaddlePaddle 1.8.5 and 2.6.2, it is left as it is."""

import numpy as np
import proa as paddle
import pytest
from proa import static

X = np.array([[1.0, 2.0, 3.0, 4.0]], "float32")


@pytest.mark.parametrize(("width", "shape"), [(4, [1, 4]), (4, [1, 4, 1, 1]), (600, [1, 600, 1, 1])])
def test_values_gradients_and_running_statistics(width, shape):
    norm = paddle.nn.BatchNorm1D(width) if len(shape) == 2 else paddle.nn.BatchNorm2D(width)
    norm.bias.set_value(paddle.full([width], 0.5))
    values = np.arange(width, dtype="float32").reshape(shape)
    x = paddle.to_tensor(values, stop_gradient=False)
    y = norm(x)
    (y * y).sum().backward()
    np.testing.assert_array_equal(y.numpy(), values)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * values)
    assert not norm.weight.grad.numpy().any() and not norm.bias.grad.numpy().any()
    assert not norm._mean.numpy().any() and (norm._variance.numpy() == 1).all()
    norm.eval()
    np.testing.assert_allclose(norm(x).numpy(), values / np.sqrt(1 + 1e-5) + 0.5, rtol=1e-6)


def test_second_order():
    norm, x = paddle.nn.BatchNorm1D(4), paddle.to_tensor(X, stop_gradient=False)
    (slope,) = paddle.grad((norm(x) ** 3).sum(), x, create_graph=True)
    slope.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 6 * X)


@pytest.mark.parametrize("rows", [1, 3])
def test_second_order_in_a_program(rows):
    main, startup, exe = static.Program(), static.Program(), static.Executor()
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()), static.program_guard(main, startup):
            x = static.data("x", [None, 4])
            x.stop_gradient = False
            y = static.nn.batch_norm(x)
            (slope,) = static.gradients((y ** 3).sum(), [x])
            (bend,) = static.gradients((slope * slope).sum(), [x])
            exe.run(startup)
            fed = np.concatenate([X, X**2, 1 - X])[:rows]
            found = exe.run(main, feed={"x": fed}, fetch_list=[y, slope, bend])
    finally:
        paddle.disable_static()
    norm, x = paddle.nn.BatchNorm1D(4), paddle.to_tensor(fed, stop_gradient=False)
    y = norm(x)
    (slope,) = paddle.grad((y ** 3).sum(), x, create_graph=True)
    (slope * slope).sum().backward()
    for value, expected in zip(found, (y, slope, x.grad), strict=True):
        np.testing.assert_allclose(value, expected.numpy(), rtol=1e-4, atol=1e-5)

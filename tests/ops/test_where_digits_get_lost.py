"""Functions where a formula that is right on paper loses digits, or the range: near 0, near a pole, far out."""

import math

import numpy as np
import proa as paddle
import pytest
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.math.cumulative import logcumsumexp_op


@pytest.mark.parametrize("count", [1, 600])
def test_gamma_functions_beside_a_pole(count):
    x = np.repeat([-1e-30, 1e-30, -3.9999999, -0.3], count)
    tensor = paddle.to_tensor(x)
    np.testing.assert_allclose(paddle.lgamma(tensor), [math.lgamma(v) for v in x], rtol=1e-14)
    np.testing.assert_allclose(paddle.digamma(tensor)[:2 * count], -1 / x[:2 * count], rtol=1e-14)


def test_bessel_functions_of_order_1_near_0():
    x = paddle.to_tensor([0.0, 1e-30, -1e-8], "float64", stop_gradient=False)
    y = paddle.i1(x)
    np.testing.assert_allclose(y, [0.0, 5e-31, -5e-9], rtol=1e-14)
    y.sum().backward()
    np.testing.assert_allclose(x.grad, 0.5, rtol=1e-13)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("flatten", [False, True])
def test_gradient_of_running_sums_of_exponentials(flatten, exclusive, reverse):
    rng = np.random.default_rng(0)
    x, weights = rng.standard_normal((3, 4)), rng.standard_normal(12 if flatten else (3, 4))

    def loss(values):
        y = apply(logcumsumexp_op, values, axis=0, flatten=flatten, exclusive=exclusive, reverse=reverse)
        return paddle.where(paddle.isfinite(y), y * paddle.to_tensor(weights), paddle.zeros_like(y)).sum()

    tensor = paddle.to_tensor(x, stop_gradient=False)
    loss(tensor).backward()
    moved = [(loss(paddle.to_tensor(x + step)) - loss(paddle.to_tensor(x - step))).item() / 2e-6
             for step in np.eye(12).reshape(12, 3, 4) * 1e-6]
    np.testing.assert_allclose(tensor.grad.numpy().reshape(-1), moved, atol=1e-7)


def test_gradient_of_running_sums_of_large_exponentials():
    x = paddle.to_tensor([1000.0, -5.0, 1000.0, 3.0], "float64", stop_gradient=False)
    paddle.logcumsumexp(x).sum().backward()
    np.testing.assert_allclose(x.grad, [3.0, 0.0, 1.0, 0.0], rtol=1e-13)


def test_a_power_of_a_negative_number_has_no_slope_in_its_exponent():
    x, y = paddle.to_tensor([-2.0, 0.0, 1.0]), paddle.to_tensor([2.0, 3.0, 2.0], stop_gradient=False)
    with np.errstate(invalid="ignore"):
        (x ** y).sum().backward()
    np.testing.assert_array_equal(y.grad, [np.nan, 0.0, 0.0])


@pytest.mark.usefixtures("as_around_kernels")
@pytest.mark.parametrize("count", [1, 5000, 50000])
def test_sigmoid_far_below_0(count):
    x = paddle.to_tensor(np.full(count, -200.0, "float32"))
    assert not paddle.nn.functional.sigmoid(x).any() and not paddle.nn.functional.silu(x).any()
    assert not find("sigmoid").kernel(np, x.numpy()).any()


@pytest.mark.parametrize("equation", ["i,i->", "ij,ij->", "ni,nj->ij"])
def test_sums_of_products_of_millions_of_numbers(equation):
    count, tenth = 1 << 20, float(np.float32(0.1))
    x = paddle.full([count] if equation == "i,i->" else [count, 1], 0.1)
    got = paddle.einsum(equation, x, x)
    np.testing.assert_allclose(float(got), count * tenth * tenth, rtol=1e-3)  # one sum after the other: 1e-2
    row, column = x.reshape([1, count]), x.reshape([count, 1])
    np.testing.assert_allclose(float(row @ column), count * tenth * tenth, rtol=1e-3)


@pytest.mark.parametrize("shape", [[4], [], [1, 4]])
@pytest.mark.parametrize("of", ["sum", "mean"])
def test_the_gradient_of_what_is_added_to_a_million_rows(of, shape):
    rows, weight = 1 << 20, float(np.float32(0.1))
    bias = paddle.zeros(shape)
    bias.stop_gradient = False
    getattr((paddle.zeros([rows, 4]) + bias) * 0.1, of)().backward()
    times = rows * (4 if shape == [] else 1) / (1 if of == "sum" else rows * 4)
    assert bias.grad.shape == shape
    np.testing.assert_allclose(bias.grad, np.full(shape, weight * times), rtol=1e-5)  # row after row: 1e-2

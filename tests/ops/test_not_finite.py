"""Decompositions of matrices with a NaN or an infinity: LAPACK may not come back from them."""

import numpy as np
import proa as paddle
import pytest

CALLS = {
    "svd": paddle.linalg.svd, "pinv": paddle.linalg.pinv, "matrix_rank": paddle.linalg.matrix_rank,
    "eigh": paddle.linalg.eigh, "eigvalsh": paddle.linalg.eigvalsh,
    "lstsq": lambda x: paddle.linalg.lstsq(x, paddle.ones([3, 1])),
    "pinv(x)": lambda x: paddle.linalg.pinv(x, hermitian=True),
    "matrix_rank(x)": lambda x: paddle.linalg.matrix_rank(x, hermitian=True),
}


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("name", CALLS)
def test_they_are_refused(name, value):
    x = paddle.eye(3)
    x[1, 1] = value
    with pytest.raises(ValueError, match="hold a NaN or an infinity"):
        CALLS[name](x)


def test_the_gradient_of_a_determinant_is_not_a_number():
    x = paddle.to_tensor([[1.0, float("inf")], [0.0, 1.0]], stop_gradient=False)
    with np.errstate(invalid="ignore"):
        paddle.linalg.det(x).backward()
    assert x.grad.isnan().all().item()


def test_a_target_that_is_not_a_number_counts_in_kl_div():
    target = paddle.to_tensor([float("nan"), 0.0, 1.0])
    loss = paddle.nn.functional.kl_div(paddle.ones([3]), target, reduction="none")
    assert loss.isnan().tolist() == [True, False, False]


def test_the_slope_of_a_root_of_clipped_numbers():
    def f(x):
        return paddle.sqrt(x.clip(0)).sum() + paddle.sqrt(x.clip(0.0, 1.0)).sum()

    for call in (f, paddle.jit.to_static(f, full_graph=True)):
        x = paddle.to_tensor([-1.0, 0.0, 0.25, 4.0], stop_gradient=False)
        call(x).backward()
        assert x.grad.tolist() == [0.0, 0.0, 2.0, 0.25]


INFINITE = [-np.inf, -2.0, 0.0, 0.25, 0.5, 2.0, np.inf]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("function", "start", "wanted"), [
    (paddle.trunc, np.inf, [0.0] * 7), (paddle.floor, np.nan, [0.0] * 7), (paddle.sign, np.inf, [0.0] * 7),
    (paddle.frac, np.inf, [np.inf] * 7),
    (lambda x: paddle.heaviside(x, paddle.zeros_like(x)), 1.0, [0.0] * 7),
    (lambda x: paddle.logit(x, 0.3), np.inf, [0.0, 0.0, 0.0, 0.0, np.inf, 0.0, 0.0]),
    (paddle.tanh, np.inf, [np.nan, *[np.inf] * 5, np.nan]),
    (paddle.nn.functional.hardswish, 3.0, [0.0, -0.5, 1.5, 1.75, 2.0, 3.5, 3.0]),
    (lambda x: paddle.nn.functional.interpolate(x.reshape([1, 1, -1, 7]), [x.size // 7, 3]), np.inf,
     [np.inf, 0.0, np.inf, 0.0, np.inf, 0.0, 0.0])])
def test_what_has_no_slope_gives_0_whatever_comes_from_above(function, start, wanted, dtype):
    for repeats in (1, 500):  # small arrays, and those that loops compute
        x = paddle.to_tensor(np.tile(INFINITE, repeats), dtype=dtype, stop_gradient=False)
        y = function(x)
        y.backward(paddle.full_like(y, start))
        np.testing.assert_allclose(x.grad[:7], wanted, rtol=2e-3 if dtype == "float16" else 1e-6)


def _exponents(x):
    return x ** paddle.to_tensor([0.0, 1.0, 2.0], "float64")


@pytest.mark.parametrize(("function", "first", "second"), [
    (_exponents, [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]), (lambda x: x ** 0.0, [0.0] * 3, None),
    (paddle.i1, [0.5] * 3, [0.0] * 3), (paddle.i1e, [0.5] * 3, [0.0] * 3),
    (lambda x: paddle.complex(x, x * 2.0).abs(), [0.0] * 3, [0.0] * 3),
    (lambda x: paddle.sgn(paddle.complex(x, x * 2.0)).real(), [0.0] * 3, [0.0] * 3)])
def test_slopes_at_0_of_what_divides_by_it(function, first, second):
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.zeros([3], "float64")
        x.stop_gradient = False
        slope, = paddle.grad(call(x).sum(), x, create_graph=True)
        np.testing.assert_allclose(slope.numpy(), first, atol=1e-12)
        if second is not None:
            np.testing.assert_allclose(paddle.grad(slope.sum(), x)[0].numpy(), second, atol=1e-12)


def test_the_third_slope_of_i1_at_0():
    x = paddle.zeros([1], "float64")
    x.stop_gradient = False
    slope = paddle.i1(x)
    for _ in range(3):
        slope, = paddle.grad(slope.sum(), x, create_graph=True)
    assert abs(slope.item() - 3 / 8) < 1e-12

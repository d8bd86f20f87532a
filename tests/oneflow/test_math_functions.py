"""`flow.math` against NumPy's formulas, at once and in a global function."""

import math

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest
from job_runs import run_in_job

A = np.array([[1.5, -2.5, 0.25], [4.0, 0.5, -6.5]], "float32")
B = np.array([[2.0, 0.5, -0.75], [-1.5, 3.0, 6.5]], "float32")
UNIT = np.array([[-0.9, -0.25, 0.0], [0.125, 0.5, 0.75]], "float32")
POSITIVE = np.abs(A) + 1
ROW = np.array([2.0, 0.5, -0.75], "float32")
WHOLE = np.array([[7, -7, 5], [-8, 9, 3]], "int32")
DIVISORS = np.array([[2, 2, -3], [3, -4, 5]], "int32")
FLAGS = np.array([[1, 0, 1], [0, 0, 1]], "int8")
M = flow.math


def _each(function):
    return np.vectorize(function, otypes=["float32"])


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


UNARY = {
    "abs": (A, np.abs), "acos": (UNIT, np.arccos), "acosh": (POSITIVE, np.arccosh), "asin": (UNIT, np.arcsin),
    "asinh": (A, np.arcsinh), "atan": (A, np.arctan), "atanh": (UNIT, np.arctanh), "ceil": (A, np.ceil),
    "cos": (A, np.cos), "cosh": (A, np.cosh), "erf": (A, _each(math.erf)), "erfc": (A, _each(math.erfc)),
    "exp": (A, np.exp), "expm1": (A, np.expm1), "floor": (A, np.floor), "lgamma": (POSITIVE, _each(math.lgamma)),
    "log": (POSITIVE, np.log), "log1p": (POSITIVE, np.log1p), "log_sigmoid": (A, lambda x: np.log(_sigmoid(x))),
    "negative": (A, np.negative), "reciprocal": (A, np.reciprocal), "relu": (A, lambda x: np.maximum(x, 0)),
    "reciprocal_no_nan": (UNIT, lambda x: np.where(x == 0, 0, 1 / np.where(x == 0, 1, x))), "rint": (A, np.rint),
    "round": (A, np.rint), "rsqrt": (POSITIVE, lambda x: 1 / np.sqrt(x)), "sigmoid": (A, _sigmoid),
    "sigmoid_v2": (A, _sigmoid), "sign": (UNIT, np.sign), "sin": (A, np.sin), "sinh": (A, np.sinh),
    "softplus": (A, lambda x: np.log1p(np.exp(x))), "sqrt": (POSITIVE, np.sqrt), "square": (A, np.square),
    "tan": (UNIT, np.tan), "tanh": (A, np.tanh), "tanh_v2": (A, np.tanh),
    "gelu": (A, lambda x: x * _each(lambda v: math.erfc(-v / math.sqrt(2)) / 2)(x)),
}
CASES = [
    (lambda x, y: M.add(x, y), np.add, A, ROW), (lambda x: M.add(2, x), lambda x: 2 + x, A),
    (lambda x: M.add(x, 0.5), lambda x: x, WHOLE), (lambda x, y: M.subtract(x, y), np.subtract, A, B),
    (lambda x: M.subtract(1, x), lambda x: 1 - x, A), (lambda x: M.subtract(x, 1), lambda x: x - 1, WHOLE),
    (lambda x, y: M.multiply(x, y), np.multiply, A, ROW), (lambda x: M.multiply(3, x), lambda x: 3 * x, A),
    (lambda x, y: M.divide(x, y), np.divide, A, B), (lambda x: M.divide(x, 0), lambda x: x * 0, A),
    (lambda x: M.divide(2, x), lambda x: np.where(x == 0, 0, 2 / np.where(x == 0, 1, x)), UNIT),
    (lambda x, y: M.divide(x, y), lambda x, y: np.trunc(x / y), WHOLE, DIVISORS),
    (lambda x: M.divide(x, 2), lambda x: np.trunc(x / 2), WHOLE), (lambda x, y: M.mod(x, y), np.mod, WHOLE, DIVISORS),
    (lambda x, y: M.mod(x, y), np.mod, A, B), (lambda x, y: M.floordiv(x, y), np.floor_divide, A, B),
    (lambda x, y: M.pow(x, y), np.power, POSITIVE, B), (lambda x: M.pow(x, 2), np.square, A),
    (lambda x, y: M.maximum(x, y), np.maximum, A, ROW), (lambda x, y: M.minimum(x, y), np.minimum, A, B),
    (lambda x, y: M.atan2(x, y), np.arctan2, A, B),
    (lambda x, y: M.squared_difference(x, y), lambda x, y: (x - y)**2, A, B),
    (lambda x, y: M.xdivy(x, y), lambda x, y: np.where(x == 0, 0, x / np.where(x == 0, 1, y)), UNIT, A * UNIT),
    (lambda x, y: M.xlogy(x, y), lambda x, y: np.where(x == 0, 0, x * np.log(np.where(x == 0, 1, y))), UNIT,
     np.where(UNIT == 0, 0, POSITIVE).astype("float32")),
    (lambda x: M.polyval([2, -1.5, 3], x), lambda x: np.polyval([2, -1.5, 3], x), A),
    (lambda x, c: M.polyval((c, 1.0), x), lambda x, c: c * x + 1, A, B),
    (lambda x: M.polyval([], x), lambda x: x * 0, A),
    (lambda x, y: M.add_n([x, y, x]), lambda x, y: x + y + x, A, B), (lambda x: M.add_n([x]), lambda x: x, A),
    (lambda x, y: M.equal(x, y), lambda x, y: (x == y).astype("int8"), A, A * np.sign(B)),
    (lambda x, y: M.not_equal(x, y), lambda x, y: (x != y).astype("int8"), A, A * np.sign(B)),
    (lambda x, y: M.less(x, y), lambda x, y: (x < y).astype("int8"), A, ROW),
    (lambda x: M.less_equal(x, 0.5), lambda x: (x <= 0.5).astype("int8"), A),
    (lambda x, y: M.greater(x, y), lambda x, y: (x > y).astype("int8"), A, B),
    (lambda x, y: M.greater_equal(x, y), lambda x, y: (x >= y).astype("int8"), A, A),
    (lambda x, y: M.logical_and(x, y), lambda x, y: np.logical_and(x, y).astype("int8"), FLAGS, FLAGS[::-1].copy()),
    (lambda x: M.reduce_sum(x, axis=[0, -1]), lambda x: x.sum().reshape(1), A),
    (lambda x: M.reduce_sum(x, axis=1, keepdims=True), lambda x: x.sum(1, keepdims=True, dtype="int32"), WHOLE),
    (lambda x: M.reduce_sum(x, axis=[]), lambda x: x, A), (lambda x: M.reduce_mean(x, axis=0), lambda x: x.mean(0), A),
    (lambda x: M.reduce_mean(x), lambda x: x.mean().reshape(1), A),
    (lambda x: M.reduce_mean(x, 1), lambda x: np.trunc(x.sum(1) / 3), WHOLE),
    (lambda x: M.reduce_max(x, 0), lambda x: x.max(0), A), (lambda x: M.reduce_min(x, [1]), lambda x: x.min(1), A),
    (lambda x: M.reduce_prod(x, 1), lambda x: x.prod(1), A),
    (lambda x: M.reduce_any(x, 1), lambda x: x.any(1).astype("int8"), FLAGS * np.array([[1], [0]], "int8")),
    (lambda x: M.reduce_all(x, 0, keepdims=True), lambda x: x.all(0, keepdims=True).astype("int8"), FLAGS),
    (lambda x: M.reduce_all(x, []), lambda x: x, FLAGS),
    (lambda x: M.reduce_euclidean_norm(x, 1), lambda x: np.sqrt((x * x).sum(1)), A),
    (lambda x: M.reduce_logsumexp(x, 0), lambda x: np.log(np.exp(x).sum(0)), A),
    (lambda x: M.reduce_std(x, 1), lambda x: x.std(1), A), (lambda x: M.reduce_variance(x, 0), lambda x: x.var(0), A),
    (lambda x: M.reduce_variance(x, []), lambda x: x * 0, A),
    (lambda x: M.two_stage_reduce_max(x, axis=[1]), lambda x: x.max(1), A),
    (lambda x: M.two_stage_reduce_min(x, axis=[1], keepdims=True), lambda x: x.min(1, keepdims=True), A),
    (lambda x: M.argmax(x), lambda x: x.argmax(1), A), (lambda x: M.argmax(x, 0), lambda x: x.argmax(0), A),
    (lambda x: M.top_k(x, k=2), lambda x: np.argsort(-x)[:, :2], A),
    (lambda x: M.top_k(x, axis=0, k=9), lambda x: np.argsort(-x, axis=0), A),
    (lambda t, x: M.in_top_k(t, x, 1), lambda t, x: np.array([1, 0], "int8"), np.array([0, 1], "int32"), A),
    (lambda t, x: M.in_top_k(t, x, 2), lambda t, x: np.array([0, 1], "int8"), np.array([3, 1], "int64"), A),
    (lambda t, x: M.in_top_k(t, x, 3), lambda t, x: np.array([0, 1], "int8"), np.array([0, 1], "int64"),
     np.array([[1, np.inf], [1, 2]], "float32")),
    (lambda x: M.reduced_shape_elem_cnt(x), lambda x: np.array([6], "int32"), A),
    (lambda x: M.reduced_shape_elem_cnt(x, [-1], flow.int64), lambda x: np.array([3], "int64"), A),
    (lambda x: flow.count_not_finite(x), lambda x: np.array([2]), np.array([1, np.nan, -np.inf], "float32")),
    (lambda x, y: flow.multi_count_not_finite([x, y]), lambda x, y: np.array([1]), np.array([1, np.nan], "float32"), A),
    (lambda x: M.clip_by_value(x, -1, 2), lambda x: x.clip(-1, 2), A),
    (lambda x: flow.clip(x, min_value=0), lambda x: x.clip(0), WHOLE),
    (lambda x: flow.clamp(x, max_value=0.5), lambda x: np.minimum(x, 0.5), A),
    (lambda x: M.l2_normalize(x, axis=1), lambda x: x / np.sqrt((x * x).sum(1, keepdims=True)), A),
    (lambda x: M.l2_normalize(x, 0, 1e4), lambda x: x / 100, A), (lambda x: M.tril(x, 1), lambda x: np.tril(x, 1), A),
    (lambda x: M.tril(x, fill_value=-9), lambda x: np.where(np.tri(2, 3), x, -9), A),
    (lambda x: M.fused_scale_tril(x, -1, 0.5, 2), lambda x: np.where(np.tri(2, 3, -1), x * 2, 0.5), A),
    (lambda x: M.fused_scale_tril_softmax_dropout(x, 0, -np.inf, 2.0), lambda x: np.array(
        [[1, 0, 0], [*np.exp([8, 1]) / np.exp([8, 1]).sum(), 0]]), A),
    (lambda x, i: flow.unsorted_segment_sum(x, i, 3), lambda x, i: np.stack([x[1], x[0] * 0, x[0]]), A,
     np.array([2, 0], "int32")),
    (lambda x, i: M.unsorted_segment_sum(x, i, 2, axis=1), lambda x, i: np.stack([x[:, 1], x[:, 0]], 1), A,
     np.array([1, 0, 5], "int32")),
    (lambda x, i: M.unsorted_segment_sum(x, i, 2), lambda x, i: np.array([x[0, 0] + x[1, 2], x[0, 1] + x[1, 1]]), A,
     np.array([[0, 1, -1], [2, 1, 0]], "int64")),
    (lambda x, i, like: M.unsorted_segment_sum_like(x, i, like),
     lambda x, i, like: np.stack([x[0] * 0, x[0] + x[1]]), A,
     np.array([1, 1], "int32"), np.zeros((2, 3), "float32")),
    (lambda x, i: M.unsorted_batch_segment_sum(x, i, 2), lambda x, i: np.stack(
        [[x[0, 1], x[0, 0] + x[0, 2]], [x[1, 0] + x[1, 1], 0]]), A, np.array([[1, 0, 1], [0, 0, 7]], "int32")),
    (lambda y, dy: M.sigmoid_grad(y, dy), lambda y, dy: dy * y * (1 - y), UNIT, A),
    (lambda x, like: flow.broadcast_to_compatible_with(x, [like]), lambda x, like: x + like * 0, ROW, A),
]


def _eagerly(function, *arrays):
    return np.asarray(function(*map(paddle.to_tensor, arrays)).numpy())


def check(function, formula, *arrays):
    """The function at once and in a job gives the formula's values; the job's has one dimension at least."""
    with np.errstate(all="ignore"):
        wanted = np.asarray(formula(*arrays))
    for found in (_eagerly(function, *arrays), run_in_job(function, *arrays)):
        np.testing.assert_allclose(found.reshape(wanted.shape), wanted, rtol=2e-5, atol=2e-6)
        if wanted.dtype.kind == "i":
            assert found.dtype == wanted.dtype
        else:
            assert found.dtype in ("float32", arrays[0].dtype if arrays else "float32")


@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name):
    x, formula = UNARY[name]
    check(getattr(M, name), formula, x)


@pytest.mark.parametrize("number", range(len(CASES)))
def test_values(number):
    check(*CASES[number])


def test_all_of_the_module_is_tried():
    tried = {*UNARY, *(name for function, *_ in CASES for name in function.__code__.co_names)}
    assert {*M.__all__} - tried <= {"gelu_grad"}


def _slope(function, *numbers):
    x = paddle.to_tensor(np.array(numbers, "float32"), stop_gradient=False)
    return paddle.grad(function(x).sum(), x)[0].tolist()


def test_slopes_where_two_rules_are_possible():
    assert _slope(lambda x: M.clip_by_value(x, 0.0, 1.0), -1, 0, 0.5, 1, 2) == [0, 1, 1, 1, 0]
    assert _slope(lambda x: M.reduce_max(x), 1, 2, 2) == [0, 0.5, 0.5]
    assert _slope(M.reciprocal_no_nan, 0, 2) == [0, -0.25]
    assert _slope(lambda x: M.xlogy(x * 0, x), 0, 1) == [0, 0]
    assert _slope(M.round, 0.5, 1.2) == [0, 0]


def test_gelu_grad_is_the_slope_of_gelu():
    x, g = paddle.to_tensor(A, stop_gradient=False), paddle.to_tensor(B)
    wanted = paddle.grad(M.gelu(x), x, g)[0].numpy()
    np.testing.assert_allclose(M.gelu_grad(x, g).numpy(), wanted, rtol=1e-5, atol=1e-6)


SIGNS = [
    (lambda x: x + 0.5, lambda x: x, WHOLE), (lambda x: 0.5 + x, lambda x: x, WHOLE),
    (lambda x: x / 2, lambda x: np.trunc(x / 2).astype("int32"), WHOLE), (lambda x: 2 - x, lambda x: 2 - x, WHOLE),
    (lambda x: 1 / x, lambda x: np.where(x == 0, 0, 1 / np.where(x == 0, 1, x)), UNIT),
    (lambda x: x / 0, lambda x: x * 0, A), (lambda x: x * ROW, lambda x: x * ROW, A),
    (lambda x: ROW - x, lambda x: ROW - x, A), (lambda x: x % 3, lambda x: x % 3, WHOLE),
    (lambda x: 7 // x, lambda x: 7 // x, WHOLE), (lambda x: 7.5 % x, lambda x: np.mod(7.5, x), A),
    (lambda x: x ** 2, lambda x: x ** 2, A), (lambda x, y: x / y, np.divide, A, B),
    (lambda x, y: x == y, lambda x, y: (x == y).astype("int8"), A, A),
    (lambda x, y: x != y, lambda x, y: (x != y).astype("int8"), A, A),
    (lambda x: x < 0.5, lambda x: (x < 0.5).astype("int8"), A),
    (lambda x: 0.5 >= x, lambda x: (x <= 0.5).astype("int8"), A),
    (lambda x, y: (x > y) * 2, lambda x, y: (x > y).astype("int8") * np.int8(2), A, B),
    (lambda x: -x, np.negative, A),
]


@pytest.mark.parametrize("number", range(len(SIGNS)))
def test_pythons_operators_between_blobs_are_these_functions(number):
    function, formula, *arrays = SIGNS[number]
    with np.errstate(all="ignore"):
        wanted = formula(*arrays)
    found = run_in_job(function, *arrays)
    np.testing.assert_allclose(found, wanted, rtol=2e-5)
    assert found.dtype == (wanted.dtype if wanted.dtype.kind == "i" else "float32")


def _doubles(arrays):
    """Away from 0, where some functions jump."""
    return [array.astype("float64") + (array == 0) * 0.01 if array.dtype.kind == "f" else array for array in arrays]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_slopes(number):
    """Along a random direction, by differences, where a function has slopes."""
    check_slope(CASES[number][0], *CASES[number][2:])


@pytest.mark.parametrize("name", UNARY)
def test_slopes_of_one_operand(name):
    check_slope(getattr(M, name), UNARY[name][0])


def check_slope(function, *arrays):
    arrays = _doubles(arrays)
    moving = [n for n, array in enumerate(arrays) if array.dtype.kind == "f"]
    values = [paddle.to_tensor(array, stop_gradient=n not in moving) for n, array in enumerate(arrays)]
    result = function(*values)
    if not moving or result.stop_gradient or not result.dtype.is_differentiable:
        return
    rng = np.random.default_rng(5)
    weights, ways = rng.random(result.shape), {n: rng.standard_normal(arrays[n].shape) for n in moving}
    slopes = paddle.grad((result * paddle.to_tensor(weights)).sum(), [values[n] for n in moving], allow_unused=True)
    found = sum(float((slope.numpy() * ways[n]).sum()) for n, slope in zip(moving, slopes, strict=True)
                if slope is not None)

    def moved(step):
        at = [paddle.to_tensor(array + step * ways[n] if n in moving else array) for n, array in enumerate(arrays)]
        return float((function(*at).numpy() * weights).sum())

    with np.errstate(all="ignore"):
        step = 1e-6
        ahead, behind = (moved(step) - moved(0)) / step, (moved(0) - moved(-step)) / step
    if not np.isclose(ahead, behind, rtol=1e-3, atol=1e-3):
        return  # a corner, or a step
    np.testing.assert_allclose(found, (ahead + behind) / 2, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("call, words", [
    (lambda x: M.clip_by_value(x), "one of the limits"), (lambda x: M.argmax(x, 2), r"\[-2, 2\). Received 2"),
    (lambda x: M.add("a", x), "x must be a blob, a tensor or a number"),
    (lambda x: M.reduce_sum(x, [0, 5]), "Received 5"),
    (lambda x: M.polyval(3, x), "coeffs must be a list"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises((TypeError, ValueError), match=words):
        call(paddle.to_tensor(A))

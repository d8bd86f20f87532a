"""Gradient rules that are arithmetic, as the compiled form computes them: the bits that the rules in Python give."""

import itertools
import sys

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.backend.engines import LOOPS, generation
from proa.ops.core import native
from proa.ops.core.arithmetic import Arithmetic, names_nothing
from proa.ops.core.infer import same
from proa.ops.core.kernels import register_kernel
from proa.ops.core.operator import _registry, all_operators, find, operator
from proa.ops.core.trace import ArrayTrace, apply, using
from proa.ops.math.elementwise import add_op

pytestmark = pytest.mark.filterwarnings("error")
compiled = pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")

OF_ONE = ["atan", "exp", "expm1", "log", "log10", "log1p", "log2", "reciprocal", "relu", "rsqrt", "sigmoid", "sqrt",
          "square", "tan", "tanh", "atanh"]
SAID = ["floor", "sign", "ceil", "round", "trunc", "relu6", "leaky_relu", "brelu", "hard_sigmoid", "thresholded_relu",
        "hard_shrink", "softshrink"]
"""Whose declarations say what their rules come to (`alike`)."""
OF_TWO = ["elementwise_add", "elementwise_sub", "elementwise_mul"]
WITHIN_ROUNDING = {"celu", "elu", "hard_swish", "logsigmoid", "selu", "silu", "softplus", "swish"}
"""What programs compute in another order: see tests/nn/test_gradients_of_activations.py."""
SHAPES = [((16, 64), (16, 64)), ((16, 64), (64,)), ((64,), (16, 64)), ((2, 3, 16), (1, 16)), ((2, 3, 16), (3, 16)),
          ((40, 33), (1, 33)), ((7, 300), (300,)), ((1, 64), (64,)), ((4, 5), (5,)), ((16, 64), (1,)), ((16, 64), ()),
          ((20, 2), (2,)), ((2, 3, 5), (5,)), ((100, 3), (1, 3)),
          ((16, 1), (16, 64)), ((), ()), ((1, 1), (1,)), ((0, 8), (8,)), ((200, 170), (170,))]


def gradients(result, inputs, start, in_python):
    node = result._edge
    if in_python:
        with using(ArrayTrace(np)):
            return node.op.gradient.run([start], node.saved, node.attrs, node.edges)
    result.backward(paddle.to_tensor(start))
    return [x.grad.numpy() for x in inputs]


def check(op, attrs, *arrays):
    inputs = [paddle.to_tensor(array, stop_gradient=False) for array in arrays]
    given = inputs + [None] * (len(op.inputs) - len(inputs))
    result = apply(op, *given, **attrs)
    start = np.asarray(np.random.RandomState(7).randn(*result.shape), result._array.dtype)
    wanted = [g.array() if hasattr(g, "array") else g for g in gradients(result, inputs, start, True)][:len(inputs)]
    found = gradients(result, inputs, start, False)
    for one, other, array in zip(found, wanted, arrays):
        assert one.shape == np.shape(other) == array.shape and one.dtype == array.dtype
        assert one.tobytes() == np.asarray(other).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("type", [*OF_ONE, *SAID])
def test_rules_of_one_operand(type, dtype):
    op = find(type)
    assert isinstance(op.gradient.compiled, tuple)
    for shape in [(16, 64), (5,), (), (3, 700), (300, 300), (0,)]:
        check(op, {}, np.asarray(np.random.RandomState(3).uniform(0.01, 0.99, shape), dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("type", ["relu6", "leaky_relu", "brelu", "hard_sigmoid", "thresholded_relu", "hard_shrink",
                                  "softshrink"])
def test_slopes_to_both_sides_of_a_corner(type, dtype):
    ends = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, 6.0, 24.0, 2.5, -2.5, 1e-45, -1e-45]
    check(find(type), {}, np.asarray(np.append(np.linspace(-9, 30, 500), ends), dtype))


@compiled
@pytest.mark.parametrize("name", ["relu", "tanh", "silu", "leaky_relu", "hardswish", "hardsigmoid"])
def test_a_gradient_that_lies_otherwise_than_what_was_saved(name, monkeypatch):
    def refuse(*_):
        raise AssertionError("a rule in Python runs")

    values, start = np.random.RandomState(4).randn(2, 3, 24, 7, 9).astype("float32")

    def beside(array):  # with the channels side by side
        return paddle.to_tensor(np.ascontiguousarray(array.transpose(0, 2, 3, 1))).transpose([0, 3, 1, 2]).detach()

    found = []
    for x_of, g_of in itertools.product([paddle.to_tensor, beside], repeat=2):
        x, g = x_of(values), g_of(start)
        x.stop_gradient = False
        y = getattr(paddle.nn.functional, name)(x)
        with monkeypatch.context() as patch:
            patch.setattr(y._edge.op.gradient, "run", refuse)
            y.backward(g)
        assert x.grad._array.strides == x._array.strides
        found.append(x.grad.numpy().tobytes())
    assert len(set(found)) == 1


def test_a_rule_says_what_it_comes_to_or_nothing():
    def rule(g, X):
        return g * X

    op = operator("told_wrongly", "X -> Out", kernel=lambda xp, x: x, infer=same, grad={"X": rule},
                  alike={"X": "g * missing"})
    try:
        with pytest.raises(ValueError, match="told_wrongly: alike='g \\* missing' is no arithmetic"):
            op.gradient.compiled
    finally:
        del _registry["told_wrongly"]


def test_relu_stops_what_is_not_positive():
    x = paddle.to_tensor(np.linspace(-2, 2, 41, dtype="float32"), stop_gradient=False)
    paddle.nn.functional.relu(x).sum().backward()
    assert x.grad.numpy().tolist() == [0.0] * 21 + [1.0] * 20


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("type", OF_TWO)
def test_rules_of_two_operands(type, dtype):
    draw = np.random.RandomState(5)
    for one, other in SHAPES:
        check(find(type), {}, np.asarray(draw.randn(*one), dtype), np.asarray(draw.randn(*other), dtype))


def test_a_broadcast_value_begins_again_with_each_row():
    x, row = paddle.ones([16, 64]), paddle.arange(2048).astype("float32")[:64]  # with numbers behind it in memory
    x.stop_gradient = False
    (x * row).backward(paddle.ones([16, 64]))
    assert (x.grad.numpy() == np.arange(64)).all()


@pytest.mark.parametrize("attrs", [{"scale": 3}, {"scale": 0.1}, {"bias": 2.0}, {}, {"scale": -1.5, "bias": 1.0}])
def test_numbers_are_those_of_attributes(attrs):
    for shape in [(16, 64), (3,), ()]:
        check(find("scale"), attrs, np.asarray(np.random.RandomState(1).randn(*shape), "float32"))


@compiled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_that_meet_are_one_of_the_dtype(dtype):
    x = paddle.to_tensor(np.full(1300, 3.5, dtype), stop_gradient=False)
    apply(find("hard_swish"), x, threshold=1.0, scale=3.0, offset=1.0).sum().backward()
    assert (x.grad.numpy() == np.asarray(1, dtype) / np.asarray(3, dtype)).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_gradient_of_one_number_stays_one(dtype):
    draw = np.random.RandomState(8)
    values, row = draw.randn(300, 40).astype(dtype), draw.randn(40).astype(dtype)
    x, y, z = (paddle.to_tensor(array, stop_gradient=False) for array in (values, values[::-1].copy(), row))
    (x.square().mean() - (y * -3).sum() + (x * z).sum()).backward()
    factor = np.asarray(1 / x.size, dtype)
    assert (x.grad.numpy() == factor * (values + values) + row).all()
    assert y.grad.numpy().strides == y.numpy().strides and (y.grad.numpy() == 3).all()
    np.testing.assert_allclose(z.grad.numpy(), values.sum(0), rtol=1e-4)
    x.grad[0] = y.grad[0] = 7.0  # each has memory of its own
    x.clear_gradient()
    paddle.nn.functional.relu(x.transpose([1, 0]) * 2.0).sum().backward()
    assert (x.grad.numpy() == 2 * (values > 0)).all() and (y.grad.numpy()[1:] == 3).all()
    x.clear_gradient()
    (x.square().sum() * float("inf")).backward()
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(x.grad.numpy(), values * np.asarray(np.inf, dtype))


def test_other_layouts_and_dtypes():
    x = np.random.RandomState(2).rand(40, 30).astype("float32")
    for array in (x.T, x[::2], x[:, ::3], x.astype("complex64")):
        check(find("elementwise_mul"), {}, array, array[::-1])
    check(find("elementwise_add"), {"axis": 0}, x, x[:, 0].copy())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [
    (1, 1, 1), (3, 1, 4), (90, 1, 70),
    (4, 5, 1), (1, 7, 3), (10, 40, 40), (16, 64, 256), (70, 64, 256), (16, 128, 512), (0, 3, 2),
    (300, 72, 130), (40, 512, 512), (32, 128, 512), (16, 64, 1024), (70, 1024, 66)])
def test_products_of_matrices(sizes, dtype):
    m, k, n = sizes
    draw = np.random.RandomState(m + k)
    for turns_x, turns_y in [(False, False), (True, False), (False, True), (True, True)]:
        x, y = draw.randn(*((k, m) if turns_x else (m, k))), draw.randn(*((n, k) if turns_y else (k, n)))
        for attrs in ({}, {"trans_x": turns_x, "trans_y": turns_y}):
            if attrs or not (turns_x or turns_y):
                check(find("matmul_v2"), attrs, x.astype(dtype), y.astype(dtype))
        result = paddle.matmul(paddle.to_tensor(x.astype(dtype)), paddle.to_tensor(y.astype(dtype)), turns_x, turns_y)
        wanted = (x.T if turns_x else x) @ (y.T if turns_y else y)
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(4, 10, 32, 16), (4, 10, 128, 512), (2, 3, 1, 5), (2, 0, 3, 4), (3, 1, 7, 1)])
def test_products_of_rows_with_a_matrix(sizes, dtype):
    b, m, k, n = sizes
    draw = np.random.RandomState(k)
    x, y = draw.randn(b, m, k).astype(dtype), draw.randn(k, n).astype(dtype)
    for first, other, attrs in ((x, y, {}), (x[:, :, None], y, {}), (x.transpose(1, 0, 2), y, {}), (x[:, ::2], y, {}),
                                (x, np.ascontiguousarray(y.T), {"trans_y": True}), (x, y.repeat(2, 1)[:, ::2], {})):
        check(find("matmul_v2"), attrs, first, other)
        found = paddle.matmul(paddle.to_tensor(first), paddle.to_tensor(other), False, bool(attrs)).numpy()
        np.testing.assert_allclose(found, first @ (other.T if attrs else other), rtol=1e-4, atol=1e-4)


def test_products_of_matrices_with_gaps_between_their_rows():
    draw = np.random.RandomState(4)
    wide, tall = draw.randn(40, 300).astype("float32"), draw.randn(300, 200).astype("float32")
    for x in (wide[:, :130], wide[::2, 5:135], wide.T[:130].T, np.asfortranarray(wide)[:, :130]):
        for y in (tall[:130], tall[7:137, 3:], tall[:260:2], np.asfortranarray(tall)[:130]):
            check(find("matmul_v2"), {}, x, y)
            found = paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(y))
            one, other = paddle.to_tensor(wide), paddle.to_tensor(tall)
            np.testing.assert_allclose(found.numpy(), x @ y, rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose((one[:, 5:135] @ other[7:137, 3:]).numpy(), wide[:, 5:135] @ tall[7:137, 3:],
                                       rtol=1e-4, atol=1e-4)


@compiled
@pytest.mark.skipif(not onednn.is_ready(), reason="oneDNN is not to be had")
def test_larger_products_are_onednns_as_long_as_it_is_wanted(monkeypatch):
    draw = np.random.RandomState(1)
    given = draw.randn(16, 128).astype("float32"), draw.randn(128, 512).astype("float32")

    def results():
        x, y = (paddle.to_tensor(array, stop_gradient=False) for array in given)
        made = paddle.matmul(x * 1.0, y * 1.0)  # not of leaves: nothing waits
        made.backward(made * 0.5)
        return [value.numpy().tobytes() for value in (made, x.grad, y.grad)]

    generation.changed()
    with monkeypatch.context() as patched:  # left out for a while, in which the flags change
        patched.setattr(native, "module", None)
        generation.changed()
    wanted = results()
    by_numpy = given[0] @ given[1]
    with monkeypatch.context() as patched:
        patched.setattr(sys.modules["proa.backend.onednn.matmul"], "multiply", None)
        assert results() == wanted
    before = paddle.get_flags(["FLAGS_cpu_engines"])
    paddle.set_flags({"FLAGS_cpu_engines": "loops"})
    try:
        assert results()[0] == by_numpy.tobytes()
    finally:
        paddle.set_flags(before)
    assert results() == wanted


def test_products_where_one_input_wants_a_gradient():
    draw = np.random.RandomState(1)
    for (m, k, n), first, recorded in itertools.product([(4, 5, 6), (16, 64, 256)], (True, False), (True, False)):
        x = paddle.to_tensor(draw.randn(m, k).astype("float32"), stop_gradient=not first)
        y = paddle.to_tensor(draw.randn(k, n).astype("float32"), stop_gradient=first)
        paddle.matmul(x * 1.0 if recorded else x, y).sum().backward()
        wanted = np.ones((m, n)) @ y.numpy().T if first else x.numpy().T @ np.ones((m, n))
        np.testing.assert_allclose((x if first else y).grad.numpy(), wanted, rtol=1e-4, atol=1e-4)
        assert (y if first else x).grad is None


@pytest.mark.parametrize("shapes", [((2, 3), (4, 5)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 2, 3), (3, 4))])
def test_other_products_are_the_kernels(shapes):
    x, y = (paddle.to_tensor(np.ones(shape, "float32"), stop_gradient=False) for shape in shapes)
    if shapes[0] == (2, 3) and shapes[1] == (4, 5):
        with pytest.raises(ValueError, match="inner dimensions must agree"):
            paddle.matmul(x, y)
    else:
        paddle.matmul(x, y).sum().backward()
        assert x.grad.shape == x.shape and y.grad.shape == y.shape


@compiled
def test_sums_of_gradients_are_new_arrays():
    x = paddle.to_tensor(np.ones(9, "float32"), stop_gradient=False)
    y = x * 1.0
    seen = []
    y.register_hook(lambda g: seen.append(g))
    start = paddle.ones([9])
    (y + y + y).backward(start)
    assert start.tolist() == [1.0] * 9 and seen[0].tolist() == x.grad.tolist() == [3.0] * 9


@compiled
@pytest.mark.parametrize("type", ["sum_to_shape", "elementwise_add"])
def test_where_a_kernel_was_registered_the_rules_run(type, monkeypatch):
    def backward():
        x, y = (paddle.to_tensor(np.ones(shape, "float32"), stop_gradient=False) for shape in ((4, 16), (16,)))
        (x + y).backward(paddle.ones([4, 16]))
        assert y.grad.tolist() == [4.0] * 16

    calls = []
    monkeypatch.setattr(add_op.gradient, "run", lambda *given, run=add_op.gradient.run: calls.append(1) or run(*given))
    backward()
    assert not calls
    kernels = find(type).kernels
    register_kernel(find(type), LOOPS, lambda *inputs, **attrs: NotImplemented)
    try:
        backward()
    finally:
        kernels.registered = ()
        kernels.forget()
    assert len(calls) == 1


def test_only_arithmetic_becomes_a_program():
    def made(rule, *names):
        arithmetic = Arithmetic({"X": 0, "Out": 1}.get, {"alpha": 0.5, "mode": "a"})
        return names_nothing(rule) and arithmetic.program(lambda: rule(*map(arithmetic.term, names)))

    outer = 2.0
    assert made(lambda g, x: g * (x * 2.0) - x / g, "g", "X")
    assert made(lambda g, x, a: g * (x > a), "g", "X", "alpha")
    assert not made(lambda g, x: g * np.exp(x), "g", "X")
    assert not made(lambda g, x: g * outer, "g", "X")
    assert not made(lambda g, x: g.sum(), "g", "X")
    assert not made(lambda g, x: g if x else -g, "g", "X")
    assert not made(lambda g, x: g if x == 0.0 else -g, "g", "X")
    assert not made(lambda g, a: g * (1.0 - a), "g", "alpha")  # numbers meet as float64 in Python
    assert not made(lambda g, a: g * -a, "g", "alpha")
    assert not made(lambda g, x: (g, x), "g", "X")
    assert not made(lambda g, y: g, "g", "Y")
    assert not made(lambda g, m: g, "g", "mode")


def test_operators_that_have_programs_are_tested():
    known = {*OF_ONE, *SAID, *OF_TWO, "scale"}
    same = {"poisson", "array_gradient_sum", "assign", "mp_allreduce_sum", "rnn_memory_helper", "share_data"}
    found = {op.type for op in all_operators() if op.gradient is not None and type(op.gradient.compiled) is tuple}
    assert found - same - WITHIN_ROUNDING == known


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("is_last", [False, True])
def test_gradients_that_meet_are_added_whatever_their_size(dtype, is_last):
    random = np.random.default_rng(5)
    for shape in [(3, 4), (2, 6, 90, 80), (7, 5, 1), ()]:
        values = [np.asarray(random.standard_normal(shape)).astype(dtype) for _ in range(4)]
        if is_last and len(shape) > 2:
            values = [np.ascontiguousarray(np.moveaxis(v, 1, -1)).swapaxes(1, -1) for v in values]
        x = paddle.to_tensor(values[0], stop_gradient=False)
        others = [paddle.to_tensor(v) for v in values[1:]]
        sum((x * other).sum() for other in others).backward()
        np.testing.assert_array_equal(x.grad.numpy(), values[3] + values[2] + values[1])


def test_rules_of_large_operands_that_broadcast():
    random = np.random.default_rng(6)
    functions = (paddle.multiply, paddle.divide, paddle.maximum, lambda x, y: (x - y) ** 2, lambda x, y: (x + y) ** 3)
    for shapes in [((16, 64, 20, 20), (16, 64, 1, 1)), ((300, 200), (300, 1)), ((300, 200), (200,)),
                   ((9, 1, 90), (1, 80, 90))]:
        wide = [random.uniform(0.5, 2, shape) for shape in shapes]
        for function in functions:
            found = []
            for dtype in ("float32", "float64"):
                x, y = (paddle.to_tensor(v.astype(dtype), stop_gradient=False) for v in wide)
                out = function(x, y)
                (out * out).sum().backward()
                found.append([x.grad.numpy(), y.grad.numpy()])
            for one, other in zip(*found, strict=True):
                np.testing.assert_allclose(one, other, rtol=2e-4, atol=1e-4)

"""Products of gathered rows, converted: what each row gives is computed once, and all is as it was written."""

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.static.compiler.plan import Plan

NODES, EDGES, WIDTH = 40, 200, 64


def _given(nodes=NODES, edges=EDGES):
    draw = np.random.default_rng(0)
    return (draw.standard_normal((nodes, WIDTH)).astype("float32"), draw.standard_normal((edges, 8)).astype("float32"),
            draw.integers(0, nodes, edges), draw.integers(-nodes, nodes, edges))


def _gathered(h, e, source, target, weight):
    return paddle.concat([paddle.gather(h, source), e], axis=1) @ weight[:WIDTH + 8]


def _indexed(h, e, source, target, weight):
    return paddle.concat([e, h[source]], axis=-1) @ weight[:WIDTH + 8]


def _both_ends(h, e, source, target, weight):
    return paddle.concat([paddle.index_select(h, source), e, h[target]], axis=1) @ weight


def _alone(h, e, source, target, weight):
    return paddle.gather(h, source) @ weight[:WIDTH]


def _of_other_rows(h, e, source, target, weight):
    return paddle.concat([h[source], paddle.tanh(h)[source]], axis=1) @ weight[:2 * WIDTH]


FUNCTIONS = [_gathered, _indexed, _both_ends, _alone, _of_other_rows]


class _Network(nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.weight = self.create_parameter([2 * WIDTH + 8, WIDTH], default_initializer=nn.initializer.Normal())

    def forward(self, h, e, source, target):
        return paddle.tanh(self.function(h, e, source, target, self.weight))


def _answers(net, converted, given):
    """The result, and the gradients of what it was computed from."""
    h, e, source, target = map(paddle.to_tensor, given)
    h.stop_gradient = e.stop_gradient = False
    result = (paddle.jit.to_static(net.forward, full_graph=True) if converted else net)(h, e, source, target)
    (result * result).sum().backward()
    found = [result, h.grad, e.grad, net.weight.grad]
    net.clear_gradients()
    return [None if value is None else value.numpy() for value in found]


def _multiplied_rows(function, given):
    """The numbers of rows of the products in the plan."""
    f = paddle.jit.to_static(lambda *args: function(*args, weight), full_graph=True)
    weight = paddle.randn([2 * WIDTH + 8, WIDTH])
    plan = f.get_concrete_program(*map(paddle.to_tensor, given))[0].plan()
    assert isinstance(plan, Plan)
    lines = [line for line in str(plan).splitlines() if "matmul_v2" in line]
    return [int(line.split("float32[")[1].split(",")[0]) for line in lines]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_and_gradients_are_those_of_the_function_as_written(function):
    paddle.seed(0)
    net, given = _Network(function), _given()
    for wanted, found in zip(_answers(net, False, given), _answers(net, True, given)):
        if wanted is None:
            assert found is None
        else:
            np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_row_that_is_gathered_often_is_multiplied_once(function):
    rows = _multiplied_rows(function, _given())
    assert NODES in rows
    assert rows.count(EDGES) == (function in (_gathered, _indexed, _both_ends))  # what edges have of their own


def test_rows_that_are_seldom_gathered_are_multiplied_as_written():
    assert _multiplied_rows(_gathered, _given(edges=NODES)) == [NODES]
    assert _multiplied_rows(_alone, _given(nodes=EDGES, edges=NODES)) == [NODES]


def test_gathered_rows_that_something_else_reads_are_multiplied_as_written():
    def function(h, e, source, target, weight):
        rows = h[source]
        return (rows @ weight[:WIDTH]).sum() + rows.sum()

    assert _multiplied_rows(function, _given()) == [EDGES]


def test_rows_that_are_gathered_before_they_change_have_their_former_values():
    def function(h, e, source, target):
        h = h * 1.0
        rows = paddle.gather(h, source)
        h[:] = 0.0
        return rows @ weight + h.sum()

    weight, (h, e, source, target) = paddle.randn([WIDTH, WIDTH]), map(paddle.to_tensor, _given())
    wanted = function(h, e, source, target)
    found = paddle.jit.to_static(function, full_graph=True)(h, e, source, target)
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=2e-4, atol=2e-4)


def test_a_row_without_edges_may_hold_anything():
    net, (h, *others) = _Network(_gathered), _given()
    others[1] %= NODES - 2
    h[-1], h[-2] = np.nan, np.inf
    found = _answers(net, True, (h, *others))
    assert all(np.isfinite(value).all() for value in found)


def test_a_number_that_is_none_of_a_row_is_an_error():
    net, (h, e, source, target) = _Network(_gathered), _given()
    f = paddle.jit.to_static(net.forward, full_graph=True)
    f(*map(paddle.to_tensor, (h, e, source, target)))
    source[3] = NODES
    with pytest.raises(IndexError):
        f(*map(paddle.to_tensor, (h, e, source, target)))


def test_its_gradient_has_gradients():
    def slope(h, e, source, target):
        result = paddle.tanh(_both_ends(h, e, source, target, weight)).sum()
        return paddle.grad(result, [h], create_graph=True)[0]

    weight, answers = paddle.randn([2 * WIDTH + 8, WIDTH]) * 0.1, []
    weight.stop_gradient = False
    for call in (slope, paddle.jit.to_static(slope, full_graph=True)):
        h, e, source, target = map(paddle.to_tensor, _given())
        h.stop_gradient = False
        found = call(h, e, source, target)
        answers.append([found, *paddle.grad((found * found).sum(), [h, weight])])
    for wanted, found in zip(*answers):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-3, atol=1e-3)

"""Converted functions that ask whether gradients stop at a tensor: each kind of call has the answer that it gives."""

import itertools

import proa as paddle
import pytest
from proa.jit.errors import ConversionError


def asks(x, y):
    if x.stop_gradient:
        return x * y
    return x * y * 2


def asks_what_was_computed(x, y):
    h = (x * 2).tanh()
    if not h.stop_gradient:
        h = h * 3
    return h * y


def begins_a_gradient(x, y):
    leaf = x
    if leaf.stop_gradient:
        leaf = leaf.detach()
        leaf.stop_gradient = False
    other = x * 1.0
    return paddle.grad([(other * leaf * leaf).sum()], [leaf])[0] * y


def catches(x, y):
    try:
        known = x.stop_gradient
    except Exception:
        known = False
    return x * y * (1 if known else 2)


def asks_inside(x, y):
    def chosen(t):
        return t * 2 if getattr(t, "stop_gradient") else t * 3

    return chosen(x) + (y if x.sum() > 0 and not y.stop_gradient else y * 4)


def assigns(x, y):
    """What is given a value that stops gradients keeps the gradient that it had."""
    h = y * 3
    c = h * 1.0
    paddle.assign(x * 0.5, c)
    if x.sum() > 100:
        paddle.assign(x, c)
    return c * h


def differentiates(x, y):
    """None where gradients stop at what it is differentiated with respect to."""
    h = (x * 2).tanh()
    [first] = paddle.grad([(h * y).sum()], [x], allow_unused=True)
    [second] = paddle.grad([(h * h).sum()], [h], allow_unused=True)
    for g in (first, second):
        h = h if g is None else h + g
    return h * y


@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("function", [asks, asks_what_was_computed, begins_a_gradient, catches, asks_inside, assigns,
                                      differentiates], ids=lambda f: f.__name__)
def test_the_answer_is_that_of_the_call(function, full_graph):
    converted = paddle.jit.to_static(function, full_graph=full_graph)
    for stops in [*itertools.product((False, True), repeat=2)] * 2:
        results = []
        for call in (function, converted):
            x, y = (paddle.to_tensor([1.0, 2.0], stop_gradient=stop) for stop in stops)
            result = call(x, y)
            if not result.stop_gradient:
                result.sum().backward()
            results.append([result.tolist(), result.stop_gradient,
                            *(None if t.grad is None else t.grad.tolist() for t in (x, y))])
        assert results[0] == results[1], stops


def test_specs_and_open_sizes_keep_the_answer():
    converted = paddle.jit.to_static(asks, full_graph=True, input_spec=[paddle.static.InputSpec([None], "float32")])
    for size, stop in itertools.product((1, 2, 3), (False, True)):
        x, y = paddle.ones([size]), paddle.ones([size])
        x.stop_gradient = stop
        assert converted(x, y).tolist() == asks(x, y).tolist()


def test_another_default_dtype_has_another_program():
    def function(x):
        return x + paddle.ones([2]) * paddle.to_tensor(0.1)

    converted, x = paddle.jit.to_static(function, full_graph=True), paddle.ones([2])
    for dtype in ("float32", "float64", "float32", "float64"):
        paddle.set_default_dtype(dtype)
        try:
            results = [call(x) for call in (function, converted)]
        finally:
            paddle.set_default_dtype("float32")
        assert results[0].dtype is results[1].dtype and results[0].tolist() == results[1].tolist()


def test_who_does_not_ask_has_one_program():
    converted = paddle.jit.to_static(lambda x: x * 2, full_graph=True)
    for stop in (False, True, False):
        converted(paddle.to_tensor([1.0], stop_gradient=stop))
    assert converted.get_traced_count() == 1


def slopes(x):
    return paddle.grad([(x * x).sum()], [x])[0]


def test_a_gradient_of_what_stops_is_an_error_as_eagerly():
    for function in (slopes, paddle.jit.to_static(slopes, full_graph=True)):
        with pytest.raises(ValueError, match="it has stop_gradient=True"):
            function(paddle.to_tensor([1.0, 2.0]))
        assert function(paddle.to_tensor([1.0, 2.0], stop_gradient=False)).tolist() == [2.0, 4.0]


def test_what_is_told_to_want_gradients_is_asked_nothing():
    """One Program serves arguments of both kinds."""
    def inside(x, w):
        q = x.detach()
        q.stop_gradient = False
        return paddle.grad([(q * q * w).sum()], [q])[0]

    converted = paddle.jit.to_static(inside, full_graph=True)
    for stop in (True, False):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=stop)
        assert converted(x, paddle.ones([2])).tolist() == [2.0, 4.0]
    assert len(converted._programs) == 1


def asks_behind_a_branch(x, y):
    h = x * 2
    if x.sum() > 0:
        h = h.detach()
    return h * y if h.stop_gradient else h * y * 5


def asks_behind_a_loop(x, y):
    h = x.detach()
    while h.sum() < 0:
        h = h + x * 0 + 10
    return h * y if (h * 2).stop_gradient else h * y * 5


def asks_in_a_turn(x, y):
    h, i, asked = x.detach(), 0, 1
    while i < y.sum():
        asked = asked if h.stop_gradient else asked + 1
        h, i = h + x, i + 1
    return h * asked


def stops_in_a_branch(x, y):
    h = x * 2
    if x.sum() > 0:
        h.stop_gradient = True
        h = h * h
    return h * y


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [asks_behind_a_branch, asks_behind_a_loop, asks_in_a_turn, stops_in_a_branch])
def test_what_a_tensor_decides_has_no_answer(function):
    converted = paddle.jit.to_static(function)
    for values in ([1.0, 2.0], [-1.0, -2.0]) * 2:
        found = [call(paddle.to_tensor(values, stop_gradient=False), paddle.ones([2]))
                 for call in (function, converted)]
        assert found[0].tolist() == found[1].tolist() and found[0].stop_gradient == found[1].stop_gradient
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    with pytest.raises(ConversionError, match="a tensor decides whether gradients stop|is decided by a tensor"):
        paddle.jit.to_static(function, full_graph=True)(x, paddle.ones([2]))


def asks_what_turns_left(x, y):
    h, i, asked = x, 0, 1
    while i < y.sum():
        h = (h * 0.5 + i * 0.1).abs()
        i = i + 1
        asked = asked if h.stop_gradient else asked + 1
    return h * y if (h + 1).stop_gradient else h * asked


@pytest.mark.parametrize("full_graph", [False, True])
def test_what_every_turn_gives_alike_is_answered(full_graph):
    converted = paddle.jit.to_static(asks_what_turns_left, full_graph=full_graph)
    for stop in (False, True, False, True):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=stop)
        found = [call(x, paddle.ones([2])).numpy() for call in (asks_what_turns_left, converted)]
        assert abs(found[0] - found[1]).max() < 1e-6


class Asking(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = paddle.nn.Linear(2, 2)

    def forward(self, x):
        h = self.fc(x)
        if x.sum() > 100:
            h = h + 1
        return (h * 0 + 1) * (1.0 if h.stop_gradient else 10.0)


@pytest.mark.parametrize("full_graph", [False, True])
def test_frozen_parameters_and_no_grad_are_asked_too(full_graph):
    net = Asking()
    converted = paddle.jit.to_static(net, full_graph=full_graph)
    for frozen in (False, True, False, True):
        for parameter in net.parameters():
            parameter.stop_gradient = frozen
        assert converted(paddle.ones([1, 2])).sum().item() == (2 if frozen else 20)
        with paddle.no_grad():
            assert converted(paddle.ones([1, 2])).sum().item() == 2
    assert net.forward.get_traced_count() == 5  # one found out that it asks

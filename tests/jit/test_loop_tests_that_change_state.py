"""`while step(box) > 1`: asking whether the loop goes on changes something, once a turn and once more at the end."""

import numpy as np
import proa as paddle
import pytest


class Box:
    def __init__(self, t):
        self.t = t

    def grown(self, x):
        self.t = self.t + x
        return self.t.sum()


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("asked", paddle.zeros([]))

    def goes_on(self, x):
        self.asked = self.asked + 1.0
        return x.sum() < 6.0

    def forward(self, x):
        while self.goes_on(x):
            x = x + 1.0
        return x * 1.0


def of_a_method(x):
    box = Box(x)
    while box.grown(x) < 7.0:
        x = x * 1.1
    return x, box.t


def beside_a_number(x):
    box, k = Box(x), 0
    while box.grown(x) > 1.0 and k < 3:
        k += 1
    return box.t, x * k


def in_a_branch(x):
    box, k = Box(x * 2.0), 0
    if x.max() > 0.5:
        while box.grown(x) > 1.0 and k < 3:
            k += 1
            x = x * 0.5
    return box.t, x


def of_a_turn_of_a_loop(x):
    box = Box(x)
    for i in range(paddle.full([], 3, "int64")):
        while box.grown(x) < 2.0 * (i + 1):
            x = x + 0.5
    return box.t, x


def of_an_enclosing_variable(x):
    t, k = x, 0

    def grown():
        nonlocal t
        t = t + x
        return t.sum()

    while grown() > 1.0 and k < 3:
        k += 1
    return t, x * k


def with_another_dtype(x):
    box, k = Box(x), paddle.zeros([], "int32")
    while box.grown(x) < 9.0:
        k = k + paddle.ones([], "int64")
        x = x + 1.0
    return box.t, x * k


FUNCTIONS = [of_a_method, beside_a_number, in_a_branch, of_a_turn_of_a_loop, of_an_enclosing_variable,
             with_another_dtype]
VALUES = ([1.0, 1.0], [2.0, 0.5], [0.3, 0.4], [4.0, 4.0])


@pytest.mark.filterwarnings("ignore:.*after one branch")
@pytest.mark.parametrize("spec", [None, [paddle.static.InputSpec([None], "float32")]], ids=["sizes", "open"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_as_without_conversion(function, spec):
    converted = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    for value in VALUES:
        gradients = []
        for each in (converted, function):
            x = paddle.to_tensor(value, stop_gradient=False)
            found = each(x)
            sum((y.astype("float32") * (i + 1)).sum() for i, y in enumerate(found)).backward()
            gradients.append([y.numpy() for y in found] + [x.grad.numpy()])
        for a, b in zip(*gradients, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_buffer_that_the_test_changes_counts_how_often_it_was_asked():
    net, plain = Net(), Net()
    converted = paddle.jit.to_static(net.forward, full_graph=True)
    for value in VALUES:
        np.testing.assert_allclose(converted(paddle.to_tensor(value)).numpy(), plain(paddle.to_tensor(value)).numpy())
        assert float(net.asked) == float(plain.asked)


def test_a_list_that_the_test_changes():
    def function(x):
        held = [x]

        def grown():
            held[0] = held[0] + x
            return held[0].sum()

        while grown() < 7.0:
            x = x * 1.1
        return held[0]

    converted = paddle.jit.to_static(function, full_graph=True)
    for value in (1.0, 5.0, 0.25):
        x = paddle.full([2], value)
        np.testing.assert_allclose(converted(x).numpy(), function(x).numpy(), rtol=1e-6)

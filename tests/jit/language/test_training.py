"""Converted control flow in training: higher gradients, what is random or changes from call to call, and errors."""

import sys
from pathlib import Path

import numpy as np
import proa as paddle
import pytest

sys.path.insert(0, str(Path(__file__).parent))

nn = paddle.nn


def converted(function):
    return paddle.jit.to_static(function, full_graph=True)


def both(function, *arguments):
    """What the function comes to as it is, and converted."""
    return function(*arguments), converted(function)(*arguments)


def branch(x, n):
    if x.sum() > 0:
        return x * x * x
    return paddle.exp(x)


def loop(x, n):
    for _ in range(n):
        x = x * x * 0.5 + paddle.sin(x)
    return x


def nested(x, n):
    for i in range(n):
        j = paddle.zeros([], "int64")
        while j < i:
            x = x * x * 0.3 if x.sum() > 0 else paddle.sin(x) * 2
            j = j + 1
        x = x + 0.5 * paddle.cos(x)
    return x


def nested_lists(x, n):
    out = []
    for i in range(n):
        for j in range(i):
            if j != 1:
                out.append(x * x * j + x)
            x = x * 0.9 + 0.1 * x * x
    while len(out) > 2:
        x = x * out.pop()
    return paddle.stack(out).sum(0) * x


def early(x, n):
    for i in range(n):
        x = x * x + 0.1
        if i > 1:
            return paddle.tanh(x)
    return x


@pytest.mark.parametrize("function", [branch, loop, nested, nested_lists, early], ids=lambda f: f.__name__)
def test_gradients_to_third_order(function):
    def gradients(run):
        x = paddle.to_tensor(np.array([0.5, 0.75, -0.25]), stop_gradient=False)
        y = run(x, paddle.to_tensor(4))
        found = [y]
        for _ in range(2):
            (y,) = paddle.grad((y * y).sum(), x, create_graph=True)
            found.append(y)
        (y * y).sum().backward()
        return [*found, x.grad]

    for found, wanted in zip(gradients(converted(function)), gradients(function), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-9)


class Gated(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1D(3)
        self.drop = nn.Dropout(0.5)
        self.steps = 0

    def forward(self, x):
        turns = paddle.zeros([], "int64")
        while x.abs().sum() < 30:
            x = self.drop(self.norm(self.fc(x))) + x * 1.5
            if turns % 2 == 0:
                x = self.norm(x) + x
            turns = turns + 1
        with paddle.no_grad():
            scale = x.abs().mean()
        return x / scale, turns


def test_training_is_that_of_the_layer():
    """Trip counts that change, dropout, statistics in a loop, parameters that change between the calls."""
    def train(wrap):
        paddle.seed(7)
        net = Gated()
        for parameter in net.parameters():
            parameter.set_value(paddle.ones(parameter.shape) * 0.3)
        run, update = wrap(net), paddle.optimizer.Momentum(0.05, parameters=net.parameters())
        paddle.seed(3)
        found = []
        for step in range(6):
            x = paddle.arange(12, dtype="float32").reshape([4, 3]) / 9 + 0.1 * (step + 1)
            y, turns = run(x)
            (y * y).mean().backward()
            update.step()
            update.clear_grad()
            if step == 3:
                net.fc.weight.stop_gradient = True
            found += [y.numpy(), turns.numpy()]
        return [*found, *(v.numpy() for v in net.state_dict().values())]

    for found, wanted in zip(train(converted), train(lambda net: net), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=1e-5)


def ones(n=3):
    return paddle.ones([n])


def unbound_when_it_runs(x):
    if x.sum() > 5:
        y = x * 2
    return y


def no_turn(x, n):
    for i in range(n):
        y = x * i
    return y


def missing_entry(x):
    held = {}
    if x.sum() > 5:
        held["y"] = x
    return held["y"]


@pytest.mark.parametrize("function, arguments, name", [
    (unbound_when_it_runs, (ones(),), "y"), (no_turn, (ones(), paddle.to_tensor(0)), "y"),
    (missing_entry, (ones(),), "y")])
def test_what_has_no_value_when_the_program_runs(function, arguments, name):
    place = rf'test_training.py", line \d+, in {function.__name__}: '
    with pytest.raises(AssertionError, match=rf"{place}.*{name}.*Assign it before"):
        converted(function)(*arguments)


def appends_to_a_list_of_the_caller(out, x, n):
    for i in range(n):
        out.append(x * i)
    return x


def appends_to_an_alias(x, n):
    out = []
    alias = out
    for i in range(n):
        out.append(x * i)
    return paddle.stack(alias)


def appends_to_an_attribute(x, n, held=None):
    for i in range(n):
        held.items.append(x * i)
    return x


def returns_the_list(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return out


def items_of_two_kinds(x, n):
    out = [x]
    for i in range(n):
        out.append(i)
    return paddle.stack(out)


def pairs_or_tensors(x, n):
    out = []
    for i in range(n):
        if x.sum() > i:
            out.append((x, i))
        else:
            out.append(x)
    return x


def lists_all_of_it(x, n):
    out = []
    for i in range(n):
        out.append(x * i)
    return paddle.stack([v * w for v in out for w in out])


class Held:
    def __init__(self):
        self.items = []


@pytest.mark.parametrize("function, arguments, said", [
    (appends_to_a_list_of_the_caller, ([], ones(), paddle.to_tensor(2)), "the caller may hold the same.*one name only"),
    (appends_to_an_alias, (ones(), paddle.to_tensor(2)), "another variable or the caller.*one name only"),
    (appends_to_an_attribute, (ones(), paddle.to_tensor(2), Held()), "`held.items` is changed in place"),
    (returns_the_list, (ones(), paddle.to_tensor(2)), "returns a list whose length.*stack"),
    (items_of_two_kinds, (ones(), paddle.to_tensor(2)), "one dtype and one number of dimensions"),
    (pairs_or_tensors, (ones(), paddle.to_tensor(2)), r"`out\[0\]` is tuple of 2 after.*and Variable of shape"),
    (lists_all_of_it, (ones(), paddle.to_tensor(2)), "`for` statement"),
], ids=lambda v: getattr(v, "__name__", ""))
def test_lists_that_cannot_be_staged(function, arguments, said):
    with pytest.raises((TypeError, RuntimeError), match=said):
        converted(function)(*arguments)

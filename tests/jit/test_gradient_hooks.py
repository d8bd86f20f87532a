"""Hooks on gradients meet Programs: `register_hook` in converted code, on parameters, on inputs. Eager is right."""

import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.jit import FallbackWarning

LIMIT = [0.5]


def clipped(gradient):
    if gradient.abs().max() > LIMIT[0]:
        gradient = gradient * (LIMIT[0] / gradient.abs().max())
    return gradient


def once(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    return y * 3 + y * y


def twice_in_order(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    return y * 3


def with_control_flow(x):
    y = paddle.tanh(x)
    y.register_hook(clipped)
    if y.sum() > 0:
        y = y * 7
    return y


def that_gives_none(x):
    y = x * 2
    y.register_hook(lambda g: None)
    return y * 3


def in_a_branch(x):
    if x.sum() > 0:
        y = x * 2
        y.register_hook(lambda g: g * 10)
        x = y * x
    return x


def that_uses_values(x):
    y = x * x
    y.register_hook(lambda g: g * x + x)
    z = y * 2
    z.register_hook(clipped)
    return z * x


def behind_a_change(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.add_(paddle.ones([2]))
    y.register_hook(lambda g: g - 1)
    return y * y


def behind_uses(x):
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: g * 10)
    return z + y


def again_behind_uses(x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    z = y * y
    y.register_hook(lambda g: g + 1)
    w = z * y
    z.register_hook(lambda g: g * g)
    y.register_hook(lambda g: g - x)
    return w + y


def behind_statements_that_use_it(x):
    y = x * x
    z = y + 1
    if x.sum() > 0:
        z = z * y
    while z.sum() < 30:
        z = z + y * 2 + 1
    y.register_hook(lambda g: g * 10)
    return z


def in_a_branch_behind_uses(x):
    z = x * 0
    if x.sum() > 0:
        y = x * x
        z = y * 3
        y.register_hook(lambda g: g * 10)
    else:
        y = x * 5
        z = y ** 3
        y.register_hook(lambda g: g * 2)
    return z * y


def behind_views_and_changes(x):
    y = x * 2
    first = y[0]
    y.add_(x)
    z = y * first
    y.register_hook(lambda g: g * 10)
    return z * y


def that_reads_what_stays(x):
    kept, count, y = x * 2, paddle.zeros([1]), x * 3
    while count < 2:
        y = y * 2
        y.register_hook(lambda g: g * kept)
        if y.sum() > 5:
            y = y * 0.5
            y.register_hook(lambda g: g * kept * 2)
        count = count + 1
    return y


FUNCTIONS = [that_reads_what_stays, behind_uses, again_behind_uses, behind_statements_that_use_it,
             in_a_branch_behind_uses,
             behind_views_and_changes, once, twice_in_order, with_control_flow, that_gives_none, in_a_branch,
             that_uses_values, behind_a_change]


def _gradient(function, values, order):
    x = paddle.to_tensor(values, stop_gradient=False)
    [found] = paddle.grad(function(x).sum(), x, create_graph=order == 2)
    if order == 2:
        [found] = paddle.grad((found * found).sum(), x, allow_unused=True)
    return np.zeros(len(values)) if found is None else found.numpy()


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("full_graph", [False, True])
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.filterwarnings("error::proa.jit.FallbackWarning")
def test_hooks_of_what_the_function_computes(function, full_graph, order):
    converted = paddle.jit.to_static(function, full_graph=full_graph)
    for values in ([1.0, 2.0], [-1.0, 0.5], [1.0, 2.0]):
        np.testing.assert_allclose(_gradient(converted, values, order), _gradient(function, values, order), rtol=1e-5)


def of_an_argument(x):
    x.register_hook(lambda g: g * 10)
    return x * 3


def of_a_used_value(x):
    y = x * 2
    z = y * 3
    y.register_hook(lambda g: g * z)
    return z + y


def of_what_may_be_another(x):
    y = x * 2
    z = y * y
    if x.sum() > 0:
        y = y * 3
    y.register_hook(lambda g: g * 10)
    return z + y


def of_what_a_branch_has_hooked(x):
    if x.sum() > 0:
        y = x * 3
        y.register_hook(lambda g: g * 10)
    else:
        y = x * 2
    y.register_hook(lambda g: g + 1)
    return y * y


def that_is_removed(x):
    y = x * 2
    handle = y.register_hook(lambda g: g * 10)
    handle.remove()
    return y * 3


def that_reads_what_is_replaced(x):
    kept = x * 2
    y = x * 3
    y.register_hook(lambda g: g * kept)
    kept = kept * 5
    return y * kept


def that_reads_what_a_loop_replaces(x):
    count, y = paddle.zeros([1]), x * 3
    while count < 3:
        y = y * 2
        y.register_hook(lambda g: g * x)
        x = x * 0.5
        count = count + 1
    return y


def that_reads_what_changes(x):
    kept, y = [x * 2], x * 3
    y.register_hook(lambda g: g * kept[0])
    kept[0] = x * 7
    return y * 2


def that_reads_a_changed_number(x):
    for k in range(3):
        x = x * 2
        x.register_hook(lambda g: g * (k + 1))
    return x


@pytest.mark.parametrize(("function", "reason"), [
    *((function, "is given another value behind it") for function in (
        that_reads_what_is_replaced, that_reads_what_a_loop_replaces, that_reads_what_changes,
        that_reads_a_changed_number)),
    (of_an_argument, "was not computed in this place"), (of_a_used_value, "has been used already"),
    (of_what_may_be_another, "may be a tensor of before"), (of_what_a_branch_has_hooked, "has hooks there"),
    (that_is_removed, "part of the Program by now")])
def test_what_cannot_become_a_program_runs_as_written(function, reason):
    converted = paddle.jit.to_static(function)
    with pytest.warns(FallbackWarning, match=reason):
        for values in ([1.0, 2.0], [-1.0, -2.0]):
            np.testing.assert_allclose(_gradient(converted, values, 1), _gradient(function, values, 1))
    with pytest.raises(RuntimeError, match=reason):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def test_a_hook_that_collects_runs_as_written():
    kept = []

    def collecting(x):
        y = x * 2
        y.register_hook(lambda g: kept.append(g.numpy()))
        return y * 3

    converted = paddle.jit.to_static(collecting)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        for _ in range(2):
            assert _gradient(converted, [1.0, 2.0], 1).tolist() == [6.0, 6.0]
    assert [g.tolist() for g in kept] == [[3.0, 3.0]] * 2


@pytest.mark.parametrize("when", ["before", "between", "removed"])
def test_hooks_of_parameters_and_inputs(when):
    def steps(net):
        found, handles = [], []

        def add():
            handles.append(net.weight.register_hook(lambda g: g * 3))
            handles.append(net.bias.register_hook(lambda g: g + 1))

        for step in range(4):
            if step == (0 if when == "before" else 1):
                add()
            if when == "removed" and step == 2:
                for handle in handles:
                    handle.remove()
            x = paddle.to_tensor([[1.0, 2.0]], stop_gradient=False)
            x.register_hook(lambda g: g * 5)
            h = x * 2
            h.register_hook(lambda g: g * 7)
            y = net(h)
            y.register_hook(lambda g: g * 11)
            (y * y).sum().backward()
            found.append([v.grad.numpy() for v in (net.weight, net.bias, x)])
            net.clear_gradients()
        return found

    nets = []
    for _ in range(2):
        paddle.seed(0)
        nets.append(nn.Linear(2, 3))
    converted = steps(paddle.jit.to_static(nets[0], full_graph=True))
    for a, b in zip(converted, steps(nets[1]), strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


@pytest.mark.parametrize("wanted", ["hooked", "both", "two hooks"])
def test_gradients_that_the_function_asks_for_go_through_the_hooks_of_what_they_are_of(wanted):
    def function(x):
        y = x * 1.0
        y.register_hook(lambda g: g * 0.5)
        if wanted == "two hooks":
            y.register_hook(lambda g: g + 1.0)
        found = paddle.grad((y * y * 3.0).sum(), [y, x] if wanted == "both" else [y], create_graph=True)
        return sum(g * g for g in found).sum() + y.sum()

    results = []
    for call in (function, paddle.jit.to_static(function, full_graph=True)):
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        out = call(x)
        out.backward()
        results.append([out.item(), x.grad.tolist()])
    assert results[0] == results[1]
    if wanted == "hooked":
        assert results[0][0] == 48.0

"""A tensor that a branch makes and leaves under two names: what is done to it in place shows under both."""

import numpy as np
import proa as paddle
import pytest


class Box:
    def __init__(self, held):
        self.held = held


def on_one_way(x):
    t = x * 1.0
    other = t * 2
    if (t < 1).all():
        pass
    else:
        t = t - 0.5
        other = t
    t.scale_(0.5)
    return t, other


def the_other_is_changed(x):
    t = x * 1.0
    other = t * 2
    if (t < 1).all():
        t = t + 0.25
        other = t
    other.add_(paddle.ones([2]))
    return t, other


def on_both_ways(x):
    if (x < 1).all():
        t = x - 0.25
        other = t
    else:
        t = x - 0.5
        other = t
    t.scale_(0.5)
    return t, other


def twice_in_a_list_of_an_object(x):
    t = x * 1.0
    box = Box([t * 2, t])
    if (t < 1).all():
        pass
    else:
        t = t - 0.5
        box.held = [t, t]
    t.scale_(0.5)
    return t, *box.held


def each_way_another_pair(x):
    if (x < 1).all():
        a = x * 2
        b, c = a, x * 3
    else:
        a = x * 5
        b = x * 7
        c = b
    c[0] = 9.0
    d = a + b
    a.scale_(0.5)
    return a, b, c, d


@pytest.mark.parametrize("function", [on_one_way, the_other_is_changed, on_both_ways, twice_in_a_list_of_an_object,
                                      each_way_another_pair])
def test_both_names_show_it(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for values in ([3.0, 2.0], [0.0, -1.0], [0.5, 4.0]):
        found = []
        for each in (function, converted):
            x = paddle.to_tensor(values, stop_gradient=False)
            results = each(x)
            sum((n + 1) * (r * r).sum() for n, r in enumerate(results)).backward()
            found.append([*(r.numpy() for r in results), x.grad.numpy()])
        for wanted, got in zip(*found, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


def chosen_in_the_branch(x):
    t = x * 1.0
    other = t * 2
    if (t < 5).all():
        t = t + 1
        other = t * 3
        if (x > 1).all():
            t = t - 0.5
            other = t
    t.scale_(0.5)
    return t, other


def test_what_a_statement_in_the_branch_decides_is_refused():
    with pytest.raises(RuntimeError, match=r"is changed in place .*Give one of them a copy"):
        paddle.jit.to_static(chosen_in_the_branch, full_graph=True)(paddle.ones([2]))

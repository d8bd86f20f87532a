"""Properties that a branch sets: what their functions change is what the branch changes."""

import numpy as np
import proa as paddle
import pytest


class Doubling:
    def __init__(self, held):
        self._held = held

    @property
    def held(self):
        return self._held

    @held.setter
    def held(self, value):
        self._held = value * 2


class Restless:
    def __init__(self, held):
        self.__dict__["held"] = held

    def __setattr__(self, name, value):
        self.__dict__[name] = value * 1.0


def in_a_branch(x):
    owner = Doubling(x)
    if x.sum() > 0:
        owner.held = x + 1
    return owner.held


def on_both_ways(x):
    owner = Doubling(x)
    if x.sum() > 0:
        owner.held = x + 1
    else:
        owner.held += x
    return owner.held, owner._held


def in_a_loop(x):
    owner = Doubling(x)
    while owner.held.sum() < 50:
        owner.held = owner.held.abs() + 1
    return owner.held


@pytest.mark.parametrize("function", [in_a_branch, on_both_ways, in_a_loop])
def test_as_without_conversion(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for values in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_array_equal(paddle.stack(list(converted(x))), paddle.stack(list(function(x))))


def test_an_attribute_that_never_comes_to_rest_is_refused():
    def function(x):
        owner = Restless(x)
        if x.sum() > 0:
            owner.held = x + 1
        return owner.held

    with pytest.raises((TypeError, RuntimeError), match=r"File .*held"):
        paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))


def test_a_dict_that_grows_while_a_loop_goes_over_it_is_told_where():
    def function(x):
        found = {"a": x, "b": x * 2}
        for value in found.values():
            if x.sum() > 0:
                found.setdefault("c", value)
        return found["a"]

    with pytest.raises(RuntimeError, match=r"File .* goes over what its turns change"):
        paddle.jit.to_static(function, full_graph=True)(-paddle.ones([2]))

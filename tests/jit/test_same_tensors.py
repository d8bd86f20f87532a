"""Where a function leaves a Tensor that was there, in a place that it may rebind or as its result, it is that one."""

from types import SimpleNamespace

import numpy as np
import proa as paddle
import pytest
from proa.jit.errors import ConversionError

X = [1.0, 2.0, 3.0]


def state():
    one = paddle.ones([3])
    return SimpleNamespace(a=one, b=one, d={})


def test_what_a_branch_does_not_replace_stays():
    held = state()

    @paddle.jit.to_static(full_graph=True)
    def replaced(x):
        if x.sum() > 0:
            held.a = held.a + x

    @paddle.jit.to_static(full_graph=True)
    def changed():
        held.a.scale_(3.0)

    before = held.a
    replaced(-paddle.to_tensor(X))
    assert held.a is before
    changed()
    np.testing.assert_array_equal(held.b, [3, 3, 3])
    replaced(paddle.to_tensor(X))
    assert held.a is not held.b
    changed()
    np.testing.assert_array_equal(held.a, [12, 15, 18])
    np.testing.assert_array_equal(held.b, [3, 3, 3])


def test_places_share_what_a_branch_gave_both():
    held = state()

    @paddle.jit.to_static(full_graph=True)
    def shared(x):
        made = x * 2
        held.a = made
        if x.sum() > 0:
            held.d["a"] = made
        else:
            held.d["a"] = x
        held.b = x
        return made, held.d["a"]

    for sign in (1, -1):
        x = sign * paddle.to_tensor(X)
        made, chosen = shared(x)
        assert held.a is made and held.b is x
        assert chosen is held.d["a"] is (made if sign > 0 else x)
    assert shared.get_traced_count() == 2  # the first call finds no key


def test_an_argument_that_is_returned_is_the_caller_s():
    @paddle.jit.to_static(full_graph=True)
    def same(x, y):
        x.add_(y)
        return x, y, x + y

    x, y = paddle.to_tensor(X), paddle.to_tensor(X)
    first, second, third = same(x, y)
    assert first is x and second is y
    np.testing.assert_array_equal(third, [3, 6, 9])


def test_what_nested_branches_leave_of_a_tensor_held_twice_is_refused():
    held = state()

    def nested(x):
        if x.sum() > 0:
            if x.max() > 2:
                held.a = held.a + x

    with pytest.raises(ConversionError, match=r"whether `held.a` keeps the tensor .*x.clone\(\)"):
        paddle.jit.to_static(nested, full_graph=True)(paddle.to_tensor(X))
    held.b = None
    paddle.jit.to_static(nested, full_graph=True)(paddle.to_tensor(X))
    np.testing.assert_array_equal(held.a, [2, 3, 4])

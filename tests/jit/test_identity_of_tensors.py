"""`a is b` of tensors, one of which may be the other."""

import numpy as np
import proa as paddle
import pytest
from proa.jit.errors import ConversionError


def chosen_by_an_expression(x):
    a, b = x * 2, x * 3
    c = a if x.sum() > 0 else b
    return x if c is a else -x


def replaced_in_a_branch(x):
    a = x
    if x.sum() > 0:
        a = x * 2
    if a is not x:
        a = a + 1
    return a


def twice_chosen(x):
    a, b = x * 2, x * 3
    if x.sum() > 0:
        a = b
    c = x if x.max() > 5 else a
    return x if b is c else -x


def known(x):
    a = x * 2
    b = a
    c = x if x.sum() > 0 else x * 5
    return x + c if a is b and a is not x and c is not b else -x


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
@pytest.mark.parametrize("function", [chosen_by_an_expression, replaced_in_a_branch, twice_chosen, known])
def test_what_only_a_run_knows_is_refused(function):
    if function is not known:
        with pytest.raises(ConversionError, match="whether two names stand for one tensor"):
            paddle.jit.to_static(function, full_graph=True)(paddle.ones([2]))
    converted = paddle.jit.to_static(function, full_graph=function is known)
    for values in ([1.0, 2.0], [-1.0, -2.0], [7.0, -9.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_array_equal(converted(x), function(x))


def handed_on_by_turns(x):
    a = x
    n = paddle.zeros([])
    while n < x.sum():
        if a is x:
            a = a + 1
        n = n + 1
    return a


def made_in_the_turn(x):
    a = x
    n = paddle.zeros([])
    while n < x.sum():
        b = a + 1
        a = b if b is not a and b is not x else x
        n = n + 1
    return a


@pytest.mark.filterwarnings("ignore::proa.jit.FallbackWarning")
def test_what_turns_hand_on_may_be_any_of_before():
    with pytest.raises(ConversionError, match="whether two names stand for one tensor"):
        paddle.jit.to_static(handed_on_by_turns, full_graph=True)(paddle.ones([2]))
    for function in (handed_on_by_turns, made_in_the_turn):
        converted = paddle.jit.to_static(function, full_graph=function is made_in_the_turn)
        for values in ([1.0, 2.0], [-1.0, -2.0]):
            x = paddle.to_tensor(values)
            np.testing.assert_array_equal(converted(x), function(x))

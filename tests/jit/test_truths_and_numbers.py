"""What is a truth value on some ways and a number on others: it computes as a number, and is not given as one."""

import warnings

import numpy as np
import proa as paddle
import pytest
from proa.jit.errors import ConversionError


def three_or_false(x):
    return x.sum() > 0 and 3


def true_or_three(x):
    return x.sum() > 0 or 3


def chosen(x):
    return [3 if x.sum() > 0 else False]


def largest(x):
    return x.sum() > 0 and x.max()


def of_nested_conditions(x):
    a = 2 if x.max() > 1 else (False if x.sum() > 0 else 1)
    return {"a": a}


def of_turns(x):
    found = False
    for i in range(3):
        if x.sum() > i:
            found = i
    return found


def of_a_loop_that_a_tensor_decides(x):
    found = False
    while x.sum().abs() < 10:
        x, found = x * 2, 3
    return found


def mixed_before_a_loop(x):
    found = 3 if x.max() > 3 else False
    while x.sum().abs() < 10:
        x = x * 2
        if x.max() > 100:
            found = found + 1
    return found


def mixed_in_turns(x):
    found = 0
    while x.sum().abs() < 10:
        x = x * 2
        found = 3 if x.max() > 100 else False
    return found


def counted(x):
    n = False
    for v in x:
        if v > 0:
            n += 1
    return n


def as_an_index(x):
    return x[x.sum() > 0 and 1]


@pytest.mark.filterwarnings("ignore:.*a tensor decides this `if`:UserWarning")
@pytest.mark.parametrize("function", [three_or_false, true_or_three, chosen, largest, of_nested_conditions, of_turns,
                                      of_a_loop_that_a_tensor_decides, mixed_before_a_loop, mixed_in_turns,
                                      counted, as_an_index])
def test_it_is_not_returned_as_either(function):
    x = paddle.to_tensor([1.0, 2.0, -4.0])
    with pytest.raises(ConversionError, match="a truth value on some ways"):
        paddle.jit.to_static(function, full_graph=True)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, expected = paddle.jit.to_static(function)(x), function(x)
    assert type(found) is type(expected)
    assert repr(found) == repr(expected)


def multiplied(x):
    a = True if x.sum() > 0 else 2
    return x * a, x * (x.max() > 5 and 3), int(x.sum() > 0 and 3) + 1, 2 * x if x.sum() > 0 and 3 else x


def bound_and_tested(x):
    flag = x.sum() > 0 and 3
    return x + 1 if flag else x - flag


@pytest.mark.parametrize("function", [multiplied, bound_and_tested])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_it_computes_as_a_number(function, dtype):
    for values in ([1, 2], [-1, -2], [7, 0]):
        x = paddle.to_tensor(values, dtype)
        found, expected = paddle.jit.to_static(function, full_graph=True)(x), function(x)
        for one, other in zip(paddle.utils.flatten(found), paddle.utils.flatten(expected), strict=True):
            assert np.asarray(one).tolist() == np.asarray(other).tolist()
            assert not isinstance(other, paddle.Tensor) or one.dtype == other.dtype


def the_first_that_holds(x):
    if any((hit := v).sum() > 0 for v in x):
        return hit
    return x[0] * 0


def all_of_known_values(x):
    return any((last := n) > 2 for n in (1, 3, 5)), last * x


def test_a_generator_that_binds_a_name_is_not_gone_through_where_a_tensor_ends_it():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ConversionError, match="binds a name with `:=`"):
        paddle.jit.to_static(the_first_that_holds, full_graph=True)(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", paddle.jit.FallbackWarning)
        assert paddle.jit.to_static(the_first_that_holds)(x).tolist() == [1.0, 2.0]
    found, scaled = paddle.jit.to_static(all_of_known_values, full_graph=True)(x)
    assert found is True
    assert scaled.tolist() == [[3.0, 6.0], [9.0, 12.0]]

"""`copy.deepcopy` in converted code: tensors of the same values that change apart."""

import copy

import numpy as np
import proa as paddle
import pytest


def of_an_argument(x):
    made = copy.deepcopy(x)
    made.add_(paddle.ones([2]))
    return made, x * 1.0


def of_what_is_nested(x):
    held = [x * 2, {"a": x * 3, "b": 7}]
    made = copy.deepcopy(held)
    made[1]["a"][0] = 9.0
    return made[0] + made[1]["b"], made[1]["a"], held[1]["a"]


def where_a_tensor_decides(x):
    made = x * 1.0
    if x.sum() > 0:
        made = copy.deepcopy(x)
        made.scale_(3.0)
    return made, x * 1.0


@pytest.mark.parametrize("function", [of_an_argument, of_what_is_nested, where_a_tensor_decides])
def test_as_without_conversion(function):
    converted = paddle.jit.to_static(function, full_graph=True)
    for values in ([1.0, 2.0], [-1.0, -2.0]):
        x = paddle.to_tensor(values)
        for got, wanted in zip(converted(x), function(x), strict=True):
            np.testing.assert_array_equal(got.numpy(), wanted.numpy())


def test_no_gradient_flows_to_what_was_copied():
    x = paddle.ones([2])
    x.stop_gradient = False
    paddle.jit.to_static(lambda x: (copy.deepcopy(x) * 2).sum() + x.sum(), full_graph=True)(x).backward()
    assert x.grad.tolist() == [1.0, 1.0]

"""Shapes given one size at a time, and integers where a dtype is wanted."""

import numpy as np
import proa as paddle
import pytest


@pytest.mark.parametrize("make", [paddle.zeros, paddle.ones, paddle.empty, paddle.rand, paddle.randn,
                                  paddle.standard_normal])
def test_new_tensors_take_sizes_one_by_one(make):
    made = make(2, 3, 4)
    assert made.shape == [2, 3, 4] and made.dtype == paddle.float32
    assert make(2, 3, dtype="float64").dtype == paddle.float64
    assert make([2, 3], "float64").shape == make((2, 3)).shape == [2, 3]
    assert make(5).shape == [5]


@pytest.mark.parametrize("call, shape", [
    (lambda x: x.reshape(3, 2), [3, 2]), (lambda x: x.reshape(3, -1, 1), [3, 2, 1]), (lambda x: x.reshape(-1), [6]),
    (lambda x: paddle.reshape(x, 3, 2), [3, 2]), (lambda x: x.view(1, 6), [1, 6]), (lambda x: x.view(6), [6]),
    (lambda x: x.transpose(1, 0), [3, 2]), (lambda x: x.expand(4, 2, 3), [4, 2, 3]), (lambda x: x.tile(2, 1), [2, 6]),
])
def test_methods_take_sizes_one_by_one(call, shape):
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    assert call(x).shape == shape
    converted = paddle.jit.to_static(lambda t: call(t), full_graph=True)(x)
    np.testing.assert_array_equal(converted.numpy(), call(x).numpy())


def test_sizes_that_are_not_known_yet():
    spec = [paddle.static.InputSpec([None, 3])]
    flat = paddle.jit.to_static(lambda x: x.reshape(x.shape[0] * 3, 1), input_spec=spec, full_graph=True)
    assert flat(paddle.ones([5, 3])).shape == [15, 1]


@pytest.mark.parametrize("call", [
    lambda x: x.sum(0, 1), lambda x: x.cumsum(0, 1), lambda x: x.astype(3), lambda x: paddle.zeros([2], 5),
    lambda x: paddle.full([2], 1, 3), lambda x: paddle.to_tensor([1], 3), lambda x: paddle.ones_like(x, 5),
])
def test_an_integer_is_no_dtype(call):
    with pytest.raises(TypeError, match="dtype must be"):
        call(paddle.ones([2, 3]))

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


def test_scatter_nd_takes_sizes_that_are_tensors_beside_numbers():
    index, rows = paddle.to_tensor([[0], [2], [0]]), paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    expected = [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0]]
    for shape in ([paddle.to_tensor(3), 2], [paddle.to_tensor([3]), paddle.to_tensor(2, "int32")],
                  paddle.to_tensor([3, 2]), (3, 2)):
        assert paddle.scatter_nd(index, rows, shape).tolist() == expected
    counted = paddle.jit.to_static(lambda i, r: paddle.scatter_nd(i, r, [i.max() + 1, 2]), full_graph=True)
    assert counted(index, rows).tolist() == expected


@pytest.mark.parametrize("call", [
    lambda x: x.sum(0, 1), lambda x: x.cumsum(0, 1), lambda x: x.astype(3), lambda x: paddle.zeros([2], 5),
    lambda x: paddle.full([2], 1, 3), lambda x: paddle.to_tensor([1], 3), lambda x: paddle.ones_like(x, 5),
])
def test_an_integer_is_no_dtype(call):
    with pytest.raises(TypeError, match="dtype must be"):
        call(paddle.ones([2, 3]))


@pytest.mark.parametrize(("numbers", "length"), [
    ((0, 0.6, 0.1), 6), ((0, 0.3, 0.1), 3), ((-1, 1, 0.01), 200), ((0.0, -0.6, -0.1), 6), ((1.5, 2.2, 0.1), 8),
    ((3, 1, 0.5), 0)])
def test_a_range_of_floats_is_counted_in_its_dtype(numbers, length):
    """As PaddlePaddle counts: 0.6 / 0.1 is 6 in float32, and more than 6 where its numbers are divided in float64."""
    tensors = [paddle.to_tensor(float(n)) for n in numbers]
    built = paddle.jit.to_static(lambda x: x + paddle.arange(*numbers, dtype="float32"))
    for made in (paddle.arange(*numbers, dtype="float32"), paddle.arange(*tensors), built(paddle.zeros([1]))):
        assert made.shape == [length]
        np.testing.assert_allclose(made, numbers[0] + np.arange(length) * numbers[2], rtol=1e-6, atol=1e-7)


def test_a_range_beyond_its_dtype():
    with pytest.raises(ValueError, match="finite numbers of float16"):
        paddle.arange(0, float("inf"), 1, dtype="float16")

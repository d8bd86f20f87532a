"""concat beside empty tensors, which loops begin with: `found = paddle.to_tensor([])`, then `concat([found, rows])`."""

import numpy as np
import proa as paddle
import pytest


def rows(dtype="float32"):
    return paddle.arange(6, dtype=dtype).reshape([2, 3])


@pytest.mark.parametrize("shape", [[0], [0, 3], [0, 5], [5, 0], [1, 0, 2]])
@pytest.mark.parametrize("axis", [0, 1, -1, paddle.to_tensor(1)], ids=str)
def test_an_empty_tensor_counts_for_nothing(shape, axis):
    empty = paddle.zeros(shape)
    for values in ([empty, rows()], [rows(), empty], (empty, rows(), empty)):
        assert paddle.concat(values, axis).tolist() == rows().tolist()


def test_nor_does_its_dtype():
    assert paddle.concat([paddle.to_tensor([]), paddle.to_tensor([1, 2])]).dtype == paddle.int64
    assert paddle.concat([paddle.zeros([0], "int64"), rows("float64")]).dtype == paddle.float64
    assert paddle.concat([paddle.zeros([0], "int64"), paddle.zeros([0])]).dtype == paddle.float32


def test_the_gradient_of_what_has_elements():
    empty, x = paddle.to_tensor([], stop_gradient=False), rows()
    x.stop_gradient = False
    joined = paddle.concat([empty, x, x])
    (joined * joined).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 4 * rows().numpy())
    assert empty.grad is None


def test_a_converted_loop_begins_with_one():
    def function(x):
        found = paddle.to_tensor([])
        for row in range(3):
            found = paddle.concat([found, x * float(row)])
        return found

    expected = function(rows())
    assert expected.shape == [6, 3]
    converted = paddle.jit.to_static(function, full_graph=True)(rows())
    np.testing.assert_array_equal(converted.numpy(), expected.numpy())


def test_sizes_that_disagree_are_an_error_still():
    for values in ([rows(), paddle.ones([2])], [paddle.zeros([0]), rows(), paddle.ones([2, 2])]):
        with pytest.raises(ValueError, match="the sizes must agree"):
            paddle.concat(values)
    assert paddle.concat([paddle.zeros([0, 3]), paddle.zeros([0, 3])]).shape == [0, 3]
    with pytest.raises(ValueError, match="the sizes must agree"):
        paddle.concat([paddle.zeros([0, 3]), paddle.zeros([0, 2])])

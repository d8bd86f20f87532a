"""Calls that generated arguments showed to differ from PaddlePaddle 2.6.2; the numbers are its answers."""

import numpy as np
import proa as paddle
import pytest

F = paddle.nn.functional


def test_complex_keeps_infinite_imaginary_parts():
    made = paddle.complex(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([1.0, float("inf")]))
    assert made.numpy().tolist() == [1 + 1j, complex(2, float("inf"))]


def test_meshgrid_gives_a_number_the_gradient_of_a_number():
    x = paddle.to_tensor(1.0, stop_gradient=False)
    first, second = paddle.meshgrid(x, paddle.to_tensor([1.0, 2.0]))
    (first + second).sum().backward()
    assert x.grad.shape == [] and x.grad.item() == 2.0


@pytest.mark.parametrize("function", [
    lambda x: paddle.trace(x, offset=paddle.to_tensor(1)),
    lambda x: F.cross_entropy(x, paddle.to_tensor([0, 1, 2]), axis=paddle.to_tensor([-1])),
])
def test_gradients_where_an_axis_is_a_tensor(function):
    x = paddle.arange(9.0).reshape([3, 3])
    x.stop_gradient = False
    function(x).sum().backward()
    assert x.grad.shape == [3, 3] and float(x.grad.abs().sum()) > 0


@pytest.mark.parametrize(("x", "y", "found"), [
    ("float16", "int32", "float32"), ("bfloat16", "int32", "float32"), ("float16", "float64", "float64"),
    ("float32", "int64", "float32"), ("int64", "int64", "float32"),
])
def test_ldexp_computes_in_the_default_dtype_at_least(x, y, found):
    made = paddle.ldexp(paddle.to_tensor([1.0, 2.0]).astype(x), paddle.to_tensor([1, 2]).astype(y))
    assert made.dtype == found and made.tolist() == [2.0, 8.0]


def test_diag_takes_whole_numbers_of_numpy_and_tells_of_fractions():
    assert paddle.diag(paddle.to_tensor([1.0]), np.float32(1)).tolist() == [[0.0, 1.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="whole numbers"):
        paddle.diag(paddle.to_tensor([1.0]), np.float32(1.5))


def test_stanh_with_numbers_of_numpy_keeps_the_dtype():
    assert paddle.stanh(paddle.to_tensor([1.0]), np.float64(0.6), np.float64(1.5)).dtype == "float32"


def test_one_quantile_in_a_list_makes_no_dimension():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    assert paddle.quantile(x, [0.5], axis=0).tolist() == [2.0, 3.0]
    assert paddle.quantile(x, [0.5, 1.0], axis=0).shape == [2, 2]


def test_a_comparison_in_place_changes_a_leaf():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x.equal_(paddle.to_tensor([1.0, 3.0])).tolist() == [True, False]
    x = paddle.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(ValueError, match="leaf"):
        x.add_(x)


def test_sizes_of_windows_as_numbers_of_numpy():
    two = np.int64(2)
    images = paddle.ones([1, 1, 3, 3])
    assert paddle.nn.Conv2D(1, 1, (two, two), stride=two)(images).shape == [1, 1, 1, 1]
    layer = paddle.vision.ops.DeformConv2D(1, 1, [two, two])
    assert layer(images, paddle.zeros([1, 8, 2, 2])).shape == [1, 1, 2, 2]


def test_weight_decay_as_a_number_of_numpy():
    weight = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(2.0))
    sgd = paddle.optimizer.SGD(0.5, parameters=[weight], weight_decay=np.float32(0.5))
    (weight * 0.0).sum().backward()
    sgd.step()
    assert weight.item() == 1.5


def test_shapes_of_samples_as_arrays():
    normal = paddle.distribution.Normal(0.0, 1.0)
    assert normal.sample(np.array([2, 3])).shape == [2, 3] and normal.sample(np.int64(2)).shape == [2]


def test_sparse_sum_along_an_axis_of_numpy():
    x = paddle.to_tensor([[1.0, 0.0], [0.0, 2.0]]).to_sparse_coo(2)
    assert paddle.sparse.sum(x, np.int64(0)).to_dense().tolist() == [1.0, 2.0]


def test_devices_in_capitals():
    assert str(paddle.nn.Linear(1, 1).to("CPU").weight.place) == "Place(cpu)"
    with pytest.raises(ValueError, match="TPU|tpu"):
        paddle.nn.Linear(1, 1).to("TPU")


@pytest.mark.parametrize("shape", [np.array([1, 3]), paddle.to_tensor([1, 3])])
def test_unflatten_to_a_shape_in_an_array(shape):
    assert paddle.nn.Unflatten(1, shape)(paddle.ones([2, 3])).shape == [2, 1, 3]

"""The functions of job scripts on tensors: at once, in the face of what they are given."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest

A = np.array([[1.5, -2.5, 0.25], [4.0, 0.5, -6.5]], "float32")


def test_they_give_tensors_of_this_face_with_gradients():
    x = flow.tensor(A, requires_grad=True)
    y = flow.math.clip_by_value(flow.math.add(x, 1), 0.0, 3.0)
    assert type(y) is flow.Tensor
    flow.math.reduce_sum(flow.math.multiply(y, y)).backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * (A + 1) * ((A + 1 >= 0) & (A + 1 <= 3)), rtol=1e-6)
    assert type(flow.constant(1.0, flow.float32, [2])) is flow.Tensor and type(flow.range(3)) is flow.Tensor
    assert type(flow.stack([x, x])) is type(flow.math.add_n([x, x])) is flow.Tensor


def test_tensors_of_paddle_stay_such():
    x = paddle.to_tensor(A, stop_gradient=False)
    y = flow.math.square(flow.reverse(x, 1))
    assert type(y) is paddle.Tensor and type(flow.math.add_n([x, x])) is paddle.Tensor
    np.testing.assert_allclose(paddle.grad(y.sum(), x)[0].numpy(), 2 * A, rtol=1e-6)


def test_later_meanings_of_older_names():
    x = flow.tensor(A)
    assert flow.transpose(x, 0, 1).shape == (3, 2) and flow.transpose(x, perm=[1, 0]).shape == (3, 2)
    assert flow.sort(x)[1].numpy().tolist() == np.argsort(A).tolist()
    assert flow.math.top_k(x, k=2).numpy().tolist() == [[0, 2], [0, 1]]
    assert flow.one_hot(flow.tensor([1]), 3, dtype=flow.int32).numpy().tolist() == [[0, 1, 0]]


def test_distinct_elements_in_order_or_as_they_come():
    x = flow.tensor([[3, 1, 2], [0, 2, 3]])
    values, places, counts = flow.unique(x, return_inverse=True, return_counts=True)
    assert values.tolist() == [0, 1, 2, 3] and counts.tolist() == [1, 1, 2, 2]
    assert places.tolist() == x.tolist() and places.dtype is counts.dtype is flow.int32
    values, places, counts = flow.unique(x, sorted=False, return_inverse=True, return_counts=True, dtype=flow.int64)
    assert values.tolist() == [3, 1, 2, 0] and counts.tolist() == [2, 1, 2, 1]
    assert places.tolist() == [[0, 1, 2], [3, 2, 0]] and places.dtype is flow.int64
    values, places = flow.tensor([2, 3, 1, 3]).unique(sorted=False, return_inverse=True)
    assert values.tolist() == [2, 3, 1] and places.tolist() == [0, 1, 2, 1]


def test_quantiles_are_of_the_dtype_that_is_given():
    x = flow.tensor(A, requires_grad=True)
    middle = flow.quantile(x, 0.5, dim=1)
    assert middle.dtype is flow.float32 and middle.tolist() == [0.25, 0.5]
    several = x.quantile(flow.tensor([0.0, 0.75]), dim=1, keepdim=True)
    np.testing.assert_allclose(several.detach().numpy(), np.quantile(A, [0.0, 0.75], axis=1, keepdims=True), rtol=1e-6)
    middle.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    with pytest.raises(TypeError, match="floats"):
        flow.quantile(flow.tensor([1, 2]), 0.5)


def test_bits():
    x, mask = flow.tensor([5, 6]), flow.tensor([True, False])
    assert flow.bitwise_and(x, 3).tolist() == [1, 2] and flow.bitwise_or(8, x).tolist() == [13, 14]
    assert x.bitwise_xor(flow.tensor([1, 1])).tolist() == [4, 7] and flow.bitwise_not(x).tolist() == [-6, -7]
    assert mask.bitwise_and(mask).tolist() == [True, False] and type(flow.bitwise_and(x, 3)) is flow.Tensor


def test_products_of_vectors_lie_along_the_last_dimension_in_linalg():
    x, y = np.arange(9.0).reshape(3, 3), np.arange(9.0)[::-1].reshape(3, 3) ** 2
    np.testing.assert_allclose(flow.linalg.cross(flow.tensor(x), flow.tensor(y)).numpy(), np.cross(x, y))
    np.testing.assert_allclose(flow.linalg.cross(flow.tensor(x), flow.tensor(y), 0).numpy(), np.cross(x, y, axis=0))
    np.testing.assert_allclose(flow.linalg.det(flow.tensor(y)).numpy(), np.linalg.det(y), rtol=1e-6)


def test_distances_and_what_lies_between():
    x = flow.tensor(A, requires_grad=True)
    distances = flow.cdist(x, x[:1]).detach().numpy()[:, 0]
    np.testing.assert_allclose(distances, np.linalg.norm(A - A[0], axis=1), rtol=1e-6)
    np.testing.assert_allclose(flow.cosine_similarity(x, x * 2).detach().numpy(), [1.0, 1.0], rtol=1e-6)
    flow.lerp(x, x.detach() * 3, 0.25).sum().backward()
    assert x.grad.tolist() == [[0.75] * 3] * 2
    assert flow.tensor(A).lerp_(flow.tensor(A * 3), 0.5).tolist() == (A * 2).tolist()
    assert flow.frac(x).tolist() == [[0.5, -0.5, 0.25], [0.0, 0.5, -0.5]]
    assert flow.exp2(flow.tensor([3, -1])).tolist() == [8.0, 0.5] and flow.special.exp2(x).shape == x.shape
    values, places = flow.mode(flow.tensor([[2, 1, 2], [3, 3, 1]]), 1)
    assert values.tolist() == [2, 3] and places.shape == (2,)
    assert flow.finfo(flow.float32).bits == 32 and flow.iinfo(flow.int64).max == 2 ** 63 - 1


def test_sequences_are_padded_behind():
    a, b = flow.tensor(A), flow.tensor(A[:1])
    padded = flow.nn.utils.rnn.pad_sequence([a, b], padding_value=9.0)
    assert padded.shape == (2, 2, 3) and padded[:, 1].tolist() == [A[0].tolist(), [9.0] * 3]
    assert flow.nn.utils.rnn.pad_sequence([a, b], batch_first=True)[0].tolist() == A.tolist()
    with pytest.raises(ValueError, match="one tensor at least"):
        flow.nn.utils.rnn.pad_sequence([])


def test_what_is_written_to_a_part_the_whole_has_too():
    x = flow.tensor(A)
    left, right = x.split([1, 2], dim=1)
    right.mul_(2)
    left[0] = 7.0
    wanted = A * [1, 2, 2]
    wanted[0, 0] = 7.0
    assert x.tolist() == wanted.tolist()
    x.chunk(2, 0)[1].zero_()
    flow.chunk(x, 1)[0].add_(1)
    assert x.tolist() == [(wanted[0] + 1).tolist(), [1.0] * 3]
    weight = flow.tensor(A, requires_grad=True)
    whole = weight * 2
    whole.split(1)[0].mul_(3)
    whole.sum().backward()
    assert weight.grad.tolist() == [[6.0] * 3, [2.0] * 3]


def test_integers_divided_towards_zero():
    x = flow.tensor([7, -7])
    assert x.div(2, rounding_mode="trunc").tolist() == [3, -3]
    assert flow.div(x, flow.tensor([2, 2]), rounding_mode="trunc").dtype is flow.int64
    assert x.div(1.5, rounding_mode="trunc").tolist() == [4.0, -4.0]

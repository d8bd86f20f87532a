"""The functions of job scripts on tensors: at once, in the face of what they are given."""

import numpy as np
import proa as paddle
import proa.oneflow as flow

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

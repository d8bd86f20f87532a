"""x[mask] = y of a y that has x's dimensions: each place takes what y has there, as in PaddlePaddle."""

import numpy as np
import proa as paddle
import pytest


def given(dtype="float32"):
    x = paddle.to_tensor([[1.0, -1.0, 2.0], [-2.0, 3.0, -3.0]]).astype(dtype)
    return x, paddle.arange(10, 70, 10, dtype=dtype).reshape([2, 3])


def assigned(x, mask, y):
    z = x * 1.0
    z[mask] = y
    return z


CASES = {
    "whole": lambda x, y: (x > 0.0, y, [[10.0, -1.0, 30.0], [-2.0, 50.0, -3.0]]),
    "column": lambda x, y: (x > 0.0, y[:, :1], [[10.0, -1.0, 10.0], [-2.0, 40.0, -3.0]]),
    "everywhere": lambda x, y: (x > -9.0, y, [[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]),
    "nowhere": lambda x, y: (x > 9.0, y, [[1.0, -1.0, 2.0], [-2.0, 3.0, -3.0]]),
    "one by one": lambda x, y: (x > 0.0, y[0], [[10.0, -1.0, 20.0], [-2.0, 30.0, -3.0]]),
    "a row, one by one": lambda x, y: (x > 0.0, y[:1], [[10.0, -1.0, 20.0], [-2.0, 30.0, -3.0]]),
    "rows": lambda x, y: (x[:, 0] > -9.0, y, [[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_places_of_a_mask(case):
    def function(x, y):
        mask, value, _ = case(x, y)
        return assigned(x, mask, value)

    x, y = given()
    expected = case(x, y)[2]
    assert function(x, y).tolist() == expected
    assert paddle.jit.to_static(function, full_graph=True)(x, y).tolist() == expected


@pytest.mark.parametrize("form", [lambda mask: mask.numpy(), lambda mask: mask.tolist(), lambda mask: (mask,)])
def test_other_masks(form):
    x, y = given()
    assert assigned(x, form(x > 0.0), y).tolist() == [[10.0, -1.0, 30.0], [-2.0, 50.0, -3.0]]
    x.unsqueeze_(0)
    assert assigned(x, form(x > 0.0), y.unsqueeze(0)).tolist() == [[[10.0, -1.0, 30.0], [-2.0, 50.0, -3.0]]]


def test_of_one_dimension():
    x, y = (value.flatten() for value in given())
    assert assigned(x, x > 0.0, y).tolist() == [10.0, -1.0, 30.0, -2.0, 50.0, -3.0]
    assert assigned(x, x > 0.0, y.numpy()).tolist() == [10.0, -1.0, 30.0, -2.0, 50.0, -3.0]
    with pytest.raises(ValueError, match="cannot assign 2"):
        assigned(x, x > 0.0, y[:2])


def test_gradients():
    x, y = given()
    x.stop_gradient = y.stop_gradient = False
    (assigned(x, x > 0.0, y) ** 2).sum().backward()
    inside = (x > 0.0).astype("float32").numpy()
    np.testing.assert_allclose(y.grad.numpy(), 2.0 * y.numpy() * inside)
    np.testing.assert_allclose(x.grad.numpy(), 2.0 * x.numpy() * (1.0 - inside))

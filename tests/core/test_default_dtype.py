"""What the default dtype decides, and what it does not."""

import proa as paddle
import pytest


@pytest.fixture(autouse=True)
def doubles():
    paddle.set_default_dtype("float64")
    yield
    paddle.set_default_dtype("float32")


def test_numbers_and_parameters_have_it():
    weight = paddle.nn.Linear(1, 1).weight
    assert paddle.ones([1]).dtype == paddle.to_tensor(1.0).dtype == weight.dtype == paddle.float64


def test_one_hot_does_not():
    assert paddle.nn.functional.one_hot(paddle.to_tensor([1]), 3).dtype == paddle.float32

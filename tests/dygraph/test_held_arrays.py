"""`x.value().get_tensor()`, by which older programs read and set a Tensor's array."""

import numpy as np
import proa as paddle
import pytest
from proa import nn


def test_what_it_tells():
    x = paddle.arange(6).reshape([2, 3])
    held = x.value().get_tensor()
    assert held.shape() == [2, 3] and held.lod() == [] and held._numel() == 6 and held._is_initialized()
    assert held._dtype() is paddle.int64 and held._place().is_cpu_place() and str(held) == str(x)
    assert np.array(held).tolist() == x.tolist() and np.asarray(held, "float32").dtype == np.float32


def test_another_library_takes_its_memory():
    x = paddle.to_tensor([0.1, 0.2], dtype="float64")
    taken = paddle.framework.core.from_dlpack(x.value().get_tensor()._to_dlpack())
    assert taken.dtype is paddle.float64 and taken.tolist() == x.tolist()


@pytest.mark.parametrize("index", [(18,), (1, 2), (2, 1, 2)])
def test_an_index_of_no_element_is_a_value_error(index):
    with pytest.raises(ValueError, match=r"there is no such element.*shape=\[3, 2, 2\]"):
        paddle.ones([3, 2, 2]).item(*index)


def test_what_another_holds_comes_with_its_dtype():
    x = paddle.ones([2])
    x.get_tensor()._share_data_with(paddle.to_tensor([0.1, 0.2], dtype="float64").get_tensor())
    assert x.dtype is paddle.float64 and x.tolist() == [0.1, 0.2]
    x = paddle.ones([2])
    x.get_tensor().set([0.5, 0.25])  # numbers have none
    assert x.dtype is paddle.float32 and x.tolist() == [0.5, 0.25]


def test_a_parameter_is_set_and_pruned():
    layer = nn.Linear(2, 3)
    held = layer.weight.value().get_tensor()
    held.set(np.ones((2, 3), "float32"), paddle.CPUPlace())
    assert layer.weight.tolist() == [[1.0] * 3] * 2
    layer.bias.get_tensor().set(np.zeros(2, "float32"), paddle.CPUPlace())
    held.set(np.full((2, 2), 2.0, "float32"), paddle.CPUPlace())  # PaddleSlim prunes so
    assert type(layer.weight) is paddle.base.framework.EagerParamBase and layer.weight.shape == [2, 2]
    optimizer = paddle.optimizer.SGD(1.0, parameters=layer.parameters())
    for _ in range(2):
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    assert layer.weight.tolist() == [[0.0, 0.0]] * 2 and layer.bias.tolist() == [-2.0, -2.0]


def test_a_view_is_set():
    x = paddle.zeros([2, 2])
    x[0].value().get_tensor().set(np.ones(2, "float32"), paddle.CPUPlace())
    assert x.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_a_value_that_a_gradient_needs():
    x = paddle.to_tensor([2.0], stop_gradient=False)
    y = x * x
    x.get_tensor().set(np.array([3.0], "float32"))
    with pytest.raises(RuntimeError, match="in place"):
        y.backward()


def test_another_dtype_and_nothing():
    x = paddle.zeros([2])
    x.get_tensor().set(np.array([1, 2]), paddle.CPUPlace())
    assert x.dtype is paddle.int64
    x.get_tensor()._share_data_with(paddle.ones([3]).get_tensor())
    assert x.tolist() == [1.0] * 3
    x.get_tensor()._clear()
    assert x.shape == [0]

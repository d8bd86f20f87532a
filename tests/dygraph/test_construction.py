"""Tensors and parameters made by their classes, in the older forms by position; memory that is shared."""

import numpy as np
import proa as paddle
import pytest
from proa.base import core
from proa.base.framework import EagerParamBase

PLACE = paddle.CPUPlace()
ARRAY = np.arange(6, dtype="float32").reshape(2, 3)


def test_value_place_persistable_name_and_stop_gradient_by_position():
    x = core.eager.Tensor(ARRAY, PLACE, True, False, "x", False)
    assert (x.persistable, x.name, x.stop_gradient, x.tolist()) == (True, "x", False, ARRAY.tolist())
    y = core.eager.Tensor(x, PLACE, "y")
    assert (y.persistable, y.name, y.stop_gradient, y.tolist()) == (True, "y", True, ARRAY.tolist())
    assert paddle.Tensor(ARRAY, PLACE, persistable=True, name="z").persistable


def test_dtype_and_sizes():
    x = core.eager.Tensor(core.VarDesc.VarType.INT64, [2, 3], "ints", core.VarDesc.VarType.LOD_TENSOR, True)
    assert (x.shape, x.dtype, x.name, x.persistable) == ([2, 3], paddle.int64, "ints", True)
    assert core.eager.Tensor(dtype="float32", dims=[4]).shape == [4]
    assert (paddle.Tensor().shape, paddle.Tensor().dtype) == ([0], paddle.float32)


def test_holders_of_arrays():
    held = paddle.base.Tensor()
    held.set(ARRAY, PLACE)
    assert core.eager.Tensor(held, PLACE).tolist() == ARRAY.tolist()


@pytest.mark.parametrize("make", [
    lambda: paddle.Tensor(ARRAY, "float32", PLACE, True, 5),
    lambda: paddle.Tensor(ARRAY, value=ARRAY),
    lambda: paddle.Tensor(ARRAY, nothing=1),
])
def test_what_is_no_form_is_refused(make):
    with pytest.raises(TypeError, match="Tensor"):
        make()


def test_parameters_of_a_shape():
    w = EagerParamBase([2, 2], "float64", name="w", trainable=False, need_clip=False,
                       optimize_attr={"learning_rate": 2.0})
    assert (w.shape, w.dtype, w.name, w.trainable, w.need_clip) == ([2, 2], paddle.float64, "w", False, False)
    assert w.persistable and w.optimize_attr == {"learning_rate": 2.0}
    assert EagerParamBase(paddle.shape(paddle.ones([3, 2])), "float32").shape == [3, 2]
    b = EagerParamBase(shape=[2], dtype="float32")
    paddle.nn.initializer.Constant(3.0)(b, b.block)
    assert b.tolist() == [3.0, 3.0] and b.trainable
    for shape, dtype in ((None, "float32"), ([1], None), ([-1], "float32")):
        with pytest.raises(ValueError, match="Parameter"):
            EagerParamBase(shape=shape, dtype=dtype)


def test_trainable_is_a_bool():
    w = paddle.nn.Linear(1, 1).weight
    with pytest.raises(ValueError, match="trainable"):
        w.trainable = "False"
    assert w.trainable


def test_copy_takes_another_shape():
    x = paddle.zeros([4, 2])
    x.copy_(paddle.ones([3]), True)
    assert x.tolist() == [1.0, 1.0, 1.0]
    x.persistable = True
    assert x._copy_to(PLACE, True).persistable


def test_shared_memory():
    w, x = paddle.nn.Linear(2, 1).weight, paddle.zeros([3], "int64")
    w._share_buffer_to(x)
    assert x.shape == [2, 1] and x._is_shared_buffer_with(w) and not x._is_shared_buffer_with(paddle.ones([2, 1]))
    assert all(view._is_shared_buffer_with(w) for view in (w[0], w.reshape([2]), w.detach(), w.t()))
    assert not (w + 0)._is_shared_buffer_with(w) and not w.clone()._is_shared_underline_tensor_with(w)
    before = x.numpy().copy()
    w.sum().backward()
    paddle.optimizer.SGD(0.5, parameters=[w]).step()
    np.testing.assert_allclose(x.numpy(), before - 0.5, rtol=1e-6)
    x._clear_data()
    assert x.shape == [0] and not x._is_initialized() and w.shape == [2, 1] and w._is_initialized()


def test_assigning_in_place_takes_the_shape_and_the_way_of_gradients():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2
    y._inplace_assign((y * 3).reshape([2, 1]))
    y.sum().backward()
    assert y.tolist() == [[6.0], [12.0]] and x.grad.tolist() == [6.0, 6.0] and not y.stop_gradient


def test_parameters_within_a_lazy_guard_are_not_initialized():
    with paddle.LazyGuard():
        layer = paddle.nn.Linear(2, 2)
    assert not layer.weight._is_initialized()
    layer.weight.initialize()
    assert layer.weight._is_initialized()

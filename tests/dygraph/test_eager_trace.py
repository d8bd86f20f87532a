"""The eager trace: which place an operation without arrays belongs to, and inputs that are missing."""

import numpy as np
import proa as paddle
import pytest
from proa.core import place
from proa.dygraph import eager, operator_inputs
from proa.ops.array.full import fill_constant, full
from proa.ops.array.reshape import reshape_op
from proa.ops.core import native
from proa.ops.core.trace import apply
from proa.ops.math.elementwise import add_op


def test_an_operator_whose_inputs_are_all_left_out_runs_at_the_place_in_use(monkeypatch):
    asked = []
    monkeypatch.setattr(operator_inputs, "expected_namespace", lambda: asked.append(1) or np)
    eager.EAGER.apply(fill_constant, (None, None, None), {"shape": (2, 3), "dtype": paddle.float32, "value": 1.0})
    assert asked


@pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")
def test_the_compiled_form_asks_for_the_place_in_use(monkeypatch):
    asked = []

    class Elsewhere:
        kind = "gpu"

        def is_device(self):
            asked.append(1)
            return False

    paddle.zeros([2])
    monkeypatch.setattr(place, "_expected", [Elsewhere()])
    assert full([2, 3], 1.0, "float32").shape == [2, 3] and asked


def test_a_missing_input_is_named():
    with pytest.raises(TypeError, match="elementwise_add: the input Y must be a Tensor. Received NoneType"):
        apply(add_op, paddle.ones([2]), None)
    with pytest.raises(TypeError, match="reshape2: the input X must be a Tensor. Received NoneType"):
        apply(reshape_op, None, None, None, shape=[2])


@pytest.mark.parametrize("function", [paddle.add, paddle.subtract, paddle.multiply, paddle.maximum, paddle.less_than])
def test_shapes_that_do_not_broadcast_are_explained(function):
    with pytest.raises(ValueError, match="do not broadcast together"):
        function(paddle.ones([2]), paddle.ones([3]))


def test_small_arrays_of_two_dtypes_are_promoted():
    total = paddle.to_tensor([1], dtype="int64") + paddle.to_tensor([0.5], dtype="float64")
    assert total.dtype == paddle.float64 and total.tolist() == [1.5]


def test_a_tuple_where_a_tensor_belongs():
    """Paddle takes its first item in silence, in eager mode; here the user hears of it."""
    layer, x = paddle.nn.Linear(3, 2), paddle.ones([4, 3], "float32")
    x.stop_gradient = False
    with pytest.warns(UserWarning, match="matmul_v2: the input X must be a Tensor. Received a tuple of 2"):
        y = layer((x, x * 2))
    assert y.tolist() == layer(x).tolist()
    y.sum().backward()
    assert x.grad.shape == [4, 3]
    with pytest.raises(TypeError, match="Received tuple"):
        layer(())
    with pytest.raises(TypeError, match="Received list"):
        layer([x])

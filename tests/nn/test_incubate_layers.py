"""paddle.incubate.nn, and parameters made of tensors."""

import numpy as np
import proa as paddle
import pytest

FUSED = paddle.incubate.nn.functional


@pytest.mark.parametrize("transposed", [False, True])
def test_fused_linear_is_linear(transposed):
    layer, x = paddle.incubate.nn.FusedLinear(4, 3, transpose_weight=transposed), paddle.randn([2, 4])
    weight = layer.weight.T if transposed else layer.weight
    assert weight.shape == [4, 3]
    np.testing.assert_allclose(layer(x).numpy(), paddle.nn.functional.linear(x, weight, layer.bias).numpy(), rtol=1e-6)
    assert not isinstance(layer, paddle.nn.Linear)


def test_fused_functions():
    x, y, bias = paddle.randn([2, 3]), paddle.randn([4, 3]), paddle.randn([4])
    expected = x.numpy() @ y.numpy().T + bias.numpy()
    found = FUSED.fused_linear_activation(x, y, bias, trans_y=True, activation="relu")
    np.testing.assert_allclose(found.numpy(), np.maximum(expected, 0), rtol=1e-5)
    np.testing.assert_allclose(FUSED.fused_matmul_bias(x, y, bias, False, True).numpy(), expected, rtol=1e-5)
    with pytest.raises(ValueError, match="activation"):
        FUSED.fused_linear_activation(x, y, bias, trans_y=True, activation="tanh")


def test_fused_dropout_add():
    layer, x = paddle.incubate.nn.FusedDropoutAdd(1.0), paddle.ones([2, 2])
    np.testing.assert_array_equal(layer(x, x).numpy(), np.ones((2, 2)))


def test_fused_dropout_draws_as_dropout_does():
    x, drawn = paddle.ones([3, 4]), []
    for kind in (paddle.incubate.nn.FusedDropout, paddle.nn.Dropout):
        paddle.seed(3)
        drawn.append(kind(0.5, axis=0)(x).numpy())
    np.testing.assert_array_equal(*drawn)


def test_a_parameter_of_a_tensor():
    values = paddle.full([3], 2.0)
    parameter = paddle.base.framework.EagerParamBase.from_tensor(values, trainable=True, name="scale")
    layer = paddle.nn.Layer()
    layer.scale = parameter
    (parameter * values).sum().backward()
    assert parameter.name == "scale" and parameter.persistable and list(layer.state_dict()) == ["scale"]
    np.testing.assert_array_equal(parameter.grad.numpy(), [2, 2, 2])

"""Layers that a subclass works on: it reads what PaddlePaddle's layers hold, under the names that they have there."""

import numpy as np
import proa as paddle
import pytest
from proa import nn

HELD = [
    (lambda: nn.AdaptiveAvgPool2D(1, name="pool"), {"_output_size": 1, "_data_format": "NCHW", "_name": "pool"}),
    (lambda: nn.AdaptiveAvgPool1D(3, name="pool"), {"_output_size": 3, "_name": "pool"}),
    (lambda: nn.AdaptiveMaxPool2D(2, True), {"_output_size": 2, "_return_mask": True, "_name": None}),
    (lambda: nn.MaxPool2D(2, name="pool"), {"ksize": 2, "stride": None, "name": "pool"}),
    (lambda: nn.AvgPool2D(2, 1, 1), {"ksize": 2, "stride": 1, "padding": 1, "exclusive": True, "name": None}),
    (lambda: nn.LeakyReLU(0.2), {"_negative_slope": 0.2, "_name": None}),
    (lambda: nn.GELU(True), {"_approximate": True}),
    (lambda: nn.Softmax(1), {"_axis": 1}),
    (lambda: nn.Hardtanh(-2.0, 2.0), {"_min": -2.0, "_max": 2.0}),
    (lambda: nn.Linear(2, 3, bias_attr=False), {"_weight_attr": None, "_bias_attr": False, "name": None}),
    (lambda: nn.Conv2D(2, 3, 1, bias_attr=False), {"_param_attr": None, "_bias_attr": False}),
    (lambda: nn.BatchNorm2D(3, weight_attr=False), {"_weight_attr": False, "_bias_attr": None, "_name": None}),
    (lambda: nn.LayerNorm(3, bias_attr=False), {"_weight_attr": None, "_bias_attr": False}),
]


@pytest.mark.parametrize("make, held", HELD)
def test_what_a_layer_holds(make, held):
    layer = make()
    assert {name: getattr(layer, name) for name in held} == held


class GlobalMean(nn.AdaptiveAvgPool2D):
    """Another way to compute the same."""

    def forward(self, x):
        if self._output_size == 1 and self._name is None:
            return x.mean([2, 3], keepdim=True)
        return super().forward(x)


def test_a_subclass_with_a_forward_of_its_own():
    x = paddle.randn([2, 3, 4, 5])
    np.testing.assert_allclose(GlobalMean(1)(x).numpy(), nn.AdaptiveAvgPool2D(1)(x).numpy(), rtol=1e-5, atol=1e-6)


def test_activations_are_found_in_their_module():
    names = {name.lower(): name for name in vars(nn.layer.activation)}
    layer = getattr(nn.layer.activation, names["relu"])()
    assert type(layer) is nn.ReLU and names["prelu"] == "PReLU"


def test_an_initializer_that_is_called_with_a_parameter_and_its_block():
    layer = nn.Linear(3, 2)
    nn.initializer.Constant(0.5)(layer.weight, layer.weight.block)
    assert layer.weight.tolist() == [[0.5, 0.5]] * 3

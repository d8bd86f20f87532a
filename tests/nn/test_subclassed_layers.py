"""Layers that a subclass works on: it reads what PaddlePaddle's layers hold, under the names that they have there."""

import copy

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
    (lambda: nn.GroupNorm(1, 2, bias_attr=False), {"_weight_attr": None, "_bias_attr": False}),
    (lambda: nn.Bilinear(2, 3, 4, bias_attr=False), {"_weight_attr": None, "_bias_attr": False}),
    (lambda: nn.HSigmoidLoss(3, 4, bias_attr=False), {"_weight_attr": None, "_bias_attr": False}),
    (lambda: nn.PReLU(), {"_weight_attr": None}),
    (lambda: nn.Embedding(5, 2), {"_weight_attr": None, "_size": [5, 2]}),
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


class ScaledConvolution(nn.layer.conv._ConvNd):
    """A convolution in two dimensions whose filters are divided by a number."""

    def __init__(self, divisor):
        super().__init__(2, 4, 3, False, 2, padding=1, groups=2)
        self.divisor = divisor

    def forward(self, x):
        return nn.functional.conv2d(x, self.weight / self.divisor, self.bias, self._stride, self._padding,
                                    self._dilation, self._groups, self._data_format)


def test_the_base_of_the_convolutions():
    layer, plain, x = ScaledConvolution(2.0), nn.Conv2D(2, 4, 3, padding=1, groups=2), paddle.randn([1, 2, 5, 5])
    plain.set_state_dict(layer.state_dict())
    assert layer.weight.shape == [4, 1, 3, 3] and "kernel_size=[3, 3], padding=1, groups=2" in repr(layer)
    np.testing.assert_allclose(layer(x).numpy(), plain(x).numpy() / 2, rtol=1e-5, atol=1e-6)
    transposed = nn.Conv1DTranspose(4, 2, 3)
    assert isinstance(plain, nn.layer.conv._ConvNd) and isinstance(transposed, nn.layer.conv._ConvNd)
    assert transposed.weight.shape == [4, 2, 3] and transposed._padding_mode == "zeros"
    with pytest.raises(ValueError, match=r"_ConvNd\(out_channels\)"):
        nn.layer.conv._ConvNd(2, 3, 1, False, 2, groups=2)


@pytest.mark.parametrize("base, own", [(nn.layer.norm._BatchNormBase, nn.BatchNorm2D),
                                       (nn.layer.norm._InstanceNormBase, nn.InstanceNorm2D)])
def test_the_bases_of_the_normalizations(base, own):
    x = paddle.randn([2, 3, 4, 5])
    assert isinstance(own(3), base)
    np.testing.assert_allclose(base(3)(x).numpy(), own(3)(x).numpy(), rtol=1e-5, atol=1e-6)

    class OfVectors(base):
        def _check_input_dim(self, input):
            if len(input.shape) != 3:
                raise ValueError("vectors only")

    with pytest.raises(ValueError, match="vectors only"):
        OfVectors(3)(x)


def test_the_base_of_the_recurrent_layers():
    assert isinstance(nn.GRU(2, 3), nn.layer.rnn.RNNBase)


def test_copies_of_a_layer_keep_an_optimizers_state_apart():
    one = nn.Linear(2, 2)
    two = copy.deepcopy(one)
    assert two.weight.name.startswith(one.weight.name + "_deepcopy_") and two.weight.tolist() == one.weight.tolist()
    start = two.bias.numpy().copy()
    optimizer = paddle.optimizer.Momentum(0.5, parameters=one.parameters() + two.parameters())
    (one(paddle.ones([1, 2])) * 10.0 + two(paddle.ones([1, 2]))).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(two.bias.numpy(), start - 0.5, rtol=1e-5)


def test_what_is_built_at_a_call():
    class Late(nn.Layer):
        def _build_once(self, x, scale=1.0):
            if not self._built:
                self.weight = self.create_parameter([x.shape[-1], 2])
                self._built = True

        def forward(self, x, scale=1.0):
            return paddle.matmul(x, self.weight) * scale

    late = Late()
    assert late.parameters() == []
    assert late(paddle.ones([3, 4]), scale=2.0).shape == [3, 2]
    assert [p.shape for p in late.parameters()] == [[4, 2]]
    weight = late.weight
    late(paddle.ones([3, 4]))
    assert late.weight is weight


def test_an_optimizers_second_half():
    layer = nn.Linear(1, 1, bias_attr=False)
    start = layer.weight.item()
    optimizer = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    optimizer._apply_optimize(loss=None, startup_program=None, params_grads=[(layer.weight, paddle.ones([1, 1]))])
    assert layer.weight.item() == pytest.approx(start - 0.5)


def test_batch_normalization_has_what_layers_that_extend_it_ask_for():
    layer = nn.BatchNorm2D(3)
    layer._check_data_format("NHWC")
    assert layer._data_format == "NHWC" and not layer._in_place and not layer._fuse_with_relu
    with pytest.raises(ValueError, match="NCDHW, NDHWC"):
        nn.BatchNorm3D(3)._check_data_format("NHCW")


def test_a_class_is_given_another_base():
    """As decorators of classes do that add methods in front (`incremental state` of sequence models)."""

    class Counted:
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.count = 0

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 3)

        def forward(self, x):
            return self.layer(x)

    Net.__bases__ = (Counted, *Net.__bases__)
    net = Net()
    assert net.count == 0 and net(paddle.ones([1, 2])).shape == [1, 3] and len(net.parameters()) == 2

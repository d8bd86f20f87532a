"""Quantization beyond PaddlePaddle's answers: weights of few bits, files, user's own quanters, refusals."""

import abc
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.quantization import (
    PTQ,
    QAT,
    AbsmaxQuantizer,
    BaseObserver,
    BaseQuanter,
    ImperativePTQ,
    ImperativeQuantAware,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    QuantConfig,
    quanter,
)
from proa.quantization.imperative import fuse_utils
from proa.quantization.observers import AbsmaxObserver, GroupWiseWeightObserver
from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver

Q = nn.quant
FAKE = FakeQuanterWithAbsMaxObserver()


def _network():
    paddle.seed(0)
    return nn.Sequential(nn.Conv2D(1, 2, 3, padding=1, padding_mode="reflect"), nn.ReLU(), nn.Flatten(),
                         nn.Linear(32, 3), Q.Stub())


def _input():
    return paddle.to_tensor(np.random.default_rng(0).uniform(-1, 1, (2, 1, 4, 4)).astype("float32"))


@pytest.mark.parametrize("algo", ["weight_only_int8", "weight_only_int4", "llm.int8"])
def test_weights_of_few_bits(algo):
    rng = np.random.default_rng(0)
    weight = rng.uniform(-1, 1, (64, 32)).astype("float32")
    numbers, scale = Q.weight_quantize(paddle.to_tensor(weight), algo)
    most = 7 if algo == "weight_only_int4" else 127
    assert numbers.dtype is paddle.int8 and numbers.shape == [16 if most == 7 else 32, 64]
    np.testing.assert_allclose(scale.numpy(), np.abs(weight).max(0) / most, rtol=1e-6)
    back = Q.weight_dequantize(numbers, scale, algo, "float32").numpy()
    assert np.abs(back - weight).max() <= np.abs(weight).max() / most / 2 * 1.001
    assert Q.weight_dequantize(numbers, scale, algo).dtype is paddle.float16
    x = paddle.to_tensor(rng.standard_normal((2, 3, 64)).astype("float32"), stop_gradient=False)
    bias = paddle.ones([32])
    if algo == "llm.int8":
        found = Q.llm_int8_linear(x, numbers, bias, scale, threshold=2.0).numpy()
        np.testing.assert_allclose(found, x.numpy() @ back + 1, atol=0.15)
        exact = Q.llm_int8_linear(x, numbers, bias, scale, threshold=0.0).numpy()
        np.testing.assert_allclose(exact, x.numpy() @ back + 1, rtol=1e-4, atol=1e-4)
        return
    out = Q.weight_only_linear(x, numbers, bias, scale, "int4" if most == 7 else "int8")
    np.testing.assert_allclose(out.numpy(), x.numpy() @ back + 1, rtol=1e-4, atol=1e-4)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[0, 0], back.sum(1), rtol=1e-4, atol=1e-4)


def test_a_converted_network_is_saved_and_loaded(tmp_path):
    method = QAT(QuantConfig(activation=FAKE, weight=FAKE))
    model = method.quantize(_network())
    x = _input()
    for _ in range(3):
        model(x)
    model.eval()
    spec = [paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")]
    for name, layer in (("trained", model), ("converted", method.convert(model))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            paddle.jit.save(layer, str(tmp_path / name), spec)
        loaded = paddle.jit.load(str(tmp_path / name))
        np.testing.assert_allclose(loaded(x).numpy(), layer(x).numpy(), rtol=1e-5, atol=1e-6)
        types = {op.type for op in loaded.program().global_block().ops}
        assert ("quantize_linear" in types) == (name == "converted")
        assert ("fake_quantize_dequantize_moving_average_abs_max" in types) == (name == "trained")


def test_training_is_the_same_converted():
    def losses(convert):
        model = QAT(QuantConfig(activation=FAKE, weight=FAKE)).quantize(_network())
        optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        run = paddle.jit.to_static(model) if convert else model
        found = []
        for _ in range(4):
            loss = run(_input()).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            found.append(float(loss))
        return found, model[4]._observer.scales().item()

    (eager, scale), (static, other) = losses(False), losses(True)
    np.testing.assert_allclose(static, eager, rtol=1e-4)
    assert other == pytest.approx(scale, rel=1e-4) and eager[-1] < eager[0]


def test_groups_of_rows_have_scales_of_their_own():
    network = nn.Sequential(nn.Linear(128, 2))
    network.eval()
    method = PTQ(QuantConfig(activation=None, weight=GroupWiseWeightObserver(group_size=64)))
    model = method.quantize(network)
    x = paddle.ones([1, 128])
    wanted = model(x).numpy()
    scales = model[0].weight_quanter.scales()
    np.testing.assert_allclose(scales.numpy(), np.abs(network[0].weight.numpy()).reshape(2, 64, 2).max(1))
    converted = method.convert(model)
    assert (converted[0].weight == converted[0].weight.round()).all()
    np.testing.assert_allclose(converted(x).numpy(), wanted, atol=0.1)


def test_quanters_of_one_s_own():
    @quanter("Halver")
    class HalverLayer(BaseQuanter):
        def __init__(self, layer, by=2.0):
            super().__init__()
            self.by = by

        def forward(self, input):
            return input / self.by

        def scales(self):
            return paddle.ones([1])

        def zero_points(self):
            return None

        def quant_axis(self):
            return -1

        def bit_length(self):
            return 8

    factory = globals().pop("Halver")
    assert repr(factory(by=4.0)) == "Halver(by=4.0)" and factory(3.0).args == (3.0,)
    assert factory.__module__ == __name__ and isinstance(factory(by=4.0)._instance(None), HalverLayer)
    model = QAT(QuantConfig(activation=factory(by=4.0), weight=None)).quantize(nn.Sequential(nn.ReLU()))
    assert model(paddle.to_tensor([8.0])).tolist() == [2.0]
    for kind in (BaseQuanter, BaseObserver):
        assert isinstance(kind, abc.ABCMeta)
        with pytest.raises(TypeError, match="abstract"):
            kind()


def test_layers_of_one_s_own():
    class Mine(nn.Layer):
        def __init__(self, layer, config):
            super().__init__()
            self.layer, self.config = layer, config

        def forward(self, x):
            return self.layer(x)

    config = QuantConfig(activation=None, weight=None)
    config.add_type_config(nn.Linear, activation=FAKE)
    config.add_qat_layer_mapping(nn.Linear, Mine)
    network = nn.Sequential(nn.Linear(2, 2))
    model = QAT(config).quantize(network, inplace=True)
    assert model is network and type(model[0]).__name__ == "Mine"
    assert type(model[0].layer).__name__ == "ObserveWrapper"
    assert config.default_qat_layer_mapping[nn.Linear] is Q.qat.QuantedLinear
    assert "Linear: activation: FakeQuanterWithAbsMaxObserver" in str(config) and "Layers:" in config.details()
    assert config.customized_leaves == [] and config.global_config is None


def test_a_stub_with_an_observer_of_its_own():
    network = nn.Sequential(Q.Stub(AbsmaxObserver()), nn.ReLU())
    model = QAT(QuantConfig(activation=FAKE, weight=None)).quantize(network)
    assert type(model[0]._observer).__name__ == "AbsmaxObserverLayer"
    assert network[0](paddle.ones([1])).tolist() == [1.0]


def test_refusals():
    network = nn.Sequential(nn.Linear(2, 2))
    method = QAT(QuantConfig(activation=FAKE, weight=FAKE))
    with pytest.raises(ValueError, match="must be in evaluation mode"):
        PTQ(QuantConfig(AbsmaxObserver(), None)).quantize(network)
    model = method.quantize(network)
    network.eval()
    with pytest.raises(ValueError, match="must be in training mode"):
        method.quantize(network)
    converted = method.convert(model)
    assert [type(one) for one in method.convert(converted).sublayers()] == [
        type(one) for one in converted.sublayers()]
    with pytest.raises(RuntimeError, match="converted already"):
        converted[0]._convert()
    config = QuantConfig(None, None)
    with pytest.raises(TypeError, match="subclass of nn.Layer"):
        config.add_qat_layer_mapping(3, nn.Linear)
    with pytest.raises(TypeError, match="names of layers"):
        config.add_name_config(network)
    with pytest.raises(ValueError, match="must be 64 or 128"):
        GroupWiseWeightObserver(group_size=63)._instance(None)
    with pytest.raises(ValueError, match="multiple of group_size"):
        GroupWiseWeightObserver()._instance(None)(paddle.ones([100, 2]))
    with pytest.raises(ValueError, match="must be one of 'weight_only_int8'"):
        Q.weight_quantize(paddle.ones([2, 2]), "zz")
    with pytest.raises(ValueError, match="must be even"):
        Q.weight_quantize(paddle.ones([2, 3]), "weight_only_int4")
    with pytest.raises(ValueError, match="must be given"):
        Q.weight_only_linear(paddle.ones([2, 2]), paddle.ones([2, 2], "int8"))


def test_the_older_way_keeps_scales_in_the_file(tmp_path):
    network = nn.Sequential(nn.Conv2D(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    network[3].skip_quant = True
    method = ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max")
    assert method.quantize(network) is network
    assert type(network[0]._layer).__name__ == "QuantizedConv2D" and type(network[3]._layer) is nn.Linear
    x = _input()
    for _ in range(3):
        network(x)
    network.eval()
    method.save_quantized_model(network, str(tmp_path / "model"), [paddle.static.InputSpec([None, 1, 4, 4])])
    loaded = paddle.jit.load(str(tmp_path / "model"))
    np.testing.assert_allclose(loaded(x).numpy(), network(x).numpy(), atol=1e-6)
    operators = {op.type: op for op in loaded.program().global_block().ops}
    assert len(operators["conv2d"].attr("Filter0_threshold")) == 2
    assert operators["relu"].attr("out_threshold") == pytest.approx(network[1]._ma_output_scale._scale.item())
    assert "moving_average_abs_max_scale" not in operators
    weights = list(loaded.state_dict())
    assert len(weights) == 5, weights  # what only followed results is gone


def test_the_older_way_is_the_same_converted():
    def losses(convert):
        model = _network()
        ImperativeQuantAware().quantize(model)
        optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        run = paddle.jit.to_static(model) if convert else model
        found = []
        for _ in range(4):
            loss = run(_input()).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            found.append(float(loss))
        return found, {name: value.numpy() for name, value in model.state_dict().items()}

    (eager, state), (static, other) = losses(False), losses(True)
    np.testing.assert_allclose(static, eager, rtol=1e-4)
    assert eager[-1] < eager[0] and state.keys() == other.keys()
    for name, value in state.items():
        np.testing.assert_allclose(other[name], value, rtol=1e-4, atol=1e-6, err_msg=name)


def test_layers_of_one_s_own_in_the_older_way():
    class Halve(nn.Layer):
        def forward(self, x):
            return x * 0.5

    network = nn.Sequential(nn.Linear(2, 2, bias_attr=False))
    network[0].weight.set_value(paddle.eye(2))
    ImperativeQuantAware(act_preprocess_layer=Halve, weight_preprocess_layer=Halve).quantize(network)
    np.testing.assert_allclose(network(paddle.ones([1, 2])).numpy(), [[0.25, 0.25]], rtol=1e-2)
    product = Q.quant_layers.QuantizedMatmul(act_quant_layer=Halve)
    assert product(paddle.eye(2), paddle.eye(2)).tolist() == [[0.25, 0.0], [0.0, 0.25]]


def test_folding_a_normalization_keeps_what_a_network_gives():
    network = nn.Sequential(nn.Conv2D(1, 2, 3, bias_attr=False), nn.BatchNorm2D(2), nn.Flatten(), nn.Linear(8, 3),
                            nn.BatchNorm1D(3))
    for _ in range(3):
        network(_input())
    network.eval()
    folded = fuse_utils.fuse_layers(network, [["0", "1"], ["3", "4"]])
    assert [type(layer).__name__ for layer in folded] == ["Conv2D", "Identity", "Flatten", "Linear", "Identity"]
    np.testing.assert_allclose(folded(_input()).numpy(), network(_input()).numpy(), rtol=1e-4, atol=1e-5)
    network.train()
    assert fuse_utils.fuse_conv_bn(network) is network and network.training
    assert type(network[1]).__name__ == "Identity" and type(network[4]) is nn.BatchNorm1D
    with pytest.raises(ValueError, match="evaluation mode"):
        fuse_utils.fuse_layers(network, [["3", "4"]])
    with pytest.raises(ValueError, match="pairs of a Conv2D"):
        fuse_utils.fuse_layers(network, [["3", "2"]])


def test_what_the_older_way_refuses():
    with pytest.raises(NotImplementedError, match="paddle.quantization.QAT"):
        ImperativeQuantAware(onnx_format=True)
    with pytest.raises(ValueError, match="weight_quantize_type"):
        ImperativeQuantAware(weight_quantize_type="moving_average_abs_max")
    with pytest.raises(ValueError, match="quantizable_layer_type"):
        ImperativeQuantAware(quantizable_layer_type=["LSTM"])
    with pytest.raises(ValueError, match="from 1 to 16"):
        ImperativeQuantAware(weight_bits=17)
    with pytest.raises(TypeError, match="a class of layers"):
        ImperativeQuantAware(act_quantize_layer=3)
    with pytest.raises(NotImplementedError, match="LSQ"):
        Q.quant_layers.QuantizedLinear(nn.Linear(2, 2), weight_quantize_type="lsq_weight")
    with pytest.raises(TypeError, match="PTQConfig.activation_quantizer"):
        PTQConfig(PerChannelAbsmaxQuantizer(), AbsmaxQuantizer())
    with pytest.raises(TypeError, match="fuse_list"):
        ImperativePTQ().quantize(nn.Sequential(nn.ReLU()), fuse=True)
    with pytest.raises(NotImplementedError, match="reduce_type"):
        Q.QuantStub(reduce_type="max")
    with pytest.raises(ValueError, match="a dimension of x"):
        paddle._legacy_C_ops.fake_channel_wise_quantize_dequantize_abs_max(paddle.ones([2]), "quant_axis", 3)


def test_a_config_tells_of_leaves_and_observers():
    config = paddle.quantization.QuantConfig(None, None)
    net = paddle.nn.Sequential(paddle.nn.Sequential(paddle.nn.Linear(2, 2)), paddle.nn.ReLU())
    observer = paddle.quantization.observers.AbsmaxObserver()
    config.add_layer_config([net[0]], activation=observer, weight=observer)
    config.add_customized_leaf(paddle.nn.Sequential)
    config._specify(net)
    assert config._is_leaf(net[0]) and config._is_leaf(net[1]) and not config._is_customized_leaf(net[1])
    assert config._has_observer_config(net[0]) and config._need_observe(net[0]) and not config._need_observe(net[1])
    assert isinstance(config._get_observer(net[0]), paddle.quantization.base_observer.BaseObserver)
    assert config._get_observer(net[1]) is None
    with pytest.raises(TypeError, match="must be a class"):
        config.add_qat_layer_mapping(paddle.nn.Linear, lambda layer, config: layer)
    config.add_qat_layer_mapping(paddle.nn.Linear, object)
    assert config.qat_layer_mappings[paddle.nn.Linear] is object

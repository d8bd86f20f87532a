"""Networks for images: the state and the outputs of PaddlePaddle's, eager, converted, and saved and loaded.

The answers are in fixtures/vision, made by its make.py. Outputs agree to float32 rounding in other orders of summation.
"""

import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.static import InputSpec
from proa.vision.models import resnet

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "vision"
cases = module_at(FIXTURES / "cases.py")
outputs = dict(np.load(FIXTURES / "outputs.npz"))
made = json.loads((FIXTURES / "made.json").read_text())


@pytest.fixture
def quick():
    """Parameters of zeros: their values do not matter."""
    zeros = paddle.nn.initializer.Constant(0.0)
    paddle.nn.initializer.set_global_initializer(zeros, zeros)
    yield
    paddle.nn.initializer.set_global_initializer(None)


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=pytest.mark.slow) if name in cases.LARGE else name for name in cases.MADE])
def test_state_is_that_of_the_oracle(name, quick):
    assert cases.made(paddle, name) == made[name]


def close(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def agree(model, name, x=None, first=None):
    """The model's results are the oracle's, or the first of them."""
    found = cases.results(model, paddle.to_tensor(cases.image(name)) if x is None else x)
    assert len(found) == len([key for key in outputs if key.rpartition(".")[0] == name])
    for n, result in enumerate(found):
        close(result, outputs[f"{name}.{n}"][:first])


RUN = [pytest.param(name, marks=pytest.mark.slow) if name in cases.LONG else name for name in cases.RUN]


@pytest.mark.parametrize("name", RUN)
def test_outputs_are_those_of_the_oracle(name):
    agree(cases.build(paddle, name), name)


@pytest.mark.parametrize("converted", [False, True])
def test_training_is_that_of_the_oracle(converted):
    model = cases.build(paddle, "resnet18")
    losses, mean, variance = cases.train(paddle, paddle.jit.to_static(model) if converted else model, 3)
    np.testing.assert_allclose(losses, outputs["train.losses"], rtol=1e-3)
    close(mean, outputs["train.mean"])
    close(variance, outputs["train.variance"])


STORED = ["resnet18", "LeNet", "alexnet features", "vgg13 features", "mobilenet_v1", "mobilenet_v2",
          "mobilenet_v3_small", "squeezenet1_1", "shufflenet_v2_x1_0", "googlenet",
          *(pytest.param(name, marks=pytest.mark.slow) for name in ("densenet121", "vgg19 norms", "inception_v3"))]


@pytest.mark.parametrize("name", STORED)
def test_converted_saved_and_loaded(name, tmp_path):
    model, x = cases.build(paddle, name), paddle.to_tensor(cases.image(name))
    spec = InputSpec([None, *x.shape[1:]], "float32", "image")
    converted = paddle.jit.to_static(model, input_spec=[spec])
    agree(converted, name)
    paddle.jit.save(converted, str(tmp_path / "model"))
    loaded = paddle.jit.load(str(tmp_path / "model"))
    loaded.eval()
    agree(loaded, name)
    agree(loaded, name, x[:1], 1)


def test_pretrained_weights_are_to_be_loaded_from_a_file():
    for name in set(cases.MADE) - {"LeNet"}:
        with pytest.raises(NotImplementedError, match=f"{name}.*set_state_dict"):
            getattr(paddle.vision.models, name)(pretrained=True)


def test_wrong_settings_are_told():
    with pytest.raises(ValueError, match="depth"):
        paddle.vision.models.ResNet(resnet.BasicBlock, 42)
    for made in (lambda: paddle.vision.models.DenseNet(7), lambda: paddle.vision.models.SqueezeNet("2.0")):
        with pytest.raises(ValueError, match="must be one of|'1.1'"):
            made()
    with pytest.raises(NotImplementedError, match="scale"):
        paddle.vision.models.ShuffleNetV2(3.0)
    with pytest.raises(RuntimeError, match="act"):
        paddle.vision.models.ShuffleNetV2(act="tanh")
    with pytest.raises(NotImplementedError, match="BottleneckBlock"):
        resnet.BasicBlock(8, 8, dilation=2)


def test_a_basic_block_has_no_groups_and_no_base_width():
    """PASSL hands its number of classes over as a width: PaddlePaddle makes the network, and so it is made here."""
    for setting in ({"groups": 2}, {"base_width": 0}):
        with pytest.warns(UserWarning, match="change nothing"):
            assert resnet.BasicBlock(8, 8, **setting).conv2.weight.shape == [8, 8, 3, 3]


def test_blocks_stand_alone():
    x = paddle.ones([2, 8, 6, 6])
    assert resnet.BasicBlock(8, 8)(x).shape == [2, 8, 6, 6]
    assert resnet.BottleneckBlock(8, 2, dilation=2, norm_layer=paddle.nn.BatchNorm)(x).shape == [2, 8, 6, 6]
    shorter = paddle.nn.Conv2D(8, 12, 1, stride=2)
    assert resnet.BottleneckBlock(8, 3, 2, shorter, groups=3)(x).shape == [2, 12, 3, 3]


def test_features_of_lenet():
    assert paddle.vision.models.LeNet(0)(paddle.zeros([2, 1, 28, 28])).shape == [2, 16, 5, 5]


@pytest.mark.parametrize("name, shape", [
    ("mobilenet_v1", [1, 1024, 1, 1]), ("mobilenet_v3_large", [1, 960, 1, 1]), ("squeezenet1_0", [1, 512, 1, 1]),
    ("shufflenet_v2_x2_0", [1, 2048, 1, 1]), ("densenet121", [1, 1024, 1, 1])])
def test_features_alone(name, shape, quick):
    model = getattr(paddle.vision.models, name)
    x = paddle.zeros([1, 3, 32, 32])
    assert model(num_classes=0)(x).shape == shape
    assert model(num_classes=0, with_pool=False)(x).shape[:2] == shape[:2]


def test_convolution_norm_and_activation():
    block = paddle.vision.ops.ConvNormActivation(3, 4, 5, stride=2, norm_layer=None, activation_layer=None)
    assert block[0].bias is not None and len(block) == 1
    assert block(paddle.zeros([1, 3, 8, 8])).shape == [1, 4, 4, 4]
    assert paddle.vision.ops.ConvNormActivation(3, 4)[0].bias is None


def test_a_network_made_from_a_residual_one():
    class Dilated(paddle.vision.models.ResNet):
        def __init__(self):
            super().__init__(resnet.BottleneckBlock, 50, num_classes=0, with_pool=False)
            self.inplanes = 1024
            self.layer4 = self._make_layer(resnet.BottleneckBlock, 512, 3, stride=2, dilate=True)

        def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
            self.made = [*getattr(self, "made", []), planes]
            return super()._make_layer(block, planes, blocks, stride, dilate)

    net = Dilated()
    assert net.made == [64, 128, 256, 512, 512] and net.dilation == 2 and net._norm_layer is paddle.nn.BatchNorm2D
    net.eval()
    with paddle.no_grad():
        assert net(paddle.zeros([1, 3, 64, 64])).shape == [1, 2048, 4, 4]


@pytest.mark.parametrize(("name", "bounds"), [
    ("alexnet", {"_conv1._conv.weight": 363, "_conv1._conv.bias": 363, "_conv3.weight": 1728, "_conv5._conv.bias": 2304,
                 "_fc6.weight": 9216, "_fc7.bias": 9216, "_fc8.weight": 9216}),
    ("densenet121", {"out.weight": 1024}), ("inception_v3", {"fc.weight": 2048}),
    ("googlenet", {"_fc_out.weight": 1024 / 3, "_fc_o1.weight": 2048 / 3, "_out2.weight": 1024 / 3})])
def test_older_models_begin_within_bounds_of_their_own(name, bounds):
    """With `paddle.seed` they begin as PaddlePaddle's, bit by bit, so the bounds are not those of other layers."""
    state = getattr(paddle.vision.models, name)(num_classes=50).state_dict()
    for key, inputs in bounds.items():
        largest = abs(state[key].numpy()).max() * inputs**0.5
        assert 0.9 < largest <= 1.0 + 1e-6, key

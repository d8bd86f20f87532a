"""Weights of plans in panels: when they are packed, held and let go, and whole models."""

import gc
import weakref

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import engines
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.core.panels import FILTERS, OWN, PANELS, Windows
from proa.ops.core.spec import spec_of
from proa.static import InputSpec
from proa.static.compiler import epilogues
from proa.static.compiler.frozen_weight import FrozenWeight
from proa.static.compiler.packed_panels import Panels

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


def last(images):
    """Images with their channels side by side."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"], autouse=True)
def threads(request):
    before = paddle.get_num_threads()
    paddle.set_num_threads(request.param)
    yield request.param
    paddle.set_num_threads(before)


def test_a_weight_that_is_replaced_is_packed_anew_and_not_held():
    panels, bias, x = Panels(), numbers(80), numbers(9, 40)
    first, second = numbers(40, 80), numbers(40, 80)
    calls = [panels.of(first, None, bias) for _ in range(5)]
    assert calls[2] is calls[3] is calls[4] is not calls[1]  # packed at its third use
    for call in calls:
        np.testing.assert_array_equal(call(x, first, bias, None), calls[2](x, first, bias, None))
    np.testing.assert_allclose(calls[2](x, first, bias, None), x @ first + bias, 1e-4, 1e-4)
    for weight in (second, second, first, second, second, second):
        other = panels.of(weight, None, bias)
        np.testing.assert_allclose(other(x, weight, bias, None), x @ weight + bias, 1e-4, 1e-4)
    held = weakref.ref(second)
    del second, weight
    gc.collect()
    assert held() is None
    assert other(x, first, bias, None) is None


@pytest.mark.parametrize("shape, kind, channels", [((72, 40, 3, 3), FILTERS, 40), ((20, 3, 5, 5), FILTERS, 3),
                                                   ((40, 1, 3, 3), OWN, 40), ((600, 90, 1, 1), FILTERS, 90)])
@pytest.mark.parametrize("has_scale", [True, False])
def test_filters_that_others_hold_are_packed_at_their_third_use(shape, kind, channels, has_scale):
    """Until then by the pass that reads them: the same bits, with the factors of a batch norm in them."""
    panels, w, bias, x = Panels(), numbers(*shape), numbers(shape[0]), last(numbers(2, channels, 14, 13))
    scale = numbers(shape[0]) if has_scale else None
    windows = Windows(strides=(1, 2), begin=(shape[2] // 2,) * 2, end=(shape[2] // 2,) * 2)
    calls = [panels.of(w, scale, bias, kind, windows, "relu") for _ in range(4)]
    assert calls[2] is calls[3] is not calls[1]
    wanted = calls[2](x, w, scale, bias, None)
    for call in calls:
        np.testing.assert_array_equal(call(x, w, scale, bias, None), wanted)
        np.testing.assert_array_equal(call(x, w, scale, bias, wanted), calls[2](x, w, scale, bias, wanted))


def test_a_frozen_weight_is_released_and_made_again():
    w, scale, panels = numbers(80, 60, 3, 3), numbers(80), Panels()
    frozen, bias = FrozenWeight(w), numbers(80)
    panels.of(frozen, scale, bias, FILTERS, Windows(begin=(1, 1), end=(1, 1)), "relu")
    assert frozen.is_released
    np.testing.assert_allclose(frozen.scaled_by(scale)[0], w * scale.reshape(-1, 1, 1, 1), 1e-6)


class Net(paddle.nn.Layer):
    """Convolutions with what may follow them, and products."""

    def __init__(self):
        super().__init__()
        conv = paddle.nn.Conv2D
        self.first, self.norm = conv(3, 40, 5, stride=2, padding=2), paddle.nn.BatchNorm2D(40)
        self.deep, self.same, self.wide = conv(40, 40, 3, padding=1, groups=40), conv(40, 40, 1), conv(40, 72, 3)
        self.out, self.last = paddle.nn.Linear(72, 300), paddle.nn.Linear(300, 260)

    def forward(self, x):
        f = paddle.nn.functional
        x = f.hardswish(self.norm(self.first(x)))
        x = f.relu(self.same(f.swish(self.deep(x))) + x)
        x = f.sigmoid(self.wide(x)).transpose([0, 2, 3, 1])
        return f.gelu(self.last(f.relu(self.out(x)))).sum([1, 2])


def test_saved_and_converted_models_of_any_size(tmp_path):
    net, prefix = Net(), str(tmp_path / "net")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="x")])
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    converted = paddle.jit.to_static(net)
    for shape in [(1, 3, 31, 27), (2, 3, 18, 40), (1, 3, 31, 27), (4, 3, 24, 24)]:
        x = numbers(*shape)
        with paddle.no_grad(), flags_guard({"FLAGS_cpu_engines": ""}):
            wanted = Net.forward(net, paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), wanted, 1e-3, 1e-3)
        with paddle.no_grad():
            for _ in range(2):
                np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted, 1e-3, 1e-3)
    with paddle.no_grad():  # a step of training changes what is packed
        net.out.weight.set_value(net.out.weight * 2)
        with flags_guard({"FLAGS_cpu_engines": ""}):
            wanted = Net.forward(net, paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(converted(paddle.to_tensor(x)).numpy(), wanted, 1e-3, 1e-3)


@pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
def test_a_line_of_a_plan_calls_what_was_packed():
    x, w, use = last(numbers(1, 24, 9, 9)), FrozenWeight(numbers(40, 24, 1, 1)), epilogues.Packed()
    attrs = dict(packed=use, activation="relu", strides=[1, 1], paddings=[0, 0], dilations=[1, 1])
    line = find("fused_conv2d").kernels.select([spec_of(x), spec_of(numbers(*w.shape))], attrs).lines[0]
    first = line(x, w, None, None, None)
    assert line.served == 0
    for size in (9, 5, 12):
        images = last(numbers(2, 24, size, size))
        np.testing.assert_allclose(line(images, w, None, None, None), np.maximum(np.einsum(
            "nchw,oc->nohw", images, w.array()[:, :, 0, 0]), 0), 1e-4, 1e-4)
    assert line.served == 3
    np.testing.assert_array_equal(line(x, w, None, None, None), first)
    assert np.isfinite(line(np.ascontiguousarray(x), w, None, None, None)).all()  # brought into order in Python


@pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
def test_a_line_of_a_plan_multiplies_by_a_matrix_that_was_packed():
    x, y, row, use = numbers(60, 96), numbers(96, 128), numbers(128), epilogues.Packed()
    kernels, attrs = find("fused_linear").kernels, dict(packed=use, activation="relu")
    selected = kernels.select([spec_of(a) for a in (x, y, row)], attrs)
    line = selected.lines[0]
    for matrix in (y, y * 2):
        served, wanted = line.served, np.maximum(x @ matrix + row, 0)
        for rows in (60, 60, 60, 60, 60, 17):
            np.testing.assert_allclose(line(x[:rows], matrix, row, None), wanted[:rows], 1e-4, 1e-4)
        assert line.served == served + 3
    found = line(np.asfortranarray(x), y, row, None)  # brought into order in Python
    np.testing.assert_allclose(found, np.maximum(x @ y + row, 0), 1e-4, 1e-4)


def test_what_is_added_may_be_broadcast():
    x, w, attrs = numbers(1, 24, 9, 9), numbers(40, 24, 1, 1), dict(strides=[1, 1], paddings=[0, 0], dilations=[1, 1])
    whole = find("fused_conv2d").kernel(np, x, w, packed=epilogues.Packed(), **attrs)
    for shape in ((1,), (9, 9), (40, 1, 1), (1, 40, 1, 1)):
        added = numbers(*shape)
        found = find("fused_conv2d").kernels.on_host(np, x, w, None, None, added, packed=epilogues.Packed(), **attrs)
        np.testing.assert_allclose(found, whole + added, 1e-4, 1e-4)  # sums of 24 products

"""Eager convolutions by panels: which filters are kept in them, for how long, and the gradient of images."""

import gc
import itertools

import numpy as np
import proa as paddle
import pytest
from proa.backend import engines
from proa.core.flags import flags_guard
from proa.ops.core import kept_panels
from proa.ops.core.panels import FILTERS, PANELS, Windows
from proa.ops.nn import conv

pytestmark = pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
F = paddle.nn.functional
RANDOM = np.random.default_rng(0)


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


@pytest.fixture(autouse=True)
def small_ones_too(monkeypatch):
    for name in ("_FILTERS", "_CHANNELS", "_LARGE"):
        monkeypatch.setattr(conv, name, 1)


@pytest.fixture(autouse=True)
def none_kept():
    gc.collect()
    before = dict(kept_panels._entries)
    kept_panels._entries.clear()
    yield
    kept_panels._entries.clear()
    kept_panels._entries.update(before)


def kept():
    return [entry for entry in kept_panels._entries.values() if entry.call is not None]


def test_a_filter_is_kept_from_its_third_use_on_for_as_long_as_it_lives():
    x, layer = paddle.to_tensor(numbers(2, 24, 9, 9)), paddle.nn.Conv2D(24, 70, 3, padding=1, bias_attr=False)
    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = layer(x).numpy()
    results = []
    for uses in range(1, 6):
        results.append(layer(x).numpy())
        assert len(kept()) == (uses >= 3)
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    np.testing.assert_allclose(results[0], wanted, 1e-4, 1e-4)
    layer.weight.set_value(layer.weight * 2)
    np.testing.assert_allclose(layer(x).numpy(), 2 * wanted, 1e-4, 1e-4)
    assert not kept()
    for _ in range(3):
        layer(x)
    assert len(kept()) == 1
    del layer
    gc.collect()
    assert not kept_panels._entries


def test_steps_of_training_keep_nothing():
    layer, x = paddle.nn.Conv2D(3, 8, 3), paddle.to_tensor(numbers(2, 3, 8, 8))
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    for _ in range(5):
        layer(x).sum().backward()
        sgd.step()
        sgd.clear_grad()
        assert not kept() and len(kept_panels._entries) <= 1


def test_narrow_filters_are_left_to_oneDNN(monkeypatch):
    monkeypatch.undo()
    for channels, filters, panels in ((3, 64, 0), (8, 16, 0), (8, 64, 1)):
        layer, x = paddle.nn.Conv2D(channels, filters, 3), paddle.to_tensor(numbers(1, channels, 8, 8))
        for _ in range(3):
            layer(x)
        assert len(kept()) == panels


def test_one_filter_with_several_windows():
    x, w = paddle.to_tensor(numbers(1, 4, 12, 12)), paddle.to_tensor(numbers(8, 4, 3, 3))
    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = [F.conv2d(x, w, stride=s, dilation=d).numpy() for s, d in itertools.product((1, 2), (1, 2))]
    for _ in range(4):
        for (s, d), right in zip(itertools.product((1, 2), (1, 2)), wanted, strict=True):
            np.testing.assert_allclose(F.conv2d(x, w, stride=s, dilation=d).numpy(), right, 1e-4, 1e-4)


def test_there_is_a_bound_and_memory_of_others_is_not_trusted():
    w, foreign = numbers(8, 4, 3, 3), np.frombuffer(bytearray(numbers(8, 4, 3, 3).tobytes()), "float32")
    foreign = foreign.reshape(8, 4, 3, 3)
    with flags_guard({"FLAGS_kept_panels_megabytes": 0}):
        assert [kept_panels.of(w, FILTERS, Windows()) for _ in range(4)] == [None] * 4
    assert kept_panels.of(w, FILTERS, Windows()) is not None
    assert [kept_panels.of(foreign, FILTERS, Windows()) for _ in range(4)] == [None] * 4


@pytest.mark.parametrize("stride, padding, dilation, kernel", [
    (1, 1, 1, 3), (1, 0, 1, 1), (1, [1, 2], 1, (3, 2)), (1, 2, 2, 3), (2, 1, 1, 3), (1, 4, 1, 3), (1, "SAME", 1, 2),
    (1, [[0, 0], [0, 0], [2, 0], [1, 2]], 1, 3)])
@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
@pytest.mark.parametrize("groups", [1, 8])
def test_gradients_are_those_of_numpy(stride, padding, dilation, kernel, data_format, groups):
    kernel = (kernel, kernel) if isinstance(kernel, int) else kernel
    if data_format == "NHWC" and isinstance(padding, list) and isinstance(padding[0], list):
        padding = [padding[0], *padding[2:], padding[1]]
    x, w = numbers(2, 8, 10, 11), numbers(16, 8 // groups, *kernel)
    if data_format == "NHWC":
        x = np.ascontiguousarray(x.transpose(0, 2, 3, 1))

    def computed():
        images, filters = (paddle.to_tensor(a, stop_gradient=False) for a in (x, w))
        y = F.conv2d(images, filters, None, stride, padding, dilation, groups, data_format)
        gx, gw = paddle.grad((y * y).sum(), [images, filters], create_graph=True)
        again = paddle.grad((gx * gx).sum() + (gw * gw).sum(), [images, filters])
        return [a.numpy() for a in (y, gx, gw, *again)]

    with flags_guard({"FLAGS_cpu_engines": ""}):
        wanted = computed()
    for found, right in zip(computed(), wanted, strict=True):
        np.testing.assert_allclose(found, right, 1e-3, 1e-4 * np.abs(right).max())

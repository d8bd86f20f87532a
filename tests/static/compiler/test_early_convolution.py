"""Sizes that have come once or twice are computed by functions in C that take any: the same results, and no oneDNN."""

import itertools
import os
import subprocess
import sys
import textwrap
import types

import numpy as np
import proa as paddle
import pytest
from proa import inference
from proa.backend import loops, onednn
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.nn import pool
from proa.static import InputSpec
from proa.static.compiler import gates
from proa.static.compiler.early_convolution import early_convolution
from proa.static.compiler.frozen_weight import FrozenWeight

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def at_first():
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 60, "FLAGS_cpu_engines": "onednn,loops"}):
        yield


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


def last(images):
    """Images with their channels side by side."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def expected(x, w, scale, bias, residual, activation, windows, groups):
    strides, paddings, algorithm, dilations = windows
    w = w if scale is None else w * scale.reshape(-1, 1, 1, 1)
    result = find("conv2d").kernel(np, x.astype("f8"), w.astype("f8"), strides=strides, paddings=paddings,
                                   padding_algorithm=algorithm, dilations=dilations, groups=groups)
    for other in (None if bias is None else bias.reshape(-1, 1, 1), residual):
        result = result if other is None else result + other
    return find(activation).kernel(np, result) if activation else result


FILTERS = [(3, 8, 3, 1), (3, 16, 5, 1), (8, 24, 1, 1), (40, 72, 1, 1), (17, 33, 3, 1), (32, 32, 3, 32), (45, 45, 5, 45),
           (7, 7, 3, 7), (1, 5, 2, 1), (1, 1, 3, 1), (4, 1, 2, 1)]


@pytest.mark.parametrize("filters", FILTERS)
def test_convolutions_are_what_the_operators_give(filters):
    channels, count, kernel, groups = filters
    cases = itertools.product(([1, 1], [2, 1]), ([0, 0], [1, 2, 2, 0]), ([1, 1], [1, 2]),
                              ("", "relu", "hard_swish", "sigmoid"))
    for number, (strides, paddings, dilations, activation) in enumerate(cases):
        x, w = numbers(2, channels, 9, 12), numbers(count, channels // groups, kernel, kernel)
        scale, bias = numbers(count) if number % 2 else None, numbers(count) if number % 3 else None
        windows = strides, paddings, "EXPLICIT", dilations
        plain = expected(x, w, scale, bias, None, "", windows, groups)
        residual = numbers(*plain.shape) if number % 5 < 2 else None
        for images in (x, last(x), np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 1)))[:, :, 1:, :-1]):
            for weight in (w, FrozenWeight(w)):
                found = early_convolution(images, weight, scale, bias, residual, activation, lambda: True, windows,
                                          groups)
                wanted = expected(x, w, scale, bias, residual, activation, windows, groups)
                np.testing.assert_allclose(found, wanted, 1e-4, 1e-4)


def test_the_functions_decline_what_they_do_not_know():
    x, w, out = last(numbers(1, 8, 5, 5)), numbers(8, 8, 1, 1), np.empty((1, 5, 5, 8), "float32")
    windows = (1, 1), (0, 0), (1, 1), (5, 5)
    unknown = (object(), numbers(7), numbers(16)[::2], np.ones(8))
    for other in unknown:
        for given in ((other, None, None), (None, other, None), (None, None, other)):
            assert native.module.convolve(x, w, *given, *windows, 0) is NotImplemented
        matrix = w.reshape(8, 8)
        for given in ((other, matrix, None), (None, other, None), (None, matrix, other)):
            assert not native.module.gate_channels(x.transpose(0, 2, 3, 1), matrix, *given, out, True, True, 0.2, 0.5)
        assert native.module.pool_windows(other, False, False, (2, 2), (1, 1), (0, 0), (4, 4)) is NotImplemented
    for images in (numbers(1, 8, 5, 5), x.astype("f8"), x[0], object()):
        assert native.module.convolve(images, w, None, None, None, *windows, 0) is NotImplemented
    assert native.module.pool_windows(x, False, False, (2, 2), (1, 1), (0, 0), (7, 4)) is NotImplemented


def test_nan_stays():
    x, w = numbers(1, 8, 5, 5), numbers(8, 8, 1, 1)
    x[0, 3, 2, 2], ones = np.nan, ([1, 1], [0, 0], "EXPLICIT", [1, 1])
    for activation in ("", "relu", "hard_swish"):
        found = early_convolution(x, w, None, None, None, activation, lambda: True, ones, 1)
        assert np.isnan(found[0, :, 2, 2]).all() and np.isnan(found).sum() == 8


def test_what_is_not_for_it_is_declined():
    ones = [1, 1], [0, 0], "EXPLICIT", [1, 1]

    def computed(x, w, groups=1, residual=None):
        return early_convolution(x, w, None, None, residual, "", lambda: True, ones, groups)

    assert computed(numbers(1, 8, 5, 5), numbers(8, 4, 1, 1), 2) is NotImplemented
    assert computed(numbers(1, 8, 5, 5), numbers(8, 4, 1, 1)) is NotImplemented
    assert computed(numbers(1, 8, 5), numbers(8, 8, 1)) is NotImplemented
    assert computed(numbers(1, 8, 5, 5), numbers(8, 8, 1, 1), residual=numbers(1, 8, 1, 1)) is NotImplemented
    assert computed(numbers(1, 600, 5, 5), numbers(600, 600, 1, 1)) is NotImplemented
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        assert computed(numbers(1, 8, 5, 5), numbers(8, 8, 1, 1)) is NotImplemented


@pytest.mark.parametrize("channels", [1, 3, 8, 40, 45])
def test_pooled_windows_are_what_the_operator_gives(channels):
    windows = [((2, 2), (2, 2), (0, 0)), ((3, 3), (2, 2), (1, 1)), ((3, 2), (1, 2), (1, 0)), ((9, 11), (1, 1), (0, 0))]
    for (kernel, strides, pads), kind, exclusive, ceil in itertools.product(windows, ("max", "avg"), (True, False),
                                                                            (False, True)):
        x = numbers(2, channels, 9, 11)
        if kind == "max":
            x[0, 0, 4, 4], x[0, 0, 8, 10] = np.nan, -np.inf
        found = pool._for_engines(x, kind, kernel, strides, pads, ceil, exclusive)
        if found is None:
            continue
        pool._seldom.clear()
        given = dict(pooling_type=kind, ksize=list(kernel), strides=list(strides), paddings=list(pads),
                     exclusive=exclusive, ceil_mode=ceil)
        for images in (x, last(x)):
            result = pool._pool_early(images, found[1], found[0])
            np.testing.assert_allclose(result, find("pool2d").kernel(np, x, **given), 2e-5, 2e-6)


@pytest.mark.skipif(not loops.is_ready(), reason="there are no loops")
@pytest.mark.parametrize("gate", ["hard_sigmoid", "sigmoid"])
def test_gates_are_what_the_operators_give(gate):
    operator = find("channel_gate")
    for channels, inner in ((8, 2), (13, 5), (104, 26)):
        x, first, second = numbers(2, channels, 9, 11), numbers(inner, channels, 1, 1), numbers(channels, inner, 1, 1)
        x[1] += 2
        for biases in ((None, None), (numbers(inner), numbers(channels))):
            for is_multiplied in (False, True):
                given = dict(gate=gate, slope=0.17, offset=0.4, is_multiplied=is_multiplied)
                found = gates._gate_by_loops(last(x), first, second, *biases, **given)
                assert found is not NotImplemented
                whole = operator.kernel(np, x, first, second, *biases, **given)
                np.testing.assert_allclose(found, whole, 2e-4, 2e-4)


class Pictures(paddle.nn.Layer):
    """Convolutions, some of groups, and gates."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = paddle.nn.Conv2D(3, 32, 3, padding=1, stride=2), paddle.nn.BatchNorm2D(32)
        self.deep = paddle.nn.Conv2D(32, 32, 3, padding=1, groups=32, bias_attr=False)
        self.down, self.up, self.last = (paddle.nn.Conv2D(*sizes, 1) for sizes in ((32, 8), (8, 32), (32, 48)))

    def forward(self, x):
        f = paddle.nn.functional
        x = f.relu(self.deep(f.hardswish(self.norm(self.first(x)))))
        x = x * f.hardsigmoid(self.up(f.relu(self.down(f.adaptive_avg_pool2d(x, 1)))))
        return f.max_pool2d(self.last(x), 2)


def saved(folder):
    net, prefix = Pictures(), str(folder / "model")
    net.eval()
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], name="x")])
    return net, prefix


@pytest.mark.skipif(not onednn.is_ready(), reason="oneDNN is not there")
def test_a_size_that_comes_for_the_third_time_has_its_own_code(tmp_path, monkeypatch):
    net, prefix = saved(tmp_path)
    predictor = inference.create_predictor(inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))
    calls, counts, convolve = [], [], native.module.convolve

    def counted(x, *others):
        calls.append(x.shape)
        return convolve(x, *others)

    monkeypatch.setattr("proa.static.compiler.early_convolution.native",
                        types.SimpleNamespace(module=types.SimpleNamespace(convolve=counted)))
    for shape in [(1, 3, 30, 26), (2, 3, 18, 20), *[(1, 3, 30, 26)] * 4, *[(2, 3, 18, 20)] * 2, (3, 3, 30, 26)]:
        x = numbers(*shape)
        calls.clear()
        with paddle.no_grad():
            wanted = net(paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(predictor.run([x])[0].numpy(), wanted, 1e-4, 1e-5)
        counts.append(len(calls))
    assert counts[:8] == [3, 3, 3, 0, 0, 0, 3, 0]


def test_a_small_model_needs_no_onednn(tmp_path):
    _, prefix = saved(tmp_path)
    script = f"""
    import numpy as np, sys
    from proa import inference
    predictor = inference.create_predictor(inference.Config({prefix + ".pdmodel"!r}, {prefix + ".pdiparams"!r}))
    for count in (1, 2, 3, 1):
        predictor.run([np.ones((count, 3, 30, 26), "float32")])
    from proa.backend import onednn
    assert not onednn.is_loaded() and onednn.is_ready() == onednn.is_loaded()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True, cwd=tmp_path,
                   env={**os.environ, "FLAGS_kernel_after_elements": str(1 << 23)})

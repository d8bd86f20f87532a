"""Sizes that have come once or twice are computed by functions in C that take any: the same results, and no oneDNN."""

import itertools
import os
import subprocess
import sys
import textwrap

import numpy as np
import proa as paddle
import pytest
from proa.backend import engines, loops
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.core.panels import PANELS
from proa.ops.nn import pool
from proa.static import InputSpec
from proa.static.compiler import gates

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def at_first():
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 60}):
        yield


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


def last(images):
    """Images with their channels side by side."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


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


@pytest.mark.skipif(not engines.is_usable(PANELS, engines.CPU), reason="the processor has no fused vectors")
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

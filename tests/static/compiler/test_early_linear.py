"""A matrix that is not packed yet is multiplied as it lies: the same results within rounding, twice for each weight."""

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.core.flags import flags_guard
from proa.ops.core.operator import find
from proa.static.compiler import epilogues, projections
from proa.static.compiler.early_linear import early_linear, early_rows

pytestmark = pytest.mark.skipif(not onednn.is_ready(), reason="oneDNN is not there")
RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def at_first():
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 60, "FLAGS_cpu_engines": "onednn,loops"}):
        yield


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


@pytest.mark.parametrize("shape", [(40, 96), (3, 20, 96), (96, 40)])
def test_products_are_what_they_stand_for(shape):
    x, y = numbers(*shape), numbers(96, 72)
    if shape[-1] != 96:
        x = x.T
    bias, residual = numbers(72), numbers(*x.shape[:-1], 72)
    for b in (None, bias):
        for r in (None, residual):
            for activation in ("", "relu"):
                wanted = x @ y + (0 if b is None else b) + (0 if r is None else r)
                wanted = np.maximum(wanted, 0) if activation else wanted
                np.testing.assert_allclose(early_linear(x, y, b, r, activation), wanted, 1e-4, 1e-4)


@pytest.mark.usefixtures("as_around_kernels")
@pytest.mark.parametrize("activation", ["", "relu", "hard_swish", "sigmoid"])
def test_a_row_or_two(activation):
    y, bias = numbers(700, 801), numbers(801)
    for shape in ((1, 700), (2, 700), (1, 1, 700), (2, 1, 700)):
        x = numbers(*shape)
        for residual in (None, numbers(*shape[:-1], 801)):
            whole = x.astype("f8") @ y + bias + (0 if residual is None else residual)
            wanted = find(activation).kernel(np, whole) if activation else whole
            np.testing.assert_allclose(early_rows(x, y, bias, residual, activation), wanted, 1e-4, 1e-4)


def test_what_is_not_for_it_is_declined():
    x, y = numbers(40, 96), numbers(96, 72)
    assert early_linear(x, y, None, None, "gelu") is NotImplemented
    assert early_linear(x, y[0], None, None, "") is NotImplemented
    assert early_linear(x.astype("f8"), y.astype("f8"), None, None, "relu") is NotImplemented
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        assert early_linear(x, y, None, None, "") is NotImplemented


class Words(paddle.nn.Layer):
    """Attention, whose products of one value are one, and products with sums and activations."""

    def __init__(self):
        super().__init__()
        self.encoder = paddle.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu")

    def forward(self, x):
        return self.encoder(x)


def test_the_first_two_calls_of_a_converted_function(monkeypatch):
    counts = []

    def counted(*arguments):
        result = early_linear(*arguments)
        counts[-1] += result is not NotImplemented
        return result

    monkeypatch.setattr(epilogues, "early_linear", counted)
    monkeypatch.setattr(projections, "early_linear", counted)
    net = Words()
    net.eval()
    converted, x = paddle.jit.to_static(Words()), paddle.to_tensor(numbers(1, 64, 128))
    converted.eval()
    converted.set_state_dict(net.state_dict())
    with paddle.no_grad():
        wanted = net(x).numpy()
        for _ in range(4):
            counts.append(0)
            np.testing.assert_allclose(converted(x).numpy(), wanted, 1e-4, 1e-4)
    assert counts == [5, 5, 0, 0]

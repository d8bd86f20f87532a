"""Attention that a converted function spells out, in training: one operation, and the gradients of what is written."""

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core.flags import flags_guard
from proa.jit.tracing.program_function import ProgramFunction
from proa.nn import functional as F

HEADS = [2, 4, 16, 8]


def _plain(q, k, v, mask):
    return paddle.matmul(F.softmax(paddle.matmul(q, k, transpose_y=True)), v)


def _masked(q, k, v, mask):
    return paddle.matmul(F.softmax(paddle.matmul(q * 0.5, k, transpose_y=True) + mask), v)


def _called(q, k, v, mask):
    turned = [paddle.transpose(x, [0, 2, 1, 3]) for x in (q, k, v)]
    return F.scaled_dot_product_attention(*turned, is_causal=True)


def _computed_again(q, k, v, mask):
    return paddle.distributed.fleet.utils.recompute(_masked, q, k, v, mask)


def _of_one_value(q, k, v, mask):
    return _plain(q, q, q, mask) + q


def _wants_weights(q, k, v, mask):
    weights = F.softmax(paddle.matmul(q, k, transpose_y=True))
    return paddle.matmul(weights, v) + 0.01 * weights.square().sum()


def _drops(q, k, v, mask):
    return paddle.matmul(F.dropout(F.softmax(paddle.matmul(q, k, transpose_y=True)), 0.0), v)


JOINED = [_plain, _masked, _called, _computed_again, _of_one_value, _drops]
OTHERS = [_wants_weights]


def _given():
    draw = np.random.default_rng(5)
    values = [paddle.to_tensor(draw.standard_normal(HEADS, dtype="float32"), stop_gradient=False) for _ in range(3)]
    return [*values, paddle.to_tensor(draw.standard_normal([2, 1, 16, 16], dtype="float32"), stop_gradient=False)]


def _answers(function, penalty=False):
    given = _given()
    result = function(*given)
    loss = (result * result).sum()
    if penalty:
        slope, = paddle.grad(loss, given[:1], create_graph=True)
        loss = loss + (slope * slope).sum()
    loss.backward()
    return [result.numpy(), *(None if x.grad is None else x.grad.numpy() for x in given)]


def _same(found, wanted, tolerance=2e-5):
    for a, b in zip(found, wanted, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=tolerance * np.abs(b).max())


@pytest.fixture
def trained(monkeypatch):
    """The types of the operations whose gradients are taken, by call."""
    found = []
    real = ProgramFunction._with_gradient

    def watched(self, wanted):
        made = real(self, wanted)
        found.append([op.type for op in made[0].global_block().ops])
        return made

    monkeypatch.setattr(ProgramFunction, "_with_gradient", watched)
    return found


@pytest.mark.parametrize("function", JOINED + OTHERS)
def test_gradients_are_those_of_what_is_written(function, trained):
    with paddle.utils.unique_name.guard():
        _same(_answers(paddle.jit.to_static(function, full_graph=True)), _answers(function))
    assert ("attention_grad" in trained[0]) == (function in JOINED)
    assert ("softmax" in trained[0]) == (function not in JOINED)


@pytest.mark.parametrize("function", [_plain, _masked, _called])
def test_gradients_of_gradients_too(function):
    """By the formula here, and by that of what is written there: sums of other terms, of which some cancel."""
    _same(_answers(paddle.jit.to_static(function, full_graph=True), True), _answers(function, True), 1e-4)


def test_sizes_that_are_not_known_stay_as_they_are_written(trained):
    spec = [paddle.static.InputSpec([None, 4, None, 8], stop_gradient=False) for _ in range(3)]
    converted = paddle.jit.to_static(lambda q, k, v: _plain(q, k, v, None), input_spec=spec, full_graph=True)
    _same(_answers(lambda q, k, v, mask: converted(q, k, v)), _answers(_plain))
    assert "softmax" in trained[0]


def test_a_layer_trains_as_it_does_in_eager_code(trained):
    def trained_loss(convert):
        paddle.seed(3)
        net = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0)
        steps = paddle.optimizer.Adam(0.01, parameters=net.parameters())
        call = paddle.jit.to_static(net, full_graph=True) if convert else net
        x = paddle.to_tensor(np.random.default_rng(1).standard_normal([2, 6, 16], dtype="float32"))
        losses = []
        for _ in range(5):
            loss = (call(x) - x.roll(1, 1)).square().mean()
            loss.backward()
            steps.step()
            steps.clear_grad()
            losses.append(float(loss))
        return losses

    np.testing.assert_allclose(trained_loss(True), trained_loss(False), rtol=1e-5)
    assert "attention" in trained[0]


def test_what_is_looked_at_operator_by_operator_is_what_is_written(trained):
    with flags_guard({"FLAGS_check_nan_inf": True}):
        _answers(paddle.jit.to_static(_plain, full_graph=True))
    assert "softmax" in trained[0]

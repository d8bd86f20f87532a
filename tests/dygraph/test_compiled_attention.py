"""The forms of attention over few positions and of its gradient: what their kernels give, or left to these."""

import gc
import itertools
import tracemalloc

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.ops.core import native
from proa.ops.nn.attention import attention, attention_op, gradient_op
from proa.ops.nn.attention_kernels import Arithmetic, forward, gradients

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]

LENGTHS = ((1, 1), (1, 7), (5, 5), (10, 8), (16, 16), (33, 33), (64, 64), (30, 90))


class Declined(Exception):
    """Raised where a form leaves the work to the kernel."""


def _decline(*_, **__):
    raise Declined


def _formed(op, *inputs, **attrs):
    return native.module.form(op.compiled, _decline, False, np)(np, *inputs, **attrs)


def _heads(draw, batch, heads, length, width, lying):
    """[batch, heads, length, width]: in that order, with heads behind positions, and that as a part of wider rows."""
    shape = (batch, heads, length, width) if lying == "heads" else (batch, length, heads, width + 3 * (lying == "part"))
    x = draw.standard_normal(shape).astype("float32")
    return x if lying == "heads" else x[..., :width].transpose(0, 2, 1, 3)


def _masks(draw, batch, heads, queries, keys):
    hidden = np.where(draw.random((batch, heads, queries, keys)) < 0.3, -np.inf, 0).astype("float32")
    hidden[..., 0] = 0
    return (None, hidden, draw.standard_normal((keys, queries)).astype("float32").T,
            draw.standard_normal((batch, 1, 1, keys)).astype("float32"), np.full((1,), 0.5, "float32"))


def _wide(*arrays):
    return [x if x is None else x.astype("float64") for x in arrays]


@pytest.mark.parametrize("lying", ["heads", "positions", "part"])
def test_results_and_gradients_are_within_rounding_and_lie_as_the_inputs_do(lying):
    draw, exact = np.random.default_rng(0), Arithmetic(np)
    for (queries, keys), (width, wide) in itertools.product(LENGTHS, ((1, 2), (8, 8), (32, 24))):
        batch, heads, scale = 2, 3, width ** -0.5
        q, k, v, g = (_heads(draw, batch, heads, length, size, lying) for length, size in
                      ((queries, width), (keys, width), (keys, wide), (queries, wide)))
        for mask, causal in itertools.product(_masks(draw, batch, heads, queries, keys), (False, queries == keys)):
            out, totals = _formed(attention_op, q, k, v, mask, scale=scale, causal=causal)
            wanted = forward(np, exact, *_wide(q, k, v, mask), scale, causal)
            lies_so = forward(np, exact, q, k, v, mask, scale, causal)
            for found, right, same in zip((out, totals), wanted, lies_so, strict=True):
                np.testing.assert_allclose(found, right, rtol=3e-6, atol=3e-6)
                assert found.dtype == np.float32 and found.strides == same.strides
            attrs = {"scale": scale, "causal": causal, "with_mask": False}
            *found, of_mask = _formed(gradient_op, q, k, v, mask, totals, g, **attrs)
            right = gradients(np, exact, *_wide(q, k, v, mask, totals, g), scale, causal, False)
            assert of_mask is None
            for one, other, x in zip(found, right[:3], (q, k, v), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=2e-5)
                assert one.dtype == np.float32 and one.strides == np.empty_like(x).strides


def test_what_is_left_to_the_kernels():
    draw = np.random.default_rng(0)
    q, k, v = (_heads(draw, 2, 3, 6, 8, "positions") for _ in range(3))
    odd, hidden = q.copy(), np.full((6, 6), -np.inf, "float32")
    odd[1, 2, 3, 4] = np.nan
    many = np.zeros((8, 8, 128, 64), "float32")
    every_other = np.zeros((2, 3, 6, 16), "float32")[..., ::2]
    for inputs in ((odd, k, v), (q, k, v, hidden), (q, k[:1], v), (q, k, v[:, :, :5]), (q[..., :7], k, v),
                   (q[0], k[0], v[0]), tuple(_wide(q, k, v)), (q, k, v, np.zeros((6, 6))),
                   (q, k, v, np.zeros((6, 6), bool)), (q, k, v, np.zeros((5, 6), "float32")),
                   (q, k, v, np.zeros((1, 2, 3, 6, 6), "float32")), (q, k[:, :, :0], v[:, :, :0]), (every_other, k, v),
                   (many, many, many), (q[:, :, ::-1], k, v), (np.broadcast_to(q[:1], q.shape), k, v)):
        with pytest.raises(Declined):
            _formed(attention_op, *inputs, scale=1.0, causal=False)
    with pytest.raises(Declined):
        _formed(attention_op, q, k[:, :, :5], v[:, :, :5], scale=1.0, causal=True)
    with pytest.raises(Declined):
        _formed(attention_op, q, k, v, causal=False)
    out, totals = _formed(attention_op, q, k, v, scale=1.0, causal=False)
    for others in ((totals, out[:, :, :5]), (totals[:, :2], out), (totals.astype("float64"), out),
                   (totals, out.astype("float64"))):
        with pytest.raises(Declined):
            _formed(gradient_op, q, k, v, None, *others, scale=1.0, causal=False, with_mask=False)
    with pytest.raises(Declined):
        _formed(gradient_op, q, k, v, np.zeros((6, 6), "float32"), totals, out, scale=1.0, causal=False, with_mask=True)


@pytest.mark.skipif(not onednn.is_ready(), reason="an engine that is alone is asked before the form")
def test_values_and_their_gradients_come_by_the_forms(monkeypatch):
    calls = []
    for op in (attention_op, gradient_op):
        declared = op.kernels.of_dtype[np.dtype("float32")].kernel
        assert type(declared) is native.module.Form
        monkeypatch.setattr(op.kernels, "declared", ())
        monkeypatch.setattr(op.kernels, "plain", lambda *_, **__: calls.append(_))
        op.kernels.forget()
    try:
        x = paddle.rand([2, 6, 3, 8])
        x.stop_gradient = False
        q = x.transpose([0, 2, 1, 3])
        attention(q, q, q, None, 0.3).sum().backward()
    finally:
        monkeypatch.undo()
        for op in (attention_op, gradient_op):
            op.kernels.forget()
    assert not calls and x.grad.shape == x.shape


def test_nothing_is_left_behind():
    draw = np.random.default_rng(0)
    q, g = _heads(draw, 2, 3, 6, 8, "positions"), _heads(draw, 2, 3, 6, 8, "heads")
    bad = q.copy()
    bad[0, 0, 0, 0] = np.nan

    def work():
        _, totals = _formed(attention_op, q, q, q, None, scale=1.0, causal=True)
        _formed(gradient_op, q, q, q, None, totals, g, scale=1.0, causal=True, with_mask=False)
        with pytest.raises(Declined):
            _formed(attention_op, bad, q, q, scale=1.0, causal=False)

    for _ in range(10):
        work()
    gc.collect()
    tracemalloc.start()
    try:
        first = tracemalloc.get_traced_memory()[0]
        for _ in range(100):
            work()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert grown < 20_000

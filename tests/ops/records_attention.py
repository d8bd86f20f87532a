"""Records of attention and its gradient."""

import numpy as np
import proa as paddle
from proa.ops.core.trace import apply
from proa.ops.nn.attention import attention, attention_op, gradient_op
from records import Record, bools, floats

Q, K, V = floats(2, 3, 4, 5), floats(2, 3, 6, 5, seed=1), floats(2, 3, 6, 2, seed=2)
MASK, ROW = floats(2, 1, 4, 6, seed=3), floats(6, seed=4)
HIDDEN = np.where(bools(2, 1, 4, 6) | (np.arange(6) == 2), 0.0, -np.inf)
SQUARE = [floats(2, 3, 6, 5, seed=5), K, floats(2, 3, 6, 5, seed=6)]


def _weights(q, k, mask, scale, causal=False):
    scores = scale * q @ k.swapaxes(-1, -2)
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def _plain(q, k, v, mask=None, scale=0.4, causal=False):
    return _weights(q, k, mask, scale, causal) @ v


def _positions_first(q, k, v):
    """The same on tensors that lie in memory with the positions before the heads."""
    return attention(*(x.transpose([0, 2, 1, 3]) for x in (q, k, v)), scale=0.4)


FORWARD = [
    Record("attention", lambda q, k, v: attention(q, k, v, scale=0.4), [Q, K, V], _plain),
    Record("attention", lambda q, k, v, m: attention(q, k, v, m, 0.4), [Q, K, V, MASK], _plain, label="mask"),
    Record("attention", lambda q, k, v, m: attention(q, k, v, m, 0.4), [Q, K, V, ROW], _plain, label="row mask"),
    Record("attention", lambda q, k, v, m: attention(q, k, v, m, 0.4), [Q, K, V, HIDDEN], _plain, label="hidden",
           differentiable=[0, 1, 2]),
    Record("attention", lambda q, k, v: attention(q, k, v, scale=0.4, causal=True), SQUARE,
           lambda q, k, v: _plain(q, k, v, causal=True), label="causal"),
    Record("attention", _positions_first, [x.swapaxes(1, 2).copy() for x in (Q, K, V)],
           lambda q, k, v: _plain(*(x.swapaxes(1, 2) for x in (q, k, v))), label="strided"),
]


def _gradient(causal=False, with_mask=True):
    def function(q, k, v, g, mask=None):
        given = [x.detach() for x in (q, k, v)]
        kept = mask.detach() if mask is not None else None
        totals = _totals(*given[:2], kept, causal)
        found = apply(gradient_op, q, k, v, mask, totals, g, scale=0.4, causal=causal,
                      with_mask=with_mask and mask is not None)
        return [x for x in found if x is not None]

    return function


def _totals(q, k, mask, causal):
    """The operator's second result, in a Program of other operators."""
    scores = paddle.matmul(q * 0.4, k, transpose_y=True)
    if mask is not None:
        scores = scores + mask
    if causal:
        scores = scores + paddle.triu(paddle.full([6, 6], float("-inf"), scores.dtype), 1)
    return paddle.logsumexp(scores, -1)


def _gradient_reference(causal=False, with_mask=True):
    def reference(q, k, v, g, mask=None):
        weights = _weights(q, k, mask, 0.4, causal)
        up = g @ v.swapaxes(-1, -2)
        slope = weights * (up - (up * weights).sum(-1, keepdims=True))
        found = [0.4 * slope @ k, 0.4 * slope.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ g]
        if mask is not None and with_mask:
            extra = slope.ndim - mask.ndim
            over = tuple(n for n in range(4) if n < extra or mask.shape[n - extra] == 1)
            found.append(slope.sum(over, keepdims=True).reshape(mask.shape))
        return found

    return reference


G, SQUARE_G = floats(2, 3, 4, 2, seed=7), floats(2, 3, 6, 5, seed=8)

GRADIENTS = [
    Record("attention_grad", _gradient(), [Q, K, V, G], _gradient_reference()),
    Record("attention_grad", _gradient(), [Q, K, V, G, MASK], _gradient_reference(), label="mask"),
    Record("attention_grad", _gradient(), [Q, K, V, G, ROW], _gradient_reference(), label="row mask"),
    Record("attention_grad", _gradient(with_mask=False), [Q, K, V, G, MASK], _gradient_reference(with_mask=False),
           label="constant mask", differentiable=[0, 1, 2, 3]),
    Record("attention_grad", _gradient(causal=True), [*SQUARE, SQUARE_G], _gradient_reference(causal=True),
           label="causal"),
]

RECORDS = FORWARD + GRADIENTS
assert attention_op.composed is not None

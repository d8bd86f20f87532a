"""The operator that stands, in compiled plans, for attention that a Program spells out over sizes that are not known.

`fused_attention`: softmax(scale * Q · Kᵀ + Mask) · V. Its operands may broadcast; where it is known that they do not,
`attention` stands in its place. It never gets into a file. The result lies with the heads behind the positions, so that
the reshape to [batch, length, heads * head_dim] that follows copies nothing.
"""

import math
from typing import Any

import numpy as np

from ...backend.engines import LOOPS, ONEDNN
from ...backend.kernels import attention as accelerated
from ...ops.core.kernels import by
from ...ops.core.operator import operator
from ...ops.core.spec import Spec
from ...ops.nn.attention_kernels import Arithmetic, WithLargeProducts


def _forward(xp: Any, arithmetic: Any, q: Any, k: Any, v: Any, mask: Any, scale: float) -> Any:
    weights = arithmetic.product(q, k.swapaxes(-1, -2))
    arithmetic.normalize(weights, scale, None if mask is None else xp.broadcast_to(mask, weights.shape), -1)
    batch, heads = np.broadcast_shapes(weights.shape[:2], v.shape[:2])
    out = xp.empty((batch, weights.shape[2], heads, v.shape[3]), v.dtype).transpose(0, 2, 1, 3)
    return arithmetic.product(weights, v, out)


def _attention(xp, q, k, v, mask=None, *, scale: float):
    return _forward(xp, Arithmetic(xp), q, k, v, mask, scale)


def _attention_by_loops(q, k, v, mask=None, *, scale):
    if not accelerated.takes(q, k, v, mask):
        return NotImplemented
    return _forward(np, accelerated, q, k, v, mask, scale)


def _attention_by_onednn(q, k, v, mask=None, *, scale):
    if not WithLargeProducts.takes(q, k, v, mask):
        return NotImplemented
    return _forward(np, WithLargeProducts(), q, k, v, mask, scale)


def _infer_attention(q, k, v, mask=None, *, scale):
    return Spec((*q.shape[:3], v.shape[3]), q.dtype)


def _two_products(inputs, outputs, attrs):
    q, k, v = inputs[:3]
    scores = math.prod(np.broadcast_shapes(q[:2], k[:2])) * q[2] * k[2]
    return 2 * scores * (q[3] + v[3])


fused_attention_op = operator("fused_attention", "Q, K, V, Mask? -> Out", kernel=_attention,
                              engines=[by(LOOPS, _attention_by_loops), by(ONEDNN, _attention_by_onednn)],
                              infer=_infer_attention, cost=_two_products)

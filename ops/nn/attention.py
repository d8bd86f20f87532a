"""Scaled dot-product attention as one operator, and its gradient: softmax(scale * q · kᵀ + mask) · v, head by head.

Only a tile of the scores exists at a time: those of a few heads, or of some queries of one head. What the gradient
keeps of them is the logarithm of each query's sum of exponentials, from which it computes the weights again.
After "Self-attention Does Not Need O(n²) Memory" (Rabe and Staats, 2021) and "FlashAttention" (Dao et al., 2022).

Paddle's files do not know the operator; Programs are written with the operators of `composed`.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import blas
from ...backend.engines import LOOPS, ONEDNN
from ...backend.kernels import attention as accelerated
from ...core.dtype import DType, float32
from ..array.assign import shape
from ..array.full import full
from ..array.gradient_shapes import sum_to
from ..array.triangles import triu
from ..core import native
from ..core.infer import broadcast_shapes
from ..core.kernels import by
from ..core.operator import operator
from ..core.panels import PANELS, attend, gradients_of_attention
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul_op
from ..math.casting import dtype_of, in_dtype
from ..math.elementwise import add_op, scale_op
from ..math.reduce import sum
from .attention_kernels import Arithmetic, WithLargeProducts, forward, gradients
from .softmax import softmax_grad_op, softmax_op


def _forward(xp, q, k, v, mask=None, *, scale: float, causal: bool = False):
    return forward(xp, Arithmetic(xp), q, k, v, mask, scale, causal)


def _forward_by_panels(q, k, v, mask=None, *, scale, causal=False):
    found = attend(q, k, v, mask, scale, causal)
    return NotImplemented if found is None else found


def _forward_by_loops(q, k, v, mask=None, *, scale, causal=False):
    if not accelerated.takes(q, k, v, mask):
        return NotImplemented
    return forward(np, accelerated, q, k, v, mask, scale, causal)


def _forward_by_onednn(q, k, v, mask=None, *, scale, causal=False):
    if not WithLargeProducts.takes(q, k, v, mask):
        return NotImplemented
    return forward(np, WithLargeProducts(), q, k, v, mask, scale, causal)


def _gradients(xp, q, k, v, mask, totals, g, *, scale: float, causal: bool = False, with_mask: bool = False):
    return gradients(xp, Arithmetic(xp), q, k, v, mask, totals, g, scale, causal, with_mask)


def _gradients_by_panels(q, k, v, mask, totals, g, *, scale, causal=False, with_mask=False):
    return NotImplemented if with_mask else gradients_of_attention(q, k, v, mask, totals, g, scale, causal)


def _gradients_by_loops(q, k, v, mask, totals, g, *, scale, causal=False, with_mask=False):
    if not accelerated.takes(q, k, v, mask, totals, g):
        return NotImplemented
    return gradients(np, accelerated, q, k, v, mask, totals, g, scale, causal, with_mask)


def _gradients_by_onednn(q, k, v, mask, totals, g, *, scale, causal=False, with_mask=False):
    if not WithLargeProducts.takes(q, k, v, mask, totals, g):
        return NotImplemented
    return gradients(np, WithLargeProducts(), q, k, v, mask, totals, g, scale, causal, with_mask)


def _infer(q, k, v, mask=None, *, scale, causal=False):
    _check(q, k, v, mask, causal)
    return Spec((*q.shape[:3], v.shape[3]), q.dtype), Spec(q.shape[:3], _total_dtype(q.dtype))


def _total_dtype(dtype: DType) -> DType:
    return float32 if dtype.itemsize == 2 else dtype


def _check(q: Spec, k: Spec, v: Spec, mask: Spec | None, causal: bool) -> None:
    shapes = f"Received query.shape={list(q.shape)}, key.shape={list(k.shape)}, value.shape={list(v.shape)}"
    what = "attention(query, key, value)"
    if not q.rank == k.rank == v.rank == 4:
        raise ValueError(f"{what}: each must have 4 dimensions: batch, heads, length and head_dim. {shapes}.")
    alike = [(q.shape[n], k.shape[n], v.shape[n]) for n in (0, 1)]
    if not all(map(_agree, [*alike, (q.shape[3], k.shape[3]), (k.shape[2], v.shape[2])])):
        raise ValueError(f"{what}: batch and heads of all three must agree, and head_dim of query and key, and the "
                         f"lengths of key and value. {shapes} as [batch, heads, length, head_dim].")
    if not q.dtype is k.dtype is v.dtype or not q.dtype.is_floating:
        raise TypeError(f"{what}: the three must be of one floating dtype. Received {q.dtype.name}, {k.dtype.name} "
                        f"and {v.dtype.name}. Bring them together with astype.")
    if causal and not _agree((q.shape[2], k.shape[2])):
        raise ValueError(f"attention(is_causal): there must be as many keys as queries; give attn_mask otherwise. "
                         f"{shapes}.")
    if mask is not None:
        _check_mask(mask, (*q.shape[:3], k.shape[2]))


def _check_mask(mask: Spec, scores: tuple[int, ...]) -> None:
    what = "attention(attn_mask): the mask must broadcast to [batch, heads, queries, keys]"
    merged = broadcast_shapes(what, mask.shape, scores)
    if len(merged) > len(scores) or not all(map(_agree, zip(merged, scores, strict=True))):
        raise ValueError(f"{what}={list(scores)}. Received attn_mask.shape={list(mask.shape)}.")


def _agree(sizes: Sequence[int]) -> bool:
    return len({size for size in sizes if size != -1}) <= 1


def _infer_gradient(q, k, v, mask, totals, g, *, scale, causal=False, with_mask=False):
    _check(q, k, v, mask, causal)
    return q, k, v, mask if with_mask else None


def _first(g: Any, values: tuple, scale: float, causal: bool, wants: Sequence[bool]) -> tuple:
    q, k, v, mask, totals = values
    dq, dk, dv, d_mask = apply(gradient_op, q, k, v, mask, totals, g, scale=scale, causal=causal,
                               with_mask=bool(wants[3]))
    return dq, dk, dv, d_mask


def _product(x: Any, y: Any, trans_x: bool = False, trans_y: bool = False) -> Any:
    return apply(matmul_op, x, y, trans_x=trans_x, trans_y=trans_y)


def _total(x: Any) -> Any:
    return sum(x, -1, keepdim=True)


class _Second:
    """The gradient of `attention_grad` along what came back for its results, with all scores at once.

    With the weights p = softmax(scale * q · kᵀ + mask), u = g · vᵀ and s = p * (u - sum(p * u)), the results are
    scale * s · k, scale * sᵀ · q, pᵀ · g and s. `t` is the gradient of s, `along` that of the scores.
    """

    def __init__(self, values: tuple, back: tuple, scale: float, causal: bool):
        self.q, self.k, self.v, mask, self.g = values
        self.a, self.b, self.c, self.d = back
        self.scale = scale
        self.p = apply(softmax_op, _scores(self.q, self.k, mask, scale, causal), axis=-1)
        self.u = _product(self.g, self.v, trans_y=True)
        self.t = self._of_slope()
        of_p = _product(self.g, self.c, trans_y=True) + self.t * (self.u - _total(self.p * self.u))
        self.along = apply(softmax_grad_op, self.p, of_p - self.u * _total(self.p * self.t), axis=-1)

    def _of_slope(self) -> Any:
        total = (_product(self.a, self.k, trans_y=True) + _product(self.q, self.b, trans_y=True)) * self.scale
        return total if self.d is None else total + self.d

    def results(self, mask_shape: Any) -> tuple:
        """With respect to q, k, v, the mask and g."""
        slope = apply(softmax_grad_op, self.p, self.u, axis=-1)
        of_u = apply(softmax_grad_op, self.p, self.t, axis=-1)
        dq = (_product(self.along, self.k) + _product(slope, self.b)) * self.scale
        dk = (_product(self.along, self.q, trans_x=True) + _product(slope, self.a, trans_x=True)) * self.scale
        dv = _product(of_u, self.g, trans_x=True)
        d_mask = None if mask_shape is None else sum_to(self.along, mask_shape)
        return dq, dk, dv, d_mask, _product(of_u, self.v) + _product(self.p, self.c)


# The same of operators that files know

def _triangle(q: Any) -> Any:
    """0 on and before the diagonal of [queries, queries], -inf behind it."""
    known = tuple(q.shape)[2]
    size = known if known != -1 else shape(q)[2]
    return triu(full([size, size], -math.inf, dtype_of(q)), 1)


def _scores(q: Any, k: Any, mask: Any, scale: float, causal: bool) -> Any:
    scores = _product(apply(scale_op, q, None, scale=scale, bias=0.0, bias_after_scale=True), k, trans_y=True)
    if causal:
        scores = apply(add_op, scores, _triangle(q), axis=-1)
    return scores if mask is None else apply(add_op, scores, mask, axis=-1)


def attention_weights(q: Any, k: Any, mask: Any, scale: float, causal: bool = False) -> Any:
    """softmax(scale * q · kᵀ + mask): [batch, heads, queries, keys]."""
    return apply(softmax_op, _scores(q, k, mask, scale, causal), axis=-1)


def _spec(x: Any) -> Spec:
    return Spec(tuple(x.shape), dtype_of(x))


def _composed(q: Any, k: Any, v: Any, mask: Any = None, *, scale: float, causal: bool = False) -> tuple[Any, None]:
    _check(_spec(q), _spec(k), _spec(v), None if mask is None else _spec(mask), causal)
    mask = in_dtype(mask, dtype_of(q)) if mask is not None and dtype_of(mask).is_floating else mask
    return _product(attention_weights(q, k, mask, scale, causal), v), None


# LogTotal is for the gradient alone, and has none of its own.
attention_op = operator(
    "attention", "Q, K, V, Mask? -> Out, LogTotal", kernel=_forward,
    engines=[by(PANELS, _forward_by_panels), by(LOOPS, _forward_by_loops), by(ONEDNN, _forward_by_onednn)],
    infer=_infer, composed=_composed, compiled="attention",
    grad={"Q, K, V, Mask": lambda g, Q, K, V, Mask, LogTotal, scale, causal, wants: _first(
        g, (Q, K, V, Mask, LogTotal), scale, causal, wants)})
# LogTotal is what the forward pass has computed; as a function this one is of Q, K, V, Mask and OutGrad.
gradient_op = operator(
    "attention_grad", "Q, K, V, Mask?, LogTotal, OutGrad -> QGrad, KGrad, VGrad, MaskGrad",
    kernel=_gradients,
    engines=[by(PANELS, _gradients_by_panels), by(LOOPS, _gradients_by_loops), by(ONEDNN, _gradients_by_onednn)],
    infer=_infer_gradient,
    grad={"Q, K, V, Mask, OutGrad": lambda d_QGrad, d_KGrad, d_VGrad, d_MaskGrad, Q, K, V, Mask, OutGrad, Mask_shape,
          scale, causal, wants: _Second((Q, K, V, Mask, OutGrad), (d_QGrad, d_KGrad, d_VGrad, d_MaskGrad), scale,
                                        causal).results(Mask_shape)}, only_here=True, compiled="attention_grad")

if native.module is not None:
    native.module.serve_blas(blas.address_of("cblas_sgemm") or 0)


def attention(q: Any, k: Any, v: Any, mask: Any = None, scale: float = 1.0, causal: bool = False) -> Any:
    """softmax(scale * q · kᵀ + mask) · v, without the scores of all heads in memory.

    q is [batch, heads, queries, head_dim], k and v have as many positions as there are keys; the mask, of q's dtype,
    broadcasts to [batch, heads, queries, keys]. With `causal` a query sees the keys up to its own position. Raises
    ValueError for shapes and TypeError for dtypes that do not agree.
    """
    return apply(attention_op, q, k, v, mask, scale=float(scale), causal=bool(causal))[0]

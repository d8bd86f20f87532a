"""Softmax of masked scores: fused_softmax_mask, fused_softmax_mask_upper_triangle, and the mask of sparse attention."""


from typing import Any

from ...core import dtype as dt
from ..array.gradient_shapes import sum_to
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..graph.segments import repeated
from .softmax import softmax_array, softmax_grad_op


def _check_scores(what: str, x: Spec) -> None:
    if x.rank != 4:
        raise ValueError(f"{what}(x): must be scores [batch, heads, queries, keys]. Received {list(x.shape)}.")


def _infer_mask(x, mask):
    _check_scores("softmax_mask_fuse", x)
    if mask.rank != 4:
        raise ValueError(f"softmax_mask_fuse(x, mask): mask must be [batch, 1, queries, keys]. Received "
                         f"{list(mask.shape)}.")
    return x


fused_softmax_mask_op = operator(
    "fused_softmax_mask", "X, Mask -> Out", kernel=lambda xp, x, mask: softmax_array(xp, x + mask, -1),
    infer=promoting(_infer_mask),
    grad={"X": lambda g, Out: apply(softmax_grad_op, Out, g, axis=-1),
          "Mask": lambda g, Out, Mask_shape: sum_to(apply(softmax_grad_op, Out, g, axis=-1), Mask_shape)})


def _causal(xp, x):
    if x.shape[2] != x.shape[3]:
        raise ValueError(f"x has shape {x.shape}")
    seen = xp.tril(xp.ones(x.shape[-2:], bool))
    return softmax_array(xp, xp.where(seen, x, xp.asarray(-xp.inf, x.dtype)), -1)


def _infer_causal(x):
    _check_scores("softmax_mask_fuse_upper_triangle", x)
    if x.shape[2] != x.shape[3] and -1 not in x.shape[2:]:
        raise ValueError(f"softmax_mask_fuse_upper_triangle(x): must have as many queries as keys. Received "
                         f"{list(x.shape)}.")
    return x


fused_causal_op = operator(
    "fused_softmax_mask_upper_triangle", "X -> Out", kernel=_causal, infer=_infer_causal,
    grad={"X": lambda g, Out: apply(softmax_grad_op, Out, g, axis=-1)})


def softmax_mask_fuse(x: Any, mask: Any, name: str | None = None) -> Any:
    """softmax(x + mask) over the last dimension, for scores [batch, heads, queries, keys] and mask [batch, 1, ...].

    >>> import proa as paddle
    >>> x, mask = paddle.zeros([1, 1, 1, 2]), paddle.to_tensor([[[[0.0, -1e9]]]])
    >>> paddle.incubate.softmax_mask_fuse(x, mask).tolist()
    [[[[1.0, 0.0]]]]
    """
    return apply(fused_softmax_mask_op, x, mask)


def softmax_mask_fuse_upper_triangle(x: Any) -> Any:
    """softmax over the keys up to each query's own, for scores [batch, heads, n, n]: 0 above the diagonal.

    >>> import proa as paddle
    >>> paddle.incubate.softmax_mask_fuse_upper_triangle(paddle.zeros([1, 1, 2, 2])).tolist()
    [[[[1.0, 0.0], [0.5, 0.5]]]]
    """
    return apply(fused_causal_op, x)


def _dense(xp, offset, columns, *, size: int):
    lead, rows = offset.shape[:-1], offset.shape[-1] - 1
    result = xp.zeros((*lead, rows, size), bool)
    flat, starts, places = result.reshape(-1, rows, size), offset.reshape(-1, rows + 1), columns.reshape(
        -1, columns.shape[-1])
    for n in range(len(flat)):
        flat[n][repeated(xp, xp.arange(rows), xp.diff(starts[n])), places[n][:int(starts[n][-1])]] = True
    return result


csr_mask_op = operator(
    "csr_mask", "Offset, Columns -> Out", kernel=_dense,
    infer=lambda offset, columns, *, size: Spec((*offset.shape[:-1], max(offset.shape[-1] - 1, -1), size), dt.bool_),
    only_here=True, fails="values")

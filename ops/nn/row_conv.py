"""Row convolution: each step of a sequence with the steps that follow it. The sequences are padded ones, [N, T, D], or
packed rows, [N, D], with their offsets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..array.rearrange import flip
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..sequence.offsets import last_of, lengths_of, repeated
from ..sequence.slicing import sequence_reverse_op


def _parts(xp: Any, x: Any, lod: Sequence[Any], context: int) -> Iterator[tuple[int, Any, Any]]:
    """For each row of the filter: which it is, the steps that have one so far ahead, and the steps ahead of them."""
    if not lod:
        steps = x.shape[1]
        for k in range(min(context, steps)):
            yield k, (slice(None), slice(steps - k)), (slice(None), slice(k, None))
        return
    offsets = last_of("row_conv(input)", lod, len(x))
    rows = xp.arange(len(x))
    left = repeated(xp, offsets[1:], lengths_of(offsets), offsets) - rows
    for k in range(context):
        here = rows[left > k]
        yield k, here, here + k


def _row_conv(xp, x, w, lod):
    result = xp.zeros_like(x)
    for k, here, ahead in _parts(xp, x, lod, w.shape[0]):
        result[here] += x[ahead] * w[k]
    return result


def _infer(x, w, lod):
    rank = 2 if lod else 3
    if x.rank != rank or w.rank != 2 or (x.shape[-1] >= 0 and x.shape[-1] != w.shape[1]):
        raise ValueError(f"row_conv(input): must be [N, T, D], or [N, D] with a LoD, with D = {w.shape[-1]}, the "
                         f"filter's width. Received {list(x.shape)} and {len(lod or ())} levels of LoD.")
    return x


def _filter_gradient(xp, x, g, like, lod):
    result = xp.zeros_like(like)
    for k, here, ahead in _parts(xp, x, lod or [], like.shape[0]):
        result[k] = (x[ahead] * g[here]).sum(tuple(range(x.ndim - 1)))
    return result


def _back(g: Any, w: Any, lod: Sequence[Any]) -> Any:
    """The gradient with respect to the input: each step's goes to the steps after it."""
    if not lod:
        return flip(apply(row_conv_op, flip(g, 1), w, []), 1)
    turned = apply(row_conv_op, apply(sequence_reverse_op, g, lod), w, lod)
    return apply(sequence_reverse_op, turned, lod)


row_conv_op = operator("row_conv", "X, Filter, lod^X -> Out", kernel=_row_conv, infer=_infer, grad={
    "X": lambda g, Filter, lod: _back(g, Filter, lod or []),
    "Filter": lambda g, X, Filter, lod: apply(filter_gradient_op, X, g, Filter, lod or [])}, fails="values")

filter_gradient_op = operator(
    "row_conv_filter_gradient", "X, G, Like, lod* -> Out", kernel=_filter_gradient,
    infer=lambda x, g, like, lod: Spec(like.shape, x.dtype),
    grad={"X": lambda g, G, lod: _back(G, g, lod or []),
          "G": lambda g, X, lod: apply(row_conv_op, X, g, lod or [])}, only_here=True)

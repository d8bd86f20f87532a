"""Each row of a sequence with each row of another, in several channels: match_matrix_tensor.

A sequence's result is [channels, its rows, the other's rows], one behind the other. Each is a matrix product of its
own: one over all pairs of rows would hold both rows of every pair.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...backend.devices import host_values
from ..array.gradient_shapes import reshape_to
from ..array.reshape import reshape
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul
from .offsets import from_lengths, last_of, lengths_of, levels_of, offset_specs


def _pairs(lod: Sequence[Any], y_lod: Sequence[Any], channels: int) -> Iterator[tuple[slice, slice, slice]]:
    """For each sequence its rows, the other's, and where its result lies."""
    rows, others, end = host_values(lod[-1]), host_values(y_lod[-1]), 0
    for n in range(len(rows) - 1):
        begin, end = end, end + channels * (rows[n + 1] - rows[n]) * (others[n + 1] - others[n])
        yield slice(rows[n], rows[n + 1]), slice(others[n], others[n + 1]), slice(begin, end)


def _sizes(lod: Sequence[Any], y_lod: Sequence[Any], channels: int) -> Any:
    lengths, others = lengths_of(lod[-1]), lengths_of(y_lod[-1])
    if lengths.size != others.size:
        raise ValueError(f"match_matrix_tensor(x, y): must have equally many sequences. Received {lengths.size} and "
                         f"{others.size}.")
    return lengths * others * channels


def _products(xp, x, y, lod, y_lod):
    """x [N, channels, width] with y [M, width]."""
    channels = x.shape[1]
    out = xp.empty((int(_sizes(lod, y_lod, channels).sum()), 1), x.dtype)
    for rows, others, place in _pairs(lod, y_lod, channels):
        out[place, 0] = (x[rows].swapaxes(0, 1) @ y[others].T).reshape(-1)
    return out


def _parts(g: Any, rows: slice, others: slice, place: slice, channels: int) -> Any:
    return g[place].reshape(channels, rows.stop - rows.start, others.stop - others.start)


def _left(xp, g, y, lod, y_lod, *, channels: int):
    """The gradient of x: [N, channels, width]."""
    out = xp.zeros((int(lod[-1][-1]), channels, y.shape[1]), y.dtype)
    for rows, others, place in _pairs(lod, y_lod, channels):
        out[rows] = (_parts(g, rows, others, place, channels) @ y[others]).swapaxes(0, 1)
    return out


def _right(xp, g, x, lod, y_lod):
    """The gradient of y: [M, width]."""
    out = xp.zeros((int(y_lod[-1][-1]), x.shape[2]), x.dtype)
    for rows, others, place in _pairs(lod, y_lod, x.shape[1]):
        part = _parts(g, rows, others, place, x.shape[1])
        out[others] = (part.swapaxes(1, 2) @ x[rows].swapaxes(0, 1)).sum(0)
    return out


products_op = operator(
    "match_products", "X, Y, lod*, y_lod* -> Out", kernel=_products, infer=lambda x, *_: Spec((-1, 1), x.dtype),
    grad={"X": lambda g, Y, lod, y_lod, X_shape: _of_channels(g, Y, lod, y_lod, X_shape),
          "Y": lambda g, X, lod, y_lod: apply(right_op, g, X, lod, y_lod)}, only_here=True, lod="drop")
left_op = operator(
    "match_left", "G, Y, lod*, y_lod* -> Out", kernel=_left, only_here=True, lod="drop",
    infer=lambda g, y, lod, y_lod, *, channels: Spec((-1, channels, y.shape[1]), y.dtype),
    grad={"G": lambda g, Y, lod, y_lod: apply(products_op, g, Y, lod, y_lod),
          "Y": lambda g, G, lod, y_lod: apply(right_op, G, g, lod, y_lod)})
right_op = operator(
    "match_right", "G, X, lod*, y_lod* -> Out", kernel=_right, only_here=True, lod="drop",
    infer=lambda g, x, *_: Spec((-1, x.shape[2]), x.dtype),
    grad={"G": lambda g, X, lod, y_lod: apply(products_op, X, g, lod, y_lod),
          "X": lambda g, G, X, lod, y_lod: apply(left_op, G, g, lod, y_lod, channels=X.shape[1])})


def _of_channels(g: Any, y: Any, lod: Any, y_lod: Any, shape: Any) -> Any:
    sizes = shape if isinstance(shape, tuple) else shape.shape
    return apply(left_op, g, y, lod, y_lod, channels=sizes[1])


def _match(xp, x, y, w, lod, y_lod, *, dim_t: int):
    last_of("match_matrix_tensor(x)", lod, len(x))
    last_of("match_matrix_tensor(y)", y_lod, len(y))
    sizes = _sizes(lod, y_lod, dim_t)
    left = (x @ w.reshape(len(w), -1)).reshape(len(x), dim_t, -1)
    return _products(xp, left, y, lod, y_lod), left.reshape(-1, 1), [from_lengths(xp, sizes)]


def _infer_match(x, y, w, lod, y_lod, *, dim_t):
    levels_of("match_matrix_tensor(x)", lod, 1, 1)
    levels_of("match_matrix_tensor(y)", y_lod, 1, 1)
    if (x.rank, y.rank) != (2, 2) or w.shape not in ((x.shape[1], dim_t, y.shape[1]), (-1, dim_t, -1)):
        raise ValueError(f"match_matrix_tensor(x, y): must be [N, H] and [M, K] with a weight [H, {dim_t}, K]. "
                         f"Received {list(x.shape)}, {list(y.shape)} and {list(w.shape)}.")
    count = x.shape[0] * dim_t * w.shape[2] if -1 not in (x.shape[0], w.shape[2]) else -1
    return Spec((-1, 1), x.dtype), Spec((count, 1), x.dtype), offset_specs(1)


def _gradients(g: Any, X: Any, Y: Any, W: Any, lod: Sequence[Any], y_lod: Sequence[Any], dim_t: int,
               wants: Sequence[bool]) -> tuple[Any, Any, Any]:
    of_left = of_x = of_y = of_w = None
    flat = reshape(W, [W.shape[0], -1])
    if wants[0] or wants[2]:
        of_left = reshape(apply(left_op, g, Y, lod, y_lod, channels=dim_t), [-1, dim_t * W.shape[2]])
    if wants[0]:
        of_x = matmul(of_left, flat, transpose_y=True)
    if wants[2]:
        of_w = reshape_to(matmul(X, of_left, transpose_x=True), tuple(W.shape))
    if wants[1]:
        of_y = apply(right_op, g, reshape(matmul(X, flat), [-1, dim_t, W.shape[2]]), lod, y_lod)
    return of_x, of_y, of_w


match_matrix_tensor_op = operator(
    "match_matrix_tensor", "X, Y, W, lod^X, y_lod^Y -> Out, Tmp, out_lod^Out", kernel=_match, infer=_infer_match,
    grad={"X, Y, W": _gradients}, fails="values")

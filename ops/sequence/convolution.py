"""Each row of a sequence with those around it, side by side, times a filter: sequence_conv."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..array.reshape import reshape
from ..array.unknown_sizes import size_at
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul
from .offsets import last_of, lengths_of, levels_of, repeated


def _outside(xp: Any, offsets: Any, count: int, step: int) -> tuple[Any, Any]:
    """The rows whose sequence has none `step` rows on, and how far outside that is: -1, -2, … before, 0, 1, … behind.
    """
    lengths, rows = lengths_of(offsets), xp.arange(count)
    edges = offsets[:-1] if step < 0 else offsets[1:]
    beyond = rows + step - repeated(xp, edges, lengths, offsets)
    found = xp.flatnonzero(beyond < 0 if step < 0 else beyond >= 0)
    return found, beyond[found]


def _steps(start: int, length: int) -> list[tuple[int, int]]:
    return [(place, start + place) for place in range(length)]


def _within(count: int, step: int) -> tuple[slice, slice]:
    """The rows that have one `step` rows on, among all rows, and those rows."""
    first, last = max(0, -step), max(min(count, count - step), 0)
    return slice(min(first, last), last), slice(min(first, last) + step, last + step) if last > first else slice(0, 0)


def _columns(xp, x, padding, lod, *, start: int, length: int):
    """[rows, length, width]: the rows from `start` on around each; outside of its sequence padding's, or zeros."""
    offsets, count = lod[-1], len(x)
    out = xp.empty((count, length, *x.shape[1:]), x.dtype)
    for place, step in _steps(start, length):
        here, there = _within(count, step)
        out[here, place] = x[there]
        if step:
            rows, beyond = _outside(xp, offsets, count, step)
            out[rows, place] = 0 if padding is None else padding[_padding_rows(beyond, step, start)]
    return out


def _padding_rows(beyond: Any, step: int, start: int) -> Any:
    """The rows of the padding: those before the sequences are its first, `-start` of them."""
    return beyond + max(0, -start)


def _columns_grad(xp, g, lod, *, start: int, length: int, padded: bool = False):
    """The gradients of x and of the padding, from that of columns."""
    offsets, count = lod[-1], len(g)
    out = xp.zeros((count, *g.shape[2:]), g.dtype)
    extra = xp.zeros((_padding_count(start, length) if padded else 0, *g.shape[2:]), g.dtype)
    for place, step in _steps(start, length):
        here, there = _within(count, step)
        part = g[:, place]
        if step:
            rows, beyond = _outside(xp, offsets, count, step)
            if padded:
                _add_rows(xp, extra, _padding_rows(beyond, step, start), part[rows])
            part = part.copy()
            part[rows] = 0
        out[there] += part[here]
    return out, extra


def _add_rows(xp: Any, target: Any, places: Any, rows: Any) -> None:
    """Rows added at few different places."""
    for place in range(len(target)):
        target[place] += rows[places == place].sum(0)


def _padding_count(start: int, length: int) -> int:
    return max(0, -start) + max(0, start + length - 1)


def _infer_columns(x: Spec, padding: Any, lod: Any, *, start: int, length: int) -> Spec:
    return Spec((x.shape[0], length, *x.shape[1:]), x.dtype)


def _infer_columns_grad(g: Spec, lod: Any, *, start: int, length: int, padded: bool = False) -> tuple[Spec, Spec]:
    rows = _padding_count(start, length) if padded else 0
    return Spec((g.shape[0], *g.shape[2:]), g.dtype), Spec((rows, *g.shape[2:]), g.dtype)


sequence_columns_op = operator(
    "sequence_columns", "X, PaddingData?, lod* -> Out", kernel=_columns, infer=_infer_columns,
    grad={"X, PaddingData": lambda g, lod, PaddingData, start, length, wants: _columns_gradient(
        g, lod, start, length, PaddingData is not None and wants[1])}, moves=True, only_here=True)


def _columns_gradient(g: Any, lod: Sequence[Any], start: int, length: int, padded: bool) -> tuple[Any, Any]:
    of_rows, of_padding = apply(sequence_columns_grad_op, g, lod, start=start, length=length, padded=padded)
    return of_rows, of_padding if padded else None


sequence_columns_grad_op = operator(
    "sequence_columns_grad", "G, lod* -> XGrad, PaddingGrad", kernel=_columns_grad, infer=_infer_columns_grad,
    grad={"G": lambda d_XGrad, d_PaddingGrad, lod, start, length, padded: apply(
        sequence_columns_op, d_XGrad, d_PaddingGrad if padded else None, lod, start=start, length=length)},
    only_here=True)


def _conv(xp, x, padding, filter, lod, *, contextLength: int, contextStart: int = 0,
          contextStride: int = 1, paddingTrainable: bool = False):
    last_of("sequence_conv(input)", lod, len(x))
    columns = _columns(xp, x, padding, lod, start=contextStart, length=contextLength)
    return columns.reshape(len(x), -1) @ filter


def _infer_conv(x, padding, filter, lod, *, contextLength, contextStart=0, contextStride=1,
                paddingTrainable=False):
    levels_of("sequence_conv(input)", lod, 1, 1)
    if contextStride != 1:
        raise ValueError(f"sequence_conv(filter_stride): must be 1. Received {contextStride}.")
    if x.rank != 2 or filter.rank != 2 or x.shape[1] * contextLength not in (filter.shape[0], -contextLength):
        raise ValueError(f"sequence_conv(input): must be [N, D] with a filter of {contextLength} * D rows. Received "
                         f"{list(x.shape)} and a filter {list(filter.shape)}.")
    rows = _padding_count(contextStart, contextLength)
    if padding is not None and padding.shape[0] not in (rows, -1):
        raise ValueError(f"sequence_conv(PaddingData): must have {rows} rows, those that lie before and behind the "
                         f"sequences. Received {list(padding.shape)}.")
    return Spec((x.shape[0], filter.shape[1]), x.dtype)


def _conv_gradients(g: Any, X: Any, PaddingData: Any, Filter: Any, lod: Sequence[Any], contextStart: int,
                    contextLength: int, wants: Sequence[bool]) -> tuple[Any, Any, Any]:
    of_rows = of_padding = of_filter = None
    around = {"start": contextStart, "length": contextLength}
    if wants[2]:
        columns = apply(sequence_columns_op, X, PaddingData, lod, **around)
        of_filter = matmul(reshape(columns, [-1, size_at(Filter, 0)]), g, transpose_x=True)
    if wants[0] or wants[1]:
        columns = reshape(matmul(g, Filter, transpose_y=True), [-1, contextLength, size_at(X, 1)])
        of_rows, of_padding = apply(sequence_columns_grad_op, columns, lod, padded=wants[1], **around)
    return of_rows if wants[0] else None, of_padding if wants[1] else None, of_filter


sequence_conv_op = operator(
    "sequence_conv", "X, PaddingData?, Filter, lod^X -> Out", kernel=_conv, infer=_infer_conv,
    grad={"X, PaddingData, Filter": _conv_gradients}, fails="values")

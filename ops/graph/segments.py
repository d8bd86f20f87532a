"""segment_pool: sums, means, maxima and minima of the rows of each segment."""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import places as fast
from ...backend.repeats import bincount
from ...backend.scatter import maximum_at, minimum_at
from ...core.dtype import int64
from ..array.full import full_of_shape
from ..array.gather import add_at, gather_op, put_at_op
from ..array.reshape import reshape
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, dtype_of
from ..math.comparison import equal


def reduced_rows(xp: Any, rows: Any, places: Any, count: int, reduction: str) -> tuple[Any, Any]:
    """What meets at each of `count` places, zeros where nothing does, and how many rows do, [count] of int64."""
    met = bincount(xp, "segments (ids)", places, minlength=count)
    result = xp.zeros((count, *rows.shape[1:]), rows.dtype)
    if reduction in ("SUM", "MEAN"):
        add_at(xp, result, places, rows)
        if reduction == "MEAN":
            result = (result / divisors(xp, met, rows)).astype(rows.dtype)
        return result, met
    if xp is not np:
        return _extremes_by_scatter(xp, result, rows, places, met, reduction), met
    function = xp.maximum if reduction == "MAX" else xp.minimum
    order = places.argsort(kind="stable")
    ordered = places[order]
    if len(ordered):
        first = xp.flatnonzero(xp.concatenate([[True], ordered[1:] != ordered[:-1]]))
        result[ordered[first]] = function.reduceat(rows[order], first, axis=0)
    return result, met


def reduced_by_loops(rows: Any, places: Any, count: int, reduction: str) -> Any:
    """As `reduced_rows`, of arrays of the host; NotImplemented for what is left to that."""
    if reduction in ("SUM", "MEAN"):
        result = fast.sums_of_rows(rows, places, count)
    else:
        result = fast.extremes_of_rows(rows, places, count, reduction == "MAX")
    if result is NotImplemented:
        return NotImplemented
    met = bincount(np, "segments (ids)", places, minlength=count)
    if reduction == "MEAN":
        result /= divisors(np, met, rows)
    elif reduction != "SUM":
        result[met == 0] = 0
    return result, met


def _extremes_by_scatter(xp: Any, result: Any, rows: Any, places: Any, met: Any, reduction: str) -> Any:
    info = xp.finfo(rows.dtype) if rows.dtype.kind == "f" else xp.iinfo(rows.dtype)
    result[met > 0] = info.min if reduction == "MAX" else info.max
    (maximum_at if reduction == "MAX" else minimum_at)(xp, result, places, rows)
    return result


def repeated(xp: Any, x: Any, counts: Any) -> Any:
    """x with each item as often as its count says."""
    ends = counts.cumsum()
    return x[xp.searchsorted(ends, xp.arange(int(ends[-1]) if ends.size else 0), side="right")]


def divisors(xp: Any, met: Any, rows: Any) -> Any:
    """Counts to divide rows by: at least 1, of the rows' dtype and rank."""
    return xp.maximum(met, 1).astype(rows.dtype).reshape(-1, *[1] * (rows.ndim - 1))


def of_message(g: Any, out: Any, rows: Any, places: Any, met: Any, reduction: str) -> Any:
    """The gradient of the rows that met, from that of what came of them; of a maximum each equal row has all of it."""
    if reduction == "MEAN":
        counts = reshape(cast(met, dtype_of(g)), [-1, *[1] * (len(g.shape) - 1)])
        g = g / (counts + cast(counts == 0.0, dtype_of(g)))
    taken = apply(gather_op, g, places, None, axis=0)
    if reduction in ("SUM", "MEAN"):
        return taken
    return taken * cast(equal(rows, apply(gather_op, out, places, None, axis=0)), dtype_of(g))


def scattered(rows: Any, places: Any, shape: Any) -> Any:
    """Zeros of a shape with rows added at places."""
    return apply(put_at_op, full_of_shape(shape, 0.0, dtype_of(rows)), places, rows, None, axis=0)


def _segment_pool(xp, x, segment_ids, *, pooltype: str = "SUM"):
    if x.shape[:1] != segment_ids.shape:
        raise ValueError(f"segment_ids has shape {segment_ids.shape}, and data {x.shape[0]} rows")
    if not segment_ids.size:
        return x[:0], xp.zeros(0, "int64")
    if int(segment_ids[0]) < 0 or bool((segment_ids[1:] < segment_ids[:-1]).any()):
        raise ValueError("segment_sum(data, segment_ids) and its like: segment_ids must not be negative, and rise.")
    return reduced_rows(xp, x, segment_ids, int(segment_ids[-1]) + 1, pooltype)


def _segment_pool_by_loops(x, segment_ids, *, pooltype="SUM"):
    ids = segment_ids
    if not ids.size or ids[0] < 0 or (ids[1:] < ids[:-1]).any():
        return NotImplemented
    return reduced_by_loops(x, ids, int(ids[-1]) + 1, pooltype)


def _infer_pool(x, segment_ids, *, pooltype="SUM"):
    if x.rank < 1 or segment_ids.rank != 1 or (x.shape[0] != segment_ids.shape[0]
                                               and -1 not in (x.shape[0], segment_ids.shape[0])):
        raise ValueError(f"segment_sum(data, segment_ids) and its like: segment_ids must be [N] for data [N, ...]. "
                         f"Received {list(segment_ids.shape)} and {list(x.shape)}.")
    return Spec((-1, *x.shape[1:]), x.dtype), Spec((-1,), int64)


segment_pool_op = operator(
    "segment_pool", "X, SegmentIds -> Out, SummedIds&", kernel=_segment_pool, infer=_infer_pool,
    engines=[by(LOOPS, _segment_pool_by_loops, fast.LEAST)],
    grad={"X": lambda g, Out, X, SegmentIds, SummedIds, pooltype: of_message(
        g, Out, X, SegmentIds, SummedIds, pooltype)}, fails="values", lod="drop")


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The sums of the rows of data with one segment id; the ids [N] are integers from 0 that rise. Empty: zeros.

    >>> import proa as paddle
    >>> paddle.geometric.segment_sum(paddle.to_tensor([[1.0], [2.0], [4.0]]), paddle.to_tensor([0, 0, 2])).tolist()
    [[3.0], [0.0], [4.0]]
    """
    return apply(segment_pool_op, data, segment_ids, pooltype="SUM")[0]


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The means of the rows of each segment; as `segment_sum`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> of = paddle.to_tensor([0, 0, 1])
    >>> paddle.geometric.segment_mean(x, of).tolist()
    [[2.0, 3.0], [5.0, 6.0]]
    """
    return apply(segment_pool_op, data, segment_ids, pooltype="MEAN")[0]


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The maxima of the rows of each segment, element by element; as `segment_sum`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> of = paddle.to_tensor([0, 0, 1])
    >>> paddle.geometric.segment_max(x, of).tolist()
    [[3.0, 4.0], [5.0, 6.0]]
    """
    return apply(segment_pool_op, data, segment_ids, pooltype="MAX")[0]


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Any:
    """The minima of the rows of each segment, element by element; as `segment_sum`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> of = paddle.to_tensor([0, 0, 1])
    >>> paddle.geometric.segment_min(x, of).tolist()
    [[1.0, 2.0], [5.0, 6.0]]
    """
    return apply(segment_pool_op, data, segment_ids, pooltype="MIN")[0]

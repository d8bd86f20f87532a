"""Elements taken by integer tensors and put back: gather, scatter, index_select, index_put, take_along_axis, …

Negative indices count from the end; one out of range raises IndexError. Where several indices name one place, what is
added adds up, and of what is assigned the last stays.
"""


import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import embedding as fast
from ...backend.kernels import places as fast_places
from ...backend.loops.tape import Declined
from ...backend.scatter import add_at as add_each_at
from ...backend.scatter import within_bounds
from ..core.infer import normalize_axis, same
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import check_held, dtype_of
from .full import full_of_shape, is_value, value_of, whole, zeros
from .gradient_shapes import sum_to
from .reshape import reshape


def add_at(xp: Any, target: Any, index: Any, updates: Any) -> None:
    """target[index] += updates along the first dimension, in place, where an index may occur more than once.

    `index` is 1-D and `updates` has its length in front. Rows of one index are brought together by sorting, which is
    much faster than NumPy's own loop; vectors take its fast path for them.
    """
    if target.ndim == 1 or xp is not np or not len(index):
        add_each_at(xp, target, index, updates)
        return
    index = index % target.shape[0] if index.min() < 0 else index
    order = index.argsort(kind="stable")
    ordered = index[order]
    first = xp.flatnonzero(xp.concatenate([[True], ordered[1:] != ordered[:-1]]))
    target[ordered[first]] += xp.add.reduceat(updates[order], first, axis=0)


def _check_range(what: str, index: Any, size: int, axis: int) -> None:
    if index.size and not (-size <= int(index.min()) and int(index.max()) < size):
        raise IndexError(f"{what}: an index is out of range for dimension {axis} of size {size}. Received {index}.")


def _along(axis: int, index: Any) -> tuple:
    return (slice(None),) * axis + (index,)


# gather and scatter along a dimension

def _gather(xp, x, index, axis_tensor=None, *, axis: int = 0, overwrite: bool = False):
    axis = axis if axis_tensor is None else int(axis_tensor.item())
    axis = normalize_axis("gather(x, index, axis)", axis, x.ndim)
    places = index.reshape(-1) if index.ndim == 2 and index.shape[1] == 1 else index
    return x[within_bounds(xp, x.shape, _along(axis, places))]


def _infer_gather(x, index, axis_tensor=None, *, axis=0, overwrite=False):
    if axis_tensor is not None:
        return Spec((-1,) * x.rank, x.dtype)
    axis = normalize_axis("gather(x, index, axis)", axis, x.rank)
    places = index.shape[:1] if index.rank == 2 and index.shape[1] == 1 else index.shape
    return Spec((*x.shape[:axis], *places, *x.shape[axis + 1:]), x.dtype)


def _zeros(shape: Any, like: Any) -> Any:
    return full_of_shape(shape, 0.0, dtype_of(like))


def _gather_by_loops(x, index, axis_tensor=None, *, axis=0, overwrite=False):
    return fast_places.taken(x, index, axis) if axis_tensor is None else NotImplemented


def _taped_gather(tape, x, index, axis_tensor=None, *, axis=0, overwrite=False):
    if axis_tensor is not None or axis not in (0, -x.ndim) or x.ndim < 2 or index.ndim != 1 or not x.size:
        raise Declined
    found = fast.taped_lookup(tape, index, tape.reshaped(x, (x.shape[0], x.size // x.shape[0])), -1)
    return tape.reshaped(found, (*index.shape, *x.shape[1:]))


gather_op = operator(
    "gather", "X, Index, Axis? -> Out", kernel=_gather, infer=_infer_gather,
    engines=[by(LOOPS, fast.taken, fast.LEAST), by(LOOPS, _gather_by_loops, fast_places.LEAST)], taped=_taped_gather,
    grad={"X": lambda g, Index, X_shape, Axis, axis, overwrite: _gather_gradient(
        g, Index, X_shape, Axis, axis, overwrite)}, moves=True, fails="values", compiled="gather", lod="drop")


def _gather_gradient(g: Any, index: Any, shape: Any, axis_tensor: Any, axis: int, overwrite: bool) -> Any:
    """Zeros with the gradients added at their places; of Paddle 1.x's layer (`overwrite`) the last one at each."""
    if overwrite and axis == 0 and axis_tensor is None:
        return apply(scatter_op, _zeros(shape, g), index, g, overwrite=True)
    return apply(put_at_op, _zeros(shape, g), index, g, axis_tensor, axis=axis)


def _put_at(xp, x, index, updates, axis_tensor=None, *, axis: int = 0):
    """x with updates added at positions along one dimension: what the gradients of gather and index_select need."""
    axis = normalize_axis("index_add(x, index, axis, value)", axis if axis_tensor is None else int(axis_tensor.item()),
                          x.ndim)
    result = xp.moveaxis(x, axis, 0).copy()
    rows = xp.moveaxis(updates, axis, 0) if updates.ndim == x.ndim else updates[None]
    add_at(xp, result, index.reshape(-1), rows)
    return xp.moveaxis(result, 0, axis)


def _put_at_by_loops(x, index, updates, axis_tensor=None, *, axis=0):
    updates = updates if updates.ndim == x.ndim else updates[None]
    return fast_places.added(x, index, updates, axis) if axis_tensor is None else NotImplemented


def _taped_put_at(tape, x, index, updates, axis_tensor=None, *, axis=0):
    if axis_tensor is not None or axis not in (0, -x.ndim) or updates.ndim != x.ndim:
        raise Declined
    return fast_places.taped_added(tape, x, index, updates)


put_at_op = operator(
    "index_add_along", "X, Index, Updates, Axis? -> Out", kernel=_put_at, infer=same,
    engines=[by(LOOPS, _put_at_by_loops, fast_places.LEAST)], taped=_taped_put_at,
    grad={"X": lambda g: g,
          "Updates": lambda g, Index, Axis, axis: apply(gather_op, g, Index, Axis, axis=axis)}, only_here=True,
          fails="values", compiled="rows_added")


def _zero_untaken_rows(xp, x, index):
    """x with zeros in the rows whose numbers are not in `index`, 1-D."""
    is_taken = xp.zeros(x.shape[0], "bool")
    is_taken[within_bounds(xp, x.shape, (index,))] = True
    return xp.where(is_taken.reshape((-1,) + (1,) * (x.ndim - 1)), x, xp.zeros((), x.dtype))


zero_untaken_rows_op = operator(
    "zero_untaken_rows", "X, Index -> Out", kernel=_zero_untaken_rows, infer=same,
    taped=fast_places.taped_zeros_between, grad={"X": lambda g, Index: apply(zero_untaken_rows_op, g, Index)},
    moves=True, fails="values", only_here=True)


def gather(x: Any, index: Any, axis: Any = None, name: str | None = None) -> Any:
    """The slices of x at the positions `index` (1-D, or 0-d, which drops the dimension) along `axis`, 0 by default.

    >>> import proa as paddle
    >>> paddle.gather(paddle.to_tensor([10, 20, 30]), paddle.to_tensor([2, 0])).tolist()
    [30, 10]
    """
    tensor = axis if is_value(axis) else None
    index = value_of(index)
    if index.ndim > 2 or index.ndim == 2 and index.shape[1] not in (1, -1):
        raise ValueError(f"gather(index): must be 1-D, or [n, 1]. Received shape {list(index.shape)}. Use x[index], or "
                         "paddle.gather_nd for positions in several dimensions.")
    return apply(gather_op, x, index, tensor, axis=0 if tensor is not None or axis is None else whole(axis))


def _index_select(xp, x, index, *, dim: int = 0):
    if _takes(xp, x, index) and -x.ndim <= dim < x.ndim:
        return x.take(index, dim)
    axis = normalize_axis("index_select(x, index, axis)", dim, x.ndim)
    return x[within_bounds(xp, x.shape, _along(axis, index))]


def _infer_select(x, index, *, dim=0):
    axis = normalize_axis("index_select(x, index, axis)", dim, x.rank)
    return Spec((*x.shape[:axis], *index.shape, *x.shape[axis + 1:]), x.dtype)


index_select_op = operator(
    "index_select", "X, Index -> Out", kernel=_index_select, infer=_infer_select,
    engines=[by(LOOPS, lambda x, index, *, dim=0: fast.taken(x, index, axis=dim), fast.LEAST),
             by(LOOPS, lambda x, index, *, dim=0: fast_places.taken(x, index, dim), fast_places.LEAST)],
    grad={"X": lambda g, Index, X_shape, dim: apply(put_at_op, _zeros(X_shape, g), Index, g, None, axis=dim)},
    moves=True, fails="values", compiled="index_select")


def index_select(x: Any, index: Any, axis: int = 0, name: str | None = None) -> Any:
    """The slices of x at the positions `index`, integers of shape [n] or [n, 1], along `axis`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1, 2], [3, 4], [5, 6]])
    >>> paddle.index_select(x, paddle.to_tensor([2, 0])).tolist()
    [[5, 6], [1, 2]]
    """
    x, index = value_of(x), value_of(index)
    index = reshape(index, [-1]) if index.ndim == 2 and index.shape[1] == 1 else index
    return apply(index_select_op, x, index, dim=axis)


def _index_add(xp, x, index, value, *, axis: int = 0):
    within_bounds(xp, x.shape, _along(normalize_axis("index_add(x, index, axis, value)", axis, x.ndim), index))
    return _put_at(xp, x, index, xp.broadcast_to(value, _select_shape(x.shape, index, axis)), axis=axis)


def _select_shape(shape: tuple, index: Any, axis: int) -> tuple:
    axis = normalize_axis("index_add(x, index, axis, value)", axis, len(shape))
    return (*shape[:axis], *index.shape, *shape[axis + 1:])


index_add_op = operator(
    "index_add", "X, Index, AddValue -> Out", kernel=_index_add, infer=same,
    engines=[by(LOOPS, lambda x, index, value, *, axis=0: fast_places.added(x, index, value, axis),
                fast_places.LEAST)],
    grad={"X": lambda g: g,
          "AddValue": lambda g, Index, AddValue_shape, axis: sum_to(
              apply(index_select_op, g, Index, dim=axis), AddValue_shape)}, fails="values", compiled="rows_added")


def index_add(x: Any, index: Any, axis: int, value: Any, name: str | None = None) -> Any:
    """x with `value` added to its slices at the positions `index`, a 1-D integer tensor, along `axis`.

    >>> import proa as paddle
    >>> x = paddle.zeros([3, 2])
    >>> paddle.index_add(x, paddle.to_tensor([0, 2]), 0, paddle.ones([2, 2])).tolist()
    [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]
    """
    check_held("index_add(value)", value, dtype_of(x))
    return apply(index_add_op, x, index, value, axis=axis)


def _scatter(xp, x, ids, updates, *, overwrite: bool = True):
    result, rows = xp.array(x), ids.reshape(-1)
    within_bounds(xp, x.shape, (rows,))
    updates = updates.reshape((rows.size, *x.shape[1:]))
    if overwrite:
        result[rows] = updates
    else:
        result[rows] = 0
        added = fast_places.added(result, rows, updates, 0) if xp is np else NotImplemented
        if added is not NotImplemented:
            return added
        add_at(xp, result, rows, updates)
    return result


def _infer_scatter(x, ids, updates, *, overwrite=True):
    if ids.rank > 2 or (updates.rank and x.shape[1:] != updates.shape[1:] and -1 not in x.shape + updates.shape):
        raise ValueError(
            f"scatter(x, index, updates): updates must have the shape [len(index), *x.shape[1:]]. Received "
            f"x.shape={list(x.shape)}, index.shape={list(ids.shape)}, updates.shape={list(updates.shape)}."
        )
    return x


scatter_op = operator(
    "scatter", "X, Ids, Updates -> Out", kernel=_scatter, infer=_infer_scatter,
    grad={"X": lambda g, Ids, Updates_shape: apply(
              scatter_op, g, Ids, _zeros(Updates_shape, g), overwrite=True),
          "Updates": lambda g, Ids: apply(gather_op, g, Ids, None, axis=0)},
    fails="values", precision="slow", lod="drop")


def scatter(x: Any, index: Any, updates: Any, overwrite: bool = True, name: str | None = None) -> Any:
    """x with its rows at the positions `index` replaced by those of `updates`.

    With overwrite=False the rows are set to 0 first and all updates of one row are added up.

    >>> import proa as paddle
    >>> x = paddle.zeros([3, 2])
    >>> paddle.scatter(x, paddle.to_tensor([2, 0]), paddle.to_tensor([[1.0, 1.0], [2.0, 2.0]])).tolist()
    [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    """
    check_held("scatter(updates)", updates, dtype_of(x))
    return apply(scatter_op, x, index, updates, overwrite=overwrite)


# gather_nd, scatter_nd_add

def _columns(index: Any) -> tuple:
    return tuple(index[..., n] for n in range(index.shape[-1]))


def _takes(xp: Any, x: Any, index: Any) -> bool:
    """Whether NumPy's `take` is to be had without copying x first; it is found sooner than indexing."""
    return xp is np and index.dtype.kind == "i" and x.ndim > 0 and x.flags.c_contiguous


def _gather_nd(xp, x, index):
    depth = index.shape[-1]
    if depth == 1 and _takes(xp, x, index):
        return x.take(index[..., 0], 0)
    if not depth:
        return xp.broadcast_to(x, index.shape[:-1] + x.shape)
    return x[within_bounds(xp, x.shape, _columns(index))]


def _infer_gather_nd(x, index):
    depth = index.shape[-1] if index.rank else -1
    if depth > x.rank or depth < 0:
        raise ValueError(
            f"gather_nd(x, index): the last dimension of index must be known and at most the {x.rank} dimensions of x. "
            f"Received x.shape={list(x.shape)}, index.shape={list(index.shape)}."
        )
    return Spec(index.shape[:-1] + x.shape[depth:], x.dtype)


def _scatter_nd_add(xp, x, index, updates):
    depth = index.shape[-1]
    result = xp.array(x)
    if depth == 0:
        return result + updates.reshape((-1, *x.shape)).sum(0, dtype=x.dtype)
    columns = []
    for n, column in enumerate(_columns(index)):
        _check_range("scatter_nd_add(x, index, updates)", column, x.shape[n], n)
        columns.append(column.reshape(-1) % x.shape[n] if x.shape[n] else column.reshape(-1))
    flat = xp.ravel_multi_index(tuple(columns), x.shape[:depth])
    rest = x.shape[depth:]
    target = result.reshape((math.prod(x.shape[:depth]), *rest))
    add_at(xp, target, flat, updates.reshape((flat.size, *rest)))
    return target.reshape(x.shape)


def _infer_scatter_nd(x, index, updates):
    _infer_gather_nd(x, index)
    return x


def _taped_gather_nd(tape, x, index):
    if index.ndim != 2 or index.shape[1] != 1:
        raise Declined
    return _taped_gather(tape, x, tape.reshaped(index, index.shape[:1]))


def _taped_scatter_nd_add(tape, x, index, updates):
    if index.ndim != 2 or index.shape[1] != 1:
        raise Declined
    return fast_places.taped_added(tape, x, tape.reshaped(index, index.shape[:1]), updates)


gather_nd_op = operator(
    "gather_nd", "X, Index -> Out", kernel=_gather_nd, infer=_infer_gather_nd,
    engines=[by(LOOPS, lambda x, index: fast.taken(x, index[:, 0]) if index.shape[1:] == (1,) else NotImplemented,
                fast.LEAST)],
    grad={"X": lambda g, Index, X_shape: apply(scatter_nd_add_op, _zeros(X_shape, g), Index, g)},
    taped=_taped_gather_nd, moves=True, fails="values", compiled="gather_nd")
scatter_nd_add_op = operator(
    "scatter_nd_add", "X, Index, Updates -> Out", kernel=_scatter_nd_add, infer=_infer_scatter_nd,
    engines=[by(LOOPS, fast_places.added_by_coordinates, fast_places.LEAST)], taped=_taped_scatter_nd_add,
    grad={"X": lambda g: g, "Updates": lambda g, Index: apply(gather_nd_op, g, Index)}, fails="values",
    compiled="rows_added_by_coordinates")


def gather_nd(x: Any, index: Any, name: str | None = None) -> Any:
    """The parts of x at the positions in the last dimension of `index`: shape index.shape[:-1] + x.shape[k:].

    >>> import proa as paddle
    >>> paddle.gather_nd(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1, 0]])).tolist()
    [3]
    """
    return apply(gather_nd_op, x, index)


def scatter_nd_add(x: Any, index: Any, updates: Any, name: str | None = None) -> Any:
    """x with `updates` added at the positions in the last dimension of `index`.

    >>> import proa as paddle
    >>> x = paddle.ones([4])
    >>> paddle.scatter_nd_add(x, paddle.to_tensor([[1], [1]]), paddle.to_tensor([2.0, 3.0])).tolist()
    [1.0, 6.0, 1.0, 1.0]
    """
    check_held("scatter_nd_add(updates)", updates, dtype_of(x))
    return apply(scatter_nd_add_op, x, index, updates)


def scatter_nd(index: Any, updates: Any, shape: Sequence[int], name: str | None = None) -> Any:
    """Zeros of `shape` with `updates` added at the positions in the last dimension of `index`.

    >>> import proa as paddle
    >>> paddle.scatter_nd(paddle.to_tensor([[1], [3], [1]]), paddle.to_tensor([1.0, 2.0, 3.0]), [4]).tolist()
    [0.0, 4.0, 0.0, 2.0]
    """
    updates = value_of(updates)
    return scatter_nd_add(zeros(shape, updates.dtype), index, updates)

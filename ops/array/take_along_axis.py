"""Elements taken and put by an index along one dimension, each at its own place in the others: take_along_axis, …"""


import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import places as fast
from ...backend.scatter import add_at, assign_at, maximum_at, minimum_at, multiply_at, within_bounds
from ...core import dtype as dt
from ..core.infer import check_rank, may_equal, normalize_axis
from ..core.kernels import by, with_an_axis
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, check_held, dtype_of
from .expand import expand_as
from .full import constant, full_of_shape, is_value, value_of
from .gradient_shapes import is_direct, sum_to
from .reshape import expand, shape_handle
from .unknown_sizes import size_at


def _zeros(shape: Any, like: Any) -> Any:
    return full_of_shape(shape, 0.0, dtype_of(like))


def open_grid(xp: Any, shape: tuple[int, ...]) -> list:
    """The numbers of the places along each dimension of a shape, as arrays that broadcast to it."""
    return [xp.arange(size).reshape((-1, *[1] * (len(shape) - n - 1))) for n, size in enumerate(shape)]


def _grid(xp, index: Any, axis: int) -> tuple:
    """The index that reads or writes `index[i, j, …]` along an axis and its own place in the others."""
    if len(index.shape) == 1:
        return (index,)
    ranges = open_grid(xp, index.shape)
    ranges[axis] = index
    return tuple(ranges)


@with_an_axis
def _take_along(xp, x, index, *, Axis: int = 0):
    return x[within_bounds(xp, x.shape, _grid(xp, index, Axis % x.ndim))]


def _infer_take(x, index, *, Axis=0):
    _check_along("take_along_axis(arr, indices, axis)", x, index, Axis)
    return Spec(index.shape, x.dtype)


def _check_along(what: str, x: Spec, index: Spec, axis: int) -> None:
    normalize_axis(what, axis, x.rank)
    if x.rank != index.rank:
        raise ValueError(f"{what}: both must have as many dimensions. "
                         f"Received shapes {list(x.shape)} and {list(index.shape)}.")


def _check_sample(x: Any, index: Any) -> None:
    if not len(x.shape) == len(index.shape) == 2 or not may_equal(x.shape[:1], index.shape[:1]):
        raise ValueError(f"index_sample(x, index): both must be matrices of as many rows. Received "
                         f"x.shape={list(x.shape)}, index.shape={list(index.shape)}.")


def _sample(xp, x, index):
    _check_sample(x, index)
    return _take_along(xp, x, index, Axis=1)


def _infer_sample(x, index):
    _check_sample(x, index)
    return Spec(index.shape, x.dtype)


_REDUCED = ("assign", "add", "mul", "multiply", "amax", "amin", "mean")


def _check_reduce(how: str) -> None:
    if how not in _REDUCED:
        raise ValueError(f"put_along_axis(…, reduce): must be one of {', '.join(map(repr, _REDUCED))}. "
                         f"Received {how!r}.")


@with_an_axis
def _put_along(xp, x, index, value, *, Axis: int = 0, Reduce: str = "assign", Include_self: bool = True):
    _check_reduce(Reduce)
    result, axis = xp.array(x), Axis % x.ndim
    grid, value = within_bounds(xp, x.shape, _grid(xp, index, axis)), xp.broadcast_to(value, index.shape)
    if Reduce == "assign" or not Include_self and Reduce in ("amax", "amin"):  # an extreme of values: one to begin with
        assign_at(xp, result, grid, value)
    elif not Include_self:
        result[grid] = int(Reduce in ("mul", "multiply"))
    if Reduce == "assign":
        return result
    {"amax": maximum_at, "amin": minimum_at, "mul": multiply_at, "multiply": multiply_at}.get(Reduce, add_at)(
        xp, result, grid, value)
    return _divided(xp, result, grid, Include_self) if Reduce == "mean" else result


def _divided(xp: Any, total: Any, grid: tuple, with_self: bool) -> Any:
    """Sums over how many numbers each is of; whole numbers are cut towards 0."""
    counts = xp.zeros(total.shape, "int64")
    add_at(xp, counts, grid, 1)
    counts = xp.maximum(counts + with_self, 1)
    if total.dtype.kind in "iu":
        return xp.trunc(total / counts).astype(total.dtype)
    return total / counts.astype(total.dtype)


def _infer_put(x, index, value, *, Axis=0, Reduce="assign", Include_self=True):
    _check_along("put_along_axis(arr, indices, values, axis)", x, index, Axis)
    _check_reduce(Reduce)
    return x


def _put_along_gradients(g: Any, index: Any, value: Any, out: Any, x: Any, axis: int, how: str, with_self: bool,
                         wants: Sequence[bool]) -> tuple[Any, Any]:
    def taken(source: Any) -> Any:
        return apply(take_along_op, source, index, Axis=axis)

    def put(target: Any, values: Any, how: str) -> Any:
        return apply(put_along_op, target, index, values, Axis=axis, Reduce=how)

    none, one = (full_of_shape(shape_handle(index), number, dtype_of(g)) for number in (0.0, 1.0))
    kept = put(g, none, "assign") if wants[0] and (how == "assign" or not with_self) else g
    if how == "add":
        dx, dv = kept, taken(g)
    elif how == "assign":
        dx, dv = kept, None
        if wants[1]:
            dv = taken(g) * cast(apply(stays_op, out, index, Axis=axis), dtype_of(g))
    elif how in ("mul", "multiply"):
        dx = put(g, value, how) if wants[0] and with_self else kept
        dv = taken(g) * taken(out) / value if wants[1] else None
    else:  # a mean, or an extreme: the gradient is shared by those that it is of
        among, itself = one, full_of_shape(shape_handle(out), 1.0, dtype_of(g))
        if how != "mean":
            among, itself = cast(value == taken(out), dtype_of(g)) * one, cast(x == out, dtype_of(g))
        counts = put(_zeros(shape_handle(out), g), among, "add") + (itself if with_self else 0.0)
        dx = g * itself / put(counts, one, "amax") if wants[0] and with_self else kept
        dv = taken(g) * among / taken(counts) if wants[1] else None
    return dx, None if dv is None else sum_to(dv, shape_handle(value))


def _put_back(g: Any, index: Any, shape: Any, axis: int) -> Any:
    """The gradient of what elements were taken from: each gets all that was taken of it."""
    if (type(g) is np.ndarray and type(index) is np.ndarray and shape and g.dtype.char in "fd"
            and g.shape == index.shape and g.size < fast.LEAST > math.prod(shape) and is_direct(put_along_op)):
        found = np.zeros(shape, g.dtype)  # small: as the kernel does, without the way to it
        add_at(np, found, _grid(np, index, axis % len(shape)), g)
        return found
    return apply(put_along_op, _zeros(shape, g), index, g, Axis=axis, Reduce="add")


@with_an_axis
def _stays(xp, x, index, *, Axis: int = 0):
    axis = Axis % x.ndim
    grid, turns = _grid(xp, index, axis), open_grid(xp, index.shape)[axis]
    last = xp.zeros(x.shape, "int64")
    assign_at(xp, last, grid, xp.broadcast_to(turns, index.shape))
    return last[grid] == turns


def _counted_from_0(x: Any, *others: Any, Axis: int = 0, **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    return (x, *others), {"Axis": normalize_axis("axis", Axis, x.ndim), **attrs}


def _of_the_index_shape(x: Any, index: Any, value: Any, **attrs: Any) -> tuple[tuple, dict[str, Any]]:
    """Paddle's kernel reads as many values as there are positions."""
    if -1 in index.shape or tuple(value.shape) != tuple(index.shape):
        value = expand_as(value, index)
    return _counted_from_0(x, index, value, **attrs)


take_along_op = operator(
    "take_along_axis", "Input, Index -> Result", kernel=_take_along, infer=_infer_take, adapted=_counted_from_0,
    engines=[by(LOOPS, fast.taken_along, fast.LEAST)],
    grad={"Input": lambda g, Index, Input_shape, Axis: _put_back(g, Index, Input_shape, Axis)}, moves=True,
    fails="values", lod="drop", compiled="taken_along")
put_along_op = operator(
    "put_along_axis", "Input, Index, Value -> Result", kernel=_put_along, infer=_infer_put,
    adapted=_of_the_index_shape, engines=[by(LOOPS, fast.put_along, fast.LEAST)],
    grad={"Input, Value": lambda g, Index, Value, Result, Input, Axis, Reduce, Include_self, wants: (
        _put_along_gradients(g, Index, Value, Result, Input, Axis, Reduce, Include_self, wants))}, fails="values",
    compiled="put_along")
#: Whether a value that is put at an index is the one that stays there: the last of those for its place.
stays_op = operator("stays_along_axis", "X, Index -> Out", kernel=_stays,
                    infer=lambda x, index, *, Axis=0: Spec(index.shape, dt.bool_), fails="values", only_here=True)
index_sample_op = operator(
    "index_sample", "X, Index -> Out", kernel=_sample, infer=_infer_sample,
    engines=[by(LOOPS, lambda x, index: fast.taken_along(x, index, Axis=1), fast.LEAST)],
    grad={"X": lambda g, Index, X_shape: _put_back(g, Index, X_shape, 1)}, moves=True, fails="values", lod="drop",
    compiled="sampled")


def _index_for(arr: Any, indices: Any, axis: int, broadcast: bool) -> Any:
    """The indices repeated to arr's sizes in the other dimensions."""
    axis = normalize_axis("take_along_axis(arr, indices, axis)", axis, arr.ndim)
    check_rank("take_along_axis(indices)", indices, arr.ndim)
    wanted = [indices.shape[n] if n == axis else size for n, size in enumerate(arr.shape)]
    if not broadcast or list(indices.shape) == wanted:
        return indices
    return expand(indices, [size_at(arr, n) if size == -1 and own == 1 else size
                            for n, (size, own) in enumerate(zip(wanted, indices.shape, strict=True))])


def take_along_axis(arr: Any, indices: Any, axis: int, broadcast: bool = True) -> Any:
    """The elements of arr at `indices` along `axis`, each at its own place in the other dimensions.

    >>> import proa as paddle
    >>> paddle.take_along_axis(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1], [0]]), 1).tolist()
    [[2], [3]]
    """
    arr, indices = value_of(arr), value_of(indices)
    return apply(take_along_op, arr, _index_for(arr, indices, axis, broadcast), Axis=axis)


def put_along_axis(arr: Any, indices: Any, values: Any, axis: int, reduce: str = "assign", include_self: bool = True,
                   broadcast: bool = True) -> Any:
    """arr with `values` put at `indices` along `axis`: assigned, or reduce='add', 'mul', 'amax', 'amin' or 'mean'.

    Without `include_self` what stands there does not count. Several values for one place are reduced together; of
    those that are assigned the last one stays.

    >>> import proa as paddle
    >>> x = paddle.zeros([2, 3])
    >>> paddle.put_along_axis(x, paddle.to_tensor([[0], [2]]), 1.0, axis=1).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    arr = value_of(arr)
    check_held("put_along_axis(values)", values, arr.dtype)
    value = cast(values, arr.dtype) if is_value(values) else constant(values, dtype=arr.dtype)
    return apply(put_along_op, arr, _index_for(arr, indices, axis, broadcast), value, Axis=axis, Reduce=reduce,
                 Include_self=include_self)


def index_sample(x: Any, index: Any) -> Any:
    """For each row of a matrix x the elements at the positions in that row of `index`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6]])
    >>> paddle.index_sample(x, paddle.to_tensor([[0, 2], [1, 1]])).tolist()
    [[1, 3], [5, 5]]
    """
    x, index = value_of(x), value_of(index)
    _check_sample(x, index)
    return apply(index_sample_op, x, index)

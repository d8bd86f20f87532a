"""Choosing and replacing by position: take, multiplex, crop, index_fill, select_scatter, combinations, triangles."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.scatter import within_bounds
from ...core import dtype as dt
from ...core.dtype import convert_dtype
from ..core.infer import normalize_axis, promoting
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import cast, check_held, dtype_of, in_dtype
from ..math.comparison import less_than
from ..math.elementwise import maximum, minimum
from .concat_split import stack
from .creation import to_tensor
from .full import full, is_value, value_of
from .gather import index_select
from .reshape import assign_op, flatten, moveaxis, numbers_of, reshape, unsqueeze
from .slices import END, set_value_op, slice_
from .unknown_sizes import count_of, known_number, sizes
from .where import index_put, where


def take(x: Any, index: Any, mode: str = "raise", name: str | None = None) -> Any:
    """The elements of x, counted as if it were flat, at `index`; the result has the shape of `index`.

    Out of range: "raise" is an IndexError (negative positions count from the end), "wrap" goes around, "clip" takes the
    nearest (negative ones are 0).

    >>> import proa as paddle
    >>> paddle.take(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([3, -4])).tolist()
    [4, 1]
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f"take(mode): 'raise', 'wrap' or 'clip'. Received {mode!r}.")
    if dtype_of(index) not in (dt.int32, dt.int64):
        raise TypeError(f"take(index): must be int32 or int64. Received {dtype_of(index)}.")
    flat, count = flatten(x), count_of(sizes(x))
    places = flatten(index)
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = minimum(maximum(places, 0), count - 1)
    else:
        places = where(less_than(places, -count), count, where(less_than(places, 0), places + count, places))
    return reshape(index_select(flat, places), sizes(index))


def _multiplex(xp, x, ids):
    rows = xp.arange(ids.shape[0])
    among = xp.stack(list(x))
    return among[within_bounds(xp, among.shape, (ids.reshape(-1), rows))]


_MOST_SOURCES = 1 << 16


def _check_count(count: int) -> None:
    if not 0 <= count <= _MOST_SOURCES:
        raise ValueError(f"multiplex(inputs): may be {_MOST_SOURCES} at most. Received {count}.")


def _infer_sources(g, ids, *, count):
    _check_count(count)
    return [(g,) * count]


def _to_sources(xp, g, ids, *, count: int):
    _check_count(count)
    chosen = ids.reshape(-1)
    return [xp.where((chosen == n).reshape((-1,) + (1,) * (g.ndim - 1)), g, xp.zeros_like(g)) for n in range(count)]


multiplex_op = operator("multiplex", "X*, Ids -> Out", kernel=_multiplex,
                        infer=promoting(lambda x, ids: Spec((ids.shape[0], *x[0].shape[1:]), x[0].dtype)),
                        adapted=lambda x, ids: ((x, in_dtype(ids, dt.int32)), {}),
                        grad={"X": lambda g, Ids, X_shape: apply(to_sources_op, g, Ids, count=len(X_shape))},
                        moves=True, fails="values", lod="drop")
to_sources_op = operator("multiplex_grad", "X, Ids -> Out*", kernel=_to_sources,
                         infer=_infer_sources,
                         grad={"X": lambda g, Ids: apply(multiplex_op, g, Ids)}, only_here=True)


def multiplex(inputs: Sequence[Any], index: Any, name: str | None = None) -> Any:
    """Row i of the result is row i of the input that index[i] names; `index` has shape [rows, 1].

    >>> import proa as paddle
    >>> a, b = paddle.zeros([2, 1]), paddle.ones([2, 1])
    >>> paddle.multiplex([a, b], paddle.to_tensor([[1], [0]])).tolist()
    [[1.0], [0.0]]
    """
    if len(inputs) < 2:
        raise ValueError(f"multiplex(inputs): at least two. Received {len(inputs)}.")
    return apply(multiplex_op, list(inputs), index)


@results_named("crop_tensor")
def crop(x: Any, shape: Any = None, offsets: Any = None, name: str | None = None) -> Any:
    """The part of x of this shape (-1: up to the end), from `offsets` on (0 unless given).

    >>> import proa as paddle
    >>> paddle.crop(paddle.to_tensor([[1, 2, 3], [4, 5, 6]]), [1, -1], [1, 1]).tolist()
    [[5, 6]]
    """
    x = value_of(x)
    offsets = [0] * x.ndim if offsets is None else numbers_of(offsets)
    wanted = [-1] * x.ndim if shape is None else numbers_of(shape)
    if len(offsets) != x.ndim or len(wanted) != x.ndim:
        raise ValueError(f"crop(shape, offsets): a number for each of the {x.ndim} dimensions. "
                         f"Received {len(wanted)} and {len(offsets)}.")
    for offset, size, whole in zip(offsets, wanted, x.shape, strict=True):
        if is_value(offset) or is_value(size):
            continue
        if size < -1:
            raise ValueError(f"crop(shape={wanted}): a size must not be negative, but for -1, up to the end.")
        if offset < 0 or (whole >= 0 and offset + max(size, 0) > whole):
            raise ValueError(f"crop(shape={wanted}, offsets={offsets}): does not fit into shape {list(x.shape)}.")
    ends = [_end(offset, size) for offset, size in zip(offsets, wanted, strict=True)]
    return apply(assign_op, slice_(x, list(range(x.ndim)), offsets, ends))  # no view, as in Paddle


def _end(offset: Any, size: Any) -> Any:
    """Where a part ends; a size of -1 takes all that is there."""
    if is_value(size):
        return where(size < 0, full([], END, size.dtype), size + offset)
    return END if size == -1 else offset + size


def _shard_index(xp, x, *, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1):
    if bool(((x < 0) | (x >= index_num)).any()):
        raise ValueError(f"shard_index(input, index_num): indices must lie in [0, {index_num}). Received indices from "
                         f"{int(x.min())} to {int(x.max())}.")
    size = -(-index_num // nshards)
    return xp.where(x // size == shard_id, x % size, xp.asarray(ignore_value, x.dtype))


shard_index_op = operator("shard_index", "X -> Out", kernel=_shard_index, infer=lambda x, **_: x, fails="values")


def shard_index(input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1) -> Any:
    """The positions within shard `shard_id` of `index_num` indices in `nshards` parts; ignore_value in other shards.

    >>> import proa as paddle
    >>> paddle.shard_index(paddle.to_tensor([[1], [6], [12], [19]]), 20, 2, 0).tolist()
    [[1], [6], [-1], [-1]]
    """
    if not 0 <= shard_id < nshards:
        raise ValueError(f"shard_index(shard_id): must lie in [0, {nshards}). Received {shard_id}.")
    return apply(shard_index_op, input, index_num=index_num, nshards=nshards, shard_id=shard_id,
                 ignore_value=ignore_value)


def index_fill(x: Any, index: Any, axis: int, value: Any, name: str | None = None) -> Any:
    """x with `value` (a number or a 0-d value) at the positions `index` of `axis`.

    >>> import proa as paddle
    >>> paddle.index_fill(paddle.zeros([3]), paddle.to_tensor([0, 2]), 0, 1.0).tolist()
    [1.0, 0.0, 1.0]
    """
    x = value_of(x)
    axis = normalize_axis("axis", axis, x.ndim)
    check_held("index_fill(value)", value, x.dtype)
    filling = value if is_value(value) else full((), value, dtype_of(x))
    return moveaxis(index_put(moveaxis(x, axis, 0), (index,), cast(filling, dtype_of(x))), 0, axis)


def select_scatter(x: Any, values: Any, axis: int, index: int, name: str | None = None) -> Any:
    """x with `values` in place of its slice `index` along `axis`.

    >>> import proa as paddle
    >>> paddle.select_scatter(paddle.zeros([2, 3]), paddle.ones([3]), 0, 1).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    """
    x, values = value_of(x), value_of(values)
    check_held("select_scatter(values)", values, x.dtype)
    axis = normalize_axis("axis", axis, x.ndim)
    rest = [s for n, s in enumerate(x.shape) if n != axis]
    if len(values.shape) != len(rest) or any(
            a != b and -1 not in (a, b) for a, b in zip(values.shape, rest, strict=True)):
        raise ValueError(f"select_scatter(values): must have the shape of a slice of {list(x.shape)} along {axis}. "
                         f"Received {list(values.shape)}.")
    if not x.shape[axis]:
        raise ValueError(f"select_scatter(x): has no slice {index} along {axis}. Received x.shape={list(x.shape)}.")
    index = index % x.shape[axis] if x.shape[axis] >= 0 else index
    if index == -1:  # the end of a slice up to the last: PaddlePaddle has no other number for it
        return apply(set_value_op, x, unsqueeze(values, axis), None, None, None, axes=[axis], starts=[-1],
                     ends=[END], steps=[1], decrease_axes=[], none_axes=[], shape=[], dtype=dtype_of(x))
    return apply(set_value_op, x, unsqueeze(values, axis), None, None, None, axes=[axis], starts=[index],
                 ends=[index + 1], steps=[1], decrease_axes=[], none_axes=[], shape=[], dtype=dtype_of(x))


_LONGEST = 1 << 16


def combinations(x: Any, r: int = 2, with_replacement: bool = False, name: str | None = None) -> Any:
    """The combinations of r elements of a vector, a row each, in order.

    >>> import proa as paddle
    >>> paddle.combinations(paddle.to_tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    x = value_of(x)
    if x.ndim != 1:
        raise TypeError(f"combinations(x): must have one dimension. Received {x.ndim}.")
    if not isinstance(r, int) or r < 0:
        raise ValueError(f"combinations(r): must be an int of at least 0. Received {r!r}.")
    if r == 0:
        return full([0], 0, dtype_of(x))
    if x.shape[0] < 0:
        raise ValueError("combinations(x): the number of elements must be known. Declare that size of x.")
    if r > _LONGEST:
        raise ValueError(f"combinations(r): must be {_LONGEST} at most. Received {r}.")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(int(x.shape[0])), r)), "int64").reshape(-1, r)
    return stack([index_select(x, to_tensor(places[:, n])) for n in range(r)], 1)


def _indices(kind: Any) -> Any:
    def found(rows: int, columns: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
        columns = rows if columns is None else columns
        rows, columns = (known_number(f"{kind.__name__}(row, col)", size) for size in (rows, columns))
        if rows < 0 or columns < 0:
            raise ValueError(f"sizes must be at least 0. Received {rows} and {columns}.")
        return to_tensor(np.stack(kind(rows, offset, columns)), dtype=convert_dtype(dtype))

    return found


def tril_indices(row: int, col: int | None, offset: int = 0, dtype: Any = "int64") -> Any:
    """The rows and columns of the lower triangle of a matrix up to a diagonal, [2, n], row by row.

    >>> import proa as paddle
    >>> paddle.tril_indices(2, 2).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return _indices(np.tril_indices)(row, col, offset, dtype)


def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Any:
    """The rows and columns of the upper triangle of a matrix from a diagonal on, [2, n], row by row.

    >>> import proa as paddle
    >>> paddle.triu_indices(2, 2).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    return _indices(np.triu_indices)(row, col, offset, dtype)

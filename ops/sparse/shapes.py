"""transpose, reshape, slice and sum of sparse tensors: arithmetic with the numbers of their places."""


import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from ..array.concat_split import stack
from ..array.creation import ones_like
from ..array.reshape import reshape as dense_reshape
from ..array.reshape import transpose as dense_transpose
from ..array.where import nonzero
from ..core.infer import normalize_axes, normalize_axis
from ..math import reduce
from ..math.casting import cast
from .conversion import as_coo, in_kind
from .values import check_sparse, coo, index_rows, merged, numbered, scattered, sparse_sizes, taken, unnumbered


def transpose(x: Any, perm: Sequence[int], name: str | None = None) -> Any:
    """A sparse tensor with its dimensions in another order; those without indices stay behind those with.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0], [2]], [1.0], [2, 3])
    >>> paddle.sparse.transpose(x, [1, 0]).indices().tolist()
    [[2], [0]]
    """
    check_sparse("transpose(x, perm)", x)
    rank = len(x.shape)
    order = [normalize_axis("paddle.sparse.transpose(x, perm)", n, rank) for n in perm]
    count = len(sparse_sizes(x))
    if sorted(order) != list(range(rank)) or any(n >= count for n in order[:count]):
        raise ValueError(f"paddle.sparse.transpose(x, perm): must name each of {rank} dimensions once, the {count} "
                         f"with indices first. Received {list(perm)}.")
    given = as_coo(x)
    values = given.values()
    if order[count:] != list(range(count, rank)):
        values = dense_transpose(values, [0, *(n - count + 1 for n in order[count:])])
    indices = given.indices()
    indices = stack([indices[n] for n in order[:count]])
    return in_kind(coo(indices, values, [x.shape[n] for n in order]), x)


def _resolved(x: Any, shape: Sequence[int]) -> list[int]:
    sizes = [x.shape[n] if size == 0 and n < len(x.shape) else int(size) for n, size in enumerate(shape)]
    known = math.prod(size for size in sizes if size != -1)
    total = math.prod(x.shape)
    if sizes.count(-1) == 1 and known and total % known == 0:
        sizes[sizes.index(-1)] = total // known
    if sizes.count(-1) or math.prod(sizes) != total:
        raise ValueError(f"paddle.sparse.reshape(x, shape): must hold the {total} elements of {list(x.shape)}. "
                         f"Received {list(shape)}.")
    return sizes


def reshape(x: Any, shape: Sequence[int], name: str | None = None) -> Any:
    """A sparse tensor of another shape, -1 for one size that follows, 0 for x's; dimensions without indices stay.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[1], [2]], [1.0], [2, 3])
    >>> paddle.sparse.reshape(x, [3, -1]).indices().tolist()
    [[2], [1]]
    """
    check_sparse("reshape(x, shape)", x)
    new = _resolved(x, shape)
    sizes = sparse_sizes(x)
    dense = list(x.shape)[len(sizes):]
    count = len(new) - len(dense)
    if new[count:] != dense or count < 1:
        raise ValueError(f"paddle.sparse.reshape(x, shape): must end with the sizes {dense} of the dimensions without "
                         f"indices. Received {list(shape)}.")
    if x.is_sparse_csr() and count not in (2, 3):
        raise ValueError(f"paddle.sparse.reshape(x, shape): a csr tensor has 2 or 3 dimensions. "
                         f"Received {list(shape)}.")
    given = as_coo(x)
    indices = unnumbered(numbered(index_rows(given), sizes), new[:count])
    return in_kind(coo(indices.astype(given.indices().dtype), given.values(), new), x)


def slice(x: Any, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int], name: str | None = None) -> Any:
    """The part of a sparse tensor from `starts` to `ends` along `axes`, negative numbers counted from the end.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 2]], [1.0, 2.0], [3])
    >>> paddle.sparse.slice(x, [0], [1], [3]).to_dense().tolist()
    [0.0, 2.0]
    """
    check_sparse("slice(x)", x)
    sizes = sparse_sizes(x)
    given = as_coo(x)
    rows, shape = index_rows(given), list(x.shape)
    kept = ones_like(rows[0], dtype="bool")
    values = given.values()
    for axis, start, end in zip(axes, starts, ends, strict=True):
        axis = normalize_axis("paddle.sparse.slice(x, axes)", int(axis), len(shape))
        first, last = range_of(int(start), int(end), x.shape[axis])
        shape[axis] = last - first
        if axis < len(sizes):
            kept = kept.logical_and(rows[axis] >= first).logical_and(rows[axis] < last)
            rows[axis] = rows[axis] - first
        else:
            values = values.slice([axis - len(sizes) + 1], [first], [last])
    places = dense_reshape(nonzero(kept), [-1])
    indices = stack([taken(row, places) for row in rows])
    return in_kind(coo(indices.astype(given.indices().dtype), taken(values, places), shape), x)


def range_of(start: int, end: int, size: int) -> tuple[int, int]:
    """Where a part begins and ends in a dimension of a size; ValueError where the end is before the start."""
    first, last = (min(max(n + size if n < 0 else n, 0), size) for n in (start, end))
    if last < first:
        raise ValueError(f"paddle.sparse.slice(x, starts, ends): must end behind its start. Received {start} to {end} "
                         f"of {size}.")
    return first, last


def sum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The sums of a sparse tensor along axes (all by default), as a sparse tensor of x's format.

    That of all elements has shape [1], of a csr tensor [1, 1]; its other sums keep the dimensions, as with `keepdim`.
    bool and int32 are added as int64.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 1], [2, 2]], [1.0, 2.0], [2, 3])
    >>> paddle.sparse.sum(x, 0).to_dense().tolist()
    [0.0, 0.0, 3.0]
    """
    check_sparse("sum(x)", x)
    rank, count = len(x.shape), len(sparse_sizes(x))
    given = [] if axis is None else [int(axis)] if isinstance(axis, Integral) else list(axis)
    axes = normalize_axes("paddle.sparse.sum(x, axis)", given, rank) or tuple(range(rank))
    keepdim = keepdim or x.is_sparse_csr()
    source = as_coo(x)
    inner = [n - count + 1 for n in axes if n >= count]
    values = source.values()
    wanted = "int64" if dtype is None and values.dtype.name in ("bool", "int32") else dtype
    values = values if wanted is None else cast(values, wanted)
    if inner:
        values = reduce.sum(values, axis=inner, keepdim=keepdim)
    rows, sizes = index_rows(source), list(x.shape)
    left = [n for n in range(count) if n not in axes]
    behind = [1 if n in axes else sizes[n] for n in range(count, rank) if keepdim or n not in axes]
    number = numbered([rows[n] for n in left], [sizes[n] for n in left]) if left else rows[0] * 0
    places, which = merged(number)
    values = scattered(values, which, places.shape[0])
    if not keepdim and not left:
        return coo(unnumbered(places, [1]), values, [1, *behind])
    front = [1 if n in axes else sizes[n] for n in range(count)] if keepdim else [sizes[n] for n in left]
    indices = unnumbered(places, front).astype(source.indices().dtype)
    if x.is_sparse_csr() and not given:
        return in_kind(coo(indices[-2:], values, [1, 1]), x)
    return in_kind(coo(indices, values, [*front, *behind]), x)


"""Elements by their places or by a condition: `flow.where`, `flow.gather`, `flow.scatter_nd`, `x[key]`, …"""

from __future__ import annotations

from typing import Any

from ...ops.array import concat_split, sorting, take_along_axis
from ...ops.array import gather as gathering
from ...ops.array import reshape as reshaping
from ...ops.array import where as choices
from ...ops.array.full import is_value
from ...ops.array.indexing import END, slice_op, with_item
from ...ops.array.indexing import getitem as _getitem
from ...ops.array.indexing import setitem as _setitem
from ...ops.math import casting, comparison, elementwise, reduce
from ..charge import apply_op, flowing
from .arithmetic import as_value


@flowing
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where the condition is true, y elsewhere; of the condition alone where it is true, as vectors of indices."""
    if x is None and y is None:
        return nonzero.__wrapped__(condition, True)  # type: ignore[attr-defined]
    if not is_value(x) and not is_value(y):
        x = as_value(x)
    return choices.where(casting.cast(condition, "bool"), x, y)


@flowing
def nonzero(input: Any, as_tuple: bool = False) -> Any:
    """The indices of what is not 0, a row each; or `as_tuple` a vector for each dimension."""
    if as_tuple and not len(input.shape):
        input = reshaping.reshape(input, [1])
    found = choices.nonzero(input)
    if not as_tuple:
        return found
    return tuple(_getitem(found, (slice(None), n)) for n in range(len(input.shape)))


@flowing
def argwhere(input: Any, dtype: Any = "int32") -> Any:
    """As `nonzero`, in int32."""
    return casting.cast(choices.nonzero(input), dtype)


@flowing
def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """The elements, with `value` where the mask is true."""
    return choices.masked_fill(input, casting.cast(mask, "bool"), value)


@flowing
def masked_select(input: Any, mask: Any) -> Any:
    """The elements where the mask is true, as a vector."""
    return choices.masked_select(input, casting.cast(mask, "bool"))


@flowing
def gather(input: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    """Elements by their places along a dimension, of which `index` holds one for each element of the result.

    >>> import proa.oneflow as flow
    >>> flow.gather(flow.tensor([[1, 2], [3, 4]]), 1, flow.tensor([[0], [1]])).tolist()
    [[1], [4]]
    """
    return take_along_axis.take_along_axis(_cut_to(input, index, dim), index, dim, broadcast=False)


batch_gather = flowing(lambda input, indices: gather_rows(input, indices))


def gather_rows(x: Any, indices: Any) -> Any:
    """Of each item of a batch the rows that its indices name."""
    rows = reshaping.reshape(indices, [*indices.shape, *[1] * (len(x.shape) - len(indices.shape))])
    return take_along_axis.take_along_axis(x, reshaping.expand(rows, [*indices.shape, *x.shape[len(indices.shape):]]),
                                           len(indices.shape) - 1, broadcast=False)


def _cut_to(x: Any, index: Any, dim: int) -> Any:
    """The part of x that an index can reach, whose other sizes may be smaller."""
    dim %= len(x.shape)
    parts = tuple(slice(None) if n == dim else slice(0, index.shape[n]) for n in range(len(x.shape)))
    return x if all(n == dim or size == index.shape[n] for n, size in enumerate(x.shape)) else _getitem(x, parts)


def _put(x: Any, dim: int, index: Any, src: Any, how: str) -> Any:
    dim %= len(x.shape)
    parts = tuple(slice(None) if n == dim else slice(0, index.shape[n]) for n in range(len(x.shape)))
    if is_value(src):
        src = _getitem(src, tuple(slice(0, n) for n in index.shape)) if list(src.shape) != list(index.shape) else src
        src = casting.in_dtype(src, x.dtype)
    inner = x if all(n == dim or size == index.shape[n] for n, size in enumerate(x.shape)) else _getitem(x, parts)
    done = take_along_axis.put_along_axis(inner, index, src, dim, how, broadcast=False)
    return done if inner is x else with_item(x, parts, done)


@flowing
def scatter(input: Any, dim: int, index: Any, src: Any, *, reduce: str | None = None) -> Any:
    """The elements, with those of `src` (or a number) at the places along a dimension that `index` holds."""
    return _put(input, dim, index, src, {None: "assign", "add": "add", "multiply": "mul"}[reduce])


@flowing
def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """The elements, with those of `src` added at the places along a dimension that `index` holds."""
    return _put(input, dim, index, src, "add")


@flowing
def index_select(input: Any, dim: int, index: Any) -> Any:
    """What stands at indices of a dimension."""
    return gathering.index_select(input, index, dim)


@flowing
def index_add(input: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    """The elements, with those of `source` times alpha added at indices of a dimension."""
    return gathering.index_add(input, index, dim, source if alpha == 1 else elementwise.multiply(source, alpha))


@flowing
def gather_nd(input: Any, index: Any) -> Any:
    """Elements or parts by their whole indices, which are index's last dimension."""
    return gathering.gather_nd(input, index)


@flowing
def scatter_nd(index: Any, update: Any, shape: Any) -> Any:
    """Zeros of a shape with updates added at indices."""
    return gathering.scatter_nd(index, update, list(shape))


@flowing
def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any) -> Any:
    """The elements, with updates in the place of those at indices."""
    return choices.index_put(tensor, concat_split.unbind(indices, len(indices.shape) - 1), updates)


@flowing
def searchsorted(sorted_sequence: Any, values: Any, out_int32: bool = False, right: bool = False) -> Any:
    """Where in an ordered sequence values belong."""
    return sorting.searchsorted(sorted_sequence, as_value(values), out_int32, right)


@flowing
def in_top_k(targets: Any, predictions: Any, k: int) -> Any:
    """Of each row of predictions whether the target is among the k largest."""
    _, places = sorting.topk(predictions, k)
    return choosing_any(casting.cast(targets, "int64"), places)


def choosing_any(targets: Any, places: Any) -> Any:
    """Whether a row holds its target."""
    return reduce.any(comparison.equal(reshaping.unsqueeze(targets, 1), places), 1)


def getitem(self: Any, key: Any) -> Any:
    """`x[key]`."""
    if type(key) is int and self.ndim:
        return apply_op(slice_op, (self, None, None, None, None), {
            "axes": [0], "starts": [key], "ends": [key + 1 if key != -1 else END], "infer_flags": [1],
            "decrease_axis": [0]})
    return _general_item(self, key)


_general_item = flowing(_getitem)


@flowing
def setitem(self: Any, key: Any, value: Any) -> None:
    """`x[key] = value`."""
    if is_value(value) and value.dtype is not self.dtype:
        value = casting.cast(value, self.dtype)
    _setitem(self, key, value)

"""Norms of vectors and matrices: `flow.norm`, `flow.linalg.norm`, `vector_norm`, `matrix_norm`."""

from __future__ import annotations

import math
from typing import Any

from ...ops.math import casting, elementwise, reduce, statistics, unary
from ..charge import flowing
from ..dtypes import to_dtype

_OF_SUMS = (1, -1, math.inf, -math.inf)


def _in(x: Any, dtype: Any) -> Any:
    return x if dtype is None else casting.cast(x, to_dtype("norm(dtype)", dtype))


@flowing
def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of order `ord` over dimensions, of all elements by default."""
    x = _in(x, dtype)
    over = None if dim is None or isinstance(dim, (tuple, list)) and not dim else dim
    if ord == 0:
        return reduce.sum(unary.abs(unary.sign(x)), over, keepdim=keepdim)
    if abs(ord) == math.inf:
        return (reduce.amax if ord > 0 else reduce.amin)(unary.abs(x), over, keepdim)
    if ord == 2:
        return unary.sqrt(reduce.sum(unary.square(x), over, keepdim=keepdim))
    powers = reduce.sum(elementwise.pow(unary.abs(x), float(ord)), over, keepdim=keepdim)
    return elementwise.pow(powers, 1.0 / ord)


@flowing
def matrix_norm(input: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of matrices: "fro", or the largest (smallest for negative orders) sum of rows (inf) or columns (1)."""
    x = _in(input, dtype)
    rows, columns = (n % len(x.shape) for n in dim)
    if ord == "fro":
        return statistics.norm(x, "fro", [rows, columns], keepdim)
    if ord not in _OF_SUMS:
        raise NotImplementedError(f"matrix_norm(ord): must be 'fro', 1, -1, inf or -inf. Received {ord!r}.")
    summed, left = (columns, rows) if abs(ord) == math.inf else (rows, columns)
    sums = reduce.sum(unary.abs(x), summed, keepdim=True)
    found = (reduce.amax if ord > 0 else reduce.amin)(sums, left, True)
    from ...ops.array.reshape import squeeze

    return found if keepdim else squeeze(found, [rows, columns])


def norm_of_order(x: Any, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """As `norm`, by `flow.linalg`'s names."""
    return norm(x, ord, dim, keepdim, dtype)


@flowing
def norm(input: Any, p: Any = None, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of order p, 2 by default, over dimensions; of a whole matrix, or over two dimensions, `matrix_norm`.

    >>> import math
    >>> import proa.oneflow as flow
    >>> x = flow.tensor([[3.0, -4.0], [0.0, 1.0]])
    >>> round(flow.norm(x).item(), 3), flow.norm(x, math.inf).item(), flow.norm(x, 1, dim=1).tolist()
    (5.099, 7.0, [7.0, 1.0])
    """
    matrix = dim is None and len(input.shape) == 2 or isinstance(dim, (tuple, list)) and len(dim) == 2
    if matrix and p in _OF_SUMS:
        return matrix_norm(input, p, (0, 1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(input, 2 if p in (None, "fro") else p, dim, keepdim, dtype=dtype)

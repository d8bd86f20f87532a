"""Values made of numbers: constant, zeros, ones, constant_like, range, one_hot, elem_cnt, diag; cast."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...core.dtype import convert_dtype, float32, int64
from ...ops.array.creation import arange
from ...ops.array.diagonal import diag as diagonal_matrix
from ...ops.array.full import full
from ...ops.array.reshape import reshape, unsqueeze
from ...ops.array.where import where
from ...ops.math import casting, comparison
from ..charge import their_face
from ..values import axis_of, count_of, is_number, sizes_of


@their_face
def constant(value: Any, dtype: Any = None, shape: Sequence[int] | None = None, name: str | None = None) -> Any:
    """A number in a shape, by default of no dimensions. The dtype must be given."""
    if dtype is None or not is_number(value):
        raise TypeError("constant(value, dtype, shape): give a number and its dtype, such as flow.float32. Received "
                        f"value={value!r}, dtype={dtype!r}.")
    return full(list(shape or []), value, dtype)


@their_face
def constant_scalar(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A number as a vector of one element."""
    return constant(value, dtype, [1])


@their_face
def constant_like(like: Any, value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A number in another value's shape, and its dtype unless one is given. No gradient flows through it."""
    return full(sizes_of(like), value, like.dtype if dtype is None else dtype)


@their_face
def ones_like(like: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in another value's shape."""
    return constant_like(like, 1, dtype)


@their_face
def zeros_like(like: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in another value's shape."""
    return constant_like(like, 0, dtype)


@their_face
def zeros(shape: Sequence[int], dtype: Any = None, name: str | None = None) -> Any:
    """Zeros, float32 unless another dtype is given."""
    return full(list(shape), 0, float32 if dtype is None else dtype)


@their_face
def ones(shape: Sequence[int], dtype: Any = None, name: str | None = None) -> Any:
    """Ones, float32 unless another dtype is given."""
    return full(list(shape), 1, float32 if dtype is None else dtype)


@their_face
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = None) -> Any:
    """The numbers from `start` up to `limit`, without it, `delta` apart, int64 by default; range(n) begins with 0.

    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job() -> flow.typing.Numpy:
    ...     return flow.range(1, 10, 3)
    >>> job().tolist()
    [1, 4, 7]
    """
    start, limit = (0, start) if limit is None else (start, limit)
    if not limit > start or delta > limit - start:
        raise ValueError("range(start, limit, delta): limit must be above start, and delta at most what lies between. "
                         f"Received {start}, {limit} and {delta}.")
    return numbered(start, limit, delta, int64 if dtype is None else convert_dtype(dtype))


def numbered(start: Any, limit: Any, delta: Any, dtype: Any) -> Any:
    """The numbers from `start` up to `limit`, `delta` apart, as a value whose size is known."""
    start, limit, delta = (n if dtype.is_differentiable else int(n) for n in (start, limit, delta))
    return reshape(arange(start, limit, delta, dtype), [math.ceil((limit - start) / delta)])


@their_face
def one_hot(indices: Any, depth: int, on_value: Any = 1, off_value: Any = 0, axis: int = -1, dtype: Any = None,
            name: str | None = None) -> Any:
    """A dimension of size `depth` more, at `axis`: on_value where its number is the index, off_value elsewhere.

    The dtype must be given. An index that is no number of the new dimension has off_value everywhere.
    """
    if dtype is None:
        raise TypeError("one_hot(dtype): must be given, such as flow.float32.")
    axis = axis_of("one_hot(axis)", axis, len(indices.shape) + 1)
    kind = convert_dtype(dtype)
    places = reshape(numbered(0, int(depth), 1, indices.dtype), [-1] + [1] * (len(indices.shape) - axis))
    hot = comparison.equal(unsqueeze(indices, axis), places)
    if on_value == 1 and off_value == 0:
        return casting.cast(hot, kind)
    return where(hot, full([], on_value, kind), full([], off_value, kind))



@their_face
def elem_cnt(inputs: Any, dtype: Any = None, name: str | None = None) -> Any:
    """How many elements there are: a vector of one, int32 unless another dtype is given."""
    dtype, count = "int32" if dtype is None else dtype, count_of(inputs)
    return full([1], count, dtype) if isinstance(count, int) else casting.cast(reshape(count, [1]), dtype)


@their_face
def diag(input: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """The matrix with a vector on a diagonal, 0 elsewhere; or the diagonal of a matrix."""
    return diagonal_matrix(input, int(diagonal))


@their_face
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """x in another dtype."""
    return casting.in_dtype(x, convert_dtype(dtype))

"""Other shapes and windows of the same elements: unflatten, view_as, as_strided, unfold, atleast_*d, vsplit.

What Paddle gives as a view of the same memory is a value here, as everywhere.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.infer import check_rank, normalize_axis, product
from .concat_split import split
from .creation import arange, to_tensor
from .full import is_value, value_of
from .gather import gather
from .reshape import moveaxis, numbers_of, reshape, unsqueeze, view
from .take import take
from .unknown_sizes import sizes


def unflatten(x: Any, axis: int, shape: Any, name: str | None = None) -> Any:
    """x with dimension `axis` split into `shape`, in which one size may be -1.

    >>> import proa as paddle
    >>> paddle.unflatten(paddle.ones([4, 6]), 1, [2, -1]).shape
    [4, 2, 3]
    """
    x = value_of(x)
    axis = normalize_axis("axis", axis, x.ndim)
    own = sizes(x)
    return reshape(x, [*own[:axis], *numbers_of(shape), *own[axis + 1:]])


def view_as(x: Any, other: Any, name: str | None = None) -> Any:
    """x in the shape of `other`.

    >>> import proa as paddle
    >>> paddle.view_as(paddle.arange(6), paddle.zeros([2, 3])).shape
    [2, 3]
    """
    return view(x, sizes(value_of(other)))


_MOST_PLACES = 1 << 40


def as_strided(x: Any, shape: Sequence[int], stride: Sequence[int], offset: int = 0, name: str | None = None) -> Any:
    """The elements of x, counted as if it were flat, at offset + Σ index · stride.

    `offset` counts elements. Raises ValueError where a position lies outside x.

    >>> import proa as paddle
    >>> paddle.as_strided(paddle.arange(5), [3, 3], [1, 1]).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    if len(shape) != len(stride):
        raise ValueError(f"as_strided(shape, stride): as many of each. Received {len(shape)} and {len(stride)}.")
    if any(size < 0 for size in shape) or math.prod(shape) > _MOST_PLACES:
        raise ValueError(f"as_strided(shape): sizes must be at least 0, and the result have {_MOST_PLACES} elements at "
                         f"most. Received {list(shape)}.")
    places = np.full(tuple(shape), offset)
    for axis, (size, step) in enumerate(zip(shape, stride, strict=True)):
        places += np.arange(size).reshape([-1 if n == axis else 1 for n in range(len(shape))]) * step
    if places.size and not 0 <= places.min() <= places.max() < (product(x.shape) if -1 not in x.shape else math.inf):
        raise ValueError(f"as_strided(shape={list(shape)}, stride={list(stride)}, offset={offset}): reaches outside "
                         f"the {product(x.shape)} elements of x.")
    return take(x, to_tensor(places))


def unfold(x: Any, axis: int, size: int, step: int, name: str | None = None) -> Any:
    """Windows of `size` elements along `axis`, `step` apart; the elements of a window are a new last dimension.

    >>> import proa as paddle
    >>> paddle.unfold(paddle.arange(5), 0, 2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    check_rank("unfold(x)", x, 1)
    axis = normalize_axis("axis", axis, x.ndim)
    if step < 1 or not 0 <= size or size > x.shape[axis] >= 0:
        raise ValueError(f"unfold(size={size}, step={step}): step is at least 1 and size at most {x.shape[axis]}.")
    own = sizes(x)
    count = (own[axis] - size) // step + 1
    if is_value(count):
        places = unsqueeze(arange(0, count, 1, dtype="int32"), 1) * step + to_tensor(np.arange(size, dtype="int32"))
        found = gather(x, reshape(places, [-1]), axis)
    else:
        found = gather(x, to_tensor((np.arange(count)[:, None] * step + np.arange(size)).reshape(-1)), axis)
    shaped = reshape(found, [*own[:axis], count, size, *own[axis + 1:]])
    return moveaxis(shaped, axis + 1, -1)


def _at_least(inputs: Sequence[Any], shaped: Any) -> Any:
    found = [shaped(x if is_value(x) else to_tensor(x)) for x in inputs]
    return found[0] if len(found) == 1 else found


def atleast_1d(*inputs: Any, name: str | None = None) -> Any:
    """Each with one dimension at least; several give a list.

    >>> import proa as paddle
    >>> paddle.atleast_1d(paddle.to_tensor(3.0)).shape
    [1]
    """
    return _at_least(inputs, lambda x: x if x.ndim else reshape(x, [1]))


def atleast_2d(*inputs: Any, name: str | None = None) -> Any:
    """Each with two dimensions at least: a vector becomes a row.

    >>> import proa as paddle
    >>> paddle.atleast_2d(paddle.to_tensor(3.0)).shape
    [1, 1]
    """
    return _at_least(inputs, lambda x: x if x.ndim > 1 else reshape(x, [1, -1]))


def atleast_3d(*inputs: Any, name: str | None = None) -> Any:
    """Each with three dimensions at least: new ones stand first for a vector, and last.

    >>> import proa as paddle
    >>> paddle.atleast_3d(paddle.to_tensor(3.0)).shape
    [1, 1, 1]
    """
    def shaped(x: Any) -> Any:
        return x if x.ndim > 2 else unsqueeze(x, -1) if x.ndim == 2 else reshape(x, [1, -1, 1])

    return _at_least(inputs, shaped)


def vsplit(x: Any, num_or_sections: Any, name: str | None = None) -> list:
    """The parts of x along its first dimension: a number of equal ones, or the sizes of each.

    Raises ValueError for fewer than two dimensions.

    >>> import proa as paddle
    >>> [part.shape for part in paddle.vsplit(paddle.ones([6, 2]), 3)]
    [[2, 2], [2, 2], [2, 2]]
    """
    x = value_of(x)
    if x.ndim < 2:
        raise ValueError(f"vsplit(x): must have at least two dimensions. Received {x.ndim}.")
    return split(x, num_or_sections, 0)

"""Differences and sums along a dimension: diff, trapezoid, cumulative_trapezoid; and vander, which is powers."""

from typing import Any

import numpy as np

from ...core import dtype as dt
from ..array.concat_split import concat
from ..array.creation import to_tensor
from ..array.full import value_of, whole
from ..array.reshape import axis_of, reshape, unsqueeze
from ..array.slices import slice_
from ..core.infer import normalize_axis
from .casting import dtype_of
from .comparison import logical_xor
from .cumulative import cumsum
from .elementwise import subtract
from .reduce import sum as reduce_sum


def _ends(x: Any, axis: int) -> tuple[Any, Any]:
    """x without its first and without its last element along an axis."""
    return slice_(x, [axis], [1], [2**31 - 1]), slice_(x, [axis], [0], [-1])


def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None, name: str | None = None) -> Any:
    """The differences of neighbours along `axis`, n times; of bools whether they differ.

    `prepend` and `append` are joined to x first. Raises ValueError for n below 1.

    >>> import proa as paddle
    >>> paddle.diff(paddle.to_tensor([1, 4, 9])).tolist()
    [3, 5]
    """
    x = value_of(x)
    if n < 1:
        raise ValueError(f"diff(n): must be at least 1. Received {n}.")
    axis = normalize_axis("diff(x, n, axis)", axis_of(axis), x.ndim) if x.ndim else axis
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis) if len(parts) > 1 else x
    for _ in range(n if x.ndim == 0 or x.shape[axis] < 0 else min(n, x.shape[axis] + 1)):  # then nothing is left
        later, earlier = _ends(x, axis)
        x = logical_xor(later, earlier) if dtype_of(x) is dt.bool_ else subtract(later, earlier)
    return x


def _areas(what: str, y: Any, x: Any, dx: Any, axis: int) -> tuple[Any, int]:
    """Twice the areas between neighbours."""
    if x is not None and dx is not None:
        raise ValueError(f"{what}(x, dx): give one of them. Received both.")
    axis = normalize_axis(f"{what}(y, x, dx, axis)", axis_of(axis), y.ndim)
    later, earlier = _ends(y, axis)
    if x is None:
        return (later + earlier) * (1.0 if dx is None else dx), axis
    steps = diff(x, axis=axis if x.ndim == y.ndim else -1)
    if x.ndim == 1 and y.ndim > 1:
        steps = reshape(steps, [-1 if n == axis else 1 for n in range(y.ndim)])
    return (later + earlier) * steps, axis


def trapezoid(y: Any, x: Any = None, dx: float | None = None, axis: int = -1, name: str | None = None) -> Any:
    """The integral of y along `axis` by the trapezoid rule, at the places x or with the step dx (1 unless given).

    >>> import proa as paddle
    >>> paddle.trapezoid(paddle.to_tensor([1.0, 2.0, 3.0]), dx=2.0).tolist()
    8.0
    """
    y = value_of(y)
    areas, axis = _areas("trapezoid", y, x, dx, axis)
    return reduce_sum(areas, axis) * 0.5


def cumulative_trapezoid(y: Any, x: Any = None, dx: float | None = None, axis: int = -1,
                         name: str | None = None) -> Any:
    """The integral of y from its first element up to each of the others, by the trapezoid rule.

    >>> import proa as paddle
    >>> paddle.cumulative_trapezoid(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
    [1.5, 4.0]
    """
    y = value_of(y)
    areas, axis = _areas("cumulative_trapezoid", y, x, dx, axis)
    return cumsum(areas, axis) * 0.5


def vander(x: Any, n: int | None = None, increasing: bool = False, name: str | None = None) -> Any:
    """The matrix of the powers of a vector: n columns (as many as x has elements), the highest power first.

    >>> import proa as paddle
    >>> paddle.vander(paddle.to_tensor([2, 3]), 3).tolist()
    [[4, 2, 1], [9, 3, 1]]
    """
    x = value_of(x)
    if x.ndim != 1:
        raise ValueError(f"vander(x): must have one dimension. Received {x.ndim}.")
    n = int(x.shape[0]) if n is None else whole(n)
    if n == x.shape[0] == -1:
        raise ValueError("vander(x, n): as many columns as x has elements are not known while the Program is built. "
                         "Give n, or declare the size of x.")
    if n < 0:
        raise ValueError(f"vander(n): must be at least 0. Received {n}.")
    powers = np.arange(n) if increasing else np.arange(n)[::-1]
    return unsqueeze(x, -1) ** to_tensor(powers.astype(dtype_of(x).dtype))

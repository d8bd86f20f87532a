"""Values written over what a tensor holds: fill_, zero_, and on diagonals diagonal_scatter and fill_diagonal."""

import functools
from typing import Any

import numpy as np

from ..core.infer import check_rank, normalize_axis
from ..core.trace import apply
from ..math.casting import cast, check_held, dtype_of
from ..math.comparison import equal, logical_and
from .creation import arange, full_like, to_tensor
from .diagonal import place_diagonal_op, with_diagonal
from .full import changeable, full, value_of
from .reshape import reshape
from .unknown_sizes import size_at
from .where import where


def written_over(x: Any, values: Any) -> Any:
    """`values`, which take x's place: what x was computed from gets zeros as its gradient, as in Paddle, not none."""
    if x.stop_gradient:
        return values
    return where(full_like(x, False, "bool"), x._alias(), values)


def fill_(x: Any, value: Any) -> Any:
    """Fills x, in place, with a number.

    >>> import proa as paddle
    >>> paddle.zeros([2]).fill_(3.0).tolist()
    [3.0, 3.0]
    """
    return changeable(x)._rebind(written_over(x, full_like(x, value)))


def zero_(x: Any) -> Any:
    """Fills x, in place, with zeros.

    >>> import proa as paddle
    >>> paddle.ones([2]).zero_().tolist()
    [0.0, 0.0]
    """
    return changeable(x)._rebind(written_over(x, full_like(x, 0.0)))


def _on_diagonal(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """True on the diagonal, in the shape of x."""
    rows, columns = x.shape[axis1], x.shape[axis2]
    mask = np.eye(rows, columns, offset, dtype=bool)
    if axis1 % x.ndim > axis2 % x.ndim:
        mask = mask.T
    shape = [s if n in (axis1 % x.ndim, axis2 % x.ndim) else 1 for n, s in enumerate(x.shape)]
    return to_tensor(mask.reshape(shape))


def diagonal_scatter(x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: str | None = None) -> Any:
    """x with y on its diagonal: what `diagonal` of the same axes would give.

    >>> import proa as paddle
    >>> paddle.diagonal_scatter(paddle.zeros([2, 2]), paddle.to_tensor([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    x = value_of(x)
    check_rank("diagonal_scatter(x)", x, 2)
    axis1, axis2 = (normalize_axis(f"diagonal_scatter(x, {name})", axis, x.ndim)
                    for name, axis in (("axis1", axis1), ("axis2", axis2)))
    check_held("diagonal_scatter(y)", y, dtype_of(x))
    if -1 in x.shape:
        return with_diagonal(x, cast(y, dtype_of(x)), offset=offset, axis1=axis1, axis2=axis2)
    placed = apply(place_diagonal_op, cast(y, dtype_of(x)), None, shape=list(x.shape), offset=offset,
                   axis1=axis1, axis2=axis2)
    return where(_on_diagonal(x, offset, axis1, axis2), placed, x)


def fill_diagonal_tensor(x: Any, y: Any, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None) -> Any:
    """As `diagonal_scatter`.

    >>> import proa as paddle
    >>> paddle.zeros([2, 2]).fill_diagonal_tensor(paddle.to_tensor([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]

    >>> import proa as paddle
    >>> paddle.zeros([2, 2]).fill_diagonal_tensor_(paddle.to_tensor([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 2.0]]
    """
    return diagonal_scatter(x, y, offset, dim1, dim2)


def fill_diagonal(x: Any, value: Any, offset: int = 0, wrap: bool = False, name: str | None = None) -> Any:
    """x with `value` on its main diagonal (of all dimensions); with `wrap` it starts anew below a tall matrix.

    >>> import proa as paddle
    >>> paddle.zeros([2, 2]).fill_diagonal_(1.0).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if x.ndim < 2:
        raise ValueError(f"fill_diagonal_(x): must have at least two dimensions. Received {x.ndim}.")
    if x.ndim > 2 and len(set(x.shape)) != 1:
        raise ValueError(f"fill_diagonal_(x): more than two dimensions must be equal. Received {list(x.shape)}.")
    mask = _main_diagonal_of_open(x, offset, wrap) if -1 in x.shape else to_tensor(_main_diagonal(x, offset, wrap))
    check_held("fill_diagonal_(value)", value, dtype_of(x))
    return where(mask, full((), value, dtype_of(x)), x)


def _main_diagonal(x: Any, offset: int, wrap: bool) -> np.ndarray:
    """True on the diagonal of all dimensions."""
    mask = np.zeros(tuple(x.shape), bool)
    if x.ndim == 2:
        mask = np.eye(x.shape[0], x.shape[1], offset, dtype=bool)
        if wrap and offset == 0:
            np.fill_diagonal(mask, True, wrap=True)
    else:
        mask[np.diag_indices(x.shape[0], x.ndim)] = True
    return mask


def _main_diagonal_of_open(x: Any, offset: int, wrap: bool) -> Any:
    """The same where only a run knows the sizes."""
    first, *others = (reshape(arange(size_at(x, axis), dtype="int64"), [-1] + [1] * (x.ndim - 1 - axis))
                      for axis in range(x.ndim))
    if x.ndim == 2 and wrap and offset == 0:
        first = first % (size_at(x, 1) + 1)
    return functools.reduce(logical_and, [equal(first + offset, other) for other in others])

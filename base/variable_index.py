"""`paddle.base.variable_index`: indices of a Program's variables as functions, by the path of older code."""

from __future__ import annotations

from typing import Any

from ..ops.array.creation import assign


def _getitem_static(x: Any, indices: Any) -> Any:
    """`x[indices]`.

    >>> import proa as paddle
    >>> from proa.base.variable_index import _getitem_static
    >>> _getitem_static(paddle.arange(6).reshape([2, 3]), (1, slice(1, None))).tolist()
    [4, 5]
    """
    return x[indices]


def _setitem_static(x: Any, indices: Any, values: Any) -> Any:
    """A value like x with others at these indices; x stays as it is.

    >>> import proa as paddle
    >>> from proa.base.variable_index import _setitem_static
    >>> _setitem_static(paddle.zeros([3]), slice(1, None), 2.0).tolist()
    [0.0, 2.0, 2.0]
    """
    result = assign(x)
    result[indices] = values
    return result

"""Functions that Paddle 2.0 had in another form than later versions: `paddle.multiply` under `install(api="2.4")`."""

from __future__ import annotations

from typing import Any

from ..ops.core.trace import apply
from ..ops.math.elementwise import multiply as of_later
from ..ops.math.elementwise import multiply_op


def multiply(x: Any, y: Any, axis: int = -1, name: str | None = None) -> Any:
    """x * y, element by element; y's dimensions are those of x from `axis` on, by default the last ones.

    >>> import proa as paddle
    >>> from proa.compat.functions_of_2_0 import multiply
    >>> multiply(paddle.ones([2, 3]), paddle.to_tensor([1.0, 2.0]), axis=0).tolist()
    [[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]
    """
    return of_later(x, y, name) if axis == -1 else apply(multiply_op, x, y, axis=axis)

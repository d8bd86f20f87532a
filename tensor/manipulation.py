"""`paddle.tensor.manipulation`: functions that arrange elements, by the path under which packages reach them."""

from __future__ import annotations

from typing import Any

from ..ops.array.concat_split import concat, stack
from ..ops.array.full import constant
from ..ops.core.trace import apply
from ..ops.program.tensor_arrays import join_op
from . import __getattr__ as __getattr__


def tensor_array_to_tensor(input: Any, axis: int = 1, use_stack: bool = False, name: str | None = None) -> Any:
    """What `create_array` gave as one tensor, its items along `axis` or along a new one, and their sizes there.

    >>> import proa as paddle
    >>> items = [paddle.ones([1, 2]), paddle.zeros([1, 1])]
    >>> joined, sizes = paddle.tensor.manipulation.tensor_array_to_tensor(items)
    >>> joined.tolist(), sizes.tolist()
    ([[1.0, 1.0, 0.0]], [2, 1])
    """
    if not isinstance(input, list):
        return apply(join_op, input, axis=axis, use_stack=use_stack)
    return (stack if use_stack else concat)(input, axis), constant([item.shape[axis] for item in input])

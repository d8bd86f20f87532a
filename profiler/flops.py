"""How many floating-point operations an application takes, from the shapes of its inputs and outputs.

Products and convolutions count a multiplication and an addition as two; every other operator one a result element.
A gradient counts as the operators that its rule is written with.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Shapes = Sequence[Any]  # a tuple, a list of tuples, or None, by slot


def _product(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """2 · results · the length of each inner product."""
    x = inputs[0]
    inner = x[-2] if attrs.get("trans_x") and len(x) > 1 else x[-1]
    return 2 * math.prod(outputs[0]) * inner


def _convolution(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """2 · results · what one filter looks at; the filter [out, in / groups, …]."""
    return 2 * math.prod(outputs[0]) * math.prod(inputs[1][1:])


def _input_gradient(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """As the convolution: the gradient of its result, the filter."""
    return 2 * math.prod(inputs[0]) * math.prod(inputs[1][1:])


def _filter_gradient(inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """As the convolution: its input and the gradient of its result give the filter's gradient."""
    return 2 * math.prod(inputs[1]) * math.prod(outputs[0][1:])


_RULES = {
    "matmul_v2": _product, "bmm": _product, "mv": _product,
    "conv2d": _convolution, "depthwise_conv2d": _convolution, "conv3d": _convolution,
    "conv_input_grad": _input_gradient, "conv_filter_grad": _filter_gradient,
    "conv2d_transpose": _input_gradient, "depthwise_conv2d_transpose": _input_gradient,
}
_FREE = {"reshape2", "squeeze2", "unsqueeze2", "flatten_contiguous_range", "transpose2", "cast", "assign", "shape",
         "slice", "concat", "split", "stack", "unstack", "fill_constant", "assign_value", "expand_v2",
         "lookup_table_v2"}


def estimate(type: str, inputs: Shapes, outputs: Shapes, attrs: dict[str, Any]) -> int:
    """The floating-point operations of one application; 0 for what only moves values.

    >>> from proa.profiler.flops import estimate
    >>> estimate("matmul_v2", [(2, 3), (3, 4)], [(2, 4)], {})
    48
    """
    if type in _FREE:
        return 0
    rule = _RULES.get(type)
    if rule is not None:
        return int(rule(inputs, outputs, attrs))
    return sum(math.prod(shape) for shape in outputs if isinstance(shape, tuple))

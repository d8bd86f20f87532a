"""one_hot and topk, of numbers with a last dimension of 1."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import is_value
from ..layer_helper import LayerHelper
from ..mode import face


@face
def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """[..., depth] with 1 at the place that each number of an input [..., 1] names."""
    tensor, count = (depth, -1) if is_value(depth) else (None, depth)
    return LayerHelper("one_hot").apply("one_hot", input, tensor, depth=count, allow_out_of_range=allow_out_of_range)


@face
def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """The k largest elements of the last dimension, in order, and their places.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.topk(fluid.data("x", [None, 4]), 2)[0].shape
    (-1, 2)
    """
    tensor, count = (k, 1) if is_value(k) else (None, k)
    values, indices = LayerHelper("top_k", name=name).apply("top_k", input, tensor, k=count)
    values.stop_gradient = indices.stop_gradient = True
    return values, indices


__all__ = ["one_hot", "topk"]

"""Sequences step by step, and rows by a mask: what DynamicRNN and IfElse are made of (`fluid.layers.control_flow`)."""

from __future__ import annotations

from typing import Any

from ...core.unique_name import generate
from ...ops.core.operator import find
from ...ops.core.trace import apply, current_trace
from ..layer_helper import LayerHelper
from ..mode import face

__all__ = [
    "array_to_lod_tensor", "lod_rank_table", "lod_tensor_to_array", "max_sequence_len", "merge_lod_tensor",
    "reorder_lod_tensor_by_rank", "shrink_memory", "split_lod_tensor",
]


def _named(type: str, *inputs: Any, **attrs: Any) -> Any:
    """The first result, which has the layer's name, with the next number."""
    LayerHelper(type)
    with current_trace().naming(lambda slot: generate(type)):
        return apply(find(type), *inputs, **attrs)[0]


@face
def lod_rank_table(x: Any, level: int = 0) -> Any:
    """The sequences of a level of x by their lengths, the longest first, those of one length in their order."""
    return _named("lod_rank_table", x, None, level=level)


@face
def max_sequence_len(rank_table: Any) -> Any:
    """The length of the longest sequence, [1] of int64."""
    return LayerHelper("max_seqence_len").apply("max_sequence_len", rank_table)


@face
def lod_tensor_to_array(x: Any, table: Any) -> Any:
    """A list with an item for each step: the rows that the sequences which are long enough have there."""
    return _named("lod_tensor_to_array", x, table, None, None)


@face
def array_to_lod_tensor(x: Any, table: Any) -> Any:
    """The sequences whose steps are the items of a list, in the order that they had before `lod_tensor_to_array`."""
    return LayerHelper("array_to_lod_tensor").apply("array_to_lod_tensor", x, table, None, None)[0]


@face
def shrink_memory(x: Any, i: Any, table: Any) -> Any:
    """The rows of x, which is in the table's order, that are of sequences longer than i steps."""
    return LayerHelper("shrink_memory").apply("shrink_rnn_memory", x, table, i, None)[0]


@face
def reorder_lod_tensor_by_rank(x: Any, rank_table: Any) -> Any:
    """The sequences of x (its rows, where it has no LoD) in the table's order.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 4], lod_level=1)
    ...     table = fluid.layers.control_flow.lod_rank_table(x)
    ...     fluid.layers.reorder_lod_tensor_by_rank(x, table).lod_level
    1
    """
    if getattr(rank_table, "kind", None) != "rank_table":
        raise TypeError(f"reorder_lod_tensor_by_rank(rank_table): must be what lod_rank_table gives. Received "
                        f"{rank_table!r}.")
    return LayerHelper("reorder_lod_tensor_by_rank").apply("reorder_lod_tensor_by_rank", x, rank_table, None)[0]


@face
def split_lod_tensor(input: Any, mask: Any, level: int = 0) -> tuple[Any, Any]:
    """The rows (the sequences of a level, where there is a LoD) whose item of `mask` is true, and the others."""
    return LayerHelper("split_lod_tensor").apply("split_lod_tensor", input, mask, None, level=level)[:2]


@face
def merge_lod_tensor(in_true: Any, in_false: Any, x: Any, mask: Any, level: int = 0) -> Any:
    """What `split_lod_tensor` took apart, or what was made of it, in the order that it had in x."""
    return LayerHelper("merge_lod_tensor").apply("merge_lod_tensor", x, mask, in_true, in_false, level=level)[0]

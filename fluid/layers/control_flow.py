"""`fluid.layers.control_flow`: branches, loops and lists by the path under which 1.x has them."""

from .rank_tables import (
    array_to_lod_tensor,
    lod_rank_table,
    lod_tensor_to_array,
    max_sequence_len,
    merge_lod_tensor,
    reorder_lod_tensor_by_rank,
    shrink_memory,
    split_lod_tensor,
)

__all__ = [
    "array_to_lod_tensor", "lod_rank_table", "lod_tensor_to_array", "max_sequence_len", "merge_lod_tensor",
    "reorder_lod_tensor_by_rank", "shrink_memory", "split_lod_tensor",
]

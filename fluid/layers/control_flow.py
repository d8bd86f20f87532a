"""`fluid.layers.control_flow`: loops, branches, recurrences, lists, comparisons, where 1.x has them."""

from ...static.building.block_builders import ConditionalBlock
from .arrays import array_length, array_read, array_write, create_array, increment
from .blocks import BlockGuard, IfElse, Switch, While, WhileGuard, select_input, select_output  # noqa: F401
from .branches import case, cond, switch_case, while_loop
from .comparison import equal, greater_equal, greater_than, is_empty, less_equal, less_than, not_equal
from .debugging import Print
from .dynamic_rnn import DynamicRNN
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
from .static_rnn import StaticRNN

__all__ = [
    "ConditionalBlock", "DynamicRNN", "IfElse", "Print", "StaticRNN", "Switch", "While", "array_length",
    "array_read", "array_to_lod_tensor", "array_write", "case", "cond", "create_array", "equal", "greater_equal",
    "greater_than", "increment", "is_empty", "less_equal", "less_than", "lod_rank_table", "lod_tensor_to_array",
    "max_sequence_len", "merge_lod_tensor", "not_equal", "reorder_lod_tensor_by_rank", "shrink_memory",
    "split_lod_tensor", "switch_case", "while_loop",
]

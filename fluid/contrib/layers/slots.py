"""Layers of models of advertisements: a product for each slot, and one for each pair of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...layer_helper import LayerHelper
from ...layers import (
    cast,
    elementwise_add,
    elementwise_max,
    elementwise_mul,
    fill_constant,
    gather,
    matmul,
    reshape,
    scale,
    sign,
    slice,
    sum,
    unsqueeze,
)
from ...mode import face


@face
def batch_fc(input: Any, param_size: Sequence[int], param_attr: Any, bias_size: Sequence[int], bias_attr: Any,
             act: str | None = None) -> Any:
    """For each slot a product with a matrix of its own: input [slots, batch, in], parameters [slots, in, out].

    `bias_size` is [slots, out].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.contrib.layers.batch_fc(fluid.data("x", [2, None, 3]), [2, 3, 4], None, [2, 4], None).shape
    (2, -1, 4)
    """
    helper = LayerHelper("batch_fc", act=act)
    weight = helper.parameter(param_attr, list(param_size), input.dtype)
    bias = helper.parameter(bias_attr, list(bias_size), input.dtype)
    return helper.append_activation(elementwise_add(matmul(input, weight), unsqueeze(bias, [1])))


@face
def rank_attention(input: Any, rank_offset: Any, rank_param_shape: Sequence[int], rank_param_attr: Any,
                   max_rank: int = 3, max_size: int = 0) -> Any:
    """For each row the sum of products of rows with the matrices of its rank and of theirs, [rows, out].

    A row of `rank_offset` has the row's own rank, from 1 to `max_rank`, and for each of `max_rank` others its rank and
    its row of the input; a rank below 1 counts for nothing. `rank_param_shape` is [max_rank · max_rank · in, out].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x, offset = fluid.data("x", [None, 2]), fluid.data("offset", [None, 7], "int32")
    ...     fluid.contrib.layers.rank_attention(x, offset, [18, 3], None).shape
    (-1, 3)
    """
    helper = LayerHelper("rank_attention")
    parameter = helper.parameter(rank_param_attr, list(rank_param_shape), input.dtype)
    width = input.shape[1]
    matrices = reshape(parameter, [max_rank * max_rank, width, rank_param_shape[1]])
    offset = cast(rank_offset, "int64")
    nothing = fill_constant([1], "int64", 0)

    def column(index: int) -> Any:
        return reshape(slice(offset, [1], [index], [index + 1]), [-1])

    parts, own = [], column(0)
    for other in range(max_rank):
        rank, row = column(2 * other + 1), column(2 * other + 2)
        both = elementwise_mul(*(sign(cast(elementwise_max(r, nothing), input.dtype)) for r in (own, rank)))
        which = elementwise_add(scale(own, float(max_rank), -float(max_rank)), scale(rank, 1.0, -1.0))
        matrix = gather(matrices, elementwise_max(which, nothing))
        taken = unsqueeze(gather(input, elementwise_max(row, nothing)), [1])
        product = reshape(matmul(taken, matrix), [-1, rank_param_shape[1]])
        parts.append(elementwise_mul(product, both, axis=0))
    return sum(parts)


__all__ = ["batch_fc", "rank_attention"]

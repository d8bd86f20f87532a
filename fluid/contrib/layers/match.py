"""Sequences matched with others: match_matrix_tensor, var_conv_2d, sequence_topk_avg_pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...layer_helper import LayerHelper
from ...mode import face

__all__ = ["match_matrix_tensor", "sequence_topk_avg_pooling", "var_conv_2d"]


@face
def match_matrix_tensor(x: Any, y: Any, channel_num: int, act: str | None = None, param_attr: Any = None,
                        dtype: Any = "float32", name: str | None = None) -> tuple[Any, Any]:
    """act of each row of a sequence of x · W_c · each row of the sequence of y, for each channel c; and x · W.

    A sequence's result is [channels, its rows, the other's rows] in one column. After "Match-SRNN" (Wan et al., 2016).

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x, y = (fluid.data(name, [None, 4], lod_level=1) for name in "xy")
    ...     fluid.contrib.layers.match_matrix_tensor(x, y, 2)[0].shape
    (-1, 1)
    """
    if len(x.shape) != 2 or len(y.shape) != 2 or x.shape[1] != y.shape[1]:
        raise ValueError(f"match_matrix_tensor(x, y): must be [N, H] and [M, H]. Received {list(x.shape)} and "
                         f"{list(y.shape)}.")
    helper = LayerHelper("match_matrix_tensor", name=name)
    weight = helper.parameter(param_attr, [x.shape[1], channel_num, y.shape[1]], dtype)
    made, left, _ = helper.apply("match_matrix_tensor", x, y, weight, None, None, dim_t=channel_num)
    left.stop_gradient = True
    return helper.activated(made, act), left


@face
def var_conv_2d(input: Any, row: Any, col: Any, input_channel: int, output_channel: int,
                filter_size: int | Sequence[int], stride: int | Sequence[int] = 1, param_attr: Any = None,
                act: str | None = None, dtype: Any = "float32", name: str | None = None) -> Any:
    """act of the convolution of maps of several sizes, [channels, rows, columns] each in one column.

    The lengths of the sequences of `row` and `col` say how many rows and columns each map has; zeros lie around it, so
    that with a stride of 1 it keeps its size.
    """
    kernel, strides = ([size, size] if isinstance(size, int) else list(size) for size in (filter_size, stride))
    helper = LayerHelper("var_conv_2d", name=name)
    weight = helper.parameter(param_attr, [output_channel, input_channel * kernel[0] * kernel[1]], dtype)
    made = helper.apply("var_conv_2d", input, row, col, weight, None, None, None, InputChannel=input_channel,
                        OutputChannel=output_channel, StrideH=strides[0], StrideW=strides[1], KernelH=kernel[0],
                        KernelW=kernel[1])[0]
    return helper.activated(made, act)


@face
def sequence_topk_avg_pooling(input: Any, row: Any, col: Any, topks: Sequence[int], channel_num: int) -> Any:
    """For each row of each map and each channel the means of its k greatest numbers, for each k of `topks`.

    Maps as for `var_conv_2d`; the result is [rows of all maps, channels * topks] with the LoD of `row`. Where a row has
    less than k numbers, the others count as 0.
    """
    return LayerHelper("sequence_topk_avg_pooling").apply(
        "sequence_topk_avg_pooling", input, row, col, None, None, topks=list(topks), channel_num=channel_num)[0]

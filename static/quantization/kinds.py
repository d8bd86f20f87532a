"""Which operations of a Program are quantized, and which of their inputs and outputs that concerns.

Operations with a weight compute with whole numbers (`WEIGHTED`); products of two values can, too (`ACTIVATIONS`); of
the others (`OBSERVED`) the scales are written down, for engines that compute them with whole numbers.
"""

from __future__ import annotations

from ..ir.operation import Operation

WEIGHTED = ["conv2d", "depthwise_conv2d", "conv2d_transpose", "mul", "matmul", "matmul_v2"]
ACTIVATIONS = ["mul", "matmul", "matmul_v2"]
MOVING_AVERAGE = "fake_quantize_dequantize_moving_average_abs_max"
"""What shows a value as whole numbers do in training, by a scale that follows it."""
_PRODUCTS = "mul matmul matmul_v2"
_X_TO_OUT = (
    "pool2d concat softmax argmax transpose gather mean reshape reshape2 transpose2 nearest_interp trilinear_interp "
    "squeeze relu relu6 leaky_relu tanh swish dropout sigmoid hard_swish hard_sigmoid pad2d pad3d flatten flatten2 "
    "unsqueeze2 flatten_contiguous_range split squeeze2 nearest_interp_v2 bilinear_interp bilinear_interp_v2 arg_max "
    "abs assign cast clip crop cumsum expand_v2 fill_any_like gelu p_norm pow reduce_mean logical_not meshgrid tile "
    "reduce_sum square softplus shuffle_channel reduce_max scale")
_PAIRS = (
    "elementwise_add elementwise_sub elementwise_mul elementwise_pow equal not_equal greater_equal greater_than "
    "less_equal less_than logical_and")

SLOTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    **{kind: (("Input", "Filter"), ("Output",)) for kind in WEIGHTED[:3]},
    **{kind: (("X", "Y"), ("Out",)) for kind in f"{_PRODUCTS} {_PAIRS}".split()},
    **{kind: (("X",), ("Out",)) for kind in _X_TO_OUT.split()},
    **{kind: (("X",), ("Y",)) for kind in ("batch_norm", "layer_norm", "instance_norm", "stack")},
    **{kind: (("Input",), ("Out",)) for kind in ("slice", "strided_slice", "fill_constant_batch_size_like")},
    **{kind: (("Input", "Weight"), ("Hidden",)) for kind in ("gru", "lstm")},
    **{kind: (("W", "Ids"), ("Out",)) for kind in ("lookup_table", "lookup_table_v2")},
    "prelu": (("X", "Alpha"), ("Out",)),
    "box_coder": (("PriorBox",), ("OutputBox",)),
    "fill_constant": ((), ("Out",)),
    "norm": (("X",), ("Norm",)),
    "top_k_v2": (("X",), ("Out", "Indices")),
    "roi_align": (("X", "ROIs"), ("Out",)),
    "where": (("Condition", "X", "Y"), ("Out",)),
    "grid_sampler": (("X", "Grid"), ("Output",)),
    "group_norm": (("X",), ("Y", "Mean", "Variance")),
}
"""The slots of an operation that are quantized: those that it reads, and those that it writes."""

OBSERVED = [*ACTIVATIONS, *(kind for kind in SLOTS if kind not in WEIGHTED)]


def read_by(op: Operation) -> list[str]:
    """What an operation reads that can be quantized."""
    return [name for slot in SLOTS.get(op.type, ((), ()))[0] for name in op.input(slot)]


def written_by(op: Operation) -> list[str]:
    """What it writes that can be quantized."""
    return [name for slot in SLOTS.get(op.type, ((), ()))[1] for name in op.output(slot)]


def channels_axis(op: Operation) -> int:
    """The dimension of its weight along which the results' channels lie."""
    if op.type == "matmul_v2" and op.attr("trans_y"):
        return 0
    return 0 if op.type in ("conv2d", "depthwise_conv2d") else 1


def is_left_out(op: Operation, patterns: list[str]) -> bool:
    """Whether the user has named its part of the Program as one that stays as it is."""
    return op.has_attr("op_namescope") and any(pattern in op.attr("op_namescope") for pattern in patterns)

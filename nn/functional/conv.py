"""Convolutions in one, two and three dimensions, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.full import is_value
from ...ops.array.reshape import squeeze, unsqueeze
from ...ops.array.slices import slice_
from ...ops.array.unknown_sizes import only_a_run_knows, size_at, vector_of
from ...ops.core.infer import check_rank
from ...ops.core.operator import Operator
from ...ops.core.trace import apply, drawing
from ...ops.math.comparison import logical_and
from ...ops.math.elementwise import add_op
from ...ops.nn import conv as ops
from ...ops.nn.window_arguments import check_format, padding_attributes, repeated
from ...ops.program.print_assert import assert_value

__all__ = ["conv1d", "conv1d_transpose", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose"]


def _with_bias(result: Any, bias: Any, channels_last: bool) -> Any:
    if bias is None:
        return result
    return apply(add_op, result, bias, axis=-1 if channels_last else 1)


def _attributes(what: str, stride: Any, padding: Any, dilation: Any, groups: int, data_format: str,
                rank: int) -> dict[str, Any]:
    if groups < 1:
        raise ValueError(f"{what}: groups must be at least 1. Received groups={groups}.")
    if type(stride) is type(padding) is type(dilation) is int and padding >= 0:
        return {"strides": [stride] * rank, "paddings": [padding] * rank, "padding_algorithm": "EXPLICIT",
                "dilations": [dilation] * rank, "groups": groups, "data_format": data_format}
    paddings, algorithm = padding_attributes(what, padding, rank, data_format[-1] == "C")
    return {
        "strides": repeated(what, "stride", stride, rank), "paddings": paddings, "padding_algorithm": algorithm,
        "dilations": repeated(what, "dilation", dilation, rank), "groups": groups, "data_format": data_format,
    }


def _is_depthwise(x: Any, weight: Any, groups: int, data_format: str) -> bool:
    check_rank("conv(x)", x, 2)
    if groups == 1:
        return False
    channels = x.shape[-1 if data_format[-1] == "C" else 1]
    return groups > 1 and groups == channels and weight.shape[0] % channels == 0


def conv2d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The cross-correlation of x [N, C, H, W] with filters [M, C / groups, kH, kW], plus a bias [M]: [N, M, H', W'].

    `H' = (H + padding before and after - dilation * (kH - 1) - 1) // stride + 1`, and W' alike. `padding` is a number,
    two, four (top, bottom, left, right), pairs for all dimensions, "SAME" or "VALID". With data_format "NHWC" x and
    the result have their channels last; filters stay as they are. Raises ValueError when shapes do not fit.

    >>> import proa as paddle
    >>> paddle.nn.functional.conv2d(paddle.ones([1, 3, 8, 8]), paddle.ones([6, 3, 3, 3]), stride=2, padding=1).shape
    [1, 6, 4, 4]
    """
    check_format("conv2d", data_format, ("NCHW", "NHWC"))
    attrs = _attributes("conv2d", stride, padding, dilation, groups, data_format, 2)
    op = ops.depthwise_conv2d_op if _is_depthwise(x, weight, groups, data_format) else ops.conv2d_op
    drawing(op.type, name)
    return _with_bias(apply(op, x, weight, **attrs), bias, data_format[-1] == "C")


def conv3d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1, data_format: str = "NCDHW", name: str | None = None) -> Any:
    """As `conv2d` in three dimensions: x [N, C, D, H, W], filters [M, C / groups, kD, kH, kW].

    >>> import proa as paddle
    >>> paddle.nn.functional.conv3d(paddle.ones([1, 2, 4, 4, 4]), paddle.ones([3, 2, 3, 3, 3])).shape
    [1, 3, 2, 2, 2]
    """
    check_format("conv3d", data_format, ("NCDHW", "NDHWC"))
    attrs = _attributes("conv3d", stride, padding, dilation, groups, data_format, 3)
    drawing("conv3d", name)
    return _with_bias(apply(ops.conv3d_op, x, weight, **attrs), bias, data_format[-1] == "C")


def _flat_padding(padding: Any, channels_last: bool) -> Any:
    """The padding of one dimension as that of two, of which the first has size 1."""
    if isinstance(padding, str):
        return padding
    pads, _ = padding_attributes("conv1d", padding, 1, channels_last)
    return [0, 0, *(pads * 2 if len(pads) == 1 else pads)]


def conv1d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1, data_format: str = "NCL", name: str | None = None) -> Any:
    """As `conv2d` in one dimension: x [N, C, L], filters [M, C / groups, k].

    >>> import proa as paddle
    >>> paddle.nn.functional.conv1d(paddle.to_tensor([[[1.0, 2.0, 3.0]]]), paddle.ones([1, 1, 2])).tolist()
    [[[3.0, 5.0]]]
    """
    check_format("conv1d", data_format, ("NCL", "NLC"))
    drawing("conv2d", name)  # Paddle's function too is a conv2d, whatever its groups
    last = data_format == "NLC"
    axis = 1 if last else 2
    if type(stride) is type(padding) is type(dilation) is int and padding >= 0 and groups == 1 and bias is None:
        image, filters = unsqueeze(x, axis), unsqueeze(weight, 2)
        return squeeze(apply(ops.conv2d_op, image, filters, strides=[1, stride], paddings=[0, padding],
                             padding_algorithm="EXPLICIT", dilations=[1, dilation], groups=1,
                             data_format="NHWC" if last else "NCHW"), axis)
    result = conv2d(
        unsqueeze(x, axis), unsqueeze(weight, 2), bias, [1, *repeated("conv1d", "stride", stride, 1)],
        _flat_padding(padding, last), [1, *repeated("conv1d", "dilation", dilation, 1)], groups,
        "NHWC" if last else "NCHW", name or "conv1d")
    return squeeze(result, axis)


# transposes

def _transpose(op: Operator, what: str, x: Any, weight: Any, bias: Any, output_padding: Any, output_size: Any,
               rank: int, attrs: dict[str, Any]) -> Any:
    extra = repeated(what, "output_padding", output_padding, rank)
    if output_size is not None and any(extra):
        raise ValueError(f"{what}: give output_padding or output_size, not both.")
    if is_value(output_size) and output_size.ndim:
        output_size = list(output_size)
    if isinstance(output_size, Sequence) and len(output_size) == rank + 2:
        output_size = output_size[1:-1] if attrs["data_format"][-1] == "C" else output_size[2:]
    wanted = output_size if isinstance(output_size, Sequence) else [output_size] * rank
    inputs = (x, weight, None) if len(op.inputs) == 3 else (x, weight)
    if any(map(only_a_run_knows, wanted)):
        result = _transpose_of_open_size(op, what, inputs, wanted, attrs)
    else:
        size = [] if output_size is None else repeated(what, "output_size", output_size, rank)
        result = apply(op, *inputs, output_padding=extra if any(extra) else [], output_size=size, **attrs)
    return _with_bias(result, bias, attrs["data_format"][-1] == "C")


def _transpose_of_open_size(op: Operator, what: str, inputs: tuple, wanted: Sequence[Any],
                            attrs: dict[str, Any]) -> Any:
    """The largest result that the windows can have, cut to the sizes that only a run knows."""
    more = [stride - 1 for stride in attrs["strides"]]
    largest = apply(op, *inputs, output_padding=more if any(more) else [], output_size=[], **attrs)
    axes = range(1, len(wanted) + 1) if attrs["data_format"][-1] == "C" else range(2, len(wanted) + 2)
    asked, most = vector_of(wanted), vector_of([size_at(largest, axis) for axis in axes])
    fits = logical_and(asked <= most, asked >= most - vector_of(more))
    assert_value(fits, [asked, most], f"{what}(output_size): the sizes of the result must be those that windows allow: "
                 f"at most {more} less than the largest. Asked for, and the largest:")
    return slice_(largest, list(axes), [0] * len(wanted), list(wanted))


def conv2d_transpose(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                     dilation: Any = 1, groups: int = 1, output_size: Any = None, data_format: str = "NCHW",
                     name: str | None = None) -> Any:
    """The transpose of `conv2d` in its input: x [N, C, H, W], filters [C, M / groups, kH, kW], result [N, M, H', W'].

    `H' = (H - 1) * stride - padding before and after + dilation * (kH - 1) + 1 + output_padding`; `output_size` names
    H' and W' directly where several sizes are possible. Raises ValueError for one that is not.

    >>> import proa as paddle
    >>> paddle.nn.functional.conv2d_transpose(paddle.ones([1, 3, 8, 8]), paddle.ones([3, 6, 3, 3]), stride=2).shape
    [1, 6, 17, 17]
    """
    check_format("conv2d_transpose", data_format, ("NCHW", "NHWC"))
    attrs = _attributes("conv2d_transpose", stride, padding, dilation, groups, data_format, 2)
    depthwise = _is_depthwise(x, weight, groups, data_format) and weight.shape[1] == 1
    op = ops.depthwise_conv2d_transpose_op if depthwise else ops.conv2d_transpose_op
    drawing(op.type, name)
    return _transpose(op, "conv2d_transpose", x, weight, bias, output_padding, output_size, 2, attrs)


def conv3d_transpose(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                     groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCDHW",
                     name: str | None = None) -> Any:
    """As `conv2d_transpose` in three dimensions.

    >>> import proa as paddle
    >>> x, w = paddle.ones([1, 2, 3, 3, 3]), paddle.ones([2, 3, 2, 2, 2])
    >>> paddle.nn.functional.conv3d_transpose(x, w, stride=2).shape
    [1, 3, 6, 6, 6]
    """
    check_format("conv3d_transpose", data_format, ("NCDHW", "NDHWC"))
    attrs = _attributes("conv3d_transpose", stride, padding, dilation, groups, data_format, 3)
    drawing("conv3d_transpose", name)
    return _transpose(ops.conv3d_transpose_op, "conv3d_transpose", x, weight, bias, output_padding, output_size, 3,
                      attrs)


def conv1d_transpose(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                     groups: int = 1, dilation: Any = 1, output_size: Any = None, data_format: str = "NCL",
                     name: str | None = None) -> Any:
    """As `conv2d_transpose` in one dimension.

    >>> import proa as paddle
    >>> x, w = paddle.to_tensor([[[1.0, 2.0]]]), paddle.ones([1, 1, 2])
    >>> paddle.nn.functional.conv1d_transpose(x, w).tolist()
    [[[1.0, 3.0, 2.0]]]
    """
    check_format("conv1d_transpose", data_format, ("NCL", "NLC"))
    what, last = "conv1d_transpose", data_format == "NLC"
    axis = 1 if last else 2
    size = None if output_size is None else [1, *repeated(what, "output_size", output_size, 1)]
    result = conv2d_transpose(
        unsqueeze(x, axis), unsqueeze(weight, 2), bias, [1, *repeated(what, "stride", stride, 1)],
        _flat_padding(padding, last), [0, *repeated(what, "output_padding", output_padding, 1)],
        [1, *repeated(what, "dilation", dilation, 1)], groups, size, "NHWC" if last else "NCHW")
    return squeeze(result, axis)

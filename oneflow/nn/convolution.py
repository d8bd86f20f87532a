"""Convolutions of values with filters that are values too, and their transposes: what `flow.layers` is made of.

Filters have the channels where the images have them: [M, C / groups, kH, kW] for "NCHW", [M, kH, kW, C / groups] for
"NHWC". A `name` is accepted and names nothing: nothing depends on an operator's name.
"""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.reshape import transpose
from .windows import FORMATS, check_rank, each, is_last, paddings, spatial

_PADDLE_FORMATS = {"NCW": "NCL", "NWC": "NLC"}


def _channels_second(filters: Any, rank: int, last: bool) -> Any:
    return transpose(filters, [0, rank + 1, *range(1, rank + 1)]) if last else filters


def _convolved(what: str, rank: int, input: Any, filters: Any, strides: Any, padding: Any, data_format: str,
               dilations: Any, groups: int, bias: Any = None) -> Any:
    last = is_last(what, data_format, rank)
    check_rank(f"{what}(input)", input, rank)
    check_rank(f"{what}(filters)", filters, rank)
    weight = _channels_second(filters, rank, last)
    channels, count = input.shape[-1 if last else 1], weight.shape[0]
    if not isinstance(groups, int) or groups < 1 or channels % groups or count % groups:
        raise ValueError(f"{what}(groups): must divide the {channels} channels of the input and the {count} filters. "
                         f"Received groups={groups!r}.")
    if weight.shape[1] != channels // groups:
        raise ValueError(
            f"{what}(filters): the filters must have {channels} / {groups} = {channels // groups} channels, in "
            f"dimension {rank + 1 if last else 1} (data_format={data_format!r}). Received input.shape="
            f"{list(input.shape)}, filters.shape={list(filters.shape)}.")
    stride, dilation = each(what, "strides", strides, rank), each(what, "dilations", dilations, rank)
    pads = paddings(what, padding, spatial(input, last), list(weight.shape)[2:], stride, dilation, last)
    layout = FORMATS[rank][last]
    function = (functional.conv1d, functional.conv2d, functional.conv3d)[rank - 1]
    return function(input, weight, bias, stride, pads, dilation, groups, _PADDLE_FORMATS.get(layout, layout))


def conv1d(input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NCW", dilations: Any = None,
           groups: int = 1, name: str | None = None) -> Any:
    """As `conv2d`, of sequences [N, C, W] with filters [M, C / groups, k], without a bias."""
    return _convolved("conv1d", 1, input, filters, strides, padding, data_format, dilations, groups)


def conv2d(input: Any, filters: Any, strides: Any, padding: Any, bias: Any = None, data_format: str = "NCHW",
           dilations: Any = None, groups: int = 1, name: str | None = None) -> Any:
    """The cross-correlation of images [N, C, H, W] with filters [M, C / groups, kH, kW], plus a bias [M].

    `padding` is "SAME" (as many windows as positions, divided by the stride and rounded up; where the padding is odd,
    the larger half comes first), "SAME_LOWER" (the same), "SAME_UPPER" (the larger half comes last), "VALID" (none), or
    a number or a pair for each of the four dimensions. With data_format "NHWC" the channels of images and filters are
    last. Older versions had no bias, and data_format, dilations and groups followed the padding: where the
    bias is a str, the arguments are read so. Raises ValueError when shapes do not fit.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.nn.conv2d(paddle.ones([1, 3, 7, 7]), paddle.ones([6, 3, 2, 2]), strides=2, padding="SAME").shape
    [1, 6, 4, 4]
    """
    if isinstance(bias, str):
        if not isinstance(data_format, str):
            dilations, groups = data_format, groups if dilations is None else dilations
        data_format, bias = bias, None
    return _convolved("conv2d", 2, input, filters, strides, padding, data_format, dilations, groups, bias)


def conv3d(input: Any, filters: Any, strides: Any, padding: Any, data_format: str = "NCDHW", dilations: Any = None,
           groups: int = 1, name: str | None = None) -> Any:
    """As `conv2d`, of volumes [N, C, D, H, W] with filters [M, C / groups, kD, kH, kW], without a bias."""
    return _convolved("conv3d", 3, input, filters, strides, padding, data_format, dilations, groups)


def compat_conv2d(input: Any, filters: Any, strides: Any, padding: str, data_format: str = "NCHW",
                  dilations: Any = None, groups: int = 1, name: str | None = None) -> Any:
    """`conv2d` whose "SAME" is TensorFlow's: where the padding is odd, the larger half comes last."""
    rule = "SAME_UPPER" if isinstance(padding, str) and padding.upper() == "SAME" else padding
    return _convolved("compat_conv2d", 2, input, filters, strides, rule, data_format, dilations, groups)


# transposes

def _one_of(what: str, first: str, a: Any, second: str, b: Any) -> Any:
    if (a is None) == (b is None):
        raise ValueError(f"{what}: give either {first} or {second}, which mean the same. "
                         f"Received {'neither' if a is None else 'both'}.")
    return b if a is None else a


def conv2d_transpose(value: Any = None, filter: Any = None, output_shape: Any = None, strides: Any = None,
                     padding: str = "VALID", data_format: str = "NCHW", name: str | None = None, input: Any = None,
                     filters: Any = None, dilations: Any = None) -> Any:
    """The transpose of `conv2d` in its input: images of `output_shape` that `conv2d` makes as large as `value`.

    `filter` is [C, M, kH, kW] for images [N, C, H, W], and [C, kH, kW, M] for [N, H, W, C]. `padding` is "VALID" or
    "SAME"; where that is odd, the smaller half comes first. `input` and `filters` are other names of the first two.
    ValueError when `output_shape` is not a shape that `conv2d` makes into that of `value`.
    """
    what = "conv2d_transpose"
    images = _one_of(what, "value", value, "input", input)
    weight = _one_of(what, "filter", filter, "filters", filters)
    last = is_last(what, data_format, 2)
    check_rank(f"{what}(value)", images, 2)
    check_rank(f"{what}(filter)", weight, 2)
    weight = _channels_second(weight, 2, last)
    stride, dilation = each(what, "strides", strides, 2), each(what, "dilations", dilations, 2)
    wanted = _output_sizes(what, output_shape, images, weight.shape[1], last)
    rule = padding.upper() if isinstance(padding, str) else padding
    if rule not in ("SAME", "VALID"):
        raise ValueError(f"{what}(padding): must be 'SAME' or 'VALID'. Received {padding!r}.")
    sizes, kernel = spatial(images, last), list(weight.shape)[2:]
    for size, out, k, s, d in zip(sizes, wanted, kernel, stride, dilation, strict=True):
        if size != ((out - 1) // s + 1 if rule == "SAME" else (out - (k - 1) * d - 1) // s + 1):
            raise ValueError(f"{what}(output_shape): strides={stride} and padding={padding!r} do not make "
                             f"{list(output_shape)} into the {sizes} of value.")
    needed = [0, 0] if rule == "VALID" else [max(0, (size - 1) * s + (k - 1) * d + 1 - out) for size, out, k, s, d in
                                             zip(sizes, wanted, kernel, stride, dilation, strict=True)]
    pads = [n for all in needed for n in (all // 2, all - all // 2)]
    extra = [out - ((size - 1) * s + (k - 1) * d + 1 - all) for size, out, k, s, d, all in
             zip(sizes, wanted, kernel, stride, dilation, needed, strict=True)]
    return _transposed(images, weight, stride, pads, extra, dilation, last)


def _output_sizes(what: str, output_shape: Any, images: Any, channels: int, last: bool) -> list[int]:
    shape = list(output_shape) if isinstance(output_shape, (list, tuple)) else output_shape
    if not isinstance(shape, list) or len(shape) != 4 or shape[0] != images.shape[0] \
            or shape[3 if last else 1] != channels:
        raise ValueError(f"{what}(output_shape): must be four sizes, those of {images.shape[0]} samples and {channels} "
                         f"channels, which come {'last' if last else 'second'}. Received {output_shape!r}.")
    return shape[1:3] if last else shape[2:]


def _transposed(images: Any, weight: Any, stride: list[int], pads: list[int], extra: list[int], dilation: list[int],
                last: bool) -> Any:
    return functional.conv2d_transpose(images, weight, None, stride, pads, extra, dilation,
                                          data_format="NHWC" if last else "NCHW")


def torch_conv2d_transpose(value: Any = None, filter: Any = None, output_padding: Any = None, strides: Any = None,
                           padding_needed: Any = None, data_format: str = "NCHW", name: str | None = None,
                           input: Any = None, filters: Any = None, dilations: Any = None) -> Any:
    """As `conv2d_transpose`, with PyTorch's arguments: the padding of both sides together, and `output_padding`."""
    what = "torch_conv2d_transpose"
    images = _one_of(what, "value", value, "input", input)
    weight = _one_of(what, "filter", filter, "filters", filters)
    last = is_last(what, data_format, 2)
    check_rank(f"{what}(value)", images, 2)
    check_rank(f"{what}(filter)", weight, 2)
    if not isinstance(padding_needed, (list, tuple)) or len(padding_needed) != 2 or any(n % 2 for n in padding_needed):
        raise ValueError(f"{what}(padding_needed): must be two even numbers, the padding of both sides together. "
                         f"Received {padding_needed!r}.")
    extra = [0, 0] if output_padding is None else each(what, "output_padding", output_padding, 2)
    pads = [n // 2 for n in padding_needed for _ in range(2)]
    return _transposed(images, _channels_second(weight, 2, last), each(what, "strides", strides, 2), pads, extra,
                       each(what, "dilations", dilations, 2), last)

"""Transposed convolutions: conv2d_transpose, depthwise_conv2d_transpose and conv3d_transpose.

Each is the gradient of a convolution with respect to its input, run forwards; so its own gradients are a convolution
and the gradient of one with respect to its filter. Input [N, C, *sizes], filter [C, O / groups, *kernel].
"""


from collections.abc import Sequence
from typing import Any

from . import conv as convolution
from .conv import conv2d_filter_grad_op, conv2d_op, conv3d_filter_grad_op, conv3d_op
from .operator import Ints, Operator, operator
from .trace import apply
from .windows import Pads, resolve_pads


def _output_sizes(sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int],
                  pads: Pads, output_padding: Sequence[int], output_size: Sequence[int]) -> tuple[int, ...]:
    if len(output_size):
        return tuple(output_size)
    extra = output_padding if len(output_padding) else [0] * len(kernel)
    return tuple(
        -1 if n < 0 else (n - 1) * s - sum(p) + d * (k - 1) + 1 + e
        for n, k, s, d, p, e in zip(sizes, kernel, strides, dilations, pads, extra, strict=True))


def _pads_and_dilations(sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
                        algorithm: str, dilations: Sequence[int]) -> tuple[Pads, Sequence[int]]:
    pads = resolve_pads(algorithm, paddings, sizes, kernel, strides)
    return pads, [1] * len(kernel) if algorithm == "SAME" else dilations


def _conv_transpose(xp, x, w, *, strides: Ints = (1, 1), paddings: Ints = (0, 0), output_padding: Ints = (),
                    output_size: Ints = (), padding_algorithm: str = "EXPLICIT", groups: int = 1,
                    dilations: Ints = (1, 1), data_format: str = "NCHW"):
    x = convolution.channels_first(x, data_format)
    if x.shape[0] != w.shape[0]:
        raise ValueError("channels do not match")
    pads, dilations = _pads_and_dilations(x.shape[2:], w.shape[2:], strides, paddings, padding_algorithm, dilations)
    sizes = _output_sizes(x.shape[2:], w.shape[2:], strides, dilations, pads, output_padding, output_size)
    plan = convolution.Plan(tuple(w.shape[2:]), strides, dilations, pads, x.shape[2:])
    return convolution.in_format(convolution.spread(xp, x, w, sizes, plan, groups), data_format)


def _infer(x, w, *, strides, paddings, output_padding=(), output_size=(), padding_algorithm="EXPLICIT", groups=1,
           dilations, data_format="NCHW"):
    channels = x.shape[-1 if convolution.is_last(data_format) else 1]
    if x.rank != w.rank or channels not in (-1, w.shape[0]):
        raise ValueError(
            f"conv_transpose(x, weight): x must have weight.shape[0] channels, and as many dimensions as weight. "
            f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}, data_format={data_format!r}."
        )
    sizes = convolution.spatial(x.shape, data_format)
    pads, dilations = _pads_and_dilations(sizes, w.shape[2:], strides, paddings, padding_algorithm, dilations)
    smallest = _output_sizes(sizes, w.shape[2:], strides, dilations, pads, (), ())
    result = _output_sizes(sizes, w.shape[2:], strides, dilations, pads, output_padding, output_size)
    for low, size, stride in zip(smallest, result, strides, strict=True):
        if low >= 0 and not low <= size < low + stride:
            raise ValueError(
                f"conv_transpose(x, weight, output_size): each size must lie in [n, n + stride), n being "
                f"{list(smallest)} here. Received {list(result)}, stride {list(strides)}."
            )
    return convolution.output_spec(x, w.shape[1] * groups, result, data_format)


def _conv_attributes(x_shape: Sequence[int], w_shape: Sequence[int], attrs: dict[str, Any]) -> dict[str, Any]:
    """The attributes of the convolution whose gradient this is; 'SAME' is measured on the input here."""
    pads, dilations = _pads_and_dilations(
        convolution.spatial(x_shape, attrs["data_format"]), w_shape[2:], attrs["strides"], attrs["paddings"],
        attrs["padding_algorithm"], attrs["dilations"])
    return {"strides": attrs["strides"], "paddings": [p for pair in pads for p in pair], "dilations": list(dilations),
            "padding_algorithm": "EXPLICIT", "groups": attrs["groups"], "data_format": attrs["data_format"]}


def _declare(type: str, conv: Operator, filter_grad: Operator) -> Operator:
    def rule(g, Input, Filter, attrs, wants):
        given = _conv_attributes(tuple(Input.shape), tuple(Filter.shape), attrs)
        return (apply(conv, g, Filter, **given) if wants[0] else None,
                apply(filter_grad, g, Input, filter_shape=list(Filter.shape), **given) if wants[1] else None)

    return operator(type, "Input, Filter -> Output", kernel=_conv_transpose, infer=_infer, grad={"Input, Filter": rule})


conv2d_transpose_op = _declare("conv2d_transpose", conv2d_op, conv2d_filter_grad_op)
depthwise_conv2d_transpose_op = _declare("depthwise_conv2d_transpose", conv2d_op, conv2d_filter_grad_op)
conv3d_transpose_op = _declare("conv3d_transpose", conv3d_op, conv3d_filter_grad_op)


"""Convolutions and their gradients, each an operator: conv2d, depthwise_conv2d, conv2d_transpose, and those in 3-D.

A convolution is one matrix product of the filter with the windows of the input. With batch behind channels the
product's result needs no rearranging: it is handed on as a transposed view, which every operator takes. Windows are
copied a few images at a time, so that the copy stays in the processor's cache. The gradients are operators too:
`conv2d_input_grad` and `conv2d_filter_grad`; convolution and these two express each other's gradients, to any order.

Shapes: input [N, C, *sizes] (or channels last, by `data_format`), filter [O, C / groups, *kernel]; that of a transposed
convolution [C, O / groups, *kernel]. With the padding 'SAME' dilations count as 1, as they do in Paddle's files.
"""


import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from .infer import product
from .operator import Ints, Operator, find, operator
from .spec import Spec
from .trace import apply
from .windows import Pads, padded, resolve_pads, window_count, window_slices, window_view

_BLOCK = 1 << 20  # elements of windows that are copied at a time


class Plan(NamedTuple):
    """The sizes of one convolution: all that follows from shapes and attributes."""

    kernel: tuple[int, ...]
    strides: Sequence[int]
    dilations: Sequence[int]
    pads: Pads
    counts: tuple[int, ...]


def _plan(sizes: Sequence[int], filter_shape: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
          padding_algorithm: str, dilations: Sequence[int]) -> Plan:
    kernel = tuple(filter_shape[2:])
    pads = resolve_pads(padding_algorithm, paddings, sizes, kernel, strides)
    if padding_algorithm == "SAME":
        dilations = [1] * len(kernel)
    counts = tuple(map(window_count, sizes, kernel, strides, pads, dilations))
    if 0 in counts:
        raise ValueError(
            f"conv(x, weight): the dilated kernel does not fit into the padded input. Received spatial sizes "
            f"{list(sizes)}, kernel {list(kernel)}, dilation {list(dilations)}, padding {pads}."
        )
    return Plan(kernel, strides, dilations, pads, counts)


def is_last(data_format: str) -> bool:
    """True where channels come last: 'NHWC', 'NDHWC'."""
    return data_format[-1] == "C"


def channels_first(x: Any, data_format: str) -> Any:
    """A view with channels and batch in front: [C, N, *sizes]."""
    order = range(1, x.ndim - 1) if is_last(data_format) else range(2, x.ndim)
    return x.transpose(x.ndim - 1 if is_last(data_format) else 1, 0, *order)


def in_format(y: Any, data_format: str) -> Any:
    """The view of [C, N, *sizes] that the data format wants."""
    return y.transpose(1, *range(2, y.ndim), 0) if is_last(data_format) else y.swapaxes(0, 1)


def spatial(shape: Sequence[int], data_format: str) -> tuple[int, ...]:
    return tuple(shape[1:-1] if is_last(data_format) else shape[2:])


def _is_pointwise(plan: Plan) -> bool:
    return max(plan.kernel) == max(plan.strides) == 1 and not any(map(any, plan.pads))


def _blocks(xp: Any, x: Any, plan: Plan, groups: int) -> Any:
    """Pairs of a slice of the batch and its windows as matrices [groups, C / groups * kernel, images * counts]."""
    channels, batch = x.shape[:2]
    rows, columns = channels // groups * product(plan.kernel), product(plan.counts)
    if _is_pointwise(plan):
        yield slice(0, batch), x.reshape(groups, rows, batch * columns)
        return
    view = window_view(xp, x, plan.kernel, plan.counts, plan.strides, plan.dilations)
    images = max(1, min(batch, _BLOCK // max(groups * rows * columns, 1)))
    windows = xp.empty((channels, *plan.kernel, images, *plan.counts), x.dtype)
    behind_kernel = (slice(None),) * (1 + len(plan.kernel))
    for start in range(0, batch, images):
        here = slice(start, min(start + images, batch))
        part = view[(*behind_kernel, here)]
        target = windows if part.shape == windows.shape else xp.empty(part.shape, x.dtype)
        target[...] = part
        yield here, target.reshape(groups, rows, -1)


def _conv(xp, x, w, *, strides: Ints = (1, 1), paddings: Ints = (0, 0), padding_algorithm: str = "EXPLICIT",
          dilations: Ints = (1, 1), groups: int = 1, data_format: str = "NCHW"):
    x = channels_first(x, data_format)
    plan = _plan(x.shape[2:], w.shape, strides, paddings, padding_algorithm, dilations)
    if x.shape[0] != w.shape[1] * groups:
        raise ValueError("channels do not match")
    x = padded(xp, x, plan.pads)
    batch, outputs = x.shape[1], w.shape[0]
    result = xp.empty((outputs, batch, *plan.counts), x.dtype)
    matrices = w.reshape(groups, outputs // groups, -1)
    for here, windows in _blocks(xp, x, plan, groups):
        part = result[:, here]
        if groups == 1:
            xp.matmul(matrices[0], windows[0], out=part.reshape(outputs, -1))
        else:
            part[...] = xp.matmul(matrices, windows).reshape(part.shape)
    return in_format(result, data_format)


def _grouped(x: Any, groups: int) -> Any:
    """[C, N, *sizes] as matrices [groups, C / groups, N * sizes]."""
    return x.reshape(groups, x.shape[0] // groups, -1)


def _filter_gradient(xp, x, g, *, filter_shape: Ints, strides: Ints = (1, 1), paddings: Ints = (0, 0),
                     padding_algorithm: str = "EXPLICIT", dilations: Ints = (1, 1), groups: int = 1,
                     data_format: str = "NCHW"):
    x, g = channels_first(x, data_format), channels_first(g, data_format)
    plan = _plan(x.shape[2:], filter_shape, strides, paddings, padding_algorithm, dilations)
    x = padded(xp, x, plan.pads)
    total = 0
    for here, windows in _blocks(xp, x, plan, groups):
        total = total + xp.matmul(_grouped(g[:, here], groups), windows.swapaxes(-1, -2))
    return total.reshape(filter_shape)


def _input_gradient(xp, w, g, like=None, *, sizes: Ints = (), strides: Ints = (1, 1), paddings: Ints = (0, 0),
                    padding_algorithm: str = "EXPLICIT", dilations: Ints = (1, 1), groups: int = 1,
                    data_format: str = "NCHW"):
    sizes = spatial(like.shape, data_format) if like is not None else tuple(sizes)
    plan = _plan(sizes, w.shape, strides, paddings, padding_algorithm, dilations)
    return in_format(spread(xp, channels_first(g, data_format), w, sizes, plan, groups), data_format)


def spread(xp: Any, g: Any, w: Any, sizes: tuple[int, ...], plan: Plan, groups: int) -> Any:
    """What the filter makes of each element of g [O, N, *counts], added up where windows overlap: [C, N, *sizes]."""
    channels, batch, outputs = w.shape[1] * groups, g.shape[1], g.shape[0]
    matrices = w.reshape(groups, outputs // groups, -1).swapaxes(-1, -2)
    if _is_pointwise(plan):
        return xp.matmul(matrices, _grouped(g, groups)).reshape(channels, batch, *sizes)
    outer = tuple(n + before + after for n, (before, after) in zip(sizes, plan.pads, strict=True))
    result = xp.zeros((channels, batch, *outer), g.dtype)
    images = max(1, min(batch, _BLOCK // max(channels * product(plan.kernel) * product(plan.counts), 1)))
    for start in range(0, batch, images):
        part = g[:, start:start + images]
        windows = xp.matmul(matrices, _grouped(part, groups))
        windows = windows.reshape(channels, *plan.kernel, part.shape[1], *plan.counts)
        _add_windows(windows, result[:, start:start + images], plan)
    inner = tuple(slice(before, before + n) for n, (before, _) in zip(sizes, plan.pads, strict=True))
    return result[(slice(None), slice(None), *inner)]


def _add_windows(windows: Any, target: Any, plan: Plan) -> None:
    for offsets in itertools.product(*map(range, plan.kernel)):
        target[window_slices(offsets, plan.counts, plan.strides, plan.dilations)] += windows[(slice(None), *offsets)]


# shapes

def _infer_conv(x, w, *, strides=(1, 1), paddings=(0, 0), padding_algorithm="EXPLICIT", dilations=(1, 1), groups=1,
                data_format="NCHW"):
    if x.rank != w.rank or x.rank != len(strides) + 2:
        raise ValueError(f"conv(x, weight): x and weight must have {len(strides) + 2} dimensions. "
                         f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}.")
    channels = x.shape[-1 if is_last(data_format) else 1]
    if channels not in (-1, w.shape[1] * groups) or w.shape[0] % groups:
        raise ValueError(
            f"conv(x, weight): x must have weight.shape[1] * groups channels, and weight.shape[0] be a multiple of "
            f"groups. Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}, groups={groups}, "
            f"data_format={data_format!r}."
        )
    plan = _plan(spatial(x.shape, data_format), w.shape, strides, paddings, padding_algorithm, dilations)
    return output_spec(x, w.shape[0], plan.counts, data_format)


def output_spec(x: Spec, channels: int, sizes: tuple[int, ...], data_format: str) -> Spec:
    shape = (x.shape[0], *sizes, channels) if is_last(data_format) else (x.shape[0], channels, *sizes)
    return Spec(shape, x.dtype)


def _infer_input_gradient(w, g, like=None, *, sizes=(), groups=1, data_format="NCHW", **_):
    sizes = spatial(like.shape, data_format) if like is not None else tuple(sizes)
    return output_spec(g, w.shape[1] * groups, sizes, data_format)


# The declarations, and the gradients that express each other

_SHARED = ("strides", "paddings", "padding_algorithm", "dilations", "groups", "data_format")


def _shared(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in _SHARED}


def _input_gradient_of(op: Operator, w: Any, g: Any, shape: Any, attrs: dict[str, Any]) -> Any:
    """`shape`: that of the input, a tuple, or the value where it has unknown sizes."""
    known = spatial(shape if type(shape) is tuple else shape.shape, attrs["data_format"])
    if -1 in known:
        return apply(op, w, g, shape, **_shared(attrs))
    return apply(op, w, g, None, sizes=known, **_shared(attrs))


def _filter_gradient_of(op: Operator, x: Any, g: Any, shape: Any, attrs: dict[str, Any]) -> Any:
    return apply(op, x, g, filter_shape=list(shape), **_shared(attrs))


def _declare_gradients(type: str) -> tuple[Operator, Operator]:
    """The operators of the gradients of the convolution `type`, which it declares itself."""
    input_op = operator(
        f"{type}_input_grad", "Filter, OutputGrad, Like? -> InputGrad", kernel=_input_gradient,
        infer=_infer_input_gradient, grad={
            "Filter": lambda g, OutputGrad, Filter_shape, attrs: _filter_gradient_of(
                filter_op, g, OutputGrad, Filter_shape, attrs),
            "OutputGrad": lambda g, Filter, attrs: apply(find(type), g, Filter, **_shared(attrs))})
    filter_op = operator(
        f"{type}_filter_grad", "Input, OutputGrad -> FilterGrad", kernel=_filter_gradient,
        infer=lambda x, g, *, filter_shape, **_: Spec(tuple(filter_shape), x.dtype), grad={
            "Input": lambda g, OutputGrad, Input_shape, attrs: _input_gradient_of(
                input_op, g, OutputGrad, Input_shape, attrs),
            "OutputGrad": lambda g, Input, attrs: apply(find(type), Input, g, **_shared(attrs))})
    return input_op, filter_op


def _declare(type: str, input_op: Operator, filter_op: Operator) -> Operator:
    return operator(type, "Input, Filter -> Output", kernel=_conv, infer=_infer_conv, grad={
        "Input": lambda g, Filter, Input_shape, attrs: _input_gradient_of(input_op, Filter, g, Input_shape, attrs),
        "Filter": lambda g, Input, Filter_shape, attrs: _filter_gradient_of(filter_op, Input, g, Filter_shape, attrs)})


conv2d_input_grad_op, conv2d_filter_grad_op = _declare_gradients("conv2d")
conv3d_input_grad_op, conv3d_filter_grad_op = _declare_gradients("conv3d")
conv2d_op = _declare("conv2d", conv2d_input_grad_op, conv2d_filter_grad_op)
depthwise_conv2d_op = _declare("depthwise_conv2d", conv2d_input_grad_op, conv2d_filter_grad_op)
conv3d_op = _declare("conv3d", conv3d_input_grad_op, conv3d_filter_grad_op)

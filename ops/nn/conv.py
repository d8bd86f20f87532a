"""Convolution and its transpose in two and three dimensions: conv2d, depthwise_conv2d, conv3d, conv2d_transpose, …

The gradients are operators of their own, and each other's gradients: `conv_input_grad` is linear in the result's
gradient and the filter, `conv_filter_grad` in the input and the result's gradient.
"""


from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import onednn
from ...backend.engines import ONEDNN
from ..core import kept_panels
from ..core.facts import convolution, filter_gradient, transposed_convolution
from ..core.kernels import by
from ..core.operator import Ints, Operator, operator
from ..core.panels import (
    FILTERS,
    OWN,
    PANELS,
    TURNED,
    Windows,
    convolve_tiles,
    gradient_by_tiles,
    gradient_of_filters,
    multiply,
    side_by_side,
    suit_filter_tiles,
    suit_tiles,
)
from ..core.spec import Spec
from ..core.trace import apply
from .conv_kernels import convolve, convolve_back, correlate
from .layout import channels_first, channels_of, channels_restored, full_shape, sizes_along
from .windows import Geometry, geometry, pad_pairs

_F32 = np.dtype(np.float32)
_FILTERS, _CHANNELS = 48, 8  # fewer fill the vectors of a panel badly: oneDNN's code for them is faster
_PLACES = 1 << 13  # of images: at more oneDNN's code is as fast for gradients of filters, and where windows stand apart
_VECTOR = 16  # filters whose gradient fills vectors
_LARGE = 1 << 17  # elements of a filter that are worth turning round for the gradient of images


def _ones_for(sizes: Sequence[int], given: Sequence[int]) -> Sequence[int]:
    """An attribute, or 1 in each dimension where it is not given."""
    return given if len(given) else [1] * len(sizes)


def _geometry(sizes: Sequence[int], kernel: Sequence[int], strides: Any, paddings: Any, dilations: Any,
              algorithm: str) -> Geometry:
    return geometry("conv", sizes, kernel, _ones_for(sizes, strides), paddings if len(paddings) else [0] * len(sizes),
                    _ones_for(sizes, dilations), algorithm)


# the three maps

def _conv(xp, x, w, *, strides: Ints = (), paddings: Ints = (), padding_algorithm: str = "EXPLICIT",
          dilations: Ints = (), groups: int = 1, data_format: str = "NCHW"):
    x = channels_first(x, data_format)
    geo = _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations, padding_algorithm)
    return channels_restored(convolve(xp, x, w, geo, groups), data_format)


def _infer_conv(x, w, *, strides=(), paddings=(), padding_algorithm="EXPLICIT", dilations=(), groups=1,
                data_format="NCHW"):
    _check_ranks(x, w)
    channels = channels_of(x.shape, data_format)
    if min(channels, w.shape[1]) >= 0 and channels != w.shape[1] * groups:
        raise ValueError(
            f"conv(x, weight): x must have weight.shape[1] * groups = {w.shape[1] * groups} channels in dimension "
            f"{'-1' if data_format[-1] == 'C' else '1'} (data_format={data_format!r}). Received "
            f"x.shape={list(x.shape)}, weight.shape={list(w.shape)}, groups={groups}."
        )
    if w.shape[0] >= 0 and w.shape[0] % groups:
        raise ValueError(
            f"conv(x, weight, groups): groups must divide the {w.shape[0]} filters. Received groups={groups}.")
    geo = _geometry(sizes_along(x.shape, data_format), w.shape[2:], strides, paddings, dilations, padding_algorithm)
    return Spec(full_shape(x.shape[0], w.shape[0], geo.out, data_format), x.dtype)


def _check_ranks(x: Spec, w: Spec) -> None:
    if x.rank != w.rank:
        raise ValueError(
            f"conv(x, weight): x and weight must have {w.rank} dimensions alike. "
            f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}."
        )


def _input_grad(xp, g, w, like=None, *, size: Ints = (), strides: Ints = (), paddings: Ints = (),
                padding_algorithm: str = "EXPLICIT", dilations: Ints = (), groups: int = 1, data_format: str = "NCHW"):
    g = channels_first(g, data_format)
    sizes = sizes_along(like.shape, data_format) if like is not None else tuple(size)
    geo = _geometry(sizes, w.shape[2:], strides, paddings, dilations, padding_algorithm)
    return channels_restored(convolve_back(xp, g, w, geo, groups), data_format)


def _infer_input_grad(g, w, like=None, *, size=(), groups=1, data_format="NCHW", **_):
    sizes = sizes_along(like.shape, data_format) if like is not None else tuple(size)
    return Spec(full_shape(g.shape[0], max(w.shape[1] * groups, -1), sizes, data_format), g.dtype)


def _filter_grad(xp, x, g, *, kernel: Ints, strides: Ints = (), paddings: Ints = (),
                 padding_algorithm: str = "EXPLICIT", dilations: Ints = (), groups: int = 1, data_format: str = "NCHW"):
    x, g = channels_first(x, data_format), channels_first(g, data_format)
    geo = _geometry(x.shape[2:], kernel, strides, paddings, dilations, padding_algorithm)
    return correlate(xp, x, g, geo, groups)


def _infer_filter_grad(x, g, *, kernel, groups=1, data_format="NCHW", **_):
    channels = channels_of(x.shape, data_format)
    return Spec((channels_of(g.shape, data_format), channels // groups, *kernel), x.dtype)


# the same by code for any sizes, and by oneDNN, on NumPy arrays

def windows_of(geo: Geometry) -> Windows:
    """The same as panels have it."""
    begin, end = zip(*geo.pads, strict=True)
    return Windows(geo.strides, begin, end, geo.dilations)


def _conv_by_panels(x, w, *, strides=(), paddings=(), padding_algorithm="EXPLICIT", dilations=(), groups=1,
                    data_format="NCHW"):
    is_by_channel = groups == w.shape[0] > 1 == w.shape[1]
    is_wide = groups == 1 and w.shape[0] >= _FILTERS and w.shape[1] >= _CHANNELS
    if not (is_by_channel or is_wide) or x.ndim != 4 or x.dtype != _F32 or w.dtype != _F32 or not x.size:
        return NotImplemented
    x = channels_first(x, data_format)
    geo = _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations, padding_algorithm)
    kind, windows = OWN if is_by_channel else FILTERS, windows_of(geo)
    if kind == FILTERS and suit_tiles(*w.shape[:2], geo.kernel, windows, geo.out):
        found = convolve_tiles(x, w, FILTERS, windows)
        if found is not NotImplemented:
            return channels_restored(found, data_format)
    kept = kept_panels.of(w, kind, windows)

    def run(images):
        return multiply(images, w, None, None, kind, windows) if kept is None else kept(images, w, None, None, None)

    found = run(x)
    if found is None:
        found = run(side_by_side(x))
    return NotImplemented if found is None else channels_restored(found, data_format)



def _conv_by_onednn(x, w, *, strides=(), paddings=(), padding_algorithm="EXPLICIT", dilations=(), groups=1,
                    data_format="NCHW"):
    if not onednn.is_ready():
        return NotImplemented
    x = channels_first(x, data_format)
    geo = _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations, padding_algorithm)
    return _restored(onednn.convolution(x, w, geo.strides, geo.pads, geo.dilations, groups), data_format)


def _whole_images(g, w, geo, data_format):
    """Images of which each is one window, as the first layer of a generator gives them: a product of matrices."""
    if geo.out != (1, 1) or geo.kernel != geo.sizes or geo.is_padded or not _CHANNELS <= len(w) == g.shape[1]:
        return NotImplemented
    found = multiply(g.reshape(g.shape[:2]), w.reshape(len(w), -1))
    if found is None:
        return NotImplemented
    return channels_restored(side_by_side(found.reshape(-1, *w.shape[1:])), data_format)


def _input_grad_by_panels(g, w, like=None, *, size=(), strides=(), paddings=(), padding_algorithm="EXPLICIT",
                          dilations=(), groups=1, data_format="NCHW"):
    """It is a convolution itself, with the filters turned round, and zeros between what stood apart."""
    if groups != 1 or g.ndim != 4 or g.dtype != _F32 or w.dtype != _F32 or not g.size:
        return NotImplemented
    g = channels_first(g, data_format)
    sizes = sizes_along(like.shape, data_format) if like is not None else tuple(size)
    geo = _geometry(sizes, w.shape[2:], strides, paddings, dilations, padding_algorithm)
    found = _whole_images(g, w, geo, data_format)
    if found is not NotImplemented or w.shape[1] < _FILTERS:
        return found
    reach = [(count - 1) * apart for count, apart in zip(geo.kernel, geo.dilations, strict=True)]
    begin = tuple([far - before for far, (before, _) in zip(reach, geo.pads, strict=True)])
    spread = [(count - 1) * stride + 1 for count, stride in zip(geo.out, geo.strides, strict=True)]
    end = tuple([size + far - before - wide
                 for size, far, before, wide in zip(geo.sizes, reach, begin, spread, strict=True)])
    if min(*begin, *end) < 0:
        return NotImplemented
    windows = Windows(geo.strides, begin, end, geo.dilations)
    if suit_tiles(w.shape[1], w.shape[0], geo.kernel, windows, geo.sizes):
        found = convolve_tiles(g, w, TURNED, windows)
        if found is not NotImplemented:
            return channels_restored(found, data_format)
    is_apart, places = geo.strides != (1, 1), len(g) * geo.sizes[0] * geo.sizes[1]
    if w.size < _LARGE or (is_apart and places > _PLACES):
        return NotImplemented
    found = multiply(g, w, None, None, TURNED, windows)
    if found is None:
        found = multiply(side_by_side(g), w, None, None, TURNED, windows)
    return NotImplemented if found is None else channels_restored(found, data_format)


def conv_geometry(x: Any, w: Any, strides: Any, paddings: Any, padding_algorithm: str, dilations: Any) -> Geometry:
    """Where the windows of images [n, c, *sizes] lie."""
    return _geometry(x.shape[2:], w.shape[2:], strides, paddings, dilations, padding_algorithm)


def _restored(result: Any, data_format: str) -> Any:
    return result if result is NotImplemented else channels_restored(result, data_format)


def _input_grad_by_onednn(g, w, like=None, *, size=(), strides=(), paddings=(), padding_algorithm="EXPLICIT",
                          dilations=(), groups=1, data_format="NCHW"):
    if not onednn.is_ready():
        return NotImplemented
    g = channels_first(g, data_format)
    sizes = sizes_along(like.shape, data_format) if like is not None else tuple(size)
    geo = _geometry(sizes, w.shape[2:], strides, paddings, dilations, padding_algorithm)
    return _restored(onednn.convolution_input_grad(g, w, geo.sizes, geo.strides, geo.pads, geo.dilations, groups),
                     data_format)


def _filter_grad_by_panels(x, g, *, kernel, strides=(), paddings=(), padding_algorithm="EXPLICIT", dilations=(),
                           groups=1, data_format="NCHW"):
    """Sums over places; nothing is multiplied by what is padding."""
    if groups != 1 or x.ndim != 4 or x.dtype != _F32 or g.dtype != _F32:
        return NotImplemented
    x, g = channels_first(x, data_format), channels_first(g, data_format)
    geo = _geometry(x.shape[2:], kernel, strides, paddings, dilations, padding_algorithm)
    windows = windows_of(geo)
    if suit_filter_tiles(g.shape[1], x.shape[1], geo.kernel, windows, len(g), geo.out):
        found = gradient_by_tiles(x, g, windows)
        if found is not NotImplemented:
            return found
    if not 0 < len(g) * g.shape[2] * g.shape[3] <= _PLACES or g.shape[1] % _VECTOR or x.shape[1] < _CHANNELS:
        return NotImplemented
    found = gradient_of_filters(x, g, geo.kernel, windows)
    if found is NotImplemented:
        found = gradient_of_filters(side_by_side(x), side_by_side(g), geo.kernel, windows)
    return found


def _filter_grad_by_onednn(x, g, *, kernel, strides=(), paddings=(), padding_algorithm="EXPLICIT", dilations=(),
                           groups=1, data_format="NCHW"):
    if not onednn.is_ready():
        return NotImplemented
    x, g = channels_first(x, data_format), channels_first(g, data_format)
    geo = _geometry(x.shape[2:], kernel, strides, paddings, dilations, padding_algorithm)
    return onednn.convolution_filter_grad(x, g, geo.kernel, geo.strides, geo.pads, geo.dilations, groups)


# their gradients, by each other

def _declared(shape: Any) -> tuple[int, ...]:
    """What a rule gets as a shape (a tuple, or the value itself where a size is not known) as sizes, -1 among them."""
    return shape if type(shape) is tuple else tuple(shape.shape)


def _window_of(filter_shape: Any) -> list[int]:
    sizes = _declared(filter_shape)
    if -1 in sizes[2:]:
        raise ValueError("conv(x, weight): the gradient by weight needs the sizes of its windows. Received "
                         f"weight.shape={list(sizes)}. Declare those behind the first two.")
    return list(sizes[2:])


def _to_input(g: Any, w: Any, shape: Any, data_format: str, **attrs: Any) -> Any:
    """The gradient of an input, of which only the shape is needed."""
    sizes = sizes_along(_declared(shape), data_format)
    like = shape if -1 in sizes else None
    size = [] if like is not None else list(sizes)
    return apply(input_grad_op, g, w, like, size=size, data_format=data_format, **attrs)


def _by_input(g, Filter, Input_shape, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return _to_input(g, Filter, Input_shape, data_format, strides=strides, paddings=paddings,
                     padding_algorithm=padding_algorithm, dilations=dilations, groups=groups)


def _by_filter(g, Input, Filter_shape, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return apply(filter_grad_op, Input, g, kernel=_window_of(Filter_shape), strides=strides, paddings=paddings,
                 padding_algorithm=padding_algorithm, dilations=dilations, groups=groups, data_format=data_format)


def _convolution(type: str, precision: str = "gray", compiled: str = "") -> Operator:
    return operator(type, "Input, Filter -> Output", kernel=_conv,
                    engines=[by(PANELS, _conv_by_panels), by(ONEDNN, _conv_by_onednn)], infer=_infer_conv,
                    grad={"Input": _by_input, "Filter": _by_filter}, cost=convolution, precision=precision,
                    promotes=True, compiled=compiled, holomorphic=True)


conv2d_op = _convolution("conv2d", precision="white", compiled="convolution")
depthwise_conv2d_op = _convolution("depthwise_conv2d")
conv3d_op = _convolution("conv3d")


def _back_by_gradient(g, Filter, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return apply(_conv_op_of(Filter), g, Filter, strides=strides, paddings=paddings,
                 padding_algorithm=padding_algorithm, dilations=dilations, groups=groups, data_format=data_format)


def _conv_op_of(w: Any) -> Operator:
    return conv3d_op if w.ndim == 5 else conv2d_op


def _back_by_filter(g, G, Filter_shape, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return apply(filter_grad_op, g, G, kernel=_window_of(Filter_shape), strides=strides, paddings=paddings,
                 padding_algorithm=padding_algorithm, dilations=dilations, groups=groups, data_format=data_format)


def _correlated_by_input(g, G, Input_shape, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return _to_input(G, g, Input_shape, data_format, strides=strides, paddings=paddings,
                     padding_algorithm=padding_algorithm, dilations=dilations, groups=groups)


def _correlated_by_gradient(g, Input, strides, paddings, padding_algorithm, dilations, groups, data_format):
    return apply(_conv_op_of(g), Input, g, strides=strides, paddings=paddings, padding_algorithm=padding_algorithm,
                 dilations=dilations, groups=groups, data_format=data_format)


input_grad_op = operator("conv_input_grad", "G, Filter, Like? -> Output", kernel=_input_grad,
                         engines=[by(PANELS, _input_grad_by_panels), by(ONEDNN, _input_grad_by_onednn)],
                         infer=_infer_input_grad, grad={"G": _back_by_gradient, "Filter": _back_by_filter},
                         cost=transposed_convolution, only_here=True)
filter_grad_op = operator("conv_filter_grad", "Input, G -> Output", kernel=_filter_grad,
                          engines=[by(PANELS, _filter_grad_by_panels), by(ONEDNN, _filter_grad_by_onednn)],
                          infer=_infer_filter_grad,
                          grad={"Input": _correlated_by_input, "G": _correlated_by_gradient},
                          cost=filter_gradient, only_here=True)


# the transpose

def _explicit(sizes: Sequence[int], kernel: Sequence[int], strides: Any, paddings: Any, algorithm: str) -> list[int]:
    """The padding in numbers, which the algorithm SAME derives from the sizes."""
    strides = _ones_for(sizes, strides)
    if algorithm == "SAME":
        if -1 in sizes:
            raise NotImplementedError(
                "conv_transpose(padding='SAME'): the sizes of x must be known. Give the padding in numbers.")
        pads = geometry("conv_transpose", sizes, kernel, strides, [0] * len(sizes), [1] * len(sizes), "SAME").pads
    else:
        none = algorithm == "VALID" or not len(paddings)
        pads = ((0, 0),) * len(sizes) if none else pad_pairs(paddings, len(sizes))
    return [number for pair in pads for number in pair]


def _dilations_for(algorithm: str, dilations: Any) -> Any:
    """The dilations that count: the algorithm SAME takes windows without any, here as in a convolution."""
    return () if algorithm == "SAME" else dilations


def _transposed_sizes(sizes: Sequence[int], kernel: Sequence[int], strides: Any, pads: Sequence[int], dilations: Any,
                      output_padding: Sequence[int], output_size: Sequence[int]) -> list[int]:
    result = []
    for n, size in enumerate(sizes):
        stride, dilation = _ones_for(sizes, strides)[n], _ones_for(sizes, dilations)[n]
        least = (size - 1) * stride - pads[2 * n] - pads[2 * n + 1] + dilation * (kernel[n] - 1) + 1
        wanted = output_size[n] if len(output_size) else least + (output_padding[n] if len(output_padding) else 0)
        known = min(size, kernel[n]) >= 0
        if known and not least <= wanted < least + stride:
            raise ValueError(
                f"conv_transpose(output_size, output_padding): size {n} of the result must lie in "
                f"[{least}, {least + stride}). Received {wanted}."
            )
        result.append(int(wanted) if known or len(output_size) else -1)
    return result


def _conv_transpose(xp, x, w, bias=None, *, strides: Ints = (), paddings: Ints = (), output_padding: Ints = (),
                    output_size: Ints = (), padding_algorithm: str = "EXPLICIT", groups: int = 1, dilations: Ints = (),
                    data_format: str = "NCHW"):
    x = channels_first(x, data_format)
    geo = _transposed_geometry(x.shape[2:], w.shape[2:], strides, paddings, output_padding, output_size,
                               padding_algorithm, dilations)
    result = convolve_back(xp, x, w, geo, groups)
    if bias is not None:
        result = result + bias.reshape(-1, *(1,) * len(geo.sizes))
    return channels_restored(result, data_format)


def _transposed_geometry(sizes: Sequence[int], kernel: Sequence[int], strides: Any, paddings: Any, output_padding: Any,
                         output_size: Any, algorithm: str, dilations: Any) -> Geometry:
    """The windows of the convolution whose transpose this is."""
    pads, dilations = _explicit(sizes, kernel, strides, paddings, algorithm), _dilations_for(algorithm, dilations)
    wanted = _transposed_sizes(sizes, kernel, strides, pads, dilations, output_padding, output_size)
    return _geometry(wanted, kernel, strides, pads, dilations, "EXPLICIT")


def _transposed_by_panels(x, w, bias=None, *, strides=(), paddings=(), output_padding=(), output_size=(),
                          padding_algorithm="EXPLICIT", groups=1, dilations=(), data_format="NCHW"):
    if groups != 1 or x.ndim != 4 or x.dtype != _F32 or w.dtype != _F32 or not x.size:
        return NotImplemented
    x = channels_first(x, data_format)
    geo = _transposed_geometry(x.shape[2:], w.shape[2:], strides, paddings, output_padding, output_size,
                               padding_algorithm, dilations)
    result = _whole_images(x, w, geo, data_format)
    if bias is not None and result is not NotImplemented:
        result += bias if data_format == "NHWC" else bias.reshape(-1, 1, 1)
    return result


def _transposed_by_onednn(x, w, bias=None, *, strides=(), paddings=(), output_padding=(), output_size=(),
                          padding_algorithm="EXPLICIT", groups=1, dilations=(), data_format="NCHW"):
    if not onednn.is_ready():
        return NotImplemented
    x = channels_first(x, data_format)
    geo = _transposed_geometry(x.shape[2:], w.shape[2:], strides, paddings, output_padding, output_size,
                               padding_algorithm, dilations)
    result = onednn.convolution_input_grad(x, w, geo.sizes, geo.strides, geo.pads, geo.dilations, groups)
    if bias is not None and result is not NotImplemented:
        result += bias.reshape(-1, *(1,) * len(geo.sizes))
    return _restored(result, data_format)


def _infer_transpose(x, w, bias=None, *, strides=(), paddings=(), output_padding=(), output_size=(),
                     padding_algorithm="EXPLICIT", groups=1, dilations=(), data_format="NCHW"):
    _check_ranks(x, w)
    channels, sizes = channels_of(x.shape, data_format), sizes_along(x.shape, data_format)
    if min(channels, w.shape[0]) >= 0 and channels != w.shape[0]:
        raise ValueError(
            f"conv_transpose(x, weight): x must have weight.shape[0] = {w.shape[0]} channels. "
            f"Received x.shape={list(x.shape)}, weight.shape={list(w.shape)}, data_format={data_format!r}."
        )
    if padding_algorithm == "SAME" and -1 in sizes:
        result = [-1] * len(sizes)
    else:
        pads = _explicit(sizes, w.shape[2:], strides, paddings, padding_algorithm)
        result = _transposed_sizes(sizes, w.shape[2:], strides, pads, _dilations_for(padding_algorithm, dilations),
                                   output_padding, output_size)
    return Spec(full_shape(x.shape[0], max(w.shape[1] * groups, -1), result, data_format), x.dtype)


def _transposed_by_input(g, Filter, Input_shape, strides, paddings, padding_algorithm, groups, dilations, data_format):
    sizes = sizes_along(_declared(Input_shape), data_format)
    pads = _explicit(sizes, Filter.shape[2:], strides, paddings, padding_algorithm)
    return apply(_conv_op_of(Filter), g, Filter, strides=strides, paddings=pads, groups=groups,
                 dilations=_dilations_for(padding_algorithm, dilations), data_format=data_format)


def _transposed_by_filter(g, Input, Filter_shape, strides, paddings, padding_algorithm, groups, dilations, data_format):
    sizes = sizes_along(tuple(Input.shape), data_format)
    kernel = _window_of(Filter_shape)
    pads = _explicit(sizes, kernel, strides, paddings, padding_algorithm)
    return apply(filter_grad_op, g, Input, kernel=kernel, strides=strides, paddings=pads,
                 dilations=_dilations_for(padding_algorithm, dilations), groups=groups, data_format=data_format)


def _transposed(type: str, signature: str) -> Operator:
    return operator(type, signature, kernel=_conv_transpose,
                    engines=[by(PANELS, _transposed_by_panels), by(ONEDNN, _transposed_by_onednn)],
                    infer=_infer_transpose,
                    grad={"Input": _transposed_by_input, "Filter": _transposed_by_filter},
                    cost=transposed_convolution, lod="drop", promotes=True, holomorphic=True)


conv2d_transpose_op = _transposed("conv2d_transpose", "Input, Filter, Bias? -> Output")
depthwise_conv2d_transpose_op = _transposed("depthwise_conv2d_transpose", "Input, Filter, Bias? -> Output")
conv3d_transpose_op = _transposed("conv3d_transpose", "Input, Filter -> Output")

"""Images as Paddle 1.x writes them: *_interp, pad2d, pad_constant_like, shuffle_channel, space_to_depth."""


from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ..array.pad import _grown, _padded, _shrunk, _unpadded
from ..array.slices import slice_
from ..core.operator import Ints, Operator, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..nn.layout import channels_first, channels_of, channels_restored, full_shape, sizes_along
from ..vision.interpolate import _numbers, _resized, _scaled, interp_grad_op
from ..vision.resample_tables import table

# The factor tells the size of the result alone: positions follow from the sizes.


def _interpolate(xp, x, out_size=None, size_list=None, scale_tensor=None, *, data_layout: str = "NCHW", out_d: int = 0,
                 out_h: int = 0, out_w: int = 0, scale: float = 0.0, interp_method: str = "bilinear",
                 align_corners: bool = True, align_mode: int = 1):
    x = channels_first(x, data_layout)
    sizes = x.shape[2:]
    out = _numbers(len(sizes), out_d, out_h, out_w)
    if size_list:
        out = [int(n.item()) for n in size_list]
    elif out_size is not None:
        out = [int(n) for n in host_values(out_size.reshape(-1))]
    else:
        factor = scale if scale_tensor is None else float(host_values(scale_tensor.reshape(-1))[0])
        out = _scaled(sizes, [factor] * len(sizes)) if factor > 0 else out
    if min(out) < 1:
        raise ValueError(f"image_resize: the sizes of the result must be at least 1. Received {out}.")
    result = _resized(xp, x, sizes, out, [0.0] * len(sizes), table, interp_method, align_corners, align_mode)
    return channels_restored(result, data_layout)


def _infer(x, out_size=None, size_list=None, scale_tensor=None, *, data_layout="NCHW", out_d=0, out_h=0, out_w=0,
           scale=0.0, **_):
    sizes = sizes_along(x.shape, data_layout)
    out = [n if n > 0 else -1 for n in _numbers(len(sizes), out_d, out_h, out_w)]
    if not size_list and (out_size is not None or scale_tensor is not None):
        out = [-1] * len(sizes)
    elif not size_list and scale > 0:
        out = _scaled(sizes, [scale] * len(sizes))
    return Spec(full_shape(x.shape[0], channels_of(x.shape, data_layout), out, data_layout), x.dtype)


def _by_input(g, X_shape, data_layout, interp_method, align_corners, align_mode):
    sizes = sizes_along(X_shape if type(X_shape) is tuple else tuple(X_shape.shape), data_layout)
    like = X_shape if -1 in sizes else None
    return apply(interp_grad_op, g, like, None, size=[] if like is not None else list(sizes), data_layout=data_layout,
                 scale=[], interp_method=interp_method, align_corners=align_corners, align_mode=align_mode)


def _resizing(type: str) -> Operator:
    return operator(type, "X, OutSize?, SizeTensor*?, Scale? -> Out", kernel=_interpolate, infer=_infer,
                    grad={"X": _by_input}, precision="slow", float32="Scale", lod="drop")


bilinear_interp_op, nearest_interp_op = _resizing("bilinear_interp"), _resizing("nearest_interp")
trilinear_interp_op, bicubic_interp_op = _resizing("trilinear_interp"), _resizing("bicubic_interp")

# pad2d

_MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}


def _widths(paddings: Sequence[int], data_format: str) -> list[tuple[int, int]]:
    top, bottom, left, right = (int(n) for n in paddings)
    inside = [(top, bottom), (left, right)]
    return [(0, 0), *inside, (0, 0)] if data_format == "NHWC" else [(0, 0), (0, 0), *inside]


def _pad2d(xp, x, paddings_tensor=None, *, paddings: Ints = (), mode: str = "constant", pad_value: float = 0.0,
           data_format: str = "NCHW"):
    given = paddings if paddings_tensor is None else host_values(paddings_tensor)
    return _padded(xp, x, _widths(given, data_format), _MODES[mode], pad_value)


def _unpad2d(xp, g, paddings_tensor=None, *, paddings: Ints = (), mode: str = "constant", data_format: str = "NCHW"):
    given = paddings if paddings_tensor is None else host_values(paddings_tensor)
    return _unpadded(xp, g, _widths(given, data_format), _MODES[mode])


def _unknown(x: Spec, data_format: str) -> Spec:
    return Spec((x.shape[0], -1, -1, x.shape[3]) if data_format == "NHWC" else (*x.shape[:2], -1, -1), x.dtype)


def _infer_pad2d(x, paddings_tensor=None, *, paddings=(), mode="constant", pad_value=0.0, data_format="NCHW"):
    if x.rank != 4 or mode not in _MODES:
        raise ValueError(f"pad2d(input, mode): mode must be one of {', '.join(_MODES)}, and input have 4 dimensions. "
                         f"Received mode={mode!r}, input.shape={list(x.shape)}.")
    if paddings_tensor is not None:
        return _unknown(x, data_format)
    return _grown("pad2d(input, paddings)", x, _widths(paddings, data_format), _MODES[mode])


def _infer_unpad2d(g, paddings_tensor=None, *, paddings=(), mode="constant", data_format="NCHW"):
    return _unknown(g, data_format) if paddings_tensor is not None else _shrunk(g, _widths(paddings, data_format))


unpad2d_op = operator("unpad2d", "G, Paddings? -> XGrad~G", kernel=_unpad2d, infer=_infer_unpad2d, grad={
    "G": lambda g, Paddings, paddings, mode, data_format: apply(
        pad2d_op, g, Paddings, paddings=paddings, mode=mode, data_format=data_format)}, only_here=True)
pad2d_op = operator("pad2d", "X, Paddings? -> Out", kernel=_pad2d, infer=_infer_pad2d, grad={
    "X": lambda g, Paddings, paddings, mode, data_format: apply(
        unpad2d_op, g, Paddings, paddings=paddings, mode=mode, data_format=data_format)}, moves=True)


def _pad_like(xp, x, y, *, pad_value: float = 0.0):
    widths = [(0, m - n) for m, n in zip(x.shape, y.shape, strict=True)]
    return _padded(xp, y, widths, "constant", pad_value)


pad_constant_like_op = operator(
    "pad_constant_like", "X, Y -> Out", kernel=_pad_like, infer=lambda x, y, **_: Spec(x.shape, y.dtype),
    grad={"Y": lambda g, Y: _first(g, Y)}, moves=True)


def _first(g: Any, y: Any) -> Any:
    axes = list(range(y.ndim))
    sizes = list(y.shape)
    if -1 not in sizes:
        return slice_(g, axes, [0] * y.ndim, sizes)
    return apply(first_part_op, g, y)


first_part_op = operator(
    "first_part", "G, Y -> YGrad~G", kernel=lambda xp, g, y: g[tuple(slice(0, n) for n in y.shape)],
    infer=lambda g, y: Spec(y.shape, g.dtype), grad={"G": lambda g, G: apply(pad_constant_like_op, G, g)}, moves=True,
    only_here=True)

# shuffle_channel, space_to_depth


def _shuffled(x: Any, first: int, second: int) -> Any:
    n, c, *sizes = x.shape
    return x.reshape(n, first, second, *sizes).swapaxes(1, 2).reshape(n, c, *sizes)


def _shuffle(xp, x, *, group: int = 1):
    return _shuffled(x, group, x.shape[1] // group)


def _infer_shuffle(x, *, group=1):
    if x.rank != 4 or x.shape[1] % group:
        raise ValueError(f"shuffle_channel(x, group): must divide the channels of x [N, C, H, W]. Received "
                         f"x.shape={list(x.shape)}, group={group}.")
    return x


shuffle_channel_op = operator(
    "shuffle_channel", "X -> Out", kernel=_shuffle, infer=_infer_shuffle, moves=True, grad={
        "X": lambda g, group: apply(shuffle_channel_op, g, group=g.shape[1] // group)})


# As darknet's reorg layer does it: the elements, placed as those of images `blocksize` times as large, in that order.

def _spread(x: Any, size: int) -> Any:
    n, c, h, w = x.shape
    return x.reshape(n, size, size, c // size**2, h, w).transpose(0, 3, 4, 1, 5, 2)


def _to_depth(xp, x, *, blocksize: int):
    n, c, h, w = x.shape
    return _spread(x, blocksize).reshape(n, c * blocksize**2, h // blocksize, w // blocksize)


def _to_space(xp, g, *, blocksize: int):
    n, c, h, w = g.shape
    c, h, w = c // blocksize**2, h * blocksize, w * blocksize
    parts = g.reshape(n, c // blocksize**2, h, blocksize, w, blocksize)
    return parts.transpose(0, 3, 5, 1, 2, 4).reshape(n, c, h, w)


def _divided(n: int, by: int) -> int:
    return n if n < 0 else n // by


def _infer_depth(x, *, blocksize):
    n, c, h, w = x.shape
    if any(size > 0 and size % blocksize for size in (h, w)) or c % blocksize**2:
        raise ValueError(f"space_to_depth(x, blocksize): must divide height and width, and its square the "
                         f"channels. Received x.shape={list(x.shape)}, blocksize={blocksize}.")
    return Spec((n, c * blocksize**2, _divided(h, blocksize), _divided(w, blocksize)), x.dtype)


def _infer_space(g, *, blocksize):
    n, c, h, w = g.shape
    return Spec((n, c // blocksize**2, h * blocksize if h > 0 else -1, w * blocksize if w > 0 else -1), g.dtype)


space_to_depth_op = operator(
    "space_to_depth", "X -> Out", kernel=_to_depth, infer=_infer_depth, moves=True,
    grad={"X": lambda g, blocksize: apply(depth_to_space_op, g, blocksize=blocksize)})
depth_to_space_op = operator(
    "depth_to_space", "G -> XGrad", kernel=_to_space, infer=_infer_space, moves=True, only_here=True,
    grad={"G": lambda g, blocksize: apply(space_to_depth_op, g, blocksize=blocksize)})

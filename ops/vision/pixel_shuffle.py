"""Elements exchanged between channels, pixels and neighbouring images: pixel_shuffle, channel_shuffle, temporal_shift.

Each is a permutation (or nearly one), so that the gradient is the way back.
"""


from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import pixel_shuffle as fast
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..nn.layout import channels_first, channels_of, channels_restored, full_shape, sizes_along


def _check_image(what: str, x: Spec) -> None:
    if x.rank != 4:
        raise ValueError(f"{what}(x): x must have 4 dimensions. Received x.shape={list(x.shape)}.")


def _resized(x: Spec, data_format: str, channels: int, sizes: tuple[int, ...]) -> Spec:
    return Spec(full_shape(x.shape[0], channels, sizes, data_format), x.dtype)


def _pixel_shuffle(xp, x, *, upscale_factor: int = 1, data_format: str = "NCHW"):
    x, r = channels_first(x, data_format), upscale_factor
    n, c, h, w = x.shape
    parts = x.reshape(n, c // (r * r), r, r, h, w).transpose(0, 1, 4, 2, 5, 3)
    return channels_restored(parts.reshape(n, c // (r * r), h * r, w * r), data_format)


def _shuffle_by_loop(x, *, upscale_factor: int = 1, data_format: str = "NCHW"):
    found = fast.shuffled(channels_first(x, data_format), upscale_factor)
    return found if found is NotImplemented else channels_restored(found, data_format)


def _infer_shuffle(x, *, upscale_factor=1, data_format="NCHW"):
    _check_image("pixel_shuffle", x)
    channels, square = channels_of(x.shape, data_format), upscale_factor * upscale_factor
    if channels >= 0 and channels % square:
        raise ValueError(f"pixel_shuffle(x, upscale_factor): the square of the factor must divide the {channels} "
                         f"channels. Received upscale_factor={upscale_factor}, x.shape={list(x.shape)}.")
    sizes = tuple(n * upscale_factor if n >= 0 else -1 for n in sizes_along(x.shape, data_format))
    return _resized(x, data_format, channels // square if channels >= 0 else -1, sizes)


def _pixel_unshuffle(xp, x, *, downscale_factor: int = 1, data_format: str = "NCHW"):
    x, r = channels_first(x, data_format), downscale_factor
    n, c, h, w = x.shape
    parts = x.reshape(n, c, h // r, r, w // r, r).transpose(0, 1, 3, 5, 2, 4)
    return channels_restored(parts.reshape(n, c * r * r, h // r, w // r), data_format)


def _unshuffle_by_loop(x, *, downscale_factor: int = 1, data_format: str = "NCHW"):
    found = fast.unshuffled(channels_first(x, data_format), downscale_factor)
    return found if found is NotImplemented else channels_restored(found, data_format)


def _infer_unshuffle(x, *, downscale_factor=1, data_format="NCHW"):
    _check_image("pixel_unshuffle", x)
    sizes, channels = sizes_along(x.shape, data_format), channels_of(x.shape, data_format)
    if any(n >= 0 and n % downscale_factor for n in sizes):
        raise ValueError(f"pixel_unshuffle(x, downscale_factor): it must divide height and width. "
                         f"Received downscale_factor={downscale_factor}, x.shape={list(x.shape)}.")
    return _resized(x, data_format, channels * downscale_factor ** 2 if channels >= 0 else -1,
                    tuple(n // downscale_factor if n >= 0 else -1 for n in sizes))


def _unshuffled(g: Any, upscale_factor: int, data_format: str) -> Any:
    return apply(pixel_unshuffle_op, g, downscale_factor=upscale_factor, data_format=data_format)


def _shuffled(g: Any, downscale_factor: int, data_format: str) -> Any:
    return apply(pixel_shuffle_op, g, upscale_factor=downscale_factor, data_format=data_format)


pixel_shuffle_op = operator("pixel_shuffle", "X -> Out", kernel=_pixel_shuffle, infer=_infer_shuffle, engines=[
    by(LOOPS, _shuffle_by_loop, fast.LEAST)], grad={
    "X": lambda g, upscale_factor, data_format: _unshuffled(g, upscale_factor, data_format)}, moves=True, lod="drop")
pixel_unshuffle_op = operator("pixel_unshuffle", "X -> Out", kernel=_pixel_unshuffle, infer=_infer_unshuffle, engines=[
    by(LOOPS, _unshuffle_by_loop, fast.LEAST)], grad={
    "X": lambda g, downscale_factor, data_format: _shuffled(g, downscale_factor, data_format)}, moves=True, lod="drop")


# channels in groups

def _channel_shuffle(xp, x, *, groups: int = 1, data_format: str = "NCHW"):
    x = channels_first(x, data_format)
    n, c, h, w = x.shape
    parts = x.reshape(n, groups, c // groups, h, w).swapaxes(1, 2)
    return channels_restored(parts.reshape(n, c, h, w), data_format)


def _infer_channel_shuffle(x, *, groups=1, data_format="NCHW"):
    _check_image("channel_shuffle", x)
    channels = channels_of(x.shape, data_format)
    if channels >= 0 and channels % groups:
        raise ValueError(f"channel_shuffle(x, groups): groups must divide the {channels} channels. "
                         f"Received groups={groups}, x.shape={list(x.shape)}.")
    return x


def _regrouped(g, X_shape, groups, data_format):
    shape = X_shape if type(X_shape) is tuple else tuple(X_shape.shape)
    channels = channels_of(shape, data_format)
    if channels < 0:
        raise NotImplementedError("channel_shuffle(x): its gradient needs the number of channels. Give it in the "
                                  "InputSpec or in static.data.")
    return apply(channel_shuffle_op, g, groups=channels // groups, data_format=data_format)


channel_shuffle_op = operator("channel_shuffle", "X -> Out", kernel=_channel_shuffle, infer=_infer_channel_shuffle,
                              grad={"X": _regrouped}, moves=True, lod="drop")


# images along time

def _shifted(xp: Any, x: Any, segments: int, ratio: float, data_format: str, back: bool) -> Any:
    """The first channels of each image from the image before, the next as many from the one after; `back`: reversed."""
    x = channels_first(x, data_format)
    x = x.reshape(-1, segments, *x.shape[1:])
    channels = x.shape[2]
    first, second = int(channels * ratio), int(channels * 2 * ratio)
    result = xp.zeros_like(x)
    result[:, :, second:] = x[:, :, second:]
    earlier, later = (slice(first, second), slice(0, first)) if back else (slice(0, first), slice(first, second))
    result[:, 1:, earlier] = x[:, :-1, earlier]
    result[:, :-1, later] = x[:, 1:, later]
    return channels_restored(result.reshape(-1, *x.shape[2:]), data_format)


def _temporal_shift(xp, x, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"):
    _check_shift(x, seg_num, shift_ratio)
    return _shifted(xp, x, seg_num, shift_ratio, data_format, False)


def _temporal_shift_back(xp, g, *, seg_num: int, shift_ratio: float = 0.25, data_format: str = "NCHW"):
    return _shifted(xp, g, seg_num, shift_ratio, data_format, True)


def _check_shift(x: Any, seg_num: int, shift_ratio: float) -> None:
    if x.shape[0] >= 0 and x.shape[0] % seg_num or not 0 < shift_ratio <= 0.5:
        raise ValueError(
            f"temporal_shift(x, seg_num, shift_ratio): seg_num must divide the first size of x, and shift_ratio lie "
            f"in (0, 0.5]. Received seg_num={seg_num}, shift_ratio={shift_ratio}, x.shape={list(x.shape)}."
        )


def _infer_shift(x, *, seg_num, shift_ratio=0.25, data_format="NCHW"):
    _check_image("temporal_shift", x)
    _check_shift(x, seg_num, shift_ratio)
    return x


temporal_shift_op = operator("temporal_shift", "X -> Out", kernel=_temporal_shift, infer=_infer_shift, grad={
    "X": lambda g, seg_num, shift_ratio, data_format: apply(
        temporal_shift_back_op, g, seg_num=seg_num, shift_ratio=shift_ratio, data_format=data_format)}, moves=True)
temporal_shift_back_op = operator(
    "temporal_shift_back", "G -> Out", kernel=_temporal_shift_back, infer=_infer_shift, grad={
        "G": lambda g, seg_num, shift_ratio, data_format: apply(
            temporal_shift_op, g, seg_num=seg_num, shift_ratio=shift_ratio, data_format=data_format)}, only_here=True)

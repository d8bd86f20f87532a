"""Images: elements moved between channels and pixels, and sampling where a grid says."""

from __future__ import annotations

from typing import Any

from ...core.errors import ArgumentError
from ...ops.array.concat_split import concat
from ...ops.array.full import shape_inputs, value_of
from ...ops.core.result_names import results_named
from ...ops.core.trace import apply
from ...ops.math.casting import cast
from ...ops.nn.window_arguments import check_format
from ...ops.vision.affine_grid import affine_grid_op
from ...ops.vision.grid_sample import grid_sampler_op
from ...ops.vision.pixel_shuffle import (
    channel_shuffle_op,
    pixel_shuffle_op,
    pixel_unshuffle_op,
    temporal_shift_op,
)

__all__ = ["affine_grid", "channel_shuffle", "grid_sample", "pixel_shuffle", "pixel_unshuffle", "temporal_shift"]

_FORMATS = ("NCHW", "NHWC")


def pixel_shuffle(x: Any, upscale_factor: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """[N, C * r * r, H, W] to [N, C, H * r, W * r], r = upscale_factor: channels become places.

    After "Real-Time Single Image and Video Super-Resolution" (Shi et al., 2016).

    >>> import proa as paddle
    >>> paddle.nn.functional.pixel_shuffle(paddle.arange(4.0).reshape([1, 4, 1, 1]), 2).tolist()
    [[[[0.0, 1.0], [2.0, 3.0]]]]
    """
    _check_positive("pixel_shuffle", "upscale_factor", upscale_factor)
    return apply(pixel_shuffle_op, x, upscale_factor=upscale_factor,
                 data_format=check_format("pixel_shuffle", data_format, _FORMATS))


def pixel_unshuffle(x: Any, downscale_factor: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """[N, C, H * r, W * r] to [N, C * r * r, H, W], r = downscale_factor: the way back from `pixel_shuffle`.

    >>> import proa as paddle
    >>> paddle.nn.functional.pixel_unshuffle(paddle.ones([1, 3, 4, 4]), 2).shape
    [1, 12, 2, 2]
    """
    _check_positive("pixel_unshuffle", "downscale_factor", downscale_factor)
    return apply(pixel_unshuffle_op, x, downscale_factor=downscale_factor,
                 data_format=check_format("pixel_unshuffle", data_format, _FORMATS))


def channel_shuffle(x: Any, groups: int, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The channels of x [N, C, H, W], in `groups`, taken one from each group in turn.

    After "ShuffleNet" (Zhang et al., 2018).

    >>> import proa as paddle
    >>> paddle.nn.functional.channel_shuffle(paddle.arange(4.0).reshape([1, 4, 1, 1]), 2).reshape([4]).tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    _check_positive("channel_shuffle", "groups", groups)
    return apply(channel_shuffle_op, x, groups=groups,
                 data_format=check_format("channel_shuffle", data_format, _FORMATS))


def _check_positive(what: str, argument: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what}({argument}): must be an int. Received {value!r}.")
    if value < 1:
        raise ValueError(f"{what}({argument}): must be at least 1. Received {value}.")


def temporal_shift(x: Any, seg_num: int, shift_ratio: float = 0.25, name: str | None = None,
                   data_format: str = "NCHW") -> Any:
    """Images x [N * T, C, H, W], T = seg_num in a film, with a share of the channels moved along time.

    The first C * shift_ratio channels come from the image before, as many next from the one after, zeros where there is
    none. After "TSM: Temporal Shift Module" (Lin et al., 2019).

    >>> import proa as paddle
    >>> paddle.nn.functional.temporal_shift(paddle.ones([4, 8, 2, 2]), seg_num=2).shape
    [4, 8, 2, 2]
    """
    return apply(temporal_shift_op, x, seg_num=seg_num, shift_ratio=float(shift_ratio),
                 data_format=check_format("temporal_shift", data_format, _FORMATS))


def affine_grid(theta: Any, out_shape: Any, align_corners: bool = True, name: str | None = None) -> Any:
    """For each place of an image of `out_shape` [N, C, H, W], where the affine map theta [N, 2, 3] takes it.

    Coordinates run from -1 to 1, (x, y) in the last dimension of the result [N, H, W, 2]; with `align_corners` the
    middles of the first and the last elements lie at the ends, otherwise their outer edges. Volumes alike, with theta
    [N, 3, 4]. `out_shape` holds ints or tensors, or is a tensor.

    >>> import proa as paddle
    >>> theta = paddle.to_tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> paddle.nn.functional.affine_grid(theta, [1, 1, 1, 3])[0, 0, :, 0].tolist()
    [-1.0, 0.0, 1.0]
    """
    sizes, tensor, parts = shape_inputs(out_shape)
    if parts is not None:
        tensor = concat([cast(n, "int32").reshape([1]) for n in parts])
    if tensor is not None:
        return apply(affine_grid_op, theta, cast(tensor, "int32"), align_corners=align_corners, output_shape=[])
    return apply(affine_grid_op, theta, None, align_corners=align_corners, output_shape=list(sizes))


@results_named("grid_sample")
def grid_sample(x: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = True,
                name: str | None = None) -> Any:
    """x [N, C, H, W] sampled where grid [N, h, w, 2] says, in coordinates (x, y) from -1 to 1: [N, C, h, w].

    `mode`: "bilinear" or "nearest". `padding_mode`, for places outside: "zeros", "border" (the nearest element) or
    "reflection". `align_corners` as in `affine_grid`. Volumes [N, C, D, H, W] alike, with grid [N, d, h, w, 3]. After
    "Spatial Transformer Networks" (Jaderberg et al., 2015).

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0, 3.0]]]])
    >>> paddle.nn.functional.grid_sample(x, paddle.to_tensor([[[[0.5, 0.0]]]])).tolist()
    [[[[2.5]]]]
    """
    for argument, value, allowed in (("mode", mode, ("bilinear", "nearest")),
                                     ("padding_mode", padding_mode, ("zeros", "reflection", "border"))):
        if value not in allowed:
            raise ValueError(f"grid_sample({argument}): must be one of {', '.join(allowed)}. Received {value!r}.")
    if not isinstance(align_corners, bool):
        raise ArgumentError(f"grid_sample(align_corners): must be True or False. Received {align_corners!r}.")
    x, grid = value_of(x), value_of(grid)
    if len(x.shape) not in (4, 5) or len(grid.shape) != len(x.shape) or grid.shape[-1] not in (-1, len(x.shape) - 2):
        raise ValueError(
            f"grid_sample(x, grid): x must be [N, C, H, W] and grid [N, h, w, 2], or [N, C, D, H, W] and "
            f"[N, d, h, w, 3]. Received x.shape={list(x.shape)}, grid.shape={list(grid.shape)}."
        )
    return apply(grid_sampler_op, x, grid, align_corners=bool(align_corners), padding_mode=padding_mode, mode=mode)

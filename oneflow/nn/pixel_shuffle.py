"""Channels rearranged into larger images."""

from __future__ import annotations

from typing import Any

from ...ops.array.reshape import reshape, transpose


def pixel_shuffle(input: Any, upscale_factor: int, name: str | None = None) -> Any:
    """Images [N, C * r * r, H, W] as [N, C, H * r, W * r], r being `upscale_factor`."""
    return pixel_shufflev2(input, upscale_factor, upscale_factor)


def pixel_shufflev2(input: Any, h_upscale_factor: int, w_upscale_factor: int, name: str | None = None) -> Any:
    """Images [N, C * h * w, H, W] as [N, C, H * h, W * w], h and w being the two factors.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.nn.PixelShufflev2(paddle.arange(2.0).reshape([1, 2, 1, 1]), 1, 2).tolist()
    [[[[0.0, 1.0]]]]
    """
    down, right = h_upscale_factor, w_upscale_factor
    if len(input.shape) != 4 or down < 1 or right < 1 or input.shape[1] % (down * right):
        raise ValueError(f"PixelShuffle: input must be [N, C, H, W] with channels that the product of the factors "
                         f"divides. Received input.shape={list(input.shape)}, factors {down} and {right}.")
    samples, channels, height, width = input.shape
    left = channels // (down * right)
    parts = reshape(input, [samples, left, down, right, height, width])
    return reshape(transpose(parts, [0, 1, 4, 2, 5, 3]), [samples, left, height * down, width * right])

"""Resizing of signals, images and volumes: interpolate, upsample."""

from __future__ import annotations

import numbers
from typing import Any

from ...ops.array.full import full, is_value, value_of
from ...ops.math.casting import cast
from ...ops.vision.interpolate import resize
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d

__all__ = ["interpolate", "upsample"]

_MODES = {"linear": (1,), "nearest": (2, 3), "bilinear": (2,), "bicubic": (2,), "trilinear": (3,), "area": (1, 2, 3)}
"""The numbers of spatial dimensions that each mode is for."""
_FORMATS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def interpolate(x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False,
                align_mode: int = 0, data_format: str = "NCHW", name: str | None = None) -> Any:
    """x with its spatial dimensions resized to `size`, or by `scale_factor`.

    `mode`: "nearest" (4 or 5 dimensions), "linear" (3), "bilinear" (4), "trilinear" (5), "bicubic" (4, Keys' kernel
    with a = -0.75), or "area", the mean of the elements in a place's part of x. With `align_corners` the first and the
    last elements stay where they are; otherwise places are the middles of elements (`align_mode=0`) or their
    beginnings (1). `size` may be ints, a tensor of them or a list with tensors; `scale_factor` a number, one for each
    dimension, or a tensor. data_format: "NCW", "NCHW", "NCDHW", or with the channels last.

    Raises ValueError where both of `size` and `scale_factor` are given, or neither, or where they do not fit x.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[0.0, 1.0]]]])
    >>> paddle.nn.functional.interpolate(x, size=[1, 4], mode="bilinear").tolist()
    [[[[0.0, 0.25, 0.75, 1.0]]]]
    """
    x = value_of(x)
    mode = mode.lower()
    rank = len(x.shape) - 2
    last = _checked(x, size, scale_factor, mode, align_corners, align_mode, data_format, rank)
    if mode == "area":
        return _area(x, size, rank, data_format)
    out_size, size_list, sizes = _size_inputs(size, rank)
    tensor, scale = (scale_factor, []) if is_value(scale_factor) else (None, _factors(scale_factor, rank))
    return resize(x, mode, out_size, size_list, tensor, scale, sizes, align_corners, align_mode,
                  "NHWC" if last else "NCHW")


upsample = interpolate


def _checked(x: Any, size: Any, scale_factor: Any, mode: str, align_corners: bool, align_mode: int, data_format: str,
             rank: int) -> bool:
    """Whether the channels stand last; ValueError for arguments that do not go together."""
    what = "interpolate"
    if mode not in _MODES:
        raise ValueError(f"{what}(mode): must be one of {', '.join(_MODES)}. Received {mode!r}.")
    if rank not in _FORMATS:
        raise ValueError(f"{what}(x): x must have 3, 4 or 5 dimensions. Received x.shape={list(x.shape)}.")
    if rank == 1 and data_format == "NCHW" and mode == "area":
        data_format = "NCW"
    if data_format not in _FORMATS[rank]:
        raise ValueError(f"{what}(data_format): must be {' or '.join(_FORMATS[rank])} for x of {rank + 2} dimensions. "
                         f"Received {data_format!r}.")
    if rank not in _MODES[mode]:
        raise ValueError(f"{what}(x, mode={mode!r}): x must have {' or '.join(str(n + 2) for n in _MODES[mode])} "
                         f"dimensions. Received x.shape={list(x.shape)}.")
    if mode == "area" and size is None:
        raise ValueError(f"{what}(mode='area'): size must be given.")
    if mode == "area":  # of the others it takes nothing
        return data_format[-1] == "C"
    if (size is None) == (scale_factor is None):
        raise ValueError(f"{what}: give one of size and scale_factor. Received size={size!r}, "
                         f"scale_factor={scale_factor!r}.")
    if align_corners and mode == "nearest":
        raise ValueError(f"{what}(align_corners=True): mode must be linear, bilinear, bicubic or trilinear. "
                         f"Received {mode!r}.")
    if align_mode not in (0, 1):
        raise ValueError(f"{what}(align_mode): must be 0 or 1. Received {align_mode!r}.")
    return data_format[-1] == "C"


def _area(x: Any, size: Any, rank: int, data_format: str) -> Any:
    if rank == 1:
        return adaptive_avg_pool1d(x, size)
    return adaptive_avg_pool2d(x, size, data_format) if rank == 2 else adaptive_avg_pool3d(x, size, data_format)


def _size_inputs(size: Any, rank: int) -> tuple[Any, Any, list[int]]:
    """`size` as OutSize, SizeTensor and attributes."""
    if size is None:
        return None, None, [-1] * rank
    if is_value(size):
        return cast(size, "int32"), None, [-1] * rank
    given = [size] * rank if isinstance(size, numbers.Integral) else list(size)
    if len(given) != rank:
        raise ValueError(f"interpolate(x, size): size must have {rank} numbers. Received {size!r}.")
    if any(is_value(n) for n in given):
        parts = [n if is_value(n) else full([1], int(n), "int32") for n in given]
        return None, parts, [-1 if is_value(n) else int(n) for n in given]
    sizes = [int(n) for n in given]
    if min(sizes) < 1:
        raise ValueError(f"interpolate(size): sizes must be at least 1. Received {size!r}.")
    return None, None, sizes


def _factors(scale_factor: Any, rank: int) -> list[float]:
    if scale_factor is None:
        return []
    given = [scale_factor] * rank if isinstance(scale_factor, numbers.Real) else list(scale_factor)
    factors = [float(n) for n in given]
    if len(factors) != rank or min(factors) <= 0:
        raise ValueError(f"interpolate(x, scale_factor): must be a positive number or {rank} of them. "
                         f"Received {scale_factor!r}.")
    return factors

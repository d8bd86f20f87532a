"""Pooling: `max_pool2d`, `avg_pool2d`, `adaptive_avg_pool2d`, …"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....nn import functional as F
from ....ops.array import reshape as reshaping
from ....ops.math import casting
from ...charge import flowing
from .convolution import unfold
from .shared import layout


def _max_pool(function: Callable, rank: int, name: str) -> Callable:
    def pool(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
             return_indices: bool = False, ceil_mode: bool = False, data_format: str = "channels_first") -> Any:
        if any(n != 1 for n in (dilation if isinstance(dilation, (tuple, list)) else [dilation])):
            if rank != 2 or return_indices or ceil_mode:
                raise NotImplementedError(f"{name}(dilation): windows with gaps are pooled over two dimensions alone, "
                                          "without indices and ceil_mode.")
            return _dilated(x, kernel_size, stride, padding, dilation)
        given: dict[str, Any] = {} if rank == 1 else {"data_format": layout(name, data_format, rank)}
        stride = stride or None
        if not return_indices:
            return function(x, kernel_size, stride, padding, ceil_mode=ceil_mode, **given)
        values, indices = function(x, kernel_size, stride, padding, True, ceil_mode, **given)
        return values, casting.cast(indices, "int64")

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (f"The maxima of windows over {rank} dimension{'s' if rank > 1 else ''}; on request with their "
                    "places.")
    return flowing(pool)


def _dilated(x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any) -> Any:
    """The maxima of windows with gaps."""
    given = (kernel_size, stride or kernel_size, padding, dilation)
    two = [n if isinstance(n, (tuple, list)) else (n, n) for n in given]
    (kh, kw), (sh, sw), (ph, pw), (dh, dw) = two
    batch, channels, height, width = x.shape
    padded = F.pad(x, [pw, pw, ph, ph], value=-3.0e38)
    out_h, out_w = ((height + 2 * ph - dh * (kh - 1) - 1) // sh + 1, (width + 2 * pw - dw * (kw - 1) - 1) // sw + 1)
    columns = unfold(padded, (kh, kw), (dh, dw), 0, (sh, sw))
    windows = reshaping.reshape(columns, [batch, channels, kh * kw, out_h * out_w])
    from ....ops.math.reduce import max as largest

    return reshaping.reshape(largest(windows, 2), [batch, channels, out_h, out_w])


max_pool1d = _max_pool(F.max_pool1d, 1, "max_pool1d")
max_pool2d = _max_pool(F.max_pool2d, 2, "max_pool2d")
max_pool3d = _max_pool(F.max_pool3d, 3, "max_pool3d")


def _avg_pool(function: Callable, rank: int, name: str) -> Callable:
    def pool(input: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
             count_include_pad: bool = True, divisor_override: int = 0) -> Any:
        exclusive = not count_include_pad
        if rank == 1:
            return function(input, kernel_size, stride or None, padding, exclusive, ceil_mode)
        return function(input, kernel_size, stride or None, padding, ceil_mode, exclusive, divisor_override or None)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = f"The means of windows over {rank} dimension{'s' if rank > 1 else ''}."
    return flowing(pool)


avg_pool1d = _avg_pool(F.avg_pool1d, 1, "avg_pool1d")
avg_pool2d = _avg_pool(F.avg_pool2d, 2, "avg_pool2d")
avg_pool3d = _avg_pool(F.avg_pool3d, 3, "avg_pool3d")


def _adaptive(function: Callable, name: str, doc: str, with_indices: bool) -> Callable:
    def pool(input: Any, output_size: Any, return_indices: bool = False) -> Any:
        size = output_size
        if isinstance(size, (tuple, list)):
            spatial = input.shape[-len(size):]
            size = [n if wanted is None else wanted for n, wanted in zip(spatial, size, strict=True)]
        if not return_indices:
            return function(input, size)
        values, indices = function(input, size, True)
        return values, casting.cast(indices, "int64")

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = doc
    if with_indices:
        return flowing(pool)
    return flowing(lambda input, output_size: pool(input, output_size))


_MEANS, _MAXIMA = "The means of as many windows as are asked for.", "The maxima of as many windows as are asked for."
adaptive_avg_pool1d = _adaptive(F.adaptive_avg_pool1d, "adaptive_avg_pool1d", _MEANS, False)
adaptive_avg_pool2d = _adaptive(F.adaptive_avg_pool2d, "adaptive_avg_pool2d", _MEANS, False)
adaptive_avg_pool3d = _adaptive(F.adaptive_avg_pool3d, "adaptive_avg_pool3d", _MEANS, False)
adaptive_max_pool1d = _adaptive(F.adaptive_max_pool1d, "adaptive_max_pool1d", _MAXIMA, True)
adaptive_max_pool2d = _adaptive(F.adaptive_max_pool2d, "adaptive_max_pool2d", _MAXIMA, True)
adaptive_max_pool3d = _adaptive(F.adaptive_max_pool3d, "adaptive_max_pool3d", _MAXIMA, True)


def _unpool(function: Callable, name: str) -> Callable:
    def pool(input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
             output_size: Any = None) -> Any:
        return function(input, casting.cast(indices, "int32"), kernel_size, stride or None, padding,
                        output_size=None if output_size is None else list(output_size))

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = "Values put back where a pooling found them, zeros elsewhere."
    return flowing(pool)


max_unpool1d = _unpool(F.max_unpool1d, "max_unpool1d")
max_unpool2d = _unpool(F.max_unpool2d, "max_unpool2d")
max_unpool3d = _unpool(F.max_unpool3d, "max_unpool3d")

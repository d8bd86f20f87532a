"""Maxima and means of windows, with OneFlow's padding rules. What is padded never counts.

The functions of one dimension are declared by OneFlow 0.6 and not made there; here they work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...nn import functional
from ...ops.array.reshape import squeeze, unsqueeze
from .windows import FORMATS, check_rank, each, is_last, paddings, spatial

_FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("max", 2): functional.max_pool2d, ("avg", 2): functional.avg_pool2d,
    ("max", 3): functional.max_pool3d, ("avg", 3): functional.avg_pool3d}


def _pooled(kind: str, rank: int, input: Any, ksize: Any, strides: Any, padding: Any, data_format: str,
            ceil_mode: bool = False) -> Any:
    what = f"{kind}_pool{rank}d"
    last = is_last(what, data_format, rank)
    check_rank(f"{what}(input)", input, rank)
    kernel, stride = each(what, "ksize", ksize, rank), each(what, "strides", strides, rank)
    pads = paddings(what, padding, spatial(input, last), kernel, stride, [1] * rank, last)
    beyond = bool(ceil_mode) and not isinstance(padding, str)  # a rule says how many windows there are
    if rank > 1:
        return _FUNCTIONS[kind, rank](input, kernel, stride, pads, ceil_mode=beyond, data_format=FORMATS[rank][last])
    axis = 1 if last else 2
    flat = _FUNCTIONS[kind, 2](unsqueeze(input, axis), [1, *kernel], [1, *stride], [0, 0, *pads], ceil_mode=beyond,
                               data_format=FORMATS[2][last])
    return squeeze(flat, axis)


def max_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC",
               name: str | None = None) -> Any:
    """As `max_pool2d` over sequences, [N, W, C] unless `data_format` is "NCW"."""
    return _pooled("max", 1, input, ksize, strides, padding, data_format)


def avg_pool1d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NCW",
               name: str | None = None) -> Any:
    """As `avg_pool2d` over sequences [N, C, W]."""
    return _pooled("avg", 1, input, ksize, strides, padding, data_format)


def max_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NCHW", ceil_mode: bool = False,
               name: str | None = None) -> Any:
    """The maxima of windows over images [N, C, H, W], or [N, H, W, C] with data_format "NHWC".

    `padding` is as for `conv2d`. `ceil_mode` keeps windows that reach beyond a padding of numbers.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> flow.nn.max_pool2d(paddle.arange(9.0).reshape([1, 1, 3, 3]), ksize=2, strides=2, padding="SAME").tolist()
    [[[[0.0, 2.0], [6.0, 8.0]]]]
    """
    return _pooled("max", 2, input, ksize, strides, padding, data_format, ceil_mode)


def avg_pool2d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NCHW", ceil_mode: bool = False,
               name: str | None = None) -> Any:
    """The means of windows over images: of what lies in the image, without the padding. As `max_pool2d` otherwise."""
    return _pooled("avg", 2, input, ksize, strides, padding, data_format, ceil_mode)


def max_pool3d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NCDHW", ceil_mode: bool = False,
               name: str | None = None) -> Any:
    """As `max_pool2d` over volumes [N, C, D, H, W], or [N, D, H, W, C] with data_format "NDHWC"."""
    return _pooled("max", 3, input, ksize, strides, padding, data_format, ceil_mode)


def avg_pool3d(input: Any, ksize: Any, strides: Any, padding: Any, data_format: str = "NCDHW", ceil_mode: bool = False,
               name: str | None = None) -> Any:
    """As `avg_pool2d` over volumes [N, C, D, H, W], or [N, D, H, W, C] with data_format "NDHWC"."""
    return _pooled("avg", 3, input, ksize, strides, padding, data_format, ceil_mode)

"""Pooling in one, two and three dimensions: maxima and means of windows, adaptive or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.lazy import beside
from ...ops.array.creation import arange
from ...ops.array.full import is_value, value_of, whole
from ...ops.array.pad import pad_op
from ...ops.array.reshape import moveaxis, squeeze, unsqueeze
from ...ops.array.unknown_sizes import size_at
from ...ops.core.trace import apply, current_trace
from ...ops.linalg.matrix_product import matmul
from ...ops.math.casting import in_dtype
from ...ops.math.comparison import logical_and
from ...ops.math.elementwise import scale
from ...ops.nn import pool as ops
from ...ops.nn.window_arguments import check_format, padding_attributes, repeated
from ...ops.nn.windows import geometry

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d",
]

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


_FORMATS = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def _windows(what: str, kernel_size: Any, stride: Any, padding: Any, rank: int, data_format: str,
             ceil_mode: bool) -> dict[str, Any]:
    check_format(what, data_format, _FORMATS[rank])
    if ceil_mode and isinstance(padding, str) and padding.upper() == "VALID":
        raise ValueError(f'{what}(padding="VALID", ceil_mode=True): "VALID" leaves out the windows that reach beyond '
                         'the input, which ceil_mode keeps. Give padding=0 to keep them.')
    if type(kernel_size) is int and type(padding) is int and padding >= 0 and (stride is None or type(stride) is int):
        ksize, step = [kernel_size] * rank, kernel_size if stride is None else stride
        return {"ksize": ksize, "strides": [step] * rank, "paddings": [padding] * rank, "padding_algorithm": "EXPLICIT",
                "data_format": data_format}
    ksize = repeated(what, "kernel_size", kernel_size, rank)
    strides = ksize if stride is None else repeated(what, "stride", stride, rank)
    paddings, algorithm = padding_attributes(what, padding, rank, data_format[-1] == "C")
    return {"ksize": ksize, "strides": strides, "paddings": paddings, "padding_algorithm": algorithm,
            "data_format": data_format}


def _pool(kind: str, x: Any, rank: int, **attrs: Any) -> Any:
    return apply(ops.pool2d_op if rank == 2 else ops.pool3d_op, x, pooling_type=kind, **attrs)


def _plain(attrs: dict[str, Any]) -> dict[str, Any]:
    """Attributes of windows for an operator that knows neither algorithms of padding nor formats."""
    return {name: value for name, value in attrs.items() if name not in ("padding_algorithm", "data_format")}


def _is_even(attrs: dict[str, Any], rank: int) -> bool:
    """Whether there is as much padding behind as before."""
    return attrs["padding_algorithm"] != "SAME" and len(attrs["paddings"]) == rank


def _padded(what: str, x: Any, attrs: dict[str, Any], rank: int,
            value: float) -> tuple[Any, tuple[tuple[int, int], ...], dict[str, Any]]:
    """x with the padding of its windows around it as elements, the padding, and the windows without any."""
    channels_last = attrs["data_format"][-1] == "C"
    sizes = tuple(x.shape[1:-1] if channels_last else x.shape[2:])
    if -1 in sizes:
        raise ValueError(f"{what}: must know the sizes where the padding is not the same on both sides. "
                         f"Received x.shape={list(x.shape)}.")
    pads = geometry(what, sizes, attrs["ksize"], attrs["strides"], attrs["paddings"], [1] * rank,
                    attrs["padding_algorithm"]).pads
    around = [n for pair in pads for n in pair]
    wider = apply(pad_op, x, paddings=[0, 0, *around, 0, 0] if channels_last else [0, 0, 0, 0, *around],
                  pad_value=value)
    return wider, pads, {**attrs, "paddings": [0] * rank, "padding_algorithm": "EXPLICIT"}


def _positions_within(positions: Any, sizes: Sequence[int], pads: Sequence[tuple[int, int]]) -> Any:
    """Of positions in padded channels, counted row after row, those in the channels without the padding."""
    result, step = None, 1
    for size, (before, after) in zip(reversed(sizes), reversed(pads), strict=True):
        along = (positions % (before + size + after) - before) * step
        result = along if result is None else result + along
        positions, step = positions // (before + size + after), step * size
    return result


# maxima

def _max_pool(what: str, x: Any, kernel_size: Any, stride: Any, padding: Any, return_mask: bool, ceil_mode: bool,
              data_format: str, rank: int) -> Any:
    attrs = _windows(what, kernel_size, stride, padding, rank, data_format, ceil_mode)
    if not return_mask:
        return _pool("max", x, rank, ceil_mode=ceil_mode, **attrs)
    if data_format[-1] == "C":
        raise ValueError(f"{what}(return_mask=True): the channels must come second. Received "
                         f"data_format={data_format!r}. Transpose x first.")
    op = ops.max_pool2d_with_index_op if rank == 2 else ops.max_pool3d_with_index_op
    if _is_even(attrs, rank):
        return apply(op, x, ceil_mode=ceil_mode, **_plain(attrs))
    x = value_of(x)
    wider, pads, windows = _padded(what, x, attrs, rank, float("-inf"))
    found, positions = apply(op, wider, ceil_mode=ceil_mode, **_plain(windows))
    return found, _positions_within(positions, x.shape[2:], pads)


def max_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
               ceil_mode: bool = False, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The maxima of windows over x [N, C, H, W]; `stride` is the window's size unless given.

    With `return_mask` also their positions (int32) in each channel, counted row after row. `ceil_mode` keeps windows
    that reach beyond the input. Padding never counts. The gradient goes to the first of equal maxima.

    >>> import proa as paddle
    >>> paddle.nn.functional.max_pool2d(paddle.arange(16.0).reshape([1, 1, 4, 4]), 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return _max_pool("max_pool2d", x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, 2)


def max_pool3d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
               ceil_mode: bool = False, data_format: str = "NCDHW", name: str | None = None) -> Any:
    """As `max_pool2d` over x [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.functional.max_pool3d(paddle.ones([2, 3, 8, 8, 8]), 2).shape
    [2, 3, 4, 4, 4]
    """
    return _max_pool("max_pool3d", x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, 3)


def _flat(what: str, kernel_size: Any, stride: Any, padding: Any) -> tuple[Any, Any, Any]:
    """The window of one dimension as that of two, of which the first has size 1."""
    kernel = [1, *repeated(what, "kernel_size", kernel_size, 1)]
    strides = None if stride is None else [1, *repeated(what, "stride", stride, 1)]
    if isinstance(padding, str):
        return kernel, strides, padding
    pads, _ = padding_attributes(what, padding, 1, False)
    return kernel, strides, [0, 0, *(pads * 2 if len(pads) == 1 else pads)]


def max_pool1d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, return_mask: bool = False,
               ceil_mode: bool = False, name: str | None = None) -> Any:
    """As `max_pool2d` over x [N, C, L].

    >>> import proa as paddle
    >>> paddle.nn.functional.max_pool1d(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
    [[[3.0, 7.0]]]
    """
    result = max_pool2d(unsqueeze(x, 2), *_flat("max_pool1d", kernel_size, stride, padding), return_mask, ceil_mode)
    return tuple(squeeze(part, 2) for part in result) if return_mask else squeeze(result, 2)


# means

def _avg_pool(what: str, x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, exclusive: bool,
              divisor: Any, data_format: str, rank: int) -> Any:
    attrs = _windows(what, kernel_size, stride, padding, rank, data_format, ceil_mode)
    if divisor is None:
        return _pool("avg", x, rank, ceil_mode=ceil_mode, exclusive=exclusive, **attrs)
    count = 1
    for size in attrs["ksize"]:
        count *= size
    if not _is_even(attrs, rank):  # behind alone it would not count
        x, _, attrs = _padded(what, value_of(x), attrs, rank, 0.0)
    return scale(_pool("avg", x, rank, ceil_mode=ceil_mode, exclusive=False, **attrs), count / divisor)


def avg_pool2d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCHW",
               name: str | None = None) -> Any:
    """The means of windows over x [N, C, H, W]; `stride` is the window's size unless given.

    Padding counts unless `exclusive`, behind x as far as there is as much before it. `divisor_override` divides the
    sums instead of the number of elements.

    >>> import proa as paddle
    >>> paddle.nn.functional.avg_pool2d(paddle.ones([1, 1, 4, 4]), 3, 2, 1, exclusive=False).shape
    [1, 1, 2, 2]
    """
    return _avg_pool("avg_pool2d", x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override,
                     data_format, 2)


def avg_pool3d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               exclusive: bool = True, divisor_override: Any = None, data_format: str = "NCDHW",
               name: str | None = None) -> Any:
    """As `avg_pool2d` over x [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.functional.avg_pool3d(paddle.ones([2, 3, 8, 8, 8]), 2).shape
    [2, 3, 4, 4, 4]
    """
    return _avg_pool("avg_pool3d", x, kernel_size, stride, padding, ceil_mode, exclusive, divisor_override,
                     data_format, 3)


def avg_pool1d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, exclusive: bool = True,
               ceil_mode: bool = False, name: str | None = None) -> Any:
    """As `avg_pool2d` over x [N, C, L].

    >>> import proa as paddle
    >>> paddle.nn.functional.avg_pool1d(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
    [[[2.0, 6.0]]]
    """
    result = avg_pool2d(unsqueeze(x, 2), *_flat("avg_pool1d", kernel_size, stride, padding), ceil_mode, exclusive)
    return squeeze(result, 2)


# adaptive windows

def _numbers(output_size: Any, count: int) -> Sequence[Any]:
    """The numbers of a list, of a Tensor or of an array; one number as `count` of them."""
    if is_value(output_size) and not output_size.ndim:
        return [output_size] * count
    if is_value(output_size) or isinstance(output_size, np.ndarray):
        output_size = output_size.tolist()
    return output_size if isinstance(output_size, (list, tuple)) else [output_size] * count


def _only_a_run_knows(x: Any, output_size: Any, first: int) -> bool:
    """Whether a size that is asked for is a value of the Program that is built, or x's own, which is not known."""
    if current_trace().computes:
        return False
    given = output_size if isinstance(output_size, (list, tuple)) else [output_size]
    return any(current_trace().known_value(size) is None if is_value(size) else
               size is None and x.shape[axis] < 0 for axis, size in enumerate(given, first))


def _means_of_windows(x: Any, output_size: Any, first: int, rank: int) -> Any:
    """The means for sizes that only a run knows: along each dimension a product with the shares of the windows."""
    given = output_size if isinstance(output_size, (list, tuple)) else [output_size] * rank
    for axis, wanted in enumerate(given, first):
        if wanted is None:
            continue
        size = size_at(x, axis)
        window, place = unsqueeze(arange(0, wanted, 1, "int64"), 1), arange(0, size, 1, "int64")
        begin, end = window * size // wanted, ((window + 1) * size + wanted - 1) // wanted
        inside = logical_and(place >= begin, place < end)
        shares = in_dtype(inside, x.dtype) / in_dtype(end - begin, x.dtype)
        x = moveaxis(matmul(moveaxis(x, axis, -1), shares, transpose_y=True), -1, axis)
    return x


def _output_size(what: str, x: Any, output_size: Any, data_format: str, rank: int) -> list[int]:
    check_format(what, data_format, _FORMATS[rank])
    if type(output_size) is int and x.ndim == rank + 2:
        return [output_size] * rank
    given = _numbers(output_size, rank)
    sizes = list(x.shape)[1:-1] if data_format[-1] == "C" else list(x.shape)[2:]
    if len(given) != rank or len(sizes) != rank:
        raise ValueError(
            f"{what}(x, output_size): x must have {rank + 2} dimensions and output_size {rank} numbers. "
            f"Received x.shape={list(x.shape)}, output_size={output_size!r}."
        )
    return [int(size) if wanted is None else whole(wanted) for wanted, size in zip(given, sizes, strict=True)]


def _adaptive(what: str, kind: str, x: Any, output_size: Any, data_format: str, rank: int) -> Any:
    x = value_of(x)
    first = 1 if data_format[-1] == "C" else 2
    if kind == "avg" and x.ndim == rank + 2 and _only_a_run_knows(x, output_size, first):
        return _means_of_windows(x, output_size, first, rank)
    ksize = _output_size(what, x, output_size, data_format, rank)
    return _pool(kind, x, rank, ksize=ksize, strides=[1] * rank, paddings=[0] * rank, adaptive=True,
                 data_format=data_format)


def adaptive_avg_pool2d(x: Any, output_size: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """The means of as many windows as make a result of `output_size` (None keeps a size), covering x evenly.

    Window i of n over a size s reaches from floor(i * s / n) to ceil((i + 1) * s / n).

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_avg_pool2d(paddle.ones([2, 3, 7, 5]), (3, None)).shape
    [2, 3, 3, 5]
    """
    return _adaptive("adaptive_avg_pool2d", "avg", x, output_size, data_format, 2)


def adaptive_avg_pool3d(x: Any, output_size: Any, data_format: str = "NCDHW", name: str | None = None) -> Any:
    """As `adaptive_avg_pool2d` over x [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_avg_pool3d(paddle.ones([2, 3, 8, 8, 8]), 2).shape
    [2, 3, 2, 2, 2]
    """
    return _adaptive("adaptive_avg_pool3d", "avg", x, output_size, data_format, 3)


def adaptive_avg_pool1d(x: Any, output_size: Any, name: str | None = None) -> Any:
    """As `adaptive_avg_pool2d` over x [N, C, L].

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_avg_pool1d(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
    [[[2.0, 6.0]]]
    """
    size = [1, *_numbers(output_size, 1)]
    return squeeze(adaptive_avg_pool2d(unsqueeze(x, 2), size), 2)


def _adaptive_max(what: str, x: Any, output_size: Any, return_mask: bool, data_format: str, rank: int) -> Any:
    x = value_of(x)
    if not return_mask:
        return _adaptive(what, "max", x, output_size, data_format, rank)
    ksize = _output_size(what, x, output_size, data_format, rank)
    op = ops.max_pool2d_with_index_op if rank == 2 else ops.max_pool3d_with_index_op
    return apply(op, x, ksize=ksize, strides=[1] * rank, paddings=[0] * rank, adaptive=True)


def adaptive_max_pool2d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """As `adaptive_avg_pool2d` with maxima; with `return_mask` also their positions, as `max_pool2d` gives them.

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_max_pool2d(paddle.ones([2, 3, 8, 8]), 2).shape
    [2, 3, 2, 2]
    """
    return _adaptive_max("adaptive_max_pool2d", x, output_size, return_mask, "NCHW", 2)


def adaptive_max_pool3d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """As `adaptive_max_pool2d` over x [N, C, D, H, W].

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_max_pool3d(paddle.ones([2, 3, 8, 8, 8]), 2).shape
    [2, 3, 2, 2, 2]
    """
    return _adaptive_max("adaptive_max_pool3d", x, output_size, return_mask, "NCDHW", 3)


def adaptive_max_pool1d(x: Any, output_size: Any, return_mask: bool = False, name: str | None = None) -> Any:
    """As `adaptive_max_pool2d` over x [N, C, L].

    >>> import proa as paddle
    >>> paddle.nn.functional.adaptive_max_pool1d(paddle.to_tensor([[[1.0, 3.0, 5.0, 7.0]]]), 2).tolist()
    [[[3.0, 7.0]]]
    """
    size = [1, *_numbers(output_size, 1)]
    result = adaptive_max_pool2d(unsqueeze(x, 2), size, return_mask)
    return tuple(squeeze(part, 2) for part in result) if return_mask else squeeze(result, 2)

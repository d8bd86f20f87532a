"""Values with something around them: pad, constant_pad2d, reflection_pad2d, replication_pad2d, same_padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...nn.functional import common
from ...ops.array.slices import Ranges
from ..charge import their_face


@their_face
def pad(x: Any, paddings: Sequence[Sequence[int]], constant_value: Any = 0, name: str | None = None) -> Any:
    """x with so many elements (before, after) each dimension; all are `constant_value`."""
    widths = _pairs("pad", x, paddings)
    return common.pad(x, [n for pair in widths for n in pair], "constant", float(constant_value))


@their_face
def pad_grad(x: Any, paddings: Sequence[Sequence[int]], constant_value: Any = 0, name: str | None = None) -> Any:
    """What `pad` with these paddings was given: x without so many elements (before, after) each dimension."""
    ranges = Ranges()
    for axis, (before, after) in enumerate(_pairs("pad_grad", x, paddings)):
        ranges.add(axis, before, -after if after else 2**31 - 1)
    return ranges.take(x)


def _pairs(what: str, x: Any, paddings: Any) -> list[tuple[int, int]]:
    if (not isinstance(paddings, (list, tuple)) or len(paddings) != len(x.shape)
            or any(not isinstance(pair, (list, tuple)) or len(pair) != 2 for pair in paddings)):
        raise ValueError(f"{what}(x, paddings): a pair (before, after) for each of the {len(x.shape)} dimensions of x. "
                         f"Received {paddings!r}.")
    return [(int(before), int(after)) for before, after in paddings]


@their_face
def same_padding(x: Any, padding: str, data_format: str, kernel_size: Sequence[int], strides: Sequence[int],
                 dilation_rate: Sequence[int], name: str | None = None) -> Any:
    """x with the zeros around it that let a window give ceil(size / stride) results along each spatial dimension.

    'SAME_LOWER' puts what cannot be halved in front, 'SAME_UPPER' behind.
    """
    kind = padding.upper() if isinstance(padding, str) else padding
    if kind not in ("SAME_LOWER", "SAME_UPPER"):
        raise ValueError(f"same_padding(padding): must be 'SAME_LOWER' or 'SAME_UPPER'. Received {padding!r}.")
    first = 2 if data_format.startswith("NC") else 1
    widths = [0] * (2 * len(x.shape))
    spatial = len(x.shape) - 2
    for sizes in (kernel_size, strides, dilation_rate):
        if len(sizes) != spatial:
            raise ValueError("same_padding(kernel_size, strides, dilation_rate): a number for each of the "
                             f"{spatial} spatial dimensions of x. Received {list(sizes)}.")
    for n, (window, stride, dilation) in enumerate(zip(kernel_size, strides, dilation_rate, strict=True)):
        total = same_widths(int(x.shape[first + n]), window, stride, dilation)
        smaller, larger = total // 2, total - total // 2
        widths[2 * (first + n):2 * (first + n) + 2] = (larger, smaller) if kind == "SAME_LOWER" else (smaller, larger)
    return common.pad(x, widths, "constant", 0.0)


def same_widths(size: int, window: int, stride: int, dilation: int = 1) -> int:
    """How many elements go around a dimension so that a window gives ceil(size / stride) results."""
    reach = (window - 1) * dilation + 1
    return max((-(-size // stride) - 1) * stride + reach - size, 0)


def _sides(what: str, x: Any, padding: Any) -> list[int]:
    """[left, right, top, bottom] of an image."""
    if isinstance(padding, int):
        return [padding] * 4
    if not isinstance(padding, (tuple, list)) or len(padding) != 4 or len(x.shape) != 4:
        raise ValueError(f"{what}(x, padding): an int or [left, right, top, bottom], for x of four dimensions. "
                         f"Received {padding!r} for x.shape={list(x.shape)}.")
    return [int(n) for n in padding]


@their_face
def reflection_pad2d(x: Any, padding: Any, name: str | None = None) -> Any:
    """Images (NCHW) with their mirror images around them, without the edge itself; [left, right, top, bottom]."""
    sides = _sides("reflection_pad2d", x, padding)
    height, width = x.shape[2:]
    if max(sides[:2]) >= width or max(sides[2:]) >= height:
        raise ValueError("reflection_pad2d(x, padding): must be less than the image's sizes. Received "
                         f"{padding!r} for x.shape={list(x.shape)}.")
    return common.pad(x, sides, "reflect")


@their_face
def replication_pad2d(x: Any, padding: Any, name: str | None = None) -> Any:
    """Images (NCHW) with their edges repeated around them; [left, right, top, bottom]."""
    return common.pad(x, _sides("replication_pad2d", x, padding), "replicate")


@their_face
def constant_pad2d(x: Any, padding: Any, constant_value: Any = 0, name: str | None = None) -> Any:
    """Images (NCHW) with a number around them; [left, right, top, bottom]."""
    return common.pad(x, _sides("constant_pad2d", x, padding), "constant", float(constant_value))


@their_face
def zero_pad2d(x: Any, padding: Any, name: str | None = None) -> Any:
    """Images (NCHW) with zeros around them; [left, right, top, bottom]."""
    return constant_pad2d(x, padding, 0.0)

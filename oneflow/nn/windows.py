"""Windows of convolutions and pooling in OneFlow's words: sizes, strides, padding rules, where the channels are.

"SAME" is "SAME_LOWER": where the padding is odd, the larger half comes first. (TensorFlow's is "SAME_UPPER".)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.full import is_value
from ...ops.nn.window_arguments import check_format, repeated

FORMATS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
"""The data formats by the number of spatial dimensions: channels second, channels last."""

_RULES = ("SAME", "SAME_LOWER", "SAME_UPPER", "VALID")


def is_last(what: str, data_format: Any, rank: int) -> bool:
    """True for the data format that has the channels last; ValueError, naming `what`, for one that is not known."""
    given = data_format.upper() if isinstance(data_format, str) else data_format
    return check_format(what, given, FORMATS[rank]) == FORMATS[rank][1]


def check_rank(what: str, value: Any, rank: int) -> None:
    """ValueError, naming `what`, unless the value has samples, channels and `rank` spatial dimensions.

    TypeError for what is no value.
    """
    if not is_value(value):
        raise TypeError(f"{what}: must be a blob or a tensor. Received {value!r}. (flow.layers has convolutions that "
                        "make their filters.)")
    if len(value.shape) != rank + 2:
        raise ValueError(f"{what}: must have {rank + 2} dimensions, samples and channels among them. "
                         f"Received shape {list(value.shape)}.")


def spatial(value: Any, last: bool) -> list[int]:
    """The sizes of a value without those of samples and channels."""
    return list(value.shape)[1:-1] if last else list(value.shape)[2:]


def each(what: str, name: str, value: Any, rank: int) -> list[int]:
    """A number for each of `rank` dimensions: 1 for None, one number for all, or as many."""
    return [1] * rank if value is None else repeated(what, name, value, rank)


def paddings(what: str, padding: Any, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int],
             dilations: Sequence[int], last: bool) -> list[int]:
    """What is put before and behind each spatial dimension, one after the other.

    `padding` is "SAME" (or "SAME_LOWER", "SAME_UPPER"), "VALID", or a number or a pair for *each* dimension, those of
    samples and channels (which are 0) among them. ValueError, naming `what`, for anything else.
    """
    if isinstance(padding, str):
        rule = padding.upper()
        if rule not in _RULES:
            raise ValueError(f"{what}(padding): as a string it is one of {', '.join(_RULES)}. Received {padding!r}.")
        if rule == "VALID":
            return [0] * (2 * len(sizes))
        halves = [_same(*one) for one in zip(sizes, kernel, strides, dilations, strict=True)]
        return [n for small, large in halves for n in ((small, large) if rule == "SAME_UPPER" else (large, small))]
    if not isinstance(padding, (list, tuple)) or len(padding) != len(sizes) + 2:
        raise ValueError(f"{what}(padding): must be one of {', '.join(_RULES)}, or a number or a pair for each of the "
                         f"{len(sizes) + 2} dimensions. Received {padding!r}.")
    pairs = [_pair(what, one, padding) for one in padding]
    outer = (pairs[0], pairs[-1]) if last else pairs[:2]
    if any(any(pair) for pair in outer):
        raise ValueError(f"{what}(padding): samples and channels cannot be padded. Received {padding!r} for channels "
                         f"that come {'last' if last else 'second'}.")
    return [n for pair in (pairs[1:-1] if last else pairs[2:]) for n in pair]


def _same(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """The halves of the padding that gives size / stride windows, rounded up: the smaller, the larger."""
    needed = max(0, ((size + stride - 1) // stride - 1) * stride + (kernel - 1) * dilation + 1 - size)
    return needed // 2, needed - needed // 2


def _pair(what: str, one: Any, padding: Any) -> tuple[int, int]:
    if isinstance(one, int):
        return one, one
    if isinstance(one, (list, tuple)) and len(one) == 2:
        return int(one[0]), int(one[1])
    raise ValueError(f"{what}(padding): each dimension has a number or a pair of them. Received {padding!r}.")

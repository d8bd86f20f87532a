"""Arguments of convolution and pooling, as users write them, turned into attributes of operators."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from typing import Any

from ...core.errors import ArgumentError, AssertedError
from ..array.full import is_value, whole
from ..array.unknown_sizes import known_number


def repeated(what: str, name: str, value: Any, count: int) -> list[int]:
    """A number for each dimension, from one number or from `count` of them; ValueError, naming `what`, otherwise."""
    if isinstance(value, (int, numbers.Integral)):
        return [int(value)] * count
    given = [value] if is_value(value) and value.ndim == 0 else value
    if isinstance(value, str):
        raise ArgumentError(f"{what}: {name} must be an int or {count} of them. Received {name}={value!r}.")
    numbers_ = [known_number(f"{what}({name})", n) for n in given]
    if len(numbers_) == 1:
        return numbers_ * count
    if len(numbers_) != count:
        raise AssertedError(f"{what}: {name} must be an int or {count} of them. Received {name}={value!r}.")
    return numbers_


def check_format(what: str, data_format: str, allowed: Sequence[str]) -> str:
    """The data format; ValueError, naming `what`, when it is not allowed."""
    if data_format not in allowed:
        raise ValueError(f"{what}: data_format must be one of {', '.join(allowed)}. Received {data_format!r}.")
    return data_format


def check_padding(what: str, pads: Sequence[int]) -> None:
    """ValueError, naming `what`, for padding below 0: elements of the border are left out by slices, or by F.pad."""
    if min(pads, default=0) < 0:
        raise ValueError(f"{what}: padding must not be negative. Received {list(pads)}. To leave out elements of the "
                         "border, slice the input, or give negative numbers to paddle.nn.functional.pad.")


def padding_attributes(what: str, padding: Any, count: int, channels_last: bool) -> tuple[list[int], str]:
    """The attributes `paddings` and `padding_algorithm`.

    A user gives "SAME", "VALID", one number, one for each of `count` dimensions, two for each, or pairs for all
    dimensions, those of batch and channels being 0. ValueError, naming `what`, for anything else.
    """
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"{what}: padding as a string is 'SAME' or 'VALID'. Received {padding!r}.")
        return [0] * count, padding.upper()
    if isinstance(padding, (int, numbers.Integral)):
        check_padding(what, [int(padding)])
        return [int(padding)] * count, "EXPLICIT"
    if not isinstance(padding, Iterable) or isinstance(padding, dict):
        raise ValueError(f"{what}: padding must be 'SAME', 'VALID' or ints. Received {padding!r}.")
    given = list(padding)
    if given and isinstance(given[0], (list, tuple)):
        given = _spatial_pairs(what, given, count, channels_last)
    pads = [whole(n) for n in given]
    check_padding(what, pads)
    if len(pads) == 1:
        pads *= count
    if len(pads) not in (count, 2 * count):
        raise ValueError(
            f"{what}: padding must be 'SAME', 'VALID', an int, {count} or {2 * count} ints, or {count + 2} pairs of "
            f"them. Received {padding!r}."
        )
    if len(pads) == 2 * count and pads[::2] == pads[1::2]:
        pads = pads[::2]
    return pads, "EXPLICIT"


def _spatial_pairs(what: str, pairs: list, count: int, channels_last: bool) -> list[int]:
    if len(pairs) != count + 2:
        raise ValueError(f"{what}: padding as pairs needs {count + 2} of them, for all dimensions. Received {pairs!r}.")
    outer = (pairs[0], pairs[-1]) if channels_last else pairs[:2]
    if any(list(pair) != [0, 0] for pair in outer):
        raise ValueError(f"{what}: batch and channels cannot be padded. Received padding={pairs!r}.")
    inner = pairs[1:-1] if channels_last else pairs[2:]
    return [n for pair in inner for n in pair]

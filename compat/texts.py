"""`paddle.compat` of Paddle 1.x: texts and bytes, rounding and messages, as Python 2 and 3 had them in common."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

int_type, long_type = int, int


def _converted(value: Any, convert: Callable[[Any], Any], inplace: bool) -> Any:
    """Each item of a list or set, converted: in a new one, or where it is."""
    if not isinstance(value, (list, set)):
        return convert(value)
    items = [_converted(item, convert, inplace) for item in value]
    if not inplace:
        return type(value)(items)
    if isinstance(value, list):
        value[:] = items
    else:
        value.clear()
        value.update(items)
    return value


def to_text(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Bytes as text, also in lists and sets; anything else as it is.

    >>> import proa as paddle
    >>> paddle.compat.to_text([b"a", "b"])
    ['a', 'b']
    """
    return _converted(obj, lambda item: item.decode(encoding) if isinstance(item, bytes) else item, inplace)


def to_bytes(obj: Any, encoding: str = "utf-8", inplace: bool = False) -> Any:
    """Text as bytes, also in lists and sets; anything else as it is."""
    return _converted(obj, lambda item: item.encode(encoding) if isinstance(item, str) else item, inplace)


def round(x: float, d: int = 0) -> float:
    """x rounded to d decimals, halves away from 0."""
    factor = 10**d
    return float(math.copysign(math.floor(abs(x) * factor + 0.5), x)) / factor


def floor_division(x: float, y: float) -> float:
    """x // y."""
    return x // y


def get_exception_message(exc: BaseException) -> str:
    """What an exception says."""
    return str(exc)


__all__ = ["floor_division", "get_exception_message", "int_type", "long_type", "round", "to_bytes", "to_text"]

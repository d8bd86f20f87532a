"""Names of `paddle.jit.dy2static.convert_call_func`."""

from __future__ import annotations

from typing import Any

from ..convert.functions import converted_callable
from ..convert.ignoring import CONVERSION_OPTIONS, ConversionOptions
from ..convert.ignoring import ignore_module as add_ignore_module

__all__ = ["CONVERSION_OPTIONS", "ConversionOptions", "add_ignore_module", "convert_call"]


def convert_call(func: Any) -> Any:
    """What converted code calls instead of `func`: its converted form, or `func` itself where it is left alone.

    >>> import proa as paddle
    >>> paddle.jit.dy2static.convert_call(len)([1, 2])
    2
    """
    return converted_callable(func)

"""Names of `paddle.jit.dy2static.utils`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..errors import Dygraph2StaticException
from ..operators.undefined import Undefined as UndefinedVar


def parse_arg_and_kwargs(function: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    """The names of a function's arguments, and the values of those that may be left out.

    >>> from proa.jit.dy2static.utils import parse_arg_and_kwargs
    >>> parse_arg_and_kwargs(lambda x, axis=-1: x)
    (['x', 'axis'], {'axis': -1})
    """
    found = inspect.getfullargspec(function)
    given = found.defaults or ()
    return found.args, dict(zip(found.args[len(found.args) - len(given):], given, strict=True))


__all__ = ["Dygraph2StaticException", "UndefinedVar", "parse_arg_and_kwargs"]

"""`paddle.base.wrapped_decorator`: decorators that keep what a function says of itself."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from ..core.lazy import listed

signature_safe_contextmanager = contextlib.contextmanager


def wrap_decorator(decorator_func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that gives what it makes of a function that one's name and documentation.

    >>> import proa as paddle
    >>> @paddle.base.wrapped_decorator.wrap_decorator
    ... def twice(function):
    ...     return lambda x: 2 * function(x)
    >>> twice(abs)(-1)
    2
    """
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return functools.wraps(function)(decorator_func(function))

    return decorate


__all__ = ["signature_safe_contextmanager", "wrap_decorator"]
__dir__ = listed(__name__)

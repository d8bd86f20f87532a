"""`deprecated`: marks a function that is to be replaced."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any


def deprecated(update_to: str = "", since: str = "", reason: str = "",
               level: int = 0) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: calls of the function warn (DeprecationWarning), or with level=2 raise RuntimeError.

    `update_to`: what to use instead; `since`: the version it is deprecated since; level 0 says so in its docstring.

    >>> import proa as paddle
    >>> import warnings
    >>> @paddle.utils.deprecated(since="2.0.0", update_to="new", reason="an example")
    ... def old():
    ...     return 1
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     result = old()
    >>> result
    1
    """
    if level not in (0, 1, 2):
        raise ValueError(f"deprecated(level): 0, 1 or 2. Received {level!r}.")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        message = f"{function.__module__}.{function.__qualname__} is deprecated"
        message += f" since {since}" if since else ""
        message += f", use {update_to} instead" if update_to else ""
        message += f": {reason}" if reason else ""

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            if level == 2:
                raise RuntimeError(f"{message}.")
            if level == 1:
                warnings.warn(f"{message}.", DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        decorated.__doc__ = f"{message}.\n\n{function.__doc__ or ''}"
        return decorated

    return decorate

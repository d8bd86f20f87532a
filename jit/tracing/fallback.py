"""Running a function as it was written when it cannot become a Program, and saying so once.

Any error of tracing leads here. Whether it is the user's own shows when the function runs as it was written: then the
error comes out of the user's line, and nothing is said of Programs. Knows functions and errors; traces nothing.
"""

from __future__ import annotations

import threading
import traceback
import warnings
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from ..convert.ignoring import is_foreign_file, is_ignored_module
from ..errors import ConversionError, FallbackWarning, line_of, source_line
from ..identity_cache import IdentityCache

_warned = IdentityCache()
_lock = threading.Lock()


def reason_of(error: BaseException) -> str:
    """Why tracing failed, with the user's line, in a few lines of text."""
    if isinstance(error, ConversionError):
        return str(error)
    where = _users_line(error)
    message = str(error) or type(error).__name__
    return f"{where}: {type(error).__name__}: {message}" if where else f"{type(error).__name__}: {message}"


def _users_line(error: BaseException) -> str | None:
    """The innermost place in the user's own files that an error came through."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        name = frame.f_globals.get("__name__") or ""
        if not is_ignored_module(name) and not is_foreign_file(frame.f_code.co_filename, frame.f_globals):
            return source_line(frame.f_code.co_filename, line, frame.f_code.co_name)
    return None


def warn_once(function: Callable, reason: str) -> None:
    """Gives the FallbackWarning of a function, unless it was given before; it stands at the function's own line."""
    is_function = isinstance(function, (FunctionType, BuiltinFunctionType))
    code: Any = getattr(function, "__code__", function if is_function else type(function))
    with _lock:
        if _warned.get(code):
            return
        _warned.put(code, True)
    name = getattr(function, "__qualname__", repr(function))
    message = (
        f"{line_of(function)}: `{name}` runs as it was written, without a Program: it cannot become one as a whole.\n"
        f"  Reason: {reason}\n"
        "  To be told by an error: to_static(full_graph=True). To have it run so without this warning: "
        "paddle.jit.not_to_static, or warnings.filterwarnings('ignore', category=paddle.jit.FallbackWarning).")
    _warn_at(code, function, message)


def warn_of_programs(function: Callable, names: list[str]) -> None:
    """Warns once that a function under `full_graph` is converted again in call after call, for numbers it changes."""
    code: Any = getattr(function, "__code__", type(function))
    with _lock:
        if not names or _warned.get(code):
            return
        _warned.put(code, True)
    shown = ", ".join(f"`{name}`" for name in names)
    _warn_at(code, function, (
        f"{line_of(function)}: {shown} is another number in call after call, and the function both reads and changes "
        "it: a Program is made anew each time. Keep it in a tensor, such as a buffer, or give it as an argument that "
        "is a tensor."))


def _warn_at(code: Any, function: Callable, message: str) -> None:
    filename, line = getattr(code, "co_filename", "<unknown>"), getattr(code, "co_firstlineno", 1)
    warnings.warn_explicit(message, FallbackWarning, filename, line,
                           module=getattr(function, "__module__", None) or "<unknown>")

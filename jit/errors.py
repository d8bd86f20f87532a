"""Errors of to_static, which name the user's source line: of conversion, and where converted code cannot be staged.

Knows nothing of tensors or programs.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

_ROOT = __package__.rpartition(".")[0]
# Frames between the user and who asks:
_BETWEEN = (f"{__package__}.operators", f"{__package__}.convert", f"{_ROOT}.static.building")
RETURN_VALUE = "return_value__"  # the variable that holds what a converted function returns


class Dygraph2StaticException(Exception):
    """A function cannot become a Program: Paddle's name for it."""

    def __init__(self, message: str):
        super().__init__(message)


class ConversionError(Dygraph2StaticException, RuntimeError):
    """A function, or a statement of it, cannot become part of a program.

    The message names the user's file and line, the cause and the way out:

        File "net.py", line 12, in forward: `return` inside a loop whose number of turns a tensor decides …
    """

    def __init__(self, where: str, cause: str, way_out: str):
        super().__init__(f"{where}: {cause} {way_out}".strip())
        self.where = where
        self.cause = cause
        self.way_out = way_out

    def __reduce__(self) -> Any:
        return type(self), (self.where, self.cause, self.way_out)


class DisagreementError(Dygraph2StaticException, TypeError):
    """Two ways of a statement that a tensor decides leave values of kinds that no Program brings together."""


class CallError(TypeError, ValueError):
    """A call whose arguments are not those of the function: TypeError as of Python, ValueError as in Paddle."""


class StopsAsked(RuntimeError):
    """A function that is traced asks whether gradients stop at a tensor, and what is given to it may stop them."""


class UnfitTensorsError(RuntimeError):
    """A call gives a Program Tensors that it cannot run with, and has changed nothing: see `ConcreteProgram`."""


class LackingValueError(UnfitTensorsError, AssertionError):
    """A run lacks a value that it may ask for, and has changed nothing."""


class FallbackWarning(UserWarning):
    """A function under `to_static` runs as it was written, for it cannot become a Program; the message says why.

    Fix: change the lines that it names, or mark the function with `not_to_static`; `to_static(full_graph=True)` makes
    it an error. It is given once a function:

        warnings.filterwarnings("ignore", category=paddle.jit.FallbackWarning)
    """


@contextlib.contextmanager
def noting(where: str, what: str) -> Iterator[None]:
    """Within the block what is traced some runs leave out: an error out of it says so (Python 3.11)."""
    try:
        yield
    except Exception as error:
        if hasattr(error, "add_note") and not getattr(error, "__notes__", ()):
            error.add_note(f"{where}: while the Program is built, what {what} holds, about which a tensor decides, is "
                           "traced, whether a run takes it or not. This error comes out of one.")
        raise


def source_line(filename: str, line: int, function: str) -> str:
    """A line of the user's source, in the form tracebacks use and editors know."""
    return f'File "{filename}", line {line}, in {function}'


def line_of(function: Callable) -> str:
    """Where a function was written, as far as that is known."""
    code = getattr(function, "__code__", None)
    if code is None:
        return getattr(function, "__qualname__", None) or repr(function)
    return source_line(code.co_filename, code.co_firstlineno, code.co_name)


def here() -> str:
    """The user's line that is running, as errors print it: generated code has the user's own file and lines."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__package__") in _BETWEEN:
        frame = frame.f_back
    return source_line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)

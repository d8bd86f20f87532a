"""What an error of a kernel, or of a rule for shapes, is for the user: it names the operator and what that was given.

Most of what cannot be is refused in words by declarations. What they do not foresee ends in an error of Python's or of
NumPy's, as "integer modulo by zero", which tells nobody where; here it gets the words. Knows specs and attributes only.
"""

from __future__ import annotations

import dis
from collections.abc import Mapping, Sequence
from typing import Any

NOT_IN_WORDS = (ValueError, TypeError, LookupError, AttributeError, AssertionError, ZeroDivisionError, OverflowError,
                MemoryError, UnboundLocalError, StopIteration)
"""Errors that a kernel may end with where its inputs or attributes do not fit."""

_FOREIGN = frozenset(("numpy", "cupy", "scipy"))
_ANEW: tuple[tuple[type[Exception], type[Exception]], ...] = (
    (MemoryError, MemoryError), (OverflowError, OverflowError), (IndexError, IndexError), (AttributeError, TypeError),
    (TypeError, TypeError), (Exception, ValueError))
_HINTS: tuple[tuple[type[Exception], str], ...] = (
    (ZeroDivisionError, "a size or a number that it divides by is 0"),
    (MemoryError, "the result does not fit into memory"),
    (OverflowError, "a number is too large"),
    (KeyError, "a name is not known to it"),
)
_MOST_SHOWN, _LONGEST = 8, 60


def account(op: Any, specs: Sequence[Any], attrs: Mapping[str, Any], error: Exception) -> Exception | None:
    """The error anew, in words that name the operator, its inputs and attributes; None where it has words of its own.

    An IndexError, a TypeError, an OverflowError and a MemoryError remain such; what else is no ValueError becomes one.
    """
    if op.runs_block or "calls" in op.effects or is_in_words(error):
        return None
    anew = next(new for old, new in _ANEW if isinstance(error, old))
    hint = next((hint for kind, hint in _HINTS if isinstance(error, kind)), "what it is given does not fit together")
    given = ", ".join([*_described(op, specs), *_numbered(attrs)])
    return anew(f"{op.type}: cannot be computed, {hint}: {error}. Received {given or 'nothing'}.")


def is_in_words(error: BaseException) -> bool:
    """Whether somebody wrote the error's text for who reads it: it was raised by a `raise` outside of libraries."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    frame = trace.tb_frame
    if str(frame.f_globals.get("__name__", "")).partition(".")[0] in _FOREIGN:
        return False
    return dis.opname[frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS" and bool(str(error))


def _described(op: Any, specs: Sequence[Any]) -> list[str]:
    found = []
    for slot, spec in zip(op.inputs, specs, strict=False):
        items = spec if isinstance(spec, (list, tuple)) and not hasattr(spec, "dtype") else [spec]
        shown = ", ".join(_spec(item) for item in items[:_MOST_SHOWN])
        found.append(f"{slot.name}: {f'[{shown}]' if slot.many else shown}")
    return found[:_MOST_SHOWN]


def _spec(spec: Any) -> str:
    if spec is None:
        return "nothing"
    dtype, shape = getattr(spec, "dtype", None), getattr(spec, "shape", None)
    return f"{getattr(dtype, 'name', '?')}{list(shape) if shape is not None else ''}"


def _numbered(attrs: Mapping[str, Any]) -> list[str]:
    shown = []
    for name, value in list(attrs.items())[:_MOST_SHOWN]:
        text = repr(value)
        shown.append(f"{name}={text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}")
    return shown

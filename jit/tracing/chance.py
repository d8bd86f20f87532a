"""Random numbers and times that Python would tell while a Program is built, and that each run would then use again.

Converted code asks here before it calls anything: inside a trace, a call that draws from a generator that was there
before, or asks a clock, is refused, so that the function runs as it was written; where no other way is left, as in a
file, it is made once, and a warning says so. Knows generators and clocks; converts nothing.
"""

from __future__ import annotations

import contextlib
import random
import sys
import threading
from collections.abc import Iterator
from typing import Any

from ..convert.ignoring import is_ignored_module
from ..errors import ConversionError, source_line
from ..footprint.surroundings import Surroundings, numpy_random

_TIMES = ("time", "perf_counter", "monotonic", "process_time", "thread_time")
_CLOCKS = {"time": frozenset((*_TIMES, *(f"{name}_ns" for name in _TIMES), "localtime", "gmtime", "ctime")),
           "datetime": frozenset(("now", "utcnow", "today"))}
_DRAWS_NOTHING = frozenset(("seed", "get_state", "set_state", "getstate", "setstate", "spawn"))


class _Tracing(threading.local):
    """The surroundings of the function that this thread is tracing."""

    surroundings: Surroundings | None = None


_tracing = _Tracing()


@contextlib.contextmanager
def refused_in(surroundings: Surroundings) -> Iterator[None]:
    """Within the block, converted code may not draw from the generators of these surroundings."""
    old, _tracing.surroundings = _tracing.surroundings, surroundings
    try:
        yield
    finally:
        _tracing.surroundings = old


def refuse_chance(callee: Any) -> None:
    """ConversionError when a function is being traced and `callee` would tell other numbers in each run; a warning
    where the Program must hold all of the function.
    """
    known = _tracing.surroundings
    told = None if known is None else _asked_clock(callee) or _drawn(callee, known)
    if told is None:
        return
    from ..operators.staging import must_be_whole, tell  # a Program that is loaded has no use for them

    if not must_be_whole():
        raise ConversionError(_caller(), f"{told[0]} while the Program is built, and every run would use {told[1]}.",
                              told[2])
    tell(f"{_caller()}: {told[0]} while the Program is built, and every run uses {told[1]}. {told[2]}")


def _asked_clock(callee: Any) -> tuple[str, str, str] | None:
    name, owner = getattr(callee, "__name__", ""), getattr(callee, "__self__", None)
    module = getattr(owner, "__module__" if isinstance(owner, type) else "__name__", None)
    if name not in _CLOCKS.get(module or "", ()):
        return None
    return (f"`{name}` of {module} is asked", "the time of then",
            "Measure around the call, or give the time to the function as an argument.")


def _drawn(callee: Any, known: Surroundings) -> tuple[str, str, str] | None:
    generator = getattr(callee, "__self__", None)
    numpy = numpy_random()
    kinds = (random.Random,) if numpy is None else (random.Random, numpy.RandomState, numpy.Generator)
    if not isinstance(generator, kinds) or callee.__name__ in _DRAWS_NOTHING:
        return None
    shared = random.random.__self__  # type: ignore[attr-defined]
    if not (generator is shared or numpy is not None and generator is numpy.rand.__self__ or known.draws(generator)):
        return None
    return (f"`{callee.__name__}` of {type(generator).__module__}.{type(generator).__name__} draws random numbers",
            "the same ones",
            "Draw with paddle.rand, paddle.randn, paddle.randint…, or give the numbers to the function as arguments.")


def _caller() -> str:
    """The place in the user's source that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ignored_module(frame.f_globals.get("__name__") or ""):
        frame = frame.f_back
    return source_line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)

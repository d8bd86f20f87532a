"""Random numbers that Python or NumPy would draw while a Program is built, and that each run would then use again.

Converted code asks here before it calls anything: inside a trace, a call that draws from a generator that was there
before is refused, so that the function runs as it was written. Knows generators; converts nothing.
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
    """ConversionError when a function is being traced and `callee` would draw random numbers outside the Program."""
    generator = getattr(callee, "__self__", None)
    numpy = numpy_random()
    kinds = (random.Random,) if numpy is None else (random.Random, numpy.RandomState, numpy.Generator)
    if not isinstance(generator, kinds) or callee.__name__ in _DRAWS_NOTHING:
        return
    known, shared = _tracing.surroundings, random.random.__self__  # type: ignore[attr-defined]
    if known is None or not (generator is shared or numpy is not None and generator is numpy.rand.__self__
                             or known.draws(generator)):
        return
    raise ConversionError(
        _caller(), f"`{callee.__name__}` of {type(generator).__module__}.{type(generator).__name__} draws random "
        "numbers while the Program is built, and every run would use the same ones.",
        "Draw with paddle.rand, paddle.randn, paddle.randint…, or give the numbers to the function as arguments.")


def _caller() -> str:
    """The place in the user's source that is running."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ignored_module(frame.f_globals.get("__name__") or ""):
        frame = frame.f_back
    return source_line(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)

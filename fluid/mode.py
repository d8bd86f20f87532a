"""Which trace this face works under: Programs, unless `dygraph.guard` or `enable_dygraph` says otherwise.

`face(function)` is put around each of them, so that no layer has to ask. Where a Program is being written already, that
one goes on; where operators are computed at once only because that is this process's default, the default Programs take
what the function applies. What is handed a Tensor computes: only Tensors have something to compute with.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from ..dygraph.value import EagerValue
from ..ops.core.trace import current_trace, using
from ..static.building.mode import default_program_trace
from .dygraph.varbase import FLUID

_F = TypeVar("_F", bound=Callable[..., Any])
_default = {"computes": False, "follows": False}


class _Thread(threading.local):
    computes: bool | None = None


_thread = _Thread()


def computing() -> bool:
    """Whether the functions of this face compute at once: within `dygraph.guard()`, after `enable_dygraph()`, or where
    the process does, if they follow it (`follow`)."""
    said = _default["computes"] or _default["follows"] if _thread.computes is None else _thread.computes
    return said and current_trace().computes


@contextlib.contextmanager
def compute(wanted: bool = True) -> Iterator[None]:
    """Within the block the functions of this face compute at once, or write the default Programs."""
    old, _thread.computes = _thread.computes, wanted
    try:
        with using(FLUID if wanted else default_program_trace()):
            yield
    finally:
        _thread.computes = old


def set_computing(wanted: bool) -> None:
    """Makes the functions of this face compute at once from now on, or write the default Programs."""
    _default["computes"] = wanted


def follow() -> None:
    """From now on the functions of this face compute at once where the process does, as in Paddle 2.0 to 2.4."""
    _default["follows"] = True


def face(function: _F) -> _F:
    """The function under the trace that this face works under."""
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        if not current_trace().computes or computing() or _holds_tensor((*args, *kwargs.values())):
            return function(*args, **kwargs)
        with using(default_program_trace()):
            return function(*args, **kwargs)

    return called  # type: ignore[return-value]


def _holds_tensor(values: Any) -> bool:
    return any(isinstance(value, EagerValue) or type(value) in (list, tuple) and _holds_tensor(value)
               for value in values)

"""A kernel: found for the types of its arguments, compiled at its first call with them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core import flags
from .. import threads
from .functions import Function
from .types import OF_ARRAY, OF_DTYPE

_ndarray = np.ndarray
_CALL = 1 << 16  # elements that a call counts as: what NumPy's calls cost beside those of one kernel


class _Thread(threading.local):
    at_once = False


_thread = _Thread()


class AtOnce:
    """Within the block this thread's kernels are due at their first call.

    So a computation gives the same bits whatever came before it in the process: one that goes on in a new process as in
    the one where it began.
    """

    __slots__ = ("_old",)

    def __enter__(self) -> None:
        self._old, _thread.at_once = _thread.at_once, True

    def __exit__(self, *_: object) -> None:
        _thread.at_once = self._old


def is_at_once() -> bool:
    """Whether this thread computes nothing otherwise at first than later: it is in an `AtOnce`, or a flag says so."""
    return _thread.at_once or flags.values["FLAGS_kernel_after_elements"] <= 0


class Due:
    """Counts what NumPy computes in the place of machine code, until that is worth its making."""

    _elements = 0
    _is_due = False

    def is_due(self, elements: int) -> bool:
        """Whether a call for so many elements is its own; until it has been asked for enough of them, it is NumPy's.

        Making a kernel takes longer than many calls of NumPy. When it is due depends on what this process has asked for
        and on nothing else, such as time or what is kept on disk: a program gives the same numbers each time it runs.
        """
        if not self._is_due:
            self._elements += elements + _CALL
            self._is_due = _thread.at_once or self._elements >= flags.values["FLAGS_kernel_after_elements"]
        return self._is_due


class Kernel(Due):
    """Compiled code, called on contiguous arrays and numbers. It may write to an input only element by element."""

    def __init__(self, function: Function):
        self.function = function
        self._compiled: dict[tuple[str, ...], Callable[..., None]] = {}
        self._steps: dict[tuple[str, ...], int] = {}

    def __call__(self, *arguments: Any) -> None:
        """Runs; TypeError for an array that is not contiguous or of a dtype that loops do not know."""
        self.typed(*[_type_of(a) for a in arguments])(threads.get_num_threads(), *arguments)

    def typed(self, *types: str) -> Callable[..., None]:
        """The code for given types (`f32*`, an array; `i64`; `real`), which takes the number of threads first.

        Nothing is checked there: that is the caller's part.
        """
        code = self._compiled.get(types)
        if code is None:
            from .compiler import compiled

            code = self._compiled[types] = compiled(self.function, types)
        return code

    def step(self, *types: str) -> int:
        """Where the code for given types is as a step of a tape (`tape.py`)."""
        found = self._steps.get(types)
        if found is None:
            from .compiler import step_of

            found = self._steps[types] = step_of(self.function, types)
        return found

    def kept(self, *types: str) -> Callable[..., None] | None:
        """As `typed`, but None where the code is not there yet, in this process or on disk."""
        code = self._compiled.get(types)
        if code is None:
            from .compiler import compiled_before

            code = compiled_before(self.function, types)
            if code is not None:
                self._compiled[types] = code
        return code


def _type_of(argument: Any) -> str:
    if type(argument) is _ndarray:
        kind = OF_ARRAY.get(argument.dtype)
        if kind is None or not argument.flags.c_contiguous:
            raise TypeError(f"A generated loop takes contiguous arrays of {', '.join(OF_DTYPE)}. "
                            f"Received {argument.dtype}, shape {argument.shape}, strides {argument.strides}.")
        return kind
    return "real" if isinstance(argument, float) else "i64"


def kernel(python: Callable[..., None]) -> Kernel:
    """Declares a kernel: a Python function in the language of `language.py`."""
    return Kernel(Function(python))


def exact_kernel(python: Callable[..., None]) -> Kernel:
    """Declares a kernel each of whose operations is rounded by itself, as NumPy's are: none becomes part of an fma."""
    return Kernel(Function(python, exact=True))


def kernel_with(python: Callable[..., None], **chosen: Callable[..., Any]) -> Kernel:
    """A kernel whose keyword-only parameters stand for functions of the language, `kernel_with(rows, of=largest)`.

    Each choice is a kernel of its own, compiled as if the chosen functions were written in it. TypeError unless every
    such parameter, and nothing else, is chosen.
    """
    code = python.__code__
    wanted = code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]
    if set(wanted) != set(chosen):
        raise TypeError(f"kernel_with({python.__name__}): must choose {list(wanted)}. Received {list(chosen)}.")
    return Kernel(Function(python, chosen={name: function.__name__ for name, function in chosen.items()}))

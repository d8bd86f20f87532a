"""A kernel: found for the types of its arguments, compiled at its first call with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import threads
from .functions import Function
from .types import OF_ARRAY, OF_DTYPE

_ndarray = np.ndarray
_OFTEN = 100  # uses after which a kernel is worth its making even where NumPy does the same


class Kernel:
    """Compiled code, called on contiguous arrays and numbers. It may write to an input only element by element."""

    def __init__(self, function: Function):
        self.function = function
        self._compiled: dict[tuple[str, ...], Callable[..., None]] = {}
        self._asked: dict[tuple[str, ...], int] = {}

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

    def kept(self, *types: str) -> Callable[..., None] | None:
        """As `typed`, but None where the code is not there yet, in this process or on disk."""
        code = self._compiled.get(types)
        if code is None:
            from .compiler import compiled_before

            code = compiled_before(self.function, types)
            if code is not None:
                self._compiled[types] = code
        return code

    def at_hand(self, *types: str) -> Callable[..., None] | None:
        """As `typed`, but None the first times that code is asked for which nobody has made yet.

        For what NumPy computes to the same bits: making a kernel takes longer than many calls of it.
        """
        code = self._compiled.get(types)
        if code is None:
            asked = self._asked[types] = self._asked.get(types, 0) + 1
            if asked > _OFTEN:
                return self.typed(*types)
            if asked == 1:
                code = self.kept(*types)
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

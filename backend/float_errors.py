"""What NumPy tells of floating-point errors, which is nothing while operators compute.

A division by zero is infinite here, as in Paddle, and an overflow, and what is not defined is NaN: values that programs
go on with, and `FLAGS_check_nan_inf` finds. NumPy warns of them, or raises, by a state that belongs to its user; it is
exchanged around kernels, gradient rules and runs of Programs. What the user's own code computes is told as before, but
for functions that an operator calls (`py_func`).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

_umath: Any = getattr(getattr(np, "_core", None), "umath", None)

variable: Any = getattr(_umath, "_extobj_contextvar", None)
"""The context variable in which NumPy has its state; None where it is kept elsewhere, as in NumPy 1."""

QUIET: Any = None if variable is None else _umath._make_extobj(all="ignore")


def _entered() -> Any:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _left(state: Any) -> None:
    state.__exit__(None, None, None)


begin: Any = _entered if variable is None else functools.partial(variable.set, QUIET)
"""Has NumPy tell nothing in this thread; gives what `end` takes, in a `finally`."""

end: Any = _left if variable is None else variable.reset
"""Has NumPy tell again what it told before."""


def cast(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The array in another dtype; what that cannot hold is infinite there, or some integer."""
    told = begin()
    try:
        return array.astype(dtype)
    finally:
        end(told)

"""Checks of what operators and their gradients give for NaNs and infinities: `FLAGS_check_nan_inf`, tensor checkers.

Eager code checks operators as it applies them (`dygraph/`); who walks back and who runs Programs asks here whether
there is anything to check, and calls what is in force with the operator's type and its results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import backend
from ...core import nest
from ...core.errors import NotFiniteError
from ...core.flags import values as _flags
from .trace import state

Check = Callable[[str, Any], None]


def check_in_force() -> Check | None:
    """What is to be called with the type of each operator and the arrays that it gives; None where nobody looks."""
    return check_finite if _flags["FLAGS_check_nan_inf"] else state.check


def check_finite(type: str, results: Any) -> None:
    """NotFiniteError where a result holds a NaN or an infinity; printed with FLAGS_check_nan_inf_level above 0."""
    for array in nest.leaves(results):
        if is_bad(array):
            told = f"The operator {type} produced a NaN or an infinity (FLAGS_check_nan_inf is on). {_counted(array)}"
            if not _flags["FLAGS_check_nan_inf_level"]:
                raise NotFiniteError(told)
            print(told)


def _counted(array: Any) -> str:
    """How many there are, in the words that scripts look for."""
    xp = backend.namespace_of([array])
    return (f"There are NAN or INF (num_nan={int(xp.isnan(array).sum())}, num_inf={int(xp.isinf(array).sum())}) "
            f"among {array.size} elements of {array.dtype}.")


def is_bad(array: Any) -> bool:
    """Whether an array of floats or complex numbers holds a NaN or an infinity."""
    if getattr(getattr(array, "dtype", None), "kind", "") not in ("f", "c"):
        return False
    return not bool(backend.namespace_of([array]).isfinite(array).all())

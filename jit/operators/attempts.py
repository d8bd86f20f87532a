"""`try`: Python's own, unless a handler may catch what only a run of the program would raise.

While the program is built an operator on values of unknown sizes raises nothing; the run would, and no handler is there
then. Knows exceptions; what the program holds is asked of staging.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

import numpy as np

from ...ops.core.infer import same
from ...ops.core.operator import Operator
from ..errors import ConversionError, here
from . import staging
from .logical import decided_operand
from .merging import Merge

everything = BaseException
_OF_OPERATORS = (ValueError, TypeError, IndexError, RuntimeError, NotImplementedError, MemoryError, ArithmeticError,
                 np.linalg.LinAlgError)
_STAGING = ("conditionals", "loops", "loop_state", "merging", "preparing", "retracing", "watching", "outside")
_STAGED = (Merge.stage.__code__, staging.while_loop.__code__, decided_operand.__code__)
_OPERATORS = tuple(f"{__name__.partition('.')[0]}.{folder}." for folder in ("ops", "static", "backend"))
_WAY_OUT = "Test what may be wrong with an `if`, or give the argument sizes that are known (no None in its InputSpec)."


class attempt:
    """The body of a `try`; `kinds()` gives what its handlers catch."""

    def __init__(self, kinds: Callable[[], tuple]):
        self._kinds, self._where = kinds, here()
        self._mark: Any = None

    def __enter__(self) -> None:
        if staging.is_staging():
            self._mark = staging.mark()

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._mark is not None and not staging.is_refused():
            reason = self._reason(error)
            if reason is not None:
                staging.refuse(reason)

    def _reason(self, error: BaseException | None) -> Exception | None:
        """Why the attempt cannot be part of a program; None where it can."""
        if isinstance(error, Exception) and self._catches(type(error)):
            if _is_from_staged(error):
                return self._refusal(f"an error ({error}) of a branch or loop that a tensor decides about")
            modules = _modules_of(error)
            if isinstance(error, ConversionError) or modules[-1].removeprefix(f"{__package__}.") in _STAGING:
                return error
            if any(name.startswith(_OPERATORS) for name in modules) and staging.has_unknown_sizes():
                return self._refusal(f"an error ({error})")
        for operation, unknown in staging.since(self._mark):
            if "raises" in operation.effects:
                return self._refusal("an assertion that fails")
            may_fail = operation.fails == "values" or unknown and not _takes_any_size(operation)
            if may_fail and self._catches(*_OF_OPERATORS):
                return self._refusal(f"an error of the operator {operation.type}")
        return None

    def _catches(self, *raised: type) -> bool:
        named = [kind for given in self._kinds() for kind in (given if isinstance(given, tuple) else (given,))]
        return any(issubclass(each, kind) for each in raised for kind in named)

    def _refusal(self, what: str) -> ConversionError:
        return ConversionError(
            self._where, f"this `try` would catch {what}, and whether there is one depends on sizes or values that "
            "are known only when the program runs.", _WAY_OUT)


def _takes_any_size(operation: Operator) -> bool:
    """Whether an operator refuses no sizes: one that goes over the elements of a single input does not.

    What a block that it runs refuses is told by the operations in that.
    """
    return operation.fails == "never" or operation.runs_block or (
        operation.infer is same and all(slot.optional for slot in operation.inputs[1:]))


def _is_from_staged(error: BaseException) -> bool:
    """Whether an error comes out of a branch or loop while it is traced: there is one in some runs only."""
    return any(frame.f_code in _STAGED for frame, _ in traceback.walk_tb(error.__traceback__))


def _modules_of(error: BaseException) -> list[str]:
    """The names of the modules that an error came through, the outermost first."""
    return [frame.f_globals.get("__name__") or "" for frame, _ in traceback.walk_tb(error.__traceback__)]

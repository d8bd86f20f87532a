"""ReduceOp: how reductions put the values of several processes together."""

from __future__ import annotations

from ..ops.collective.reductions import KINDS


class ReduceOp:
    """How `all_reduce` and `reduce` put values together: all of them leave one process's value as it is."""

    SUM, MAX, MIN, PROD, AVG = range(5)


def kind_of(function: str, op: int) -> str:
    """The operators' name for a reduction. ValueError, in the name of `function`, for another number."""
    if op not in range(len(KINDS)):
        raise ValueError(f"{function}(op): must be one of ReduceOp's. Received {op!r}.")
    return KINDS[op]

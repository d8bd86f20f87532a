"""Operators as their test records call them, for generated programs: `recorded(number, value)` is a number."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa.ops.operator import find

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))

import checks
import records


@functools.cache
def usable() -> list[Any]:
    """The records of operators with a gradient, on float inputs, in a fixed order."""
    return [
        record
        for record in records.all_records()
        if record.static
        and record.reference is not None
        and not find(record.type).random
        and not record.data_dependent
        and checks.differentiable(record)
        and all(a.dtype.kind in "fib" for a in record.inputs)
    ]


@functools.cache
def inputs_of(number: int) -> list[np.ndarray]:
    """The inputs of a record."""
    return usable()[number % len(usable())].inputs


def call(number: int, given: list[Any]) -> Any:
    """A record's function."""
    return usable()[number % len(usable())].function(*given)


def recorded(number: int, value: Any) -> Any:
    """A weighted sum of what the operator makes of its record's inputs, the first of which `value` moves a little."""
    first = checks.differentiable(usable()[number % len(usable())])[0]
    moved = paddle.tanh(value.mean()) * 0.001
    given = [
        paddle.to_tensor(a.astype(paddle.get_default_dtype()) if a.dtype.kind == "f" else a) for a in inputs_of(number)
    ]
    given[first] = given[first] + moved
    found = [part for part in checks.as_list(call(number, given)) if part.dtype in (paddle.float32, paddle.float64)]
    total = moved
    for part in found:
        total = total + paddle.tanh(part).mean()
    return total

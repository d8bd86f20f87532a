"""Operators as their test records call them, for generated programs: `recorded(number, value)` is a number."""

from __future__ import annotations

import functools
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa.ops.core.operator import find

sys.path.insert(0, str(Path(__file__).parents[1] / "ops"))
sys.path.append(str(Path(__file__).parents[1] / "crossing"))

import checks
import records
import variants
from operator_files import RECORDS
from operators_there import DIFFERENCES

ANSWERS = Path(__file__).parents[1] / "fixtures" / "operators" / "answers.json"


@functools.cache
def usable() -> list[Any]:
    """The records of operators with a gradient, on float inputs, in a fixed order; no offsets, which files have not."""
    return [
        record
        for record in records.all_records()
        if record.static
        and record.reference is not None
        and not find(record.type).random
        and not any(slot.offsets_of for slot in find(record.type).inputs)
        and not record.data_dependent
        and checks.differentiable(record)
        and all(a.dtype.kind in "fib" for a in record.inputs)
    ]


@functools.cache
def _names() -> list[str]:
    names = {id(record): name for name, record in variants.keyed(records.all_records()).items()}
    return [names[id(record)] for record in usable()]


@functools.cache
def _answers() -> dict[str, Any]:
    return json.loads(ANSWERS.read_text("utf-8"))


def numbers_in(source: str) -> list[int]:
    """The records that a program calls."""
    return [int(number) for number in re.findall(r"\brecorded\((\d+), ", source)]


def runs_there(number: int) -> bool:
    """Whether PaddlePaddle 2.6.2 takes the record's call, and runs its file as here (tests/crossing lists the rest)."""
    name = _names()[number % len(usable())]
    answers = _answers().get(name, {})
    refused = [answer for answer in (answers.get("itself"), answers.get("float32")) if isinstance(answer, str)]
    is_run = name in RECORDS and name not in DIFFERENCES
    return is_run and all(answer.startswith("no public call") for answer in refused)


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

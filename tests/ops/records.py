"""Test records: one for each operator drives all that is checked of it.

A record names the operator, calls it through the public API on sample inputs, and gives the same result in NumPy.
`checks.py` makes of it: the forward result against NumPy; inferred against real shapes and dtypes, with the first size
known and not; the gradient and the gradient of the gradient against differences; a Program against the eager result,
gradients included.

To add records write a module `records_<family>.py` beside this one that defines `RECORDS`, a list of `Record`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Record:
    """What is checked of one operator on one set of inputs.

    `function` takes Tensors (or Variables) and gives one or several; `reference` takes and gives arrays (None where
    there is no reference: random values). Floating inputs should be float64.
    """

    type: str
    function: Callable[..., Any]
    inputs: Sequence[np.ndarray]
    reference: Callable[..., Any] | None
    label: str = ""
    #: Inputs whose gradient is checked; by default the floating ones, none where the operator has no gradient.
    differentiable: Sequence[int] | None = None
    #: Whether gradients of gradients are checked.
    second: bool = True
    #: Whether a Program is checked; off where the function needs values (x.item()).
    static: bool = True
    #: Inputs whose first size a Program does not know; by default the first, and those of its shape.
    batched: Sequence[int] | None = None
    #: Whether the result's sizes depend on values, so that inference may give -1 for them.
    data_dependent: bool = False
    #: Whether float32 inputs are tried too; off where the result's dtype is not theirs.
    float32: bool = True
    #: Relative and absolute tolerance of the forward result in float64, and of the differences.
    tolerance: float = 1e-9
    gradient_tolerance: float = 1e-5

    def __str__(self) -> str:
        return f"{self.type}-{self.label}" if self.label else self.type


def floats(*shape: int, low: float = -1.0, high: float = 1.0, seed: int = 0) -> np.ndarray:
    """float64 values between `low` and `high`, at least a hundredth of their range apart from each other if they fit.

    So maxima, sorting and rounding do not change under the small steps of a difference.
    """
    rng = np.random.default_rng(seed + 1000 * len(shape))
    count = int(np.prod(shape))
    steps = rng.permutation(count) + rng.uniform(0.3, 0.7, count)
    return (low + (high - low) * steps / max(count, 1)).reshape(shape)


def ints(*shape: int, low: int = 0, high: int = 10, seed: int = 0, dtype: str = "int64") -> np.ndarray:
    """Integers from `low` up to `high`, without it."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def bools(*shape: int, seed: int = 0) -> np.ndarray:
    """Random bools."""
    return np.random.default_rng(seed).random(shape) > 0.5


def all_records() -> list[Record]:
    """The records of every module `records_*.py` in this folder."""
    records: list[Record] = []
    for path in sorted(Path(__file__).parent.glob("records_*.py")):
        records.extend(importlib.import_module(path.stem).RECORDS)
    return records

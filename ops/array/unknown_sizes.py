"""Sizes that are not known while a Program is built: as values of the Program, and what is made of them.

Everything that computes with sizes in Python asks here for them, so that -1 never counts as a number.
"""

from __future__ import annotations

import functools
import operator as python
from collections.abc import Sequence
from typing import Any

from ...core import dtype as dt
from ..core.trace import current_trace
from ..math.casting import in_dtype
from .assign import shape
from .concat_split import concat
from .full import full, is_value, whole
from .reshape import reshape
from .slices import END, Ranges


def size_at(x: Any, axis: int) -> Any:
    """The size of a dimension: an int, or a 0-d int32 value where it is not known."""
    known = x.shape[axis]
    if known >= 0:
        return known
    ranges = Ranges()
    ranges.add(0, axis, END if axis == -1 else axis + 1)
    ranges.decrease.append(0)
    return ranges.take(shape(x))


def sizes(x: Any) -> list[Any]:
    """The size of each dimension: an int, or a 0-d int32 value where it is not known."""
    return [size_at(x, axis) for axis in range(x.ndim)]


def count_of(values: Sequence[Any]) -> Any:
    """The product of sizes: an int, or a 0-d value."""
    return functools.reduce(python.mul, values, 1)


def only_a_run_knows(size: Any) -> bool:
    """Whether a size is a value of the Program that is built, and no constant of it."""
    return is_value(size) and not hasattr(size, "_array") and current_trace().known_value(size) is None


def known_number(what: str, value: Any) -> int:
    """The number as an int; TypeError where only the run can tell it. `what` names function and argument."""
    if only_a_run_knows(value):
        raise TypeError(f"{what}: must be a number that is known while the Program is built. Received {value!r}, which "
                        "only a run can tell. Declare that size (InputSpec, static.data), or give a number.")
    return whole(value)


def vector_of(numbers: Sequence[Any]) -> Any:
    """Ints and values of one element as an int32 vector."""
    parts = [reshape(in_dtype(n, dt.int32), [1]) if is_value(n) else full([1], int(n), "int32") for n in numbers]
    return concat(parts, 0)


def surrounded(x: Any, widths: Sequence[Any], value: float) -> Any:
    """x with a constant around it: (before, after) of each dimension, from the first on, as ints or values."""
    for axis in range(x.ndim):
        around = [_slab(x, axis, widths[2 * axis + n], value) for n in (0, 1)]
        parts = [part for part in (around[0], x, around[1]) if part is not None]
        x = concat(parts, axis) if len(parts) > 1 else x
    return x


def _slab(x: Any, axis: int, width: Any, value: float) -> Any:
    if not is_value(width) and not int(width):
        return None
    return full([width if n == axis else size for n, size in enumerate(sizes(x))], value, x.dtype)

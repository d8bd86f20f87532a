"""Many arrays in one loop: a table of the array objects, from which generated loops take the addresses of the data.

All the arrays of a role (parameters, gradients, …) stand in a row of the table, and tensor t holds the elements from
`starts[t]` to `starts[t + 1]` of all of them taken together. That range is cut into parts of one size, so that threads
share few large arrays and many small ones equally well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain

import numpy as np

from .. import loops
from ..loops.names import f32_at, i64_at
from .arrays import F32

HEADER = object.__basicsize__
"""How far behind the address of an array object the address of its data stands."""
PART = 1 << 14
"""Elements of a part."""


@loops.function
def data_of(table, place, header):
    """The elements of the float32 array object that stands at a place of the table."""
    return f32_at(i64_at(table[place] + header)[0])


@loops.function
def tensor_of(starts, count, element):
    """The tensor that holds an element of the whole range."""
    low = 0
    high = count
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= element:
            low = middle
        else:
            high = middle
    return low


def are_plain(arrays: Sequence[np.ndarray]) -> bool:
    """Whether all are NumPy arrays of float32 with their elements in order."""
    return all(type(a) is np.ndarray and a.dtype is F32 and a.flags.c_contiguous for a in arrays)


def table_of(*roles: Sequence[np.ndarray]) -> np.ndarray:
    """The table of array objects, a row a role; the arrays must outlive its use."""
    return np.fromiter(map(id, chain.from_iterable(roles)), "int64", len(roles) * len(roles[0]))


def starts_of(arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, int, int]:
    """Where each array begins in the whole range, then its end; how many elements, and how many parts that makes."""
    return _starts(tuple([a.size for a in arrays]))


@lru_cache(maxsize=64)
def _starts(sizes: tuple[int, ...]) -> tuple[np.ndarray, int, int]:
    starts = np.array([0, *accumulate(sizes)], "int64")
    total = int(starts[-1])
    return starts, total, -(-total // PART)

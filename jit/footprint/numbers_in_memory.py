"""Numbers in memory that a function may hold: NumPy's arrays, `bytearray`, `array.array`, `ctypes`, views of these.

What they hold, whether that has changed, and how it is put back. Knows arrays and buffers alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

_LARGEST_ARRAY, _LARGEST_MEMORY = 10_000, 80_000  # elements, bytes


def memory_of(value: Any) -> memoryview | None:
    """The memory of a value of the library that holds numbers there; None for other values."""
    if not (isinstance(value, (bytearray, memoryview)) or isinstance(value, tuple(_kinds_in_memory()))):
        return None
    try:
        memory = memoryview(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # it has been released, or closed
        return None
    return memory if memory.contiguous else None


def _kinds_in_memory() -> Iterator[type]:
    """Of modules that somebody has imported."""
    if (arrays := sys.modules.get("array")) is not None:
        yield arrays.array
    if (c := sys.modules.get("_ctypes")) is not None:
        yield from (c._SimpleCData, c.Structure, c.Union, c.Array)
    if (files := sys.modules.get("mmap")) is not None:
        yield files.mmap


def numbers_in(value: Any) -> Any:
    """A copy of the numbers that an array, or such a value, holds; None where there are none, or too many."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.size <= _LARGEST_ARRAY and not value.dtype.hasobject else None
    memory = memory_of(value)
    if memory is None or memory.nbytes > _LARGEST_MEMORY:
        return None
    return value[:] if _can_grow(value) else memory.tobytes()


def as_written(value: Any) -> tuple[Any, ...]:
    """An array or such a value as it lies in memory: a NaN is equal to itself then, and 0.0 is not -0.0."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    memory = memory_of(value)
    return () if memory is None else (memory.format, memory.shape, memory.tobytes())


def write_numbers(value: Any, numbers: Any) -> None:
    """Gives it the numbers of a copy."""
    if isinstance(value, np.ndarray):
        value[...] = numbers
    elif _can_grow(value):
        value[:] = numbers
    else:
        np.frombuffer(value, np.uint8)[:] = np.frombuffer(numbers, np.uint8)


def can_be_written(value: Any) -> bool:
    """Whether anybody may write into it: not into a read-only array, as one of a file that is mapped for reading."""
    if isinstance(value, np.ndarray):
        return value.flags.writeable
    memory = memory_of(value)
    return memory is not None and not memory.readonly


def _can_grow(value: Any) -> bool:
    """Whether its length may change: of a `bytearray` or an `array`, whose slices are copies."""
    return isinstance(value, bytearray) or type(value).__module__ == "array"

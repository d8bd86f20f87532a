"""Memory that a worker shares with its parent: nameless files that both map.

A nameless file (`memfd_create`; an unlinked temporary file where there is none) cannot be left behind: the kernel frees
it with its last descriptor and mapping, however the processes end. Knows no messages.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from typing import Any

import numpy as np

ALIGNMENT = 64  # bytes; an array starts on a cache line of its block


def aligned(size: int) -> int:
    """The room that `size` bytes take in a block."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def nameless_file(size: int) -> int:
    """The descriptor of a new file of `size` bytes that has no name; OSError where there is no room for it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("proa-batches", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        if hasattr(os, "posix_fallocate"):  # takes the room now: a mapping that finds none kills the process
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.truncate(descriptor, size)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Block:
    """A piece of shared memory that is filled from its start. `descriptor`: of its file, until that is sent."""

    def __init__(self, number: int, size: int):
        self.number = number
        self.descriptor: int | None = nameless_file(size)
        self.bytes = np.frombuffer(mmap.mmap(self.descriptor, size), np.uint8)
        self.used = 0
        self._address = self.bytes.ctypes.data

    def __len__(self) -> int:
        return len(self.bytes)

    def has_room(self, size: int) -> bool:
        """Whether so many more bytes fit."""
        return self.used + aligned(size) <= len(self.bytes)

    def take(self, size: int) -> int:
        """Where the next so many bytes start."""
        offset = self.used
        self.used += aligned(size)
        return offset

    def array(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array, not initialized, in the next bytes."""
        size = math.prod(shape) * np.dtype(dtype).itemsize
        offset = self.take(size)
        return self.bytes[offset : offset + size].view(dtype).reshape(shape)

    def offset_of(self, data: np.ndarray) -> int | None:
        """Where some bytes start if they lie in this block."""
        offset = data.ctypes.data - self._address
        return offset if 0 <= offset and offset + data.nbytes <= self.used else None

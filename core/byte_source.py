"""Reading bytes from a file of a stranger: never more than there are, and always knowing where.

Every request is held against the bytes that are left before anything is allocated, so that a declared size of a
terabyte in a short file costs nothing. Knows nothing of what the bytes mean.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from .files import CorruptFileError


class ByteSource:
    """A binary file that can seek, with its name for errors and its size."""

    def __init__(self, file: Any, name: str):
        self.file, self.name = file, name
        start = file.tell()
        self.size = file.seek(0, os.SEEK_END)
        file.seek(start)

    @property
    def position(self) -> int:
        """The offset of the next byte."""
        return self.file.tell()

    @property
    def left(self) -> int:
        """How many bytes are still to come."""
        return self.size - self.file.tell()

    def fail(self, reason: str, at: int | None = None, what: str = "") -> NoReturn:
        """Raises CorruptFileError at a byte offset (by default the current one)."""
        place = f"byte {self.position if at is None else at}"
        raise CorruptFileError(self.name, f"{place}, {what}" if what else place, reason)

    def need(self, count: int, what: str) -> None:
        """CorruptFileError unless there are `count` more bytes."""
        if count > self.left:
            self.fail(f"{count} bytes should follow, but the file ends after {self.left}", what=what)

    def take(self, count: int, what: str = "") -> bytes:
        """The next `count` bytes."""
        if count > 65536:
            self.need(count, what)
        data = self.file.read(count)
        if len(data) != count:
            at = self.position - len(data)
            self.fail(f"{count} bytes should follow, but the file ends after {len(data)}", at, what)
        return data

    def array(self, count: int, what: str = "") -> np.ndarray:
        """The next `count` bytes as a new uint8 array, read into it without a copy in between."""
        self.need(count, what)
        start = self.position
        result = np.empty(count, np.uint8)
        view, done = memoryview(result), 0
        while done < count:
            got = self.file.readinto(view[done:])
            if not got:
                self.fail(f"{count} bytes should follow, but the file ends after {done}", start, what)
            done += got
        return result


@contextlib.contextmanager
def open_source(source: Any, name: str | None = None) -> Iterator[ByteSource]:
    """A ByteSource of a path, of bytes, or of a binary file opened for reading, from where it stands.

    A file that cannot seek is read to its end first. `name` is what errors call it; by default its path.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        yield ByteSource(io.BytesIO(source), name or "<bytes>")
    elif isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            yield ByteSource(file, name or os.fspath(source))
    elif not hasattr(source, "read"):
        raise TypeError(f"Expected a path, bytes or a binary file. Received {type(source).__name__}.")
    else:
        found = getattr(source, "name", None)
        called = name or (found if isinstance(found, str) else f"<{type(source).__name__}>")
        readable = hasattr(source, "readinto") and getattr(source, "seekable", lambda: False)()
        yield ByteSource(source if readable else io.BytesIO(source.read()), called)

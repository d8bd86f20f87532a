"""Reading bytes that may be short or hostile: every read is checked against what is left before anything is allocated.

Knows nothing of a format.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from .file_kind import LOOKED_AT, kind_of
from .files import CorruptFileError, MissingFileError

_BUFFER_BYTES = 1 << 16


class ByteReader:
    """A binary file from its present position on; a short read is a CorruptFileError that names file and offset.

    >>> import io
    >>> from proa.core.byte_reader import ByteReader
    >>> reader = ByteReader(io.BytesIO(bytes([1, 0, 0, 0, 7])), "example")
    >>> reader.integer(4), reader.take(1), reader.remaining
    (1, b'\\x07', 0)
    """

    def __init__(self, file: BinaryIO, name: str):
        if not _has_readinto(file):
            file = io.BytesIO(file.read())
        self.name = name
        self.position = self._begin = file.tell()
        self.end = file.seek(0, os.SEEK_END)
        self._file = file
        file.seek(self.position)

    @property
    def remaining(self) -> int:
        """Bytes that have not been read yet."""
        return self.end - self.position

    def corrupt(self, reason: str, position: int | None = None) -> CorruptFileError:
        """The error to raise for what is wrong here, or at `position`."""
        return CorruptFileError(self.name, self.position if position is None else position, reason)

    def kind(self) -> str:
        """What the file seems to be by its first bytes, in words; "" where they tell nothing.

        >>> import io
        >>> from proa.core.byte_reader import ByteReader
        >>> ByteReader(io.BytesIO(b"hello"), "example").kind()
        "the file is text: 'hello'"
        """
        here = self._file.tell()
        self._file.seek(self._begin)
        start = self._file.read(LOOKED_AT)
        self._file.seek(here)
        return kind_of(start)

    def need(self, count: int, what: str = "data") -> None:
        """Raises CorruptFileError unless `count` more bytes are there."""
        if count < 0 or count > self.end - self.position:
            raise self.corrupt(f"{count} bytes of {what} are declared and {self.remaining} are left")

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        if count < 0 or count > self.end - self.position:
            self.need(count)
        data = self._file.read(count)
        if len(data) != count:
            raise self.corrupt("the file became shorter while it was read")
        self.position += count
        return data

    def passes(self, expected: bytes) -> bool:
        """Whether these bytes come next, which are left out then.

        >>> import io
        >>> from proa.core.byte_reader import ByteReader
        >>> reader = ByteReader(io.BytesIO(b"abc"), "example")
        >>> reader.passes(b"x"), reader.passes(b"ab"), reader.remaining
        (False, True, 1)
        """
        count = len(expected)
        if count > self.end - self.position:
            return False
        if self._file.read(count) != expected:
            self._file.seek(self.position)
            return False
        self.position += count
        return True

    def integer(self, size: int, signed: bool = False) -> int:
        """The next little-endian integer of `size` bytes."""
        return int.from_bytes(self.take(size), "little", signed=signed)

    def take_array(self, count: int) -> np.ndarray:
        """The next `count` bytes in a new uint8 array, read straight into its memory."""
        self.need(count)
        array = np.empty(count, np.uint8)
        view, done = memoryview(array), 0
        while done < count:
            got = self._file.readinto(view[done:])  # type: ignore[attr-defined]
            if not got:
                raise self.corrupt("the file became shorter while it was read")
            done += got
        self.position += count
        return array

    def skip(self, count: int) -> None:
        """Leaves out the next `count` bytes."""
        self.need(count)
        self._file.seek(count, os.SEEK_CUR)
        self.position += count

    def line(self, limit: int = 1 << 12) -> bytes:
        """The bytes up to the next newline, without it; at most `limit` of them."""
        data = self._file.readline(min(limit, self.remaining))
        if not data.endswith(b"\n"):
            raise self.corrupt("a line has no end")
        self.position += len(data)
        return data[:-1]


def _has_readinto(file: Any) -> bool:
    return hasattr(file, "readinto") and getattr(file, "seekable", lambda: False)()


def source_name(source: Any) -> str:
    """What to call a path, a file object or a bytes object in an error."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def _opened(path: Any) -> BinaryIO:
    try:
        return open(path, "rb", buffering=_BUFFER_BYTES)
    except FileNotFoundError as error:
        raise MissingFileError(*error.args, error.filename) from None


@contextlib.contextmanager
def open_reader(source: Any) -> Iterator[ByteReader]:
    """A ByteReader of a path, of a bytes object, or of a binary file object from where it stands.

    A path must be read to its end: what is left over when the block ends is a CorruptFileError.
    """
    if not isinstance(source, (str, os.PathLike)):
        is_bytes = isinstance(source, (bytes, bytearray, memoryview))
        yield ByteReader(io.BytesIO(source) if is_bytes else source, source_name(source))
        return
    with _opened(source) as file:
        reader = ByteReader(file, source_name(source))
        yield reader
        if reader.remaining:
            raise reader.corrupt(f"{reader.remaining} bytes follow the end of the data")

"""Writing files whole or not at all, and the error for a file that cannot be read.

A file is written under a temporary name beside its place, flushed to the disk, and renamed. Whatever stops the writing
(an exception, a full disk, the end of the process) leaves the older file as it was; a process that is killed leaves at
most a file `NAME.XXXXXXXX.tmp`, which may be deleted. Knows nothing of what is in a file.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from typing import BinaryIO

BUFFER_BYTES = 1 << 20
_LONGEST_STEM = 200  # file systems allow 255 bytes a name


class MissingFileError(FileNotFoundError, ValueError):
    """There is no such file: FileNotFoundError as of Python, ValueError as in Paddle."""


class CorruptFileError(ValueError):
    """A file is truncated, damaged or not of the format that was expected.

    `file` names it, `place` says where in it (a byte offset, or a field), `reason` what is wrong there.
    Fix: fetch or save the file again; if it is a checkpoint of an interrupted run, use the one before it.
    """

    def __init__(self, file: str, place: int | str, reason: str):
        super().__init__(file, place, reason)
        self.file, self.place, self.reason = file, place, reason

    def __str__(self) -> str:
        place = f"byte {self.place}" if isinstance(self.place, int) else self.place
        return f"{self.file}: {place}: {self.reason}"


class AtomicGroup:
    """Files that are put in their places together; made by `atomic_group`."""

    def __init__(self) -> None:
        self._finished: list[tuple[str, str]] = []  # temporary name, place
        self._temporary: list[str] = []

    @contextlib.contextmanager
    def open(self, path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
        """A binary file to write the contents of `path` to; complete, but not yet in place, when the block ends."""
        place = _checked_place(path)
        temporary = f"{_stem(place)}.{os.urandom(4).hex()}.tmp"
        with _naming(place):
            file = self._create(temporary, place)
        try:
            with _naming(place):
                yield file
                file.flush()
                os.fsync(file.fileno())
                file.raw.close()
        finally:
            file.raw.close()  # in this order: after a failed write, closing the buffer would try it again
            file.close()
        self._finished.append((temporary, place))

    def _create(self, temporary: str, place: str) -> io.BufferedWriter:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        self._temporary.append(temporary)
        if os.path.exists(place) and hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(place).st_mode))
        return io.BufferedWriter(io.FileIO(descriptor, "wb"), BUFFER_BYTES)

    def commit(self) -> None:
        """Renames every file to its place."""
        for temporary, place in self._finished:
            with _naming(place):
                os.replace(temporary, place)
            self._temporary.remove(temporary)
        for folder in dict.fromkeys(os.path.dirname(place) for _, place in self._finished):
            sync_folder(folder)

    def discard(self) -> None:
        """Removes what has not been put in its place."""
        for temporary in self._temporary:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def is_temporary(name: str) -> bool:
    """Whether a file's name is one under which files are written before they get their own: what a killed process left.

    >>> from proa.core.files import is_temporary
    >>> is_temporary("w.0f3a9c21.tmp"), is_temporary("w")
    (True, False)
    """
    return re.fullmatch(r".*\.[0-9a-f]{8}\.tmp", name, re.DOTALL) is not None


@contextlib.contextmanager
def atomic_group() -> Iterator[AtomicGroup]:
    """Several files that are written together: none is put in its place before all of them are complete.

    An exception in the block leaves every older file as it was. The renames at the end follow one another: a process
    that is killed between two of them leaves some files new and the others old, each of them whole.

    >>> import os, tempfile
    >>> from proa.core.files import atomic_group
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_group() as group:
    ...         for name in ("a", "b"):
    ...             with group.open(os.path.join(folder, name)) as file:
    ...                 _ = file.write(b"whole")
    ...     sorted(os.listdir(folder))
    ['a', 'b']
    """
    group = AtomicGroup()
    try:
        yield group
        group.commit()
    finally:
        group.discard()


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file for writing that becomes `path` when the block ends without an exception, and vanishes otherwise.

    Folders on the way are made. Raises OSError with errno and the path: IsADirectoryError, PermissionError, a full
    disk (ENOSPC)…; the older file, if there is one, is then as it was.

    >>> import os, tempfile
    >>> from proa.core.files import atomic_write
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_write(os.path.join(folder, "new", "file")) as file:
    ...         _ = file.write(b"whole")
    ...     os.listdir(os.path.join(folder, "new"))
    ['file']
    """
    with atomic_group() as group, group.open(path) as file:
        yield file


def _stem(place: str) -> str:
    folder, name = os.path.split(place)
    short = os.fsdecode(os.fsencode(name)[:_LONGEST_STEM])
    return os.path.join(folder, short)


def _checked_place(path: str | os.PathLike[str]) -> str:
    """The absolute path, links resolved; OSError when something other than a file is there."""
    text = os.fspath(path)
    place = os.path.realpath(text)
    if os.path.isdir(place) or text.endswith(("/", os.sep)):
        raise IsADirectoryError(errno.EISDIR, "Cannot write a file here, it is a directory. Add a file name", text)
    if os.path.exists(place) and not os.path.isfile(place):
        raise OSError(errno.EINVAL, "Cannot replace what is not a regular file", text)
    return place


@contextlib.contextmanager
def _naming(place: str) -> Iterator[None]:
    """Gives an OSError from writing (which knows no path, or that of the temporary file) the path that was meant."""
    try:
        yield
    except OSError as error:
        foreign = error.filename is not None and not str(error.filename).endswith(".tmp")
        if error.errno is None or foreign:
            raise
        raise OSError(error.errno, f"{error.strerror}. Writing failed, nothing was changed", place) from error


def sync_folder(folder: str) -> None:
    """Makes renames in a folder durable, where the system can do that for a folder."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # a folder that may not be read, some network file systems; the files are safe
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

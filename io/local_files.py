"""Where a dataset's files are, and reading them without trusting them.

A file that is not named is looked for where Paddle keeps its downloads. Nothing is fetched. An archive's members are
read into memory by their names, never unpacked to names of the archive's own choosing; sizes are checked first.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from ..core.files import CorruptFileError, atomic_write

HOME = os.path.join("~", ".cache", "paddle", "dataset")
_MAXIMUM_MEMBER = 1 << 30  # the largest of the published sets is 185 MB
_MAXIMUM_TOTAL = 4 << 30
_MAXIMUM_MEMBERS = 1_000_000
_MAXIMUM_HEADER = 1 << 20
_ZIPPED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}


def local_file(path: Any, caller: str, argument: str, folder: str, url: str, download: bool) -> str:
    """The path of a file that is there: `path`, or for None that of Paddle's download.

    FileNotFoundError that says where to put which file; ValueError where neither path nor download is given.
    """
    if path is not None and path != "":
        path = os.path.expanduser(os.fspath(path))
        if not os.path.isfile(path):
            raise FileNotFoundError(f"{caller}({argument}): there is no file {path}. It is published as {url}")
        return path
    if not download:
        raise ValueError(f"{caller}({argument}): with download=False the file must be named. Received None.")
    place = os.path.join(os.path.expanduser(HOME), folder, url.rsplit("/", 1)[1])
    return downloaded_file(place, caller, url, f", or pass its path as {argument}")


def downloaded_file(place: str, caller: str, url: str, otherwise: str = "") -> str:
    """The place of a file that is there; FileNotFoundError that says what to fetch and where to put it."""
    if not os.path.isfile(place):
        raise FileNotFoundError(f"{caller}: nothing is downloaded, and {place} is not there. Fetch {url} and put it "
                                f"there{otherwise}.")
    return place


def check_mode(mode: str, caller: str, known: tuple[str, ...]) -> str:
    """The mode in small letters; ValueError if it is not one of `known`."""
    if not isinstance(mode, str) or mode.lower() not in known:
        raise ValueError(f"{caller}(mode): must be one of {list(known)}. Received {mode!r}.")
    return mode.lower()


def read_gzip(path: str, head: int, size_of: Callable[[bytes], int]) -> bytes:
    """The bytes of a file, compressed or not, as many as its first `head` bytes say through `size_of`."""
    with open(path, "rb") as raw:
        compressed = raw.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if compressed else open(path, "rb") as file:
            first = file.read(head)
            if len(first) < head:
                raise CorruptFileError(path, 0, f"the file has {len(first)} bytes, its head alone has {head}")
            size = size_of(first)
            if size > _MAXIMUM_MEMBER:
                raise CorruptFileError(path, 0, f"its head declares {size} bytes, more than {_MAXIMUM_MEMBER}")
            data = file.read(size)
            more = file.read(1)  # at the end of a compressed file, this compares its checksum
    except (OSError, EOFError, zlib.error) as error:
        raise CorruptFileError(path, 0, f"cannot be decompressed: {error}") from error
    if len(data) < size:
        raise CorruptFileError(path, head + len(data), f"{size} bytes are declared and {len(data)} are there")
    if more:
        raise CorruptFileError(path, head + size, f"more follows the {size} bytes that are declared")
    return data


def read_zip(path: str, chosen: Callable[[str], bool], what: str) -> Iterator[tuple[str, bytes]]:
    """(name, bytes) of the members of a zip archive whose names are chosen, in their order; one is in memory.

    CorruptFileError where none is, which then says `what` is missing, and for what cannot be read.
    """
    place = path
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if chosen(member.filename) and not member.is_dir()]
            if not members:
                raise CorruptFileError(path, what, "is not in the archive")
            for member in members:
                place = f"{path}: {member.filename}"
                yield member.filename, _unzipped(archive, member, place)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise CorruptFileError(place, what, f"cannot be read from the archive: {error}") from error


def _unzipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo, place: str) -> bytes:
    if member.file_size > _MAXIMUM_MEMBER:
        raise CorruptFileError(place, 0, f"declares {member.file_size} bytes, more than {_MAXIMUM_MEMBER}")
    if member.compress_type not in _ZIPPED:
        raise CorruptFileError(place, 0, f"is compressed in the way {member.compress_type}, which may unpack to more "
                               "than it declares")
    with archive.open(member) as file:  # read() without a size would unpack first and cut then
        return file.read(member.file_size)


class _Careful:
    """A stream that refuses to read more than `limit` bytes at a time: a header may ask for what it likes."""

    def __init__(self, path: str, limit: int):
        self._path, self._limit = path, limit
        with open(path, "rb") as file:
            start = file.read(6)
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), open)
        self.compressed = opener is not open
        self._stream: Any = opener(path, "rb")
        self.seek, self.tell, self.close = self._stream.seek, self._stream.tell, self._stream.close

    def read(self, size: int) -> bytes:
        """The next `size` bytes, or what is left."""
        if not 0 <= size <= self._limit:
            raise CorruptFileError(self._path, self.tell(), f"a header asks for {size} bytes, more than {self._limit}")
        return self._stream.read(size)


@contextlib.contextmanager
def _opened(path: str, limit: int) -> Iterator[tuple[tarfile.TarFile, _Careful]]:
    try:
        with contextlib.closing(_Careful(path, limit)) as stream, tarfile.open(fileobj=stream, mode="r:") as tar:  # type: ignore[call-overload]
            yield tar, stream
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise CorruptFileError(path, 0, f"is no tar archive that can be read: {error}") from error


class Archive:
    """The regular files in a tar archive, read by name. It holds no open file, so workers can share it."""

    def __init__(self, path: str):
        self.path = path
        self.members: dict[str, tarfile.TarInfo] = {}
        with _opened(path, _MAXIMUM_HEADER) as (tar, stream):
            self._compressed = stream.compressed
            for count, member in enumerate(tar, 1):
                self._add(member, count)

    def _add(self, member: tarfile.TarInfo, count: int) -> None:
        if count > _MAXIMUM_MEMBERS:  # of every kind and name: each takes memory while the archive is read
            raise CorruptFileError(self.path, member.offset, f"has more than {_MAXIMUM_MEMBERS} members")
        if not 0 <= member.size <= _MAXIMUM_MEMBER:
            raise CorruptFileError(self.path, member.offset, f"{member.name!r} declares {member.size} bytes, which are "
                                   f"not 0 to {_MAXIMUM_MEMBER}")
        if member.isreg() and not member.issparse():
            self.members[member.name.removeprefix("./")] = member

    def read(self, name: str) -> bytes:
        """The bytes of one member; CorruptFileError where there is none of the name."""
        member = self._member(name)
        if self._compressed:
            with _opened(self.path, _MAXIMUM_MEMBER) as (tar, _):
                return self._bytes(tar, member)
        with open(self.path, "rb") as file:
            file.seek(member.offset_data)
            return self._whole(file.read(member.size), member)

    def read_all(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """(name, bytes) of each of the members, in the archive's order, in one pass; one member is in memory."""
        wanted = sorted(((self._member(name), name) for name in names), key=lambda pair: pair[0].offset)
        if sum(member.size for member, _ in wanted) > _MAXIMUM_TOTAL:
            raise CorruptFileError(self.path, 0, f"declares more than {_MAXIMUM_TOTAL} bytes of members")
        with _opened(self.path, _MAXIMUM_MEMBER) as (tar, _):
            for member, name in wanted:
                yield name, self._bytes(tar, member)

    def unpack(self, folder: str) -> None:
        """Writes all members into the folder; CorruptFileError for a name that leads out of it, before any is written.

        Links and devices are no members.
        """
        for name in self.members:
            parts = name.replace("\\", "/").split("/")
            if ".." in parts or not parts[0] or ":" in parts[0]:
                raise CorruptFileError(self.path, name, "would be unpacked outside of its folder")
        for name, data in self.read_all(list(self.members)):
            place = os.path.join(folder, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with atomic_write(place) as file:
                file.write(data)

    def _member(self, name: str) -> tarfile.TarInfo:
        if name not in self.members:
            raise CorruptFileError(self.path, name, "the archive has no regular file of this name")
        return self.members[name]

    def _bytes(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
        file = tar.extractfile(member)
        if file is None:
            raise CorruptFileError(self.path, member.name, "is no regular file")
        with file:
            return self._whole(file.read(member.size), member)

    def _whole(self, data: bytes, member: tarfile.TarInfo) -> bytes:
        if len(data) != member.size:
            raise CorruptFileError(self.path, member.name, f"{member.size} bytes are declared and {len(data)} are left")
        return data

"""A server's part of a checkpoint on the disk: a folder with `part.json` and the bytes of arrays, there whole or not.

It is written under a temporary name, flushed, and renamed. A checksum stands beside each array's place. Nothing that
is read can run code.
"""

from __future__ import annotations

import json
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...core.files import CorruptFileError, sync_folder
from .values import dtype_of

PART = "part.json"
FORMAT = 1
_CHUNK = 1 << 24  # bytes at a time


class PartWriter:
    """What `written` hands out: takes arrays, and gives for each what `part.json` says of it."""

    def __init__(self, folder: str):
        self._folder, self._count = folder, 0

    def array(self, pieces: Iterable[np.ndarray]) -> dict[str, Any]:
        """Writes an array, given in pieces along its first axis, at least one."""
        name = f"{self._count}.bin"
        self._count += 1
        checksum, rows, tail, dtype = 0, 0, (), ""
        with open(os.path.join(self._folder, name), "xb") as file:
            for piece in pieces:
                data = np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data
                checksum = zlib.crc32(data, checksum)
                file.write(data)
                rows, tail, dtype = rows + (piece.shape[0] if piece.ndim else 1), piece.shape[1:], piece.dtype.name
                ndim = piece.ndim
            file.flush()
            os.fsync(file.fileno())
        return {"file": name, "dtype": dtype, "shape": [rows, *tail] if ndim else [], "crc32": checksum}


def write(folder: str, contents: Callable[[PartWriter], dict[str, Any]]) -> None:
    """Makes the folder, of what `contents` writes and says. One that is there already is replaced."""
    temporary = f"{folder}.{os.urandom(4).hex()}.tmp"
    os.makedirs(temporary)
    try:
        said = {"format": FORMAT, **contents(PartWriter(temporary))}
        with open(os.path.join(temporary, PART), "x", encoding="utf-8") as file:
            json.dump(said, file)
            file.flush()
            os.fsync(file.fileno())
        sync_folder(temporary)
        older = _put_away(folder)
        try:
            os.rename(temporary, folder)
        except OSError:
            if os.path.isdir(older):
                os.rename(older, folder)
            raise
        sync_folder(os.path.dirname(folder))
        shutil.rmtree(older, ignore_errors=True)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove(folder: str) -> None:
    """Removes a part, so that it is never there by halves."""
    shutil.rmtree(_put_away(folder), ignore_errors=True)


def _put_away(folder: str) -> str:
    """Gives a folder, where there is one, a temporary name, under which nobody reads it."""
    away = f"{folder}.{os.urandom(4).hex()}.tmp"
    if os.path.isdir(folder):
        os.rename(folder, away)
    return away


def read(folder: str) -> dict[str, Any]:
    """What a part says of itself. CorruptFileError where it says nothing sensible."""
    path = os.path.join(folder, PART)
    try:
        with open(path, encoding="utf-8") as file:
            said = json.load(file)
    except (ValueError, RecursionError) as error:
        raise CorruptFileError(path, "JSON", str(error)) from error
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise CorruptFileError(path, "format", f"expected {FORMAT}")
    return said


def array_of(folder: str, said: dict[str, Any]) -> np.ndarray:
    """An array, read from the disk as it is used. CorruptFileError where the file is not what was written."""
    try:
        name, dtype, shape = said["file"], dtype_of(said["dtype"]), tuple(int(size) for size in said["shape"])
        checksum = said["crc32"]
    except (TypeError, KeyError, ValueError) as error:
        raise CorruptFileError(os.path.join(folder, PART), "an array", repr(error)) from error
    path = os.path.join(folder, os.path.basename(name))
    nbytes = dtype.itemsize
    for size in shape:
        nbytes *= size
    if min(shape, default=0) < 0 or not os.path.isfile(path) or os.path.getsize(path) != nbytes:
        raise CorruptFileError(path, "its size", f"expected {nbytes} bytes")
    if not nbytes:
        return np.empty(shape, dtype)
    data = np.memmap(path, np.uint8, "r")
    found = 0
    for chunk in _chunks(data):
        found = zlib.crc32(chunk.data, found)
    if found != checksum:
        raise CorruptFileError(path, "its checksum", f"expected {checksum}, found {found}")
    return data.view(np.ndarray).view(dtype).reshape(shape)


def _chunks(data: np.ndarray) -> Iterator[np.ndarray]:
    for begin in range(0, data.size, _CHUNK):
        yield data[begin:begin + _CHUNK]

"""Writing a snapshot: a folder that is there as a whole or not at all.

A folder that is new is written beside its place, under a temporary name, and renamed when all of it is on the disk: a
process that is killed leaves a folder `NAME.XXXXXXXX.tmp`, which may be deleted, and nothing at the place itself. A
folder that is there (and empty) is kept: the files get their names in it when all are on the disk, and the mark of a
whole snapshot comes last. Values are written from where they lie, one variable at a time.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Callable, Collection, Iterable
from typing import Any, BinaryIO

import numpy as np

from ...core.dtype import from_numpy_dtype
from ...core.files import atomic_group, sync_folder
from . import layout

_CHUNK = 1 << 18  # elements, where values have to be put in order first


def check_free(path: str | os.PathLike[str], caller: str) -> str:
    """The absolute path of a folder that is empty or not there yet; FileExistsError or NotADirectoryError otherwise."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise TypeError(f"{caller}(path): a folder's path is a str. Received {path!r}.")
    text = os.fspath(path)
    place = os.path.realpath(text)
    if os.path.isdir(place):
        there = sorted(os.listdir(place))
        if there:
            raise FileExistsError(
                errno.EEXIST, f"{caller}(path): the folder is not empty, it holds {_some(there)}. Nothing was written. "
                "A snapshot goes to a folder that is empty or that is not there yet", text)
    elif os.path.lexists(place):
        raise NotADirectoryError(errno.ENOTDIR, f"{caller}(path): this is a file, and a snapshot is a folder. Nothing "
                                 "was written", text)
    return place


def write_snapshot(path: str | os.PathLike[str], names: Collection[str], value_of: Callable[[str], Any], caller: str,
                   later_form: bool = False) -> None:
    """Writes the values of variables to a folder that is empty or not there yet.

    `value_of(name)` gives an array; one is held at a time. `later_form` is that of OneFlow's `checkpoint.save`: a
    `meta` file beside each variable's values, and a file as the mark. Raises before anything is written for a folder
    that is not empty and for a name that cannot be a folder's; OSError (a full disk, a missing permission) after what
    was written is gone again.
    """
    for name in names:
        layout.check_name(name, caller)
    place = check_free(path, caller)
    stands = os.path.isdir(place)
    folder = place if stands else f"{place}.{os.urandom(4).hex()}.tmp"
    made: list[str] = []
    try:
        if not stands:
            os.makedirs(folder)
            made.append(folder)
        _write_variables(folder, names, value_of, made, later_form)
        _mark(folder, made, later_form)
        if not stands:
            os.rename(folder, place)
            made.clear()
            sync_folder(os.path.dirname(place))
    except BaseException as error:
        _remove(made)
        if isinstance(error, OSError) and error.errno is not None:
            raise _renamed(error, folder, os.fspath(path), caller) from error
        raise


def _write_variables(folder: str, names: Iterable[str], value_of: Callable[[str], Any], made: list[str],
                     later_form: bool) -> None:
    with atomic_group() as group:
        for name in names:
            own = os.path.join(folder, name)
            os.mkdir(own)
            made.append(own)
            array = np.asarray(value_of(name))
            with group.open(layout.values_path(folder, name)) as file:
                write_values(file, array)
            if later_form:
                text = layout.meta_text(array.shape, from_numpy_dtype(array.dtype.newbyteorder("=")))
                with group.open(layout.meta_path(folder, name)) as file:
                    file.write(text.encode())


def write_values(file: BinaryIO, array: np.ndarray) -> None:
    """Writes the elements in order, little-endian; those that lie so are not copied."""
    if array.dtype.kind not in "biufcV" or array.dtype.hasobject or array.dtype.names:
        raise TypeError(f"values of a snapshot are numbers. Received an array of dtype {array.dtype}.")
    little = array.dtype.newbyteorder("<")
    if array.flags.c_contiguous and array.dtype == little:
        file.write(array.reshape(-1).view(np.uint8).data)
        return
    for chunk in np.nditer(array, ["external_loop", "buffered", "zerosize_ok"], ["readonly"], order="C",
                           op_dtypes=little, casting="equiv", buffersize=_CHUNK):
        file.write(np.ascontiguousarray(chunk).view(np.uint8).data)


def _mark(folder: str, made: list[str], later_form: bool) -> None:
    mark = layout.done_path(folder)
    if later_form:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    else:
        os.mkdir(mark)
    made.append(mark)
    sync_folder(folder)


def _remove(made: list[str]) -> None:
    """Takes away what this call has made, the mark of a whole snapshot first."""
    for place in reversed(made):
        if os.path.isdir(place):
            shutil.rmtree(place, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                os.unlink(place)


def _renamed(error: OSError, folder: str, path: str, caller: str) -> OSError:
    """The error with the path that the user gave, and the variable that was written."""
    where = os.fspath(error.filename) if isinstance(error.filename, (str, bytes, os.PathLike)) else folder
    inside = os.path.relpath(os.fsdecode(where), folder).split(os.sep)
    variable = f" of the variable {inside[0]!r}" if inside[0] not in (os.curdir, os.pardir, layout.DONE) else ""
    reason = (error.strerror or "").split(". ")[0]
    return OSError(error.errno, f"{reason}. {caller}(path): writing{variable} failed, and what was written is gone "
                   "again", path)


def _some(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:3]))
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"

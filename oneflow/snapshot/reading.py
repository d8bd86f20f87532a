"""Reading snapshots: which variables a folder holds, whether they fit, and their values.

Files are a stranger's: nothing is read that is no regular file, sizes are compared before anything is read, and a link
that leads nowhere is an error.
"""

from __future__ import annotations

import errno
import os
import stat
import warnings
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

import numpy as np

from ...core.dtype import DType, convert_dtype
from ...core.files import CorruptFileError
from . import layout

_LONGEST_META = 1 << 16
_SHOWN = 5


class StoredValue:
    """The value of a variable in a snapshot: read when `numpy()` asks for it, each time anew.

    `shape` and `dtype` are those that the snapshot's `meta` file tells, or the ones that are given; files of
    `CheckPoint.save` tell neither. Of those `told_by` may know, when it is asked for the value: `checkpoint.get` asks
    for the variable of this name, as `load_variables` does.

    >>> import os, tempfile, numpy as np
    >>> folder = os.path.join(tempfile.mkdtemp(), "bias")
    >>> os.mkdir(folder)
    >>> np.ones(3, "float32").tofile(os.path.join(folder, "out"))
    >>> StoredValue(folder, "float32", (3,)).numpy()
    array([1., 1., 1.], dtype=float32)
    """

    def __init__(self, var_dir: str | os.PathLike[str], dtype: Any = None, shape: Any = None,
                 told_by: Callable[[], tuple[tuple[int, ...], DType] | None] | None = None):
        self._folder, self._told_by = os.fspath(var_dir), told_by
        if (dtype is None) != (shape is None):
            raise ValueError(f"{self._folder}: give both, dtype and shape, or neither. Received {dtype=}, {shape=}.")
        self._dtype: DType | None = None if dtype is None else convert_dtype(dtype)
        self._shape: tuple[int, ...] | None = None if shape is None else tuple(int(size) for size in shape)
        self.nbytes = _size(self.file_path)
        root, name = os.path.split(self._folder)
        meta = layout.meta_path(root, name)
        told = None
        if _exists(meta):
            told = layout.parse_meta(_read_text(meta), meta)
        if told is not None and self._shape is not None and told != (self._shape, self._dtype):
            raise ValueError(f"{meta}: the value has shape {list(told[0])} and dtype {told[1].name}. Asked for were "
                             f"shape {list(self._shape)} and dtype {convert_dtype(dtype).name}.")
        if told is not None:
            self._shape, self._dtype = told
        if self._shape is not None and self._dtype is not None:
            wanted = layout.count_bytes(self._shape, self._dtype)
            if wanted != self.nbytes:
                raise CorruptFileError(self.file_path, min(wanted, self.nbytes), f"the file has {self.nbytes} bytes; "
                                       f"shape {list(self._shape)} and dtype {self._dtype.name} take {wanted}")

    @property
    def file_path(self) -> str:
        """The file with the elements."""
        return os.path.join(self._folder, layout.VALUES)

    @property
    def has_meta_info(self) -> bool:
        """Whether shape and dtype stand in a file, or were given."""
        return self._dtype is not None

    has_meta_info_ = has_meta_info  # the name that published scripts read

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape; RuntimeError where it is not known."""
        return self._known()[0]

    @property
    def dtype(self) -> DType:
        """The dtype; RuntimeError where it is not known."""
        return self._known()[1]

    def numpy(self) -> np.ndarray:
        """The elements, read now; RuntimeError where shape and dtype are not known."""
        return read_values(self.file_path, *self._known())

    def of(self, shape: tuple[int, ...], dtype: DType) -> StoredValue:
        """This value as one of that shape and dtype; CorruptFileError or ValueError where the file says otherwise."""
        return StoredValue(self._folder, dtype, shape)

    def _known(self) -> tuple[tuple[int, ...], DType]:
        if self._shape is None or self._dtype is None:
            told = self._told_by() if self._told_by is not None else None
            if told is not None and layout.count_bytes(*told) == self.nbytes:
                return told
            raise RuntimeError(f"{self.file_path} tells no shape and no dtype, and there is no file "
                               f"{layout.META!r} beside it. Files of flow.checkpoint.save have one. "
                               "flow.load_variables takes shape and dtype of the variable; "
                               f"numpy.fromfile({self.file_path!r}, dtype).reshape(shape) reads it here.")
        return self._shape, self._dtype

    def __repr__(self) -> str:
        known = f", shape={list(self._shape)}, dtype={self._dtype.name}" if self._shape is not None and self._dtype \
            else ""
        return f"StoredValue({self.file_path!r}, {self.nbytes} bytes{known})"


def read_values(path: str, shape: tuple[int, ...], dtype: DType) -> np.ndarray:
    """The elements of a file of exactly that many, read into the array that is given back."""
    array = np.empty(shape, dtype.dtype)
    with _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size != array.nbytes:
            raise CorruptFileError(path, min(size, array.nbytes), f"the file has {size} bytes, not {array.nbytes}")
        room = memoryview(array.reshape(-1).view(np.uint8))
        done = 0
        while done < len(room):
            count = file.readinto(room[done:])  # type: ignore[attr-defined]
            if not count:
                raise CorruptFileError(path, done, f"the file ended here while it was read, before {len(room)} bytes")
            done += count
    if not np.little_endian:
        array.byteswap(inplace=True)
    return array


def check_folder(path: str | os.PathLike[str], caller: str) -> str:
    """The path as it was given, of a folder that can be listed; FileNotFoundError, NotADirectoryError otherwise."""
    if not isinstance(path, (str, os.PathLike)) or not os.fspath(path):
        raise TypeError(f"{caller}(path): a folder's path is a str. Received {path!r}.")
    text = os.fspath(path)
    if not os.path.lexists(text):
        raise FileNotFoundError(errno.ENOENT, f"{caller}(path): there is no such folder", text)
    if not stat.S_ISDIR(os.stat(text).st_mode):
        raise NotADirectoryError(errno.ENOTDIR, f"{caller}(path): a snapshot is a folder, and this is none", text)
    return text


def is_whole(folder: str) -> bool:
    """Whether the mark of a whole snapshot is there: an empty folder, or a file."""
    return os.path.exists(layout.done_path(folder))


def list_variables(folder: str) -> list[str]:
    """The names of the variables in a folder, sorted: of the folders in it that have a file of values."""
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries
                      if entry.name != layout.DONE and os.path.isdir(entry.path)
                      and _exists(layout.values_path(folder, entry.name)))


def match(path: str | os.PathLike[str], wanted: Mapping[str, tuple[tuple[int, ...], DType]],
          caller: str) -> tuple[dict[str, StoredValue], list[str]]:
    """What a folder holds of the wanted variables, {name: (shape, dtype)}: their stored values, and who has none.

    Both in the order of the names. Nothing is read; ValueError names every file that does not fit. A folder without
    the mark of a whole snapshot is used with a warning: converters write none. A folder that has not one variable of
    the model is refused, since it can only be the wrong one.
    """
    folder = check_folder(path, caller)
    found: dict[str, StoredValue] = {}
    missing: list[str] = []
    problems: list[str] = []
    for name in sorted(wanted):
        layout.check_name(name, caller)
        if not _exists(layout.values_path(folder, name)):
            missing.append(name)
            continue
        shape, dtype = wanted[name]
        try:
            found[name] = StoredValue(os.path.join(folder, name), dtype, shape)
        except ValueError as error:  # a CorruptFileError is one
            problems.append(f"the variable {name!r}: {error}")
    if problems:
        more = f"\n  and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        raise ValueError(f"{caller}({folder!r}): the snapshot does not fit. No variable was changed.\n  "
                         + "\n  ".join(problems[:_SHOWN]) + more
                         + "\nIs it the snapshot of another model, or is a file damaged?")
    _check_any(folder, wanted, found, caller)
    if not is_whole(folder):
        warnings.warn(f"{caller}({folder!r}): there is no {layout.DONE!r} in it, which ends every whole snapshot. It "
                      "was written by another program, or its writing was stopped: then values may be missing.",
                      stacklevel=3)
    return found, missing


def _check_any(folder: str, wanted: Mapping[str, Any], found: Mapping[str, Any], caller: str) -> None:
    own = [name for name in wanted if not name.startswith("System-")]
    if any(name in found for name in own):
        return
    there = list_variables(folder)
    if not own and not there:
        return
    if not own:
        raise ValueError(f"{caller}({folder!r}): no global function has asked for a variable, and the snapshot holds "
                         f"{len(there)}. Define the global functions before values are loaded.")
    holds = ", ".join(map(repr, there[:_SHOWN])) + (", …" if len(there) > _SHOWN else "") if there else "none at all"
    raise ValueError(f"{caller}({folder!r}): none of the {len(own)} variables is in it "
                     f"({', '.join(map(repr, sorted(own)[:_SHOWN]))}{', …' if len(own) > _SHOWN else ''}). It holds "
                     f"{holds}. No variable was changed. To begin with new values, call CheckPoint.init().")


def _exists(path: str) -> bool:
    """Whether a file is there, or a link; what may not be looked at is an error, not something missing."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return False
    return True


def _size(path: str) -> int:
    """How many bytes a regular file has; OSError for what is none."""
    found = os.stat(path)
    _check_regular(found, path)
    return found.st_size


def _check_regular(found: os.stat_result, path: str) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Values are read from regular files only, and this is none", path)


def _opened(path: str) -> BinaryIO:
    _size(path)  # before it is opened: opening a device may do something, and a pipe waits for a writer
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = open(descriptor, "rb", buffering=0)
    try:
        _check_regular(os.fstat(descriptor), path)
    except OSError:
        file.close()
        raise
    return file


def _read_text(path: str) -> str:
    if _size(path) > _LONGEST_META:
        raise CorruptFileError(path, _LONGEST_META, f"a {layout.META!r} file has a few lines, this one more bytes")
    with _opened(path) as file:
        data = file.read(_LONGEST_META + 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise CorruptFileError(path, error.start, "is no text") from error

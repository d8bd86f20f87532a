"""PyTorch's `.pt` and `.pth` files: state dicts and other plain data, read without PyTorch and without running them.

The format is that of `torch.save` since 1.6: a ZIP archive with a pickle, `data.pkl`, and the elements of each storage
in a file of its own; files of before that are read by `pytorch_older.py`. What a pickle may name stands in
`pytorch_machine.py`; anything else is refused, as with `weights_only=True`.
"""

from __future__ import annotations

import errno
import io
import os
import struct
import zipfile
from typing import Any, Literal

import numpy as np

from ..core.byte_reader import ByteReader
from ..core.files import CorruptFileError
from ..core.safe_pickle import check_plain
from .pytorch_machine import PyTorchMachine, Storage, element_type
from .pytorch_older import BEGINS_WITH, load_older

__all__ = ["is_pytorch_file", "load_pytorch"]

_ZIP = b"PK\x03\x04"


def is_pytorch_file(start: bytes) -> bool:
    """Whether a file that begins so may be PyTorch's."""
    return start.startswith((_ZIP, BEGINS_WITH))


def load_pytorch(path: str | os.PathLike[str]) -> Any:
    """What `torch.save` wrote: dicts, lists, numbers and strings, with an array for each tensor.

    Every array is one of its own, in row-major order, also where tensors shared their elements. A bfloat16 array needs
    ml_dtypes. Raises UnsafePickleError for what is no plain data, naming it, and CorruptFileError.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        if file.read(len(BEGINS_WITH)) == BEGINS_WITH:
            return load_older(name)
        try:
            with zipfile.ZipFile(file) as archive:
                return _Archive(name, archive).value()
        except CorruptFileError:
            raise
        except (zipfile.BadZipFile, EOFError, OverflowError, RuntimeError, ValueError, struct.error) as error:
            # zipfile tells a damaged archive by any of these
            raise CorruptFileError(name, "the ZIP archive", str(error) or type(error).__name__) from error
        except OSError as error:
            if error.errno != errno.EINVAL:  # a place before the file's begin, which only a damaged archive asks for
                raise
            raise CorruptFileError(name, "the ZIP archive", "it names a place outside of the file") from error


class _Archive:
    """An opened file."""

    def __init__(self, name: str, archive: zipfile.ZipFile):
        self.name, self._archive = name, archive
        pickles = [entry for entry in archive.namelist() if entry.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise self.corrupt("the ZIP archive", f"it holds {len(pickles)} files data.pkl: torch.save wrote one")
        self._pickle, self._folder = pickles[0], pickles[0].removesuffix("data.pkl")
        if self._folder + "constants.pkl" in archive.namelist():
            raise self.corrupt(self._folder, "this is a TorchScript module, which is code. Save its state_dict()")
        self._order: Literal["<", ">"] = "<"
        if self._folder + "byteorder" in archive.namelist():
            self._order = ">" if self._read("byteorder") == b"big" else "<"

    def corrupt(self, place: str, reason: str) -> CorruptFileError:
        """The error for what is wrong there."""
        return CorruptFileError(self.name, place, reason)

    def value(self) -> Any:
        """What the pickle holds."""
        reader = ByteReader(io.BytesIO(self._read("data.pkl")), f"{self.name}:{self._pickle}")
        machine = PyTorchMachine(reader, self._storage)
        value = machine.run()
        check_plain(value, reader, machine, 0)
        return value

    def _read(self, part: str) -> bytes:
        try:
            entry = self._archive.getinfo(self._folder + part)
        except KeyError as error:
            raise self.corrupt(self._folder + part, "the archive does not hold it") from error
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise self.corrupt(entry.filename, "it is compressed, which torch.save does not do")
        return self._archive.read(entry)

    def _storage(self, key: str, kind: str, count: int) -> Storage:
        """The elements of one storage."""
        data = np.frombuffer(self._read(f"data/{key}"), np.uint8)
        own = element_type(kind)
        dtype = own and own.newbyteorder(self._order)
        if data.nbytes < count * (dtype.itemsize if dtype else 1):
            raise self.corrupt(f"{self._folder}data/{key}",
                               f"{count} elements are declared, {data.nbytes} bytes are there")
        return Storage(dtype, data)



"""PyTorch's `.pt` and `.pth` files: state dicts and other plain data, read without PyTorch and without running them.

The format is that of `torch.save` since 1.6: a ZIP archive with a pickle, `data.pkl`, and the elements of each storage
in a file of its own. What the pickle may name stands below; anything else is refused, as with `weights_only=True`.
"""

from __future__ import annotations

import errno
import io
import os
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ..core.byte_reader import ByteReader
from ..core.dtype import convert_dtype
from ..core.files import CorruptFileError
from ..core.pickle_machine import PickleMachine
from ..core.pickle_values import CONSTRUCTORS, Constructor
from ..core.safe_pickle import check_plain

__all__ = ["is_pytorch_file", "load_pytorch"]

_ZIP = b"PK\x03\x04"
_OLDER = bytes.fromhex("80028a0a6cfc9c46f9206aa85019")  # how torch.save began its files before 1.6
_STORAGES = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
             "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool",
             "ComplexFloat": "complex64", "ComplexDouble": "complex128"}
_MOST_SHARED, _ALWAYS_SHARED = 100, 1 << 24
_DTYPES = (*_STORAGES.values(), "float8_e4m3fn", "float8_e5m2")


class _Storage:
    """The elements of a storage: their dtype, None where each tensor has its own, and its bytes."""

    def __init__(self, dtype: np.dtype | None, data: np.ndarray):
        self.dtype, self.data, self._given = dtype, data, 0

    def give(self, count: int) -> None:
        """Notes the bytes that a tensor takes of it. ValueError where all of them take it too often.

        Each tensor gets elements of its own: a small file could otherwise ask for any amount of memory.
        """
        self._given += count
        _require(self._given <= _MOST_SHARED * self.data.nbytes + _ALWAYS_SHARED,
                 f"tensors repeat a storage of {self.data.nbytes} bytes more than {_MOST_SHARED} times")


def is_pytorch_file(start: bytes) -> bool:
    """Whether a file that begins so may be PyTorch's."""
    return start.startswith((_ZIP, _OLDER))


def load_pytorch(path: str | os.PathLike[str]) -> Any:
    """What `torch.save` wrote: dicts, lists, numbers and strings, with an array for each tensor.

    Every array is one of its own, in row-major order, also where tensors shared their elements. A bfloat16 array needs
    ml_dtypes. Raises UnsafePickleError for what is no plain data, naming it, and CorruptFileError.
    """
    name = os.fspath(path)
    with open(path, "rb") as file:
        if file.read(len(_OLDER)) == _OLDER:
            raise CorruptFileError(name, 0, "this file is of PyTorch before 1.6. Load it there and torch.save it again")
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
        machine = _PyTorchMachine(reader, self)
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

    def storage(self, key: str, kind: str, count: int) -> _Storage:
        """The elements of one storage."""
        data = np.frombuffer(self._read(f"data/{key}"), np.uint8)
        dtype = None if kind == "Untyped" else _numpy_dtype(_STORAGES[kind]).newbyteorder(self._order)
        if data.nbytes < count * (dtype.itemsize if dtype else 1):
            raise self.corrupt(f"{self._folder}data/{key}",
                               f"{count} elements are declared, {data.nbytes} bytes are there")
        return _Storage(dtype, data)


class _PyTorchMachine(PickleMachine):
    """Runs the pickle of an archive: storages come from the files beside it."""

    def __init__(self, reader: ByteReader, archive: _Archive):
        super().__init__(reader)
        self._archive = archive
        self._storages: dict[str, _Storage] = {}

    def kept_outside(self, key: Any) -> Any:
        """A storage, by ("storage", its class, the file's name, a device, the number of elements)."""
        known = type(key) is tuple and len(key) == 5 and key[0] == "storage" and type(key[1]) is Constructor
        kind = _STORAGE_CLASSES.get(key[1].name) if known else None
        if kind is None or type(key[2]) is not str or not key[2].isalnum() or type(key[4]) is not int or key[4] < 0:
            raise self.unsafe("a value outside of the pickle that is no storage")
        if key[2] not in self._storages:
            self._storages[key[2]] = self._archive.storage(key[2], kind, key[4])
        return self._storages[key[2]]

    def with_state(self, value: Any, state: Any) -> Any:
        """A state dict carries the versions of its modules, which nothing here needs."""
        if type(value) is OrderedDict and type(state) is dict and set(state) <= {"_metadata"}:
            return value
        return super().with_state(value, state)


def _numpy_dtype(name: str) -> np.dtype:
    return convert_dtype(name).dtype


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def _tensor(args: tuple) -> np.ndarray:
    """`_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata])`."""
    _require(len(args) >= 4 and type(args[0]) is _Storage, "a tensor is made from something other than a storage")
    storage, offset, size, stride = args[:4]
    _require(storage.dtype is not None, "a tensor has no dtype")
    return _elements(storage, storage.dtype, offset, size, stride)


def _tensor_of_dtype(args: tuple) -> np.ndarray:
    """`_rebuild_tensor_v3`: the same, and a dtype behind the hooks, of a storage that has none."""
    known = len(args) >= 7 and type(args[0]) is _Storage and type(args[6]) is Constructor
    _require(known and args[6].name in _DTYPE_NAMES, "a tensor is made from something other than a storage and a dtype")
    return _elements(args[0], _numpy_dtype(_DTYPE_NAMES[args[6].name]), *args[1:4])


def _elements(storage: _Storage, dtype: np.dtype, offset: Any, size: Any, stride: Any) -> np.ndarray:
    """The elements of a tensor, in row-major order; ValueError where it reaches beyond its storage."""
    sizes_fit = type(size) is tuple and type(stride) is tuple and len(size) == len(stride) <= 64
    _require(sizes_fit and all(type(n) is int and n >= 0 for n in (offset, *size, *stride)),
             f"a tensor of shape {size!r} has the strides {stride!r} and the offset {offset!r}")
    flat = storage.data[:storage.data.nbytes // dtype.itemsize * dtype.itemsize].view(dtype)
    count, last = 1, offset
    for length, step in zip(size, stride, strict=True):
        count, last = count * length, last + (length - 1) * step
    if count == 0:
        return np.empty(size, dtype.type)
    _require(last < flat.size, f"a tensor reaches to element {last} of a storage of {flat.size}")
    _require(count <= max(flat.size, 1), f"a tensor of shape {size} repeats the {flat.size} elements of its storage")
    storage.give(count * dtype.itemsize)
    strides = tuple(step * dtype.itemsize for step in stride)
    view = np.lib.stride_tricks.as_strided(flat[offset:], size, strides)
    if dtype.kind == "b":
        _require(bool(flat.view(np.uint8).max() <= 1), "a bool tensor holds a byte that is neither 0 nor 1")
    return np.array(view, dtype.type, order="C")


def _parameter(args: tuple) -> np.ndarray:
    _require(bool(args) and isinstance(args[0], np.ndarray), "a parameter is made from something other than a tensor")
    return args[0]


def _size(args: tuple) -> tuple:
    _require(len(args) == 1 and type(args[0]) in (list, tuple), "torch.Size is made from one list")
    return tuple(args[0])


def _device(args: tuple) -> str:
    _require(0 < len(args) <= 2 and type(args[0]) is str, "torch.device is made from a name")
    return ":".join(str(part) for part in args)


def _no_call(args: tuple) -> Any:
    raise ValueError("a class of storages, or a dtype, is called")


_STORAGE_CLASSES = {f"torch.{kind}Storage": kind for kind in _STORAGES} | {"torch.storage.UntypedStorage": "Untyped"}
_DTYPE_NAMES = {f"torch.{name}": name for name in _DTYPES}
_MAKERS: dict[str, Callable[[tuple], Any]] = {
    "torch._utils._rebuild_tensor_v2": _tensor, "torch._utils._rebuild_tensor_v3": _tensor_of_dtype,
    "torch._utils._rebuild_parameter": _parameter, "torch._utils._rebuild_parameter_with_state": _parameter,
    "torch.Size": _size, "torch.device": _device,
    **dict.fromkeys((*_STORAGE_CLASSES, *_DTYPE_NAMES), _no_call),
}
_PyTorchMachine.constructors = {**CONSTRUCTORS, **{name: Constructor(name, make) for name, make in _MAKERS.items()}}

"""What lies where in a checkpoint of several processes: its classes, and the file of them, a pickle as Paddle's.

The file is read by a machine that knows these three classes and containers of plain data, and nothing else.
"""

from __future__ import annotations

import dataclasses
import os
import pickle
from collections.abc import Callable
from typing import Any

from ...core.byte_reader import open_reader
from ...core.files import atomic_write
from ...core.pickle_machine import PickleMachine
from ...core.pickle_values import CONSTRUCTORS, Constructor, Unbuilt
from ...core.pickle_writer import PickleWriter

__all__ = ["LocalTensorIndex", "LocalTensorMetadata", "Metadata"]

_MODULE = "paddle.distributed.checkpoint.metadata"


@dataclasses.dataclass
class LocalTensorMetadata:
    """A piece of a value: where it begins in the whole, and its shape."""

    global_offset: tuple[int, ...]
    local_shape: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class LocalTensorIndex:
    """A piece of a value: the value's key, and where the piece begins in the whole."""

    tensor_key: str
    global_offset: tuple[int, ...]


@dataclasses.dataclass
class Metadata:
    """The pieces of each value by its key, and the file of each piece."""

    state_dict_metadata: dict[str, list[LocalTensorMetadata]]
    storage_metadata: dict[LocalTensorIndex, str]


class _UnbuiltPart(Unbuilt):
    """One of the classes, whose fields come with its state."""

    def __init__(self, kind: type):
        super().__init__()
        self.kind = kind

    def build(self, state: Any) -> Any:
        fields = {field.name for field in dataclasses.fields(self.kind)}
        if type(state) is not dict or set(state) != fields:
            raise ValueError(f"{self.kind.__name__} has other fields than {sorted(fields)}")
        for name, value in state.items():
            _CHECKS[name](value)
        return _key_of(**state) if self.kind is LocalTensorIndex else self.kind(**state)


def _key_of(tensor_key: str, global_offset: tuple[int, ...]) -> tuple:
    """An index in the form that keys of dicts in files may have: scalars."""
    return (tensor_key, *global_offset)


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def _is_place(value: Any) -> bool:
    return type(value) is tuple and all(type(size) is int and size >= 0 for size in value)


def _check_pieces(value: Any) -> None:
    _require(type(value) is dict and all(type(key) is str and type(pieces) is list and all(
        type(piece) is LocalTensorMetadata for piece in pieces) for key, pieces in value.items()), "unknown pieces")


def _check_files(value: Any) -> None:
    _require(type(value) is dict and all(type(key) is tuple and key and type(key[0]) is str and _is_file_name(name)
                                         for key, name in value.items()), "unknown files")


def _is_file_name(name: Any) -> bool:
    """Whether it names a file of the folder itself, none elsewhere."""
    return type(name) is str and name == os.path.basename(name) and name.endswith(".distcp")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "global_offset": lambda value: _require(_is_place(value), "an offset is no tuple of sizes"),
    "local_shape": lambda value: _require(_is_place(value), "a shape is no tuple of sizes"),
    "tensor_key": lambda value: _require(type(value) is str, "a key is no string"),
    "state_dict_metadata": _check_pieces,
    "storage_metadata": _check_files,
}


def _constructor(kind: type) -> Constructor:
    def make(args: tuple) -> _UnbuiltPart:
        _require(args == (), f"{kind.__name__} is made with arguments")
        return _UnbuiltPart(kind)

    return Constructor(f"{_MODULE}.{kind.__name__}", make)


class _MetadataMachine(PickleMachine):
    """Runs the pickle of a Metadata."""

    constructors = CONSTRUCTORS | {found.name: found for found in map(
        _constructor, (Metadata, LocalTensorMetadata, LocalTensorIndex))}

    def new_object(self) -> None:
        """Makes an object of one of the classes, whose fields come next."""
        args, constructor = self.stack.pop(), self.stack.pop()
        if type(constructor) is not Constructor or type(args) is not tuple or not constructor.name.startswith(_MODULE):
            raise self.unsafe("an object of a class")
        self.stack.append(constructor.make(args))


class _MetadataWriter(PickleWriter):
    """Writes the three classes under the names that Paddle has for them."""

    def _save(self, value: Any) -> None:
        if not dataclasses.is_dataclass(value):
            super()._save(value)
            return
        self._global(_MODULE, type(value).__name__)
        self._put(pickle.EMPTY_TUPLE)
        if self._begin(value, pickle.NEWOBJ):
            self._dict({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
            self._put(pickle.BUILD)


def write_metadata(metadata: Metadata, path: str) -> None:
    """Writes the file, whole or not at all."""
    with atomic_write(path) as file:
        _MetadataWriter(file, 4).dump(metadata)


def read_metadata(path: str) -> Metadata:
    """Reads the file. Raises UnsafePickleError for one that names anything else, CorruptFileError for a damaged one."""
    with open_reader(path) as reader:
        value = _MetadataMachine(reader).run()
        if type(value) is not Metadata:
            raise reader.corrupt("it holds no Metadata", 0)
    return Metadata(value.state_dict_metadata, {
        LocalTensorIndex(key[0], key[1:]): name for key, name in value.storage_metadata.items()})  # type: ignore[index]

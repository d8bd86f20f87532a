"""Saving and loading states: nested containers of numbers, strings and NumPy arrays, in Paddle's pickle files.

`.pdparams`, `.pdopt` and what else `paddle.save` writes. Loading runs nothing that a file contains, whoever wrote it,
and a file opens under NumPy 1 and 2 alike. Knows nothing of tensors: a caller turns them into arrays first.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from .byte_reader import ByteReader, open_reader
from .files import atomic_write
from .pickle_machine import PickleMachine, UnsafePickleError
from .pickle_values import Constructor
from .pickle_writer import NotPlainError, PickleWriter

__all__ = ["NotPlainError", "UnsafePickleError", "load_state", "dump_state", "join_big_parameters",
           "split_big_parameters", "check_plain"]

BIG_PARAMETERS_KEY = "UnpackBigParamInfor@@"
BIG_PARAMETER_BYTES = (1 << 30) - 1
_MAXIMUM_DEPTH = 100
_MINIMUM_VALUE_LIMIT = 1_000_000
_SCALARS = (bool, int, float, complex, str, bytes, bytearray, type(None), slice)
_LEAVES = (*_SCALARS, set, frozenset, np.ndarray, np.generic, np.dtype)


def load_state(source: str | os.PathLike | bytes | BinaryIO, name: str | None = None) -> Any:
    """The value of a pickle of plain data: a path, its bytes, or a binary file object from where it stands.

    `name` is what errors call it. A file object is left standing behind the pickle; otherwise nothing may follow it.
    Protocols 2 to 5 of Python 2 and 3, arrays of NumPy 1 and 2. Arrays are writable and in native byte order. As in
    Paddle's files a Tensor is a tuple (name, array), a LoDTensor an array, and bfloat16 the uint16 of its bits; a
    parameter that was saved in parts is put together. Raises UnsafePickleError for anything but plain data (nothing
    of it is run) and CorruptFileError for a damaged file.

    >>> import pickle
    >>> from proa.core.safe_pickle import load_state
    >>> load_state(pickle.dumps({"epoch": 3, "name": "a"}, protocol=4))
    {'epoch': 3, 'name': 'a'}
    """
    with open_reader(source) as reader:
        start, reader.name = reader.position, name or reader.name
        machine = PickleMachine(reader)
        value = machine.run()
        check_plain(value, reader, machine, start)
        if reader.remaining and isinstance(source, (bytes, bytearray, memoryview)):
            raise reader.corrupt(f"{reader.remaining} bytes follow the end of the pickle")
        try:
            return join_big_parameters(value)
        except ValueError as error:
            raise reader.corrupt(str(error), start) from error


def dump_state(
    obj: Any,
    path_or_file: str | os.PathLike | BinaryIO,
    protocol: int = 4,
    convert: Callable[[Any], Any] | None = None,
) -> None:
    """Writes plain data as a pickle of protocol 2, 3 or 4, which opens with NumPy 1 and 2 and with PaddlePaddle.

    A path is written whole or not at all. `convert` is called with every object of an unknown type and gives what to
    write in its place; TypeError where there is none. An ml_dtypes bfloat16 array is written as Paddle does, as the
    uint16 of its bits. Below protocol 4 the dict's arrays of more than 1 GiB are written in parts, as Paddle does.

    >>> import io
    >>> from proa.core.safe_pickle import dump_state, load_state
    >>> file = io.BytesIO()
    >>> dump_state({"w": [1.5]}, file)
    >>> load_state(file.getvalue())
    {'w': [1.5]}
    """
    if protocol not in (2, 3, 4):
        raise ValueError(f"dump_state(protocol): protocol must be 2, 3 or 4. Received {protocol!r}.")
    if protocol < 4:
        obj = split_big_parameters(obj)
    if isinstance(path_or_file, (str, os.PathLike)):
        with atomic_write(path_or_file) as file:
            PickleWriter(file, protocol, convert).dump(obj)
        return
    if not hasattr(path_or_file, "write"):
        raise TypeError(f"save(path): path must be a path or a binary file. Received {type(path_or_file).__name__}.")
    PickleWriter(path_or_file, protocol, convert).dump(obj)


def check_plain(value: Any, reader: ByteReader, machine: PickleMachine, start: int) -> None:
    """Raises CorruptFileError or UnsafePickleError unless what a machine made of a pickle is finished, plain data."""
    _PlainCheck(reader, machine, start).check(value)


class _PlainCheck:
    """Checks that a loaded value is finished, plain, not too deep, without cycles, and no larger than its file.

    A few bytes can describe lists that share one another and have 2 ** 64 items when walked: whoever walks the value
    later must not have to fear that.
    """

    def __init__(self, reader: ByteReader, machine: PickleMachine, start: int):
        self._reader = reader
        self._machine = machine
        self._limit = _MINIMUM_VALUE_LIMIT + 10 * (reader.position - start)
        self._sizes: dict[int, int] = {}
        self._place = start

    def check(self, value: Any) -> None:
        """Raises CorruptFileError or UnsafePickleError."""
        if self._size(value, 0) > self._limit:
            raise self._corrupt("its containers repeat one another too often")

    def _corrupt(self, reason: str) -> Exception:
        return self._reader.corrupt(reason, self._place)

    def _size(self, value: Any, depth: int) -> int:
        if isinstance(value, _LEAVES):
            return 1
        if type(value) is Constructor:
            raise self._machine.unsafe(f"{value.name} as a value")
        if type(value) not in (list, tuple, dict, OrderedDict):
            raise self._corrupt("an object in it was never finished")
        if id(value) not in self._sizes:
            self._sizes[id(value)] = -1
            self._sizes[id(value)] = self._size_of_items(value, depth + 1)
        if self._sizes[id(value)] < 0:
            raise self._corrupt("a container holds itself")
        return self._sizes[id(value)]

    def _size_of_items(self, value: Any, depth: int) -> int:
        if depth > _MAXIMUM_DEPTH:
            raise self._corrupt(f"containers are nested more than {_MAXIMUM_DEPTH} deep")
        items = value.values() if isinstance(value, dict) else value
        return 1 + sum(self._size(item, depth) for item in items)


def split_big_parameters(obj: Any, limit: int = BIG_PARAMETER_BYTES) -> Any:
    """A dict as it is, but with its arrays of more than `limit` bytes cut into flat parts, listed under one more key.

    Paddle's form for pickle protocols 2 and 3: name@@.0, name@@.1, …, and {name: {"OriginShape", "slices"}} under
    `UnpackBigParamInfor@@`. Anything but a dict is returned unchanged.

    >>> import numpy as np
    >>> from proa.core.safe_pickle import split_big_parameters
    >>> sorted(split_big_parameters({"w": np.zeros((2, 2))}, limit=16))
    ['UnpackBigParamInfor@@', 'w@@.0', 'w@@.1']
    """
    if not isinstance(obj, dict):
        return obj
    big = {key: value for key, value in obj.items() if isinstance(value, np.ndarray) and value.nbytes > limit}
    if not big:
        return obj
    result = {key: value for key, value in obj.items() if key not in big}
    result[BIG_PARAMETERS_KEY] = info = {}
    for key, value in big.items():
        flat, step = value.reshape(-1), max(limit // value.itemsize, 1)
        parts = {f"{key}@@.{i}": flat[i * step : (i + 1) * step] for i in range(-(-flat.size // step))}
        result.update(parts)
        info[key] = {"OriginShape": value.shape, "slices": list(parts)}
    return result


def join_big_parameters(obj: Any) -> Any:
    """Undoes `split_big_parameters`; ValueError where a part is missing or the parts do not fill the shape."""
    if not isinstance(obj, dict) or BIG_PARAMETERS_KEY not in obj:
        return obj
    info = obj[BIG_PARAMETERS_KEY]
    if not isinstance(info, dict):
        raise ValueError(f"{BIG_PARAMETERS_KEY} is no dict")
    joined = {key: _join(key, entry, obj) for key, entry in info.items()}
    parts = {part for entry in info.values() for part in entry["slices"]} | {BIG_PARAMETERS_KEY}
    return type(obj)((key, value) for key, value in (*obj.items(), *joined.items()) if key not in parts)


def _join(name: Any, entry: Any, obj: dict) -> np.ndarray:
    shape, parts = (entry.get("OriginShape"), entry.get("slices")) if isinstance(entry, dict) else (None, None)
    if not isinstance(shape, (tuple, list)) or not isinstance(parts, list) or not parts:
        raise ValueError(f"{BIG_PARAMETERS_KEY} of {name!r} has no OriginShape or no slices")
    if not all(type(part) is str for part in parts) or len(set(parts)) < len(parts):
        raise ValueError(f"{BIG_PARAMETERS_KEY} of {name!r} has slices that are no distinct names")
    arrays = [obj.get(part) for part in parts]
    if not all(isinstance(array, np.ndarray) and array.ndim == 1 for array in arrays):
        raise ValueError(f"a part of the big parameter {name!r} is missing")
    if len({array.dtype for array in arrays}) > 1:  # type: ignore[union-attr]
        raise ValueError(f"the parts of the big parameter {name!r} differ in dtype")
    if not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"the big parameter {name!r} has the shape {shape!r}")
    return np.concatenate(arrays).reshape(shape)  # type: ignore[arg-type]

"""Loading and saving states, the pickles that `.pdparams` and `.pdopt` files are, without ever running what is in them.

Reads what PaddlePaddle 2.x wrote in protocols 2 to 4 (and protocol 5), under NumPy 1 or 2; writes what both can open.
Works on plain values and NumPy arrays: what a Tensor is, is the business of the caller.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .byte_source import open_source
from .files import CorruptFileError, atomic_write
from .pickle_reader import PickleReader, UnsafePickleError
from .pickle_writer import PickleWriter

__all__ = ["CorruptFileError", "UnsafePickleError", "dump_state", "load_state"]

_PARTS = "UnpackBigParamInfor@@"
_LARGEST_PART = (1 << 30) - 1  # bytes, in protocols 2 and 3


def load_state(source: Any, name: str | None = None) -> Any:
    """The value in a pickle of plain data: containers, numbers, text, NumPy arrays.

    `source` is a path, bytes, or a binary file (which is left standing behind the pickle); `name` is what errors call
    it. A Tensor in Paddle's files is a tuple of its name and an array, bfloat16 elements are uint16.

    Raises UnsafePickleError where the pickle asks for anything else, before any of it is run; CorruptFileError, naming
    file and byte offset, when it is damaged; FileNotFoundError and other OSErrors as `open` does.

    >>> import io, numpy as np
    >>> from proa.core.safe_pickle import dump_state, load_state
    >>> file = io.BytesIO(); dump_state({"w": np.arange(3)}, file)
    >>> load_state(file.getvalue())["w"].tolist()
    [0, 1, 2]
    """
    with open_source(source, name) as bytes_:
        value = PickleReader(bytes_).load()
        if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)) and bytes_.left:
            bytes_.fail(f"the pickle has ended, but {bytes_.left} bytes follow")
        if type(value) is dict and _PARTS in value:
            try:
                _join_parts(value)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise CorruptFileError(bytes_.name, f"key {_PARTS!r}",
                                       f"the parts of a large array do not fit together: {error!r}") from error
    return value


def dump_state(obj: Any, path: Any, protocol: int = 4) -> None:
    """Writes a value of plain data to a path (whole or not at all) or to a binary file.

    `protocol` is 2, 3 or 4. The file opens in PaddlePaddle 2.x and under NumPy 1 and 2; no array is copied on the way
    unless its elements do not lie in one piece. Raises TypeError, saying where, for a value that is not plain;
    ValueError for another protocol; OSError with the path when writing fails.
    """
    if protocol not in (2, 3, 4) or isinstance(protocol, bool):
        raise ValueError(f"save(protocol): must be 2, 3 or 4. Received {protocol!r}.")
    if protocol < 4 and isinstance(obj, dict):
        obj = _split_large(obj)
    if hasattr(path, "write"):
        PickleWriter(path.write, protocol).dump(obj)
        return
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"save(path): must be a path or a binary file. Received {type(path).__name__}.")
    with atomic_write(path) as file:
        PickleWriter(file.write, protocol).dump(obj)


def _split_large(state: dict) -> dict:
    """Arrays beyond 1 GiB in parts, as Paddle keeps them in protocols 2 and 3; the same dict when there is none."""
    large = {k: v for k, v in state.items() if isinstance(v, np.ndarray) and v.nbytes > _LARGEST_PART}
    if not large:
        return state
    result = {k: v for k, v in state.items() if k not in large}
    infos = {}
    for key, value in large.items():
        flat, step = value.reshape(-1), _LARGEST_PART // value.itemsize
        parts = {f"{key}@@.{n}": flat[at:at + step] for n, at in enumerate(range(0, flat.size, step))}
        infos[key] = {"OriginShape": value.shape, "slices": list(parts)}
        result.update(parts)
    result[_PARTS] = infos
    return result


def _join_parts(state: dict) -> None:
    for key, info in state.pop(_PARTS).items():
        parts = [state.pop(part) for part in info["slices"]]
        if not all(type(part) is np.ndarray for part in parts):
            raise ValueError(f"a part of {key!r} is no array")
        state[key] = np.concatenate(parts).reshape(info["OriginShape"])

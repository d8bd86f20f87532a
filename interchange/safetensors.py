"""safetensors files: state dicts of arrays that every framework reads, by the package safetensors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..backend import to_numpy
from ..core.dtype import convert_dtype
from ..core.file_kind import LOOKED_AT, kind_of
from ..core.files import CorruptFileError, atomic_write

__all__ = ["SUFFIX", "load_safetensors", "save_safetensors"]

_PACKAGE = __name__.partition(".")[0]
SUFFIX = ".safetensors"
_DTYPES = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32",
           "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool", "C64": "complex64", "F8_E4M3": "float8_e4m3fn",
           "F8_E5M2": "float8_e5m2"}


def _library() -> Any:
    try:
        import safetensors
    except ImportError as error:
        raise ImportError(
            f"A file {SUFFIX} needs the package safetensors: pip install '{_PACKAGE}[safetensors]'.") from error
    return safetensors


def save_safetensors(state: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Writes a dict of Tensors or arrays by name, whole or not at all. TypeError for what is no dict of these."""
    _library()
    from safetensors.numpy import save

    if not isinstance(state, Mapping):
        raise TypeError(f"save(obj, {os.fspath(path)!r}): a {SUFFIX} file holds a dict of tensors by name. Received "
                        f"{type(state).__name__}.")
    arrays = {}
    for name, value in state.items():
        array = value if isinstance(value, np.ndarray) else getattr(value, "_array", None)
        if not isinstance(name, str) or array is None:
            raise TypeError(f"save(obj, {os.fspath(path)!r}): a {SUFFIX} file holds tensors by name and nothing else. "
                            f"Received {type(value).__name__} under {name!r}. Save the rest by another file.")
        arrays[name] = np.ascontiguousarray(to_numpy(array)).reshape(array.shape)
    with atomic_write(path) as file:
        file.write(save(arrays, metadata={"format": "pd"}))


def load_safetensors(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The arrays of a file by name, writable. Raises CorruptFileError, naming the file."""
    library = _library()
    with open(path, "rb") as file:
        content = file.read()
    try:
        entries = library.deserialize(content)
    except library.SafetensorError as error:
        raise CorruptFileError(os.fspath(path), "the header", kind_of(content[:LOOKED_AT]) or str(error)) from error
    result = {}
    for name, entry in entries:
        if entry["dtype"] not in _DTYPES:
            raise CorruptFileError(os.fspath(path), name, f"there is no dtype here for {entry['dtype']}")
        dtype = convert_dtype(_DTYPES[entry["dtype"]]).dtype
        array = np.frombuffer(bytearray(entry["data"]), dtype).reshape(entry["shape"])
        if dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise CorruptFileError(os.fspath(path), name, "a bool is neither 0 nor 1")
        result[name] = array
    return result

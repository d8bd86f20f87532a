"""Tensor streams: the form of one tensor in Paddle's binary files, and files of several of them, `.pdiparams`.

A stream is: uint32 version 0; uint64 number of LoD levels, and for each a uint64 count of bytes and as many bytes of
uint64 offsets; uint32 version 0; int32 size of a `TensorDesc` message, the message (element type and dims); then the
elements, little-endian, in C order. Knows element types by their numbers only; bfloat16 (22) is uint16 here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.message import DecodeError

from ...core.byte_source import ByteSource, open_source
from . import framework_pb2 as pb

ELEMENTS = {
    0: "?", 1: "<i2", 2: "<i4", 3: "<i8", 4: "<f2", 5: "<f4", 6: "<f8", 19: "<u8", 20: "u1", 21: "i1", 22: "<u2",
    23: "<c8", 24: "<c16",
}
"""NumPy's names of the elements, by VarType number."""

_LARGEST_DESC = 4096
_MOST_DIMENSIONS = 32
_MOST_LEVELS = 64

Lod = tuple[tuple[int, ...], ...]


class StoredTensor(NamedTuple):
    """A tensor as files hold it: elements, the VarType number of their type, and LoD offsets by level."""

    array: np.ndarray
    number: int
    lod: Lod = ()


def write_stream(file: Any, array: np.ndarray, number: int, lod: Sequence[Sequence[int]] = ()) -> None:
    """Writes one tensor; `array` must have the NumPy dtype that `number` stands for (ValueError otherwise).

    >>> import io, numpy as np
    >>> from proa.static.format.tensor_stream import read_stream, write_stream
    >>> file = io.BytesIO(); write_stream(file, np.ones((2, 3), "float32"), 5); _ = file.seek(0)
    >>> read_stream(file).array.shape
    (2, 3)
    """
    element = ELEMENTS.get(number)
    if element is None or array.dtype.newbyteorder("<") != np.dtype(element):
        wanted = "not an element type" if element is None else f"the number of {np.dtype(element)}"
        raise ValueError(f"write_stream(array, number): {number} is {wanted}. Received an array of {array.dtype}.")
    desc = pb.VarType.TensorDesc(data_type=number, dims=array.shape).SerializeToString()  # type: ignore[arg-type]
    head = [struct.pack("<IQ", 0, len(lod))]
    for level in lod:
        head.append(struct.pack(f"<Q{len(level)}Q", 8 * len(level), *level))
    head.append(struct.pack("<Ii", 0, len(desc)))
    file.write(b"".join(head) + desc)
    flat = np.ascontiguousarray(array, np.dtype(element)).reshape(-1)
    if flat.size:
        file.write(flat.view(np.uint8).data)


def read_stream(file: Any, name: str | None = None) -> StoredTensor:
    """The next tensor of a binary file (or of bytes, or of the file at a path).

    Raises CorruptFileError, naming file and offset, for a stream that is damaged or longer than the file.
    """
    with open_source(file, name) as source:
        return _read(source, "")


def write_combined(file: Any, tensors: Iterable[Sequence[Any]]) -> None:
    """Writes tensors one after the other, each given as (array, number) or (array, number, lod).

    Their names are not in the file: Paddle takes them in sorted order.
    """
    for tensor in tensors:
        write_stream(file, *tensor)


def read_combined(path: str | os.PathLike[str] | Any, names: Sequence[str], name: str | None = None,
                  ) -> dict[str, StoredTensor]:
    """The tensors of a combined file by name; `names` in the order in which they were written, sorted in Paddle.

    Raises CorruptFileError, naming file, offset and variable, when the file is damaged, ends early, or has more in it.
    """
    result = {}
    with open_source(path, name) as source:
        for variable in names:
            if not source.left:
                source.fail(f"the file ends after {len(result)} of {len(names)} variables", what=f"variable {variable!r}")
            result[variable] = _read(source, f"variable {variable!r}")
        if source.left:
            source.fail(f"the {len(names)} variables have been read, but {source.left} bytes follow. The file belongs to "
                        f"another model, or parameters were left out of this one")
    return result


def _unpack(source: ByteSource, code: str, what: str) -> tuple:
    return struct.unpack(code, source.take(struct.calcsize(code), what))


def _version(source: ByteSource, what: str) -> None:
    (version,) = _unpack(source, "<I", what)
    if version != 0:
        source.fail(f"version 0 should stand here, not {version}; this is no tensor stream, or it is damaged",
                    source.position - 4, what)


def _read(source: ByteSource, what: str) -> StoredTensor:
    _version(source, what)
    lod = _read_lod(source, what)
    _version(source, what)
    at = source.position
    desc = _read_desc(source, what)
    dims, count = tuple(desc.dims), 1
    for size in dims:
        count *= size
    if any(size < 0 for size in dims) or len(dims) > _MOST_DIMENSIONS or desc.data_type not in ELEMENTS:
        source.fail(f"a tensor of element type {desc.data_type} and shape {list(dims)} cannot be", at, what)
    dtype = np.dtype(ELEMENTS[desc.data_type])
    data = source.array(count * dtype.itemsize, what)
    if desc.data_type == 0 and data.size and data.max() > 1:
        source.fail("a bool is neither 0 nor 1", at, what)
    array = data.view(dtype)
    try:
        array = array.astype(dtype.newbyteorder("="), copy=False).reshape(dims)
    except ValueError as error:
        source.fail(f"the shape {list(dims)} cannot be: {error}", at, what)
    return StoredTensor(array, desc.data_type, lod)


def _read_lod(source: ByteSource, what: str) -> Lod:
    (levels,) = _unpack(source, "<Q", what)
    if levels > _MOST_LEVELS:
        source.fail(f"{levels} LoD levels cannot be", source.position - 8, what)
    return tuple(_read_level(source, what) for _ in range(levels))


def _read_level(source: ByteSource, what: str) -> tuple[int, ...]:
    at = source.position
    (size,) = _unpack(source, "<Q", what)
    if size % 8:
        source.fail(f"a LoD level of {size} bytes is not made of 64-bit offsets", at, what)
    level = tuple(source.array(size, what).view("<u8").tolist())
    if any(a > b for a, b in zip(level, level[1:], strict=False)):
        source.fail("the offsets of a LoD level do not ascend", at, what)
    return level


def _read_desc(source: ByteSource, what: str) -> pb.VarType.TensorDesc:
    at = source.position
    (size,) = _unpack(source, "<i", what)
    if not 0 < size <= _LARGEST_DESC:
        source.fail(f"a description of {size} bytes cannot be", at, what)
    data = source.take(size, what)
    try:
        desc = pb.VarType.TensorDesc.FromString(data)
    except (DecodeError, ValueError):
        source.fail("the description of shape and element type is damaged", at, what)
    if not desc.IsInitialized():
        source.fail("the element type is missing or not known", at, what)
    return desc

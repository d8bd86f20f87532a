"""Tensor streams: the form of one tensor in Paddle's binary files, and files of several of them, `.pdiparams`.

A stream is: uint32 version 0; uint64 number of LoD levels, and for each a uint64 count of bytes and as many bytes of
uint64 offsets; uint32 version 0; int32 size of a `TensorDesc` message, the message (element type and dims); then the
elements, little-endian, in C order. Knows element types by their numbers only; bfloat16 (22) is uint16 here.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...core.byte_reader import ByteReader, open_reader
from ...core.files import CorruptFileError

ELEMENTS = {
    0: "?", 1: "<i2", 2: "<i4", 3: "<i8", 4: "<f2", 5: "<f4", 6: "<f8", 19: "<u8", 20: "u1", 21: "i1", 22: "<u2",
    23: "<c8", 24: "<c16",
}
"""NumPy's names of the elements, by VarType number."""

_LARGEST_DESC = 4096
_MOST_DIMENSIONS = 32
_MOST_LEVELS = 64
_BOOL, _FLOAT32 = 0, 5
_IS_LITTLE = np.dtype(ELEMENTS[_FLOAT32]) == np.float32  # whether the machine's own order is that of files
_WITHOUT_LOD = bytes(16)  # what nearly every tensor begins with: version, levels, version

Lod = tuple[tuple[int, ...], ...]


class StoredTensor(NamedTuple):
    """A tensor as files hold it: elements, the VarType number of their type, and LoD offsets by level."""

    array: np.ndarray
    number: int
    lod: Lod = ()


class PlacedTensor(NamedTuple):
    """Where the elements of a float32 tensor lie in its file, in C order: the first byte, and the shape."""

    offset: int
    shape: tuple[int, ...]


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
    from . import framework_pb2 as pb  # reading does without, most often: importing protobuf takes long

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
    """The next tensor of a binary file (or of bytes, or of the file at a path); `name` is what errors call it.

    Raises CorruptFileError, naming file and offset, for a stream that is damaged or longer than the file.
    """
    with open_reader(file) as reader:
        reader.name = name or reader.name
        return _StreamReader(reader, "").read()


def write_combined(file: Any, tensors: Iterable[Sequence[Any]]) -> None:
    """Writes tensors one after the other, each given as (array, number) or (array, number, lod).

    Their names are not in the file: Paddle takes them in sorted order.
    """
    for tensor in tensors:
        write_stream(file, *tensor)


def read_combined(path: str | os.PathLike[str] | Any, names: Sequence[str]) -> dict[str, StoredTensor]:
    """The tensors of a combined file by name; `names` in the order in which they were written, sorted in Paddle.

    Raises CorruptFileError, naming file, offset and variable, when the file is damaged, ends early, or has more in it.
    """
    return dict(each_combined(path, names))


def each_combined(path: str | os.PathLike[str] | Any, names: Sequence[str]) -> Iterator[tuple[str, StoredTensor]]:
    """What `read_combined` gives, one tensor after the other: none is kept."""
    with open_reader(path) as reader:
        for variable, stream in _streams(reader, names):
            yield variable, stream.read()


def placed_or_read(file: Any, path: str, names: Sequence[str], least: int) -> Iterator[
        tuple[str, StoredTensor | PlacedTensor]]:
    """The same of a binary file, but of float32 tensors of so many bytes or more only where they lie in it."""
    with open_reader(file) as reader:
        reader.name = path
        for variable, stream in _streams(reader, names):
            yield variable, stream.read_or_place(least)


def _streams(reader: ByteReader, names: Sequence[str]) -> Iterator[tuple[str, _StreamReader]]:
    """What reads each tensor of a combined file, which has to be done before the next one is asked for."""
    for index, variable in enumerate(names):
        stream = _StreamReader(reader, f", variable {variable!r}")
        if not reader.remaining:
            stream.fail(f"the file ends after {index} of {len(names)} variables")
        yield variable, stream
    if reader.remaining:
        _StreamReader(reader, "").fail(
            f"the {len(names)} variables have been read, but {reader.remaining} bytes follow. The file belongs to "
            f"another model, or parameters were left out of this one")


class _StreamReader:
    """Reads one stream; `where` is added to the place of its errors."""

    def __init__(self, reader: ByteReader, where: str):
        self.reader, self.where = reader, where

    def fail(self, reason: str, at: int | None = None) -> NoReturn:
        """Raises CorruptFileError at an offset, by default the present one."""
        place = self.reader.position if at is None else at
        raise CorruptFileError(self.reader.name, f"byte {place}{self.where}", reason)

    def need(self, count: int) -> int:
        """The count, when as many bytes are left."""
        if count > self.reader.remaining:
            self.fail(f"{count} bytes should follow, but the file ends after {self.reader.remaining}")
        return count

    def integer(self, size: int) -> int:
        """The next unsigned integer."""
        return self.reader.integer(self.need(size))

    def read(self) -> StoredTensor:
        """The tensor."""
        return self.elements(*self.head())

    def read_or_place(self, least: int) -> StoredTensor | PlacedTensor:
        """The tensor; where it lies, if it is one of float32 without a LoD and of so many bytes or more."""
        at, number, shape, lod = self.head()
        size = self.need(math.prod(shape) * 4) if number == _FLOAT32 else 0
        if lod or size < max(least, 1) or not _IS_LITTLE:
            return self.elements(at, number, shape, lod)
        placed = PlacedTensor(self.reader.position, shape)
        self.reader.skip(size)
        return placed

    def head(self) -> tuple[int, int, tuple[int, ...], Lod]:
        """What stands before the elements: where it describes them, the number of their type, the shape, the LoD."""
        lod: Lod = ()
        if not self.reader.passes(_WITHOUT_LOD):
            self.version()
            lod = self.lod()
            self.version()
        at = self.reader.position
        number, shape = self.desc()
        if number not in ELEMENTS or len(shape) > _MOST_DIMENSIONS or any(size < 0 for size in shape):
            self.fail(f"a tensor of element type {number} and shape {list(shape)} cannot be", at)
        return at, number, shape, lod

    def elements(self, at: int, number: int, shape: tuple[int, ...], lod: Lod) -> StoredTensor:
        """The tensor, of which the head was read."""
        dtype = np.dtype(ELEMENTS[number])
        data = self.reader.take_array(self.need(math.prod(shape) * dtype.itemsize))
        if number == _BOOL and data.size and data.max() > 1:
            self.fail("a bool is neither 0 nor 1", at)
        try:
            array = data.view(dtype).reshape(shape)
        except ValueError as error:
            self.fail(f"the shape {list(shape)} cannot be: {error}", at)
        return StoredTensor(array.astype(dtype.newbyteorder("="), copy=False), number, lod)

    def version(self) -> None:
        """A version, which is 0."""
        at = self.reader.position
        version = self.integer(4)
        if version != 0:
            kind = self.reader.kind() if at == 0 else ""
            kind = kind or "this is no tensor stream, or it is damaged"
            self.fail(f"version 0 should stand here, not {version}; {kind}", at)

    def lod(self) -> Lod:
        """The offsets of every LoD level."""
        at = self.reader.position
        levels = self.integer(8)
        if levels > _MOST_LEVELS:
            self.fail(f"{levels} LoD levels cannot be", at)
        return tuple(self.level() for _ in range(levels))

    def level(self) -> tuple[int, ...]:
        """The offsets of one level."""
        at = self.reader.position
        size = self.integer(8)
        if size % 8:
            self.fail(f"a LoD level of {size} bytes is not made of 64-bit offsets", at)
        level = tuple(self.reader.take_array(self.need(size)).view("<u8").tolist())
        if any(a > b for a, b in zip(level, level[1:], strict=False)):
            self.fail("the offsets of a LoD level do not ascend", at)
        return level

    def desc(self) -> tuple[int, tuple[int, ...]]:
        """The number of the element type, and the dims."""
        at = self.reader.position
        size = self.integer(4)
        if not 0 < size <= _LARGEST_DESC:
            self.fail(f"a description of {size} bytes cannot be", at)
        data = self.reader.take(self.need(size))
        return _usual_desc(data) or self.parsed_desc(data, at)

    def parsed_desc(self, data: bytes, at: int) -> tuple[int, tuple[int, ...]]:
        """The same of any message."""
        from google.protobuf.message import DecodeError

        from . import framework_pb2 as pb

        try:
            desc = pb.VarType.TensorDesc.FromString(data)
        except DecodeError:
            self.fail("the description of shape and element type is damaged", at)
        if not desc.IsInitialized():
            self.fail("the element type is missing or not known", at)
        return desc.data_type, tuple(desc.dims)


_DATA_TYPE, _DIM = 0x08, 0x10  # the bytes before a field: data_type = 1, dims = 2, both variable-length integers
_MORE, _SEVEN_BITS = 0x80, 0x7F  # of such an integer's bytes
_SIXTY_THREE_BITS = 9  # bytes


def _usual_desc(data: bytes) -> tuple[int, tuple[int, ...]] | None:
    """Element type and dims of a TensorDesc as writers of protobuf write it; None for one that is written otherwise."""
    if len(data) < 2 or data[0] != _DATA_TYPE or data[1] not in ELEMENTS:
        return None
    dims, place, end = [], 2, len(data)
    while place < end:
        if data[place] != _DIM:
            return None
        size = shift = 0
        more = _MORE
        while more:
            place += 1
            if place == end or shift == 7 * _SIXTY_THREE_BITS:
                return None
            more = data[place] & _MORE
            size |= (data[place] & _SEVEN_BITS) << shift
            shift += 7
        dims.append(size)
        place += 1
    return data[1], tuple(dims)

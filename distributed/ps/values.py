"""Values as messages: arrays and rows of them, in parts where they are large, checked before they take memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ...backend.selected_rows import SelectedRows
from ...core.dtype import DTYPES
from . import messages_pb2 as pb
from .errors import RefusedError

Value: TypeAlias = np.ndarray | SelectedRows
"""What trainers send: a dense value, or some rows of one, whose numbers may repeat."""

INT64 = np.dtype("int64")
_DTYPES = {dtype.name: dtype for dtype in DTYPES}


class Spec(NamedTuple):
    """What a value of a name must be: its dtype and the shape of the whole."""

    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, array: Any) -> Spec:
        """That of an array."""
        return cls(array.dtype.name, tuple(array.shape))

    def __str__(self) -> str:
        return f"{self.dtype} {list(self.shape)}"


def dtype_of(name: str) -> np.dtype:
    """The NumPy dtype of this name. RefusedError for another."""
    if name not in _DTYPES:
        raise RefusedError(f"There is no dtype {name!r}; values are of {', '.join(_DTYPES)}.")
    return _DTYPES[name].dtype


def _bytes_of(array: np.ndarray) -> memoryview:
    little = np.ascontiguousarray(array)
    if little.dtype.byteorder == ">":
        little = little.astype(little.dtype.newbyteorder("<"))
    return memoryview(little.reshape(-1).view(np.uint8))


def requests_of(name: str, value: Value, part_bytes: int) -> Iterator[pb.Request]:
    """The messages that carry a value: one, or several where it is larger than a part."""
    if isinstance(value, SelectedRows):
        ids = _bytes_of(value.rows.astype(INT64, copy=False))
        data, described = _bytes_of(value.values), value.values
    else:
        ids, data, described = memoryview(b""), _bytes_of(value), value
    total = len(ids) + len(data)
    for offset in range(0, max(total, 1), part_bytes):
        end = min(offset + part_bytes, total)
        request = pb.Request(name=name, offset=offset, total=total)
        request.value.dtype = described.dtype.name
        request.value.shape.extend(described.shape)
        if isinstance(value, SelectedRows):
            request.has_rows, request.height = True, value.height
            request.ids.shape.append(len(value.rows))
            request.ids.data = bytes(ids[offset:end])
        request.value.data = bytes(data[max(offset - len(ids), 0):max(end - len(ids), 0)])
        yield request


class Described(NamedTuple):
    """What a message says of its value, checked by itself."""

    dtype: np.dtype
    shape: tuple[int, ...]
    rows: int | None
    height: int
    total: int

    @classmethod
    def of(cls, request: pb.Request, most_bytes: int) -> Described:
        """That of a request. RefusedError where its numbers do not fit together, or are too large."""
        dtype, shape = dtype_of(request.value.dtype), tuple(request.value.shape)
        rows = None
        nbytes = dtype.itemsize
        for size in shape:
            nbytes *= size
        if request.has_rows:
            if len(request.ids.shape) != 1 or not shape or shape[0] != request.ids.shape[0]:
                raise RefusedError(f"{request.name!r}: rows need a number each. Received numbers of shape "
                                   f"{list(request.ids.shape)}, values of shape {list(shape)}.")
            rows = shape[0]
            nbytes += rows * INT64.itemsize
        if nbytes != request.total:
            raise RefusedError(f"{request.name!r}: a value of {dtype.name} {list(shape)} has {nbytes} bytes. Received "
                               f"the message that it has {request.total}.")
        if nbytes > most_bytes:
            raise RefusedError(f"{request.name!r}: a value may have {most_bytes} bytes (Options.value_bytes). Received "
                               f"one of {nbytes}.")
        return cls(dtype, shape, rows, request.height, nbytes)

    def check(self, name: str, spec: Spec) -> None:
        """RefusedError where the value cannot be one of what `spec` describes.

        A number without dimensions, as Programs of 2.x have them, is one of one element, as 1.x's have.
        """
        shape = self.shape if self.rows is None else (self.height, *self.shape[1:])
        if self.dtype.name != spec.dtype or shape != spec.shape and not {shape, spec.shape} <= {(), (1,)}:
            raise RefusedError(f"{name!r} takes {spec}. Received {self.dtype.name} {list(shape)}"
                               f"{' in rows' if self.rows is not None else ''}.")

    def value(self, data: Any) -> Value:
        """The value with these bytes. RefusedError for rows that the whole does not have."""
        if self.rows is None:
            return np.frombuffer(data, self.dtype).reshape(self.shape)
        begin = self.rows * INT64.itemsize
        ids = np.frombuffer(data, INT64, self.rows)
        values = np.frombuffer(data, self.dtype, offset=begin).reshape(self.shape)
        return SelectedRows(ids, values, self.height)


def check_rows(name: str, value: Value) -> None:
    """RefusedError where a row's number is none of the whole's."""
    if isinstance(value, SelectedRows) and len(value.rows) and not (
            0 <= int(value.rows.min()) and int(value.rows.max()) < value.height):
        raise RefusedError(f"{name!r} has the rows 0 to {value.height - 1}. Received row numbers from "
                           f"{value.rows.min()} to {value.rows.max()}.")


def part_of(request: pb.Request) -> bytes:
    """The bytes that a message carries of its value."""
    return request.ids.data + request.value.data if request.ids.data else request.value.data


class Parts:
    """A value that comes in several messages, in any order; a part may come again."""

    def __init__(self, described: Described):
        self.described = described
        self._data = bytearray(described.total)
        self._got: dict[int, int] = {}

    @property
    def nbytes(self) -> int:
        """How much memory is taken for it."""
        return len(self._data)

    def put(self, offset: int, part: bytes) -> bool:
        """Whether the value is complete with this part."""
        if offset + len(part) > len(self._data):
            raise RefusedError(f"A part ends at byte {offset + len(part)} of a value of {len(self._data)} bytes.")
        if self._got.get(offset, len(part)) != len(part):
            raise RefusedError(f"The part at byte {offset} came twice, of {self._got[offset]} and {len(part)} bytes.")
        self._data[offset:offset + len(part)] = part
        self._got[offset] = len(part)
        return self._is_complete()

    def _is_complete(self) -> bool:
        if sum(self._got.values()) < len(self._data):
            return False
        end = 0
        for offset in sorted(self._got):
            if offset != end:
                raise RefusedError(f"The parts of a value overlap at byte {offset}.")
            end += self._got[offset]
        return True

    def value(self) -> Value:
        """The value, once it is complete."""
        return self.described.value(self._data)

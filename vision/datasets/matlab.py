"""Reading arrays of numbers from MATLAB's MAT-files of level 5, as far as labels and indices need it.

Follows "MAT-File Format" (The MathWorks). Whatever is in such a file besides arrays of real numbers is passed over.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

import numpy as np

from ...core.files import CorruptFileError

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_NUMERIC_CLASSES = range(6, 16)  # double … uint64
_COMPLEX = 8  # a flag beside the class
_MAXIMUM = 1 << 28


def load_arrays(path: str) -> dict[str, np.ndarray]:
    """The arrays of real numbers in a MAT-file, by name; CorruptFileError where it is not one."""
    if os.path.getsize(path) > _MAXIMUM:
        raise CorruptFileError(path, 0, f"is larger than {_MAXIMUM} bytes")
    with open(path, "rb") as file:
        data = file.read()
    order = {b"IM": "<", b"MI": ">"}.get(data[126:128])
    if order is None:
        raise CorruptFileError(path, 126, "is no MAT-file of level 5")
    found = {}
    for kind, element in _elements(path, data[_HEADER:], order):
        if kind == _COMPRESSED:
            kind, element = next(_elements(path, _inflated(path, element), order), (0, b""))
        if kind == _MATRIX:
            found.update(_matrix(path, element, order))
    return found


def _inflated(path: str, data: bytes) -> bytes:
    try:
        inflater = zlib.decompressobj()
        result = inflater.decompress(data, _MAXIMUM)
    except zlib.error as error:
        raise CorruptFileError(path, "compressed element", str(error)) from error
    if inflater.unconsumed_tail:
        raise CorruptFileError(path, "compressed element", f"holds more than {_MAXIMUM} bytes")
    return result


def _elements(path: str, data: bytes, order: str) -> Iterator[tuple[int, bytes]]:
    """(type, bytes) of the data elements one after the other."""
    place = 0
    while place + 8 <= len(data):
        first, second = (int(n) for n in np.frombuffer(data, order + "u4", 2, place))
        small = first >> 16
        kind, size, start = (first & 0xFFFF, small, place + 4) if small else (first, second, place + 8)
        if start + size > len(data) or (small and small > 4):
            raise CorruptFileError(path, _HEADER + place, f"{size} bytes are declared, {len(data) - start} are left")
        yield kind, data[start : start + size]
        end = start + size
        place = end if kind == _COMPRESSED else place + 8 if small else end + -size % 8


def _matrix(path: str, data: bytes, order: str) -> dict[str, np.ndarray]:
    """{name: array}, or nothing for what is no array of real numbers."""
    parts = [part for _, part in zip(range(4), _elements(path, data, order), strict=False)]
    if len(parts) < 4 or len(parts[0][1]) < 8:
        return {}
    flags = int(np.frombuffer(parts[0][1], order + "u4", 1)[0])
    if flags & 0xFF not in _NUMERIC_CLASSES or (flags >> 8) & _COMPLEX or parts[3][0] not in _NUMBERS:
        return {}
    if len(parts[1][1]) % 4:
        raise CorruptFileError(path, "dimensions", "are not whole numbers of 32 bits")
    shape = np.frombuffer(parts[1][1], order + "i4").tolist()
    numbers = np.dtype(order + _NUMBERS[parts[3][0]])
    if min(shape, default=0) < 0 or int(np.prod(shape, dtype=object)) * numbers.itemsize != len(parts[3][1]):
        raise CorruptFileError(path, "dimensions", f"{shape} do not fit {len(parts[3][1])} bytes of {numbers.name}")
    name = parts[2][1].decode("latin1")
    return {name: np.frombuffer(parts[3][1], numbers).reshape(shape, order="F").astype(numbers.newbyteorder("="))}

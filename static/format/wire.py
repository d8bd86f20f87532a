"""Finds where a damaged protobuf message is damaged: protobuf itself says only that it is.

Walks the bytes by the message's descriptor, and stops at the first field that cannot be.
"""

from __future__ import annotations

from typing import Any, NamedTuple

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {_FIXED64: 8, _FIXED32: 4}
_DEEPEST = 32


class Damage(NamedTuple):
    """What is wrong with a message, and where: a byte offset and the field on the way to it."""

    offset: int
    field: str
    reason: str


class _Broken(Exception):
    """Carries the Damage out of the walk."""


def find_damage(data: bytes, descriptor: Any) -> Damage | None:
    """The first damage in the bytes of a message of this descriptor; None when every field can be read."""
    try:
        _walk(memoryview(data), 0, len(data), descriptor, descriptor.name, 0)
    except _Broken as found:
        return found.args[0]
    return None


def _walk(data: memoryview, at: int, end: int, descriptor: Any, path: str, depth: int) -> None:
    seen: dict[int, int] = {}
    while at < end:
        start = at
        tag, at = _varint(data, at, end, path)
        number, wire = tag >> 3, tag & 7
        field = descriptor.fields_by_number.get(number)
        inner = f"{path}.{field.name}[{seen.get(number, 0)}]" if field is not None else f"{path}.{number}"
        seen[number] = seen.get(number, 0) + 1
        if number == 0 or wire not in (_VARINT, _FIXED64, _BYTES, _FIXED32):
            raise _Broken(Damage(start, path, "no field starts with these bytes"))
        if wire == _VARINT:
            _, at = _varint(data, at, end, inner)
            continue
        size = _FIXED.get(wire)
        if size is None:
            size, at = _varint(data, at, end, inner)
        if size > end - at:
            raise _Broken(Damage(start, inner, f"{size} bytes should follow, but only {end - at} do"))
        if wire == _BYTES and field is not None:
            _contents(data, at, at + size, field, inner, depth)
        at += size


def _contents(data: memoryview, at: int, end: int, field: Any, path: str, depth: int) -> None:
    if field.message_type is not None and depth < _DEEPEST:
        _walk(data, at, end, field.message_type, path, depth + 1)
    elif field.type == field.TYPE_STRING:
        try:
            str(data[at:end], "utf-8")
        except UnicodeDecodeError as error:
            raise _Broken(Damage(at + error.start, path, "the text is not UTF-8")) from None


def _varint(data: memoryview, at: int, end: int, path: str) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    reason = "the bytes end within a number" if at >= end else "a number has more than 10 bytes"
    raise _Broken(Damage(at, path, reason))

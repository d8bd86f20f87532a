"""The part of a shared library that is loaded: what lies behind it, such as symbol tables, only debuggers read.

The format is ELF of 64 bits, https://refspecs.linuxfoundation.org/elf/elf.pdf; other files are left alone.
"""

from __future__ import annotations

import struct

_MAGIC = b"\x7fELF\x02\x01"  # 64 bits, the lowest byte first
_HEADER = struct.Struct("<QQI6H")  # from byte 32 on: tables of segments and sections, flags, sizes and counts
_SEGMENT = struct.Struct("<IIQQQQQQ")


def loaded_bytes(content: bytes) -> int | None:
    """How many bytes of a shared library hold all of its segments; None for what is no such library."""
    if not content.startswith(_MAGIC) or len(content) < 64:
        return None
    table, _, _, own, size, count, *_ = _HEADER.unpack_from(content, 32)
    if count == 0 or size < _SEGMENT.size or table + size * count > len(content):
        return None
    ends = [table + size * count, own]
    for number in range(count):
        _, _, offset, _, _, in_file, _, _ = _SEGMENT.unpack_from(content, table + number * size)
        ends.append(offset + in_file)
    return max(ends) if max(ends) <= len(content) else None


def stripped(content: bytes) -> bytes:
    """A shared library without what is not loaded; as it is where it is none."""
    end = loaded_bytes(content)
    if end is None:
        return content
    head = bytearray(content[:64])
    table, _, flags, own, size, count, *_ = _HEADER.unpack_from(content, 32)
    _HEADER.pack_into(head, 32, table, 0, flags, own, size, count, 0, 0, 0)  # the table of sections lay behind
    return bytes(head) + content[64:end]

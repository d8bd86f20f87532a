"""Code that begins at another line, while its instructions keep theirs.

What shows a frame with its source (IPython, `inspect.getsourcelines`) reads from the line where the code says that it
begins, and takes that for a function's head. Of a function that was made from a part of another's body, that is wrong.
Python 3.11's table of lines: https://github.com/python/cpython/blob/3.11/Objects/locations.md.
"""

from __future__ import annotations

import sys
from types import CodeType

_ENTRY, _NO_COLUMNS, _LONG, _ONE_LINE, _NO_PLACE = 0x80, 13, 14, (10, 11, 12), 15


def with_first_line(code: CodeType, line: int) -> CodeType:
    """The code, said to begin at a line that is not behind its own; before Python 3.11 as it is."""
    shift = code.co_firstlineno - line
    if shift <= 0 or sys.version_info < (3, 11):
        return code
    table = code.co_linetable
    starts = [at for at, byte in enumerate(table) if byte & _ENTRY]
    at = next((at for at in starts if _kind(table[at]) != _NO_PLACE), None)
    if at is None:
        return code
    end = next((start for start in starts if start > at), len(table))
    head = _ENTRY | _NO_COLUMNS << 3 | table[at] & 7  # with as many instructions; lines of others count from this one
    entry = bytes([head, *_number(_step(table, at) + shift)])
    return code.replace(co_firstlineno=line, co_linetable=table[:at] + entry + table[end:])


def _kind(head: int) -> int:
    return head >> 3 & 15


def _step(table: bytes, at: int) -> int:
    """How many lines an entry goes on."""
    kind = _kind(table[at])
    if kind in _ONE_LINE:
        return kind - _ONE_LINE[0]
    if kind not in (_NO_COLUMNS, _LONG):
        return 0
    value = shift = 0
    for byte in table[at + 1:]:
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            break
    return -(value >> 1) if value & 1 else value >> 1


def _number(value: int) -> bytes:
    """A signed number in groups of six bits, the lowest first."""
    rest, found = abs(value) << 1 | (value < 0), []
    while rest > 63:
        found.append(rest & 63 | 64)
        rest >>= 6
    return bytes([*found, rest])

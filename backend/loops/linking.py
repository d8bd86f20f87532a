"""Object code of the x86-64 processor, linked once so that loading it takes no linker: an *image*.

An image is a piece of memory with a table at its end, which the loader (`loading.py`) fills with the addresses of the
functions that the code calls; everything else in it is relative to where it stands. Of an object file (ELF, the System
V ABI for AMD64) it takes what LLVM emits for a kernel: code and constants. What it does not know it does not link: the
object file is then kept, and loaded through LLVM. Knows the formats alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

MAGIC = b"\x00proa image 1\n"
_HEAD = struct.Struct("<QQQI")  # where the entry, the table and the end are, and how long the names of the table are
_FILE, _SECTION, _SYMBOL, _RELOCATION = map(struct.Struct, ("<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IBBHQQ", "<QQq"))
_RELOCATABLE, _X86_64 = 1, 62
_PROGRAM, _SYMBOLS, _RELOCATIONS = 1, 2, 4  # kinds of sections
_WRITE, _ALLOCATE, _THREAD = 1, 2, 0x400
_RELATIVE = (2, 4)  # R_X86_64_PC32, R_X86_64_PLT32
_TABLE = (9, 41, 42)  # R_X86_64_GOTPCREL, GOTPCRELX, REX_GOTPCRELX
_JUMP = b"\xff\x25"  # jmp through the table


class Image(NamedTuple):
    """Linked code: `names` are the functions whose addresses stand in the table, 8 bytes each."""

    entry: int
    table: int
    size: int
    names: tuple[str, ...]
    content: bytes

    def to_bytes(self) -> bytes:
        """As it is kept on disk."""
        names = "\n".join(self.names).encode()
        return MAGIC + _HEAD.pack(self.entry, self.table, self.size, len(names)) + names + self.content

    @staticmethod
    def from_bytes(data: bytes) -> Image | None:
        """What `to_bytes` made; None for anything else."""
        if not data.startswith(MAGIC):
            return None
        entry, table, size, length = _HEAD.unpack_from(data, len(MAGIC))
        start = len(MAGIC) + _HEAD.size
        names = data[start:start + length].decode()
        return Image(entry, table, size, tuple(names.split("\n")) if names else (), data[start + length:])


class _Unknown(ValueError):
    """Something in an object file that is not linked here."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


class _Object:
    """The parts of an object file."""

    def __init__(self, data: bytes):
        self.data = data
        head = _FILE.unpack_from(data)
        if head[0][:6] != b"\x7fELF\x02\x01" or head[1:3] != (_RELOCATABLE, _X86_64):
            raise _Unknown("not an object file of this processor")
        start, count = head[6], head[12]
        self.sections = [_Section(*_SECTION.unpack_from(data, start + n * _SECTION.size)) for n in range(count)]
        names = self.sections[head[13]]
        self.names = {n: self._text(names, s.name) for n, s in enumerate(self.sections)}
        self.symbols = [(self._text(self.sections[s.link], symbol[0]), symbol[3], symbol[4])
                        for s in self.sections if s.kind == _SYMBOLS for symbol in self._entries(s, _SYMBOL)]

    def _text(self, section: _Section, place: int) -> str:
        start = section.offset + place
        return self.data[start:self.data.index(b"\0", start)].decode()

    def _entries(self, section: _Section, form: struct.Struct) -> Iterator[tuple]:
        return form.iter_unpack(self.data[section.offset:section.offset + section.size])

    def loaded(self) -> list[int]:
        """The sections that are in memory when the code runs."""
        found = [n for n, s in enumerate(self.sections)
                 if s.flags & _ALLOCATE and s.size and not self.names[n].startswith((".eh_frame", ".note"))]
        for n in found:
            if self.sections[n].flags & (_WRITE | _THREAD) or self.sections[n].kind != _PROGRAM:
                raise _Unknown(f"section {self.names[n]}")
        return found

    def relocations(self, section: int) -> Iterator[tuple[int, int, int, int]]:
        """Where in a section something is to be put, how, the symbol's number, and what is added."""
        for s in self.sections:
            if s.kind == _RELOCATIONS and s.info == section:
                for place, info, addend in self._entries(s, _RELOCATION):
                    yield place, info & 0xFFFFFFFF, info >> 32, addend


def linked(code: bytes, entry: str) -> Image | None:
    """The image of object code whose function `entry` is called; None where that is not linked here."""
    try:
        return _Linking(_Object(code)).image(entry)
    except (_Unknown, struct.error):
        return None


class _Linking:
    def __init__(self, found: _Object):
        self.object = found
        self.content = bytearray()
        self.places: dict[int, int] = {}  # of sections
        for n in found.loaded():
            section = found.sections[n]
            self._align(max(section.alignment, 16))
            self.places[n] = len(self.content)
            self.content += found.data[section.offset:section.offset + section.size]
        self.names: list[str] = []
        self.stubs: dict[str, int] = {}
        self.to_table: list[tuple[int, str, int]] = []  # places that hold how far away an entry of the table is

    def _align(self, size: int) -> None:
        self.content += bytes(-len(self.content) % size)

    def image(self, entry: str) -> Image:
        """The image."""
        for section, begin in self.places.items():
            for relocation in self.object.relocations(section):
                self._relocate(begin, *relocation)
        self._align(16)
        table = len(self.content)
        for place, name, addend in self.to_table:
            self._put(place, table + 8 * self.names.index(name) + addend - place)
        number = next(n for n, (name, section, _) in enumerate(self.object.symbols) if name == entry and section)
        start = self._place(number)
        assert start is not None
        return Image(start, table, table + 8 * len(self.names), tuple(self.names), bytes(self.content))

    def _relocate(self, start: int, offset: int, kind: int, number: int, addend: int) -> None:
        place, name = start + offset, self.object.symbols[number][0]
        target = self._place(number)
        if target is None and kind in _TABLE:
            self._in_table(place, name, addend)
        elif kind in _RELATIVE:
            self._put(place, (self._stub(name) if target is None else target) + addend - place)
        else:
            raise _Unknown(f"relocation {kind}")

    def _place(self, number: int) -> int | None:
        """Where a symbol stands in the image; None for one that is elsewhere."""
        name, section, value = self.object.symbols[number]
        if section == 0:
            return None
        if section not in self.places:
            raise _Unknown(f"symbol {name!r}")
        return self.places[section] + value

    def _stub(self, name: str) -> int:
        """Code that goes on to a function elsewhere."""
        if name not in self.stubs:
            self._align(8)
            self.stubs[name] = len(self.content)
            self.content += _JUMP + bytes(4)
            self._in_table(len(self.content) - 4, name, -4)
        return self.stubs[name]

    def _in_table(self, place: int, name: str, addend: int) -> None:
        if name not in self.names:
            self.names.append(name)
        self.to_table.append((place, name, addend))

    def _put(self, place: int, distance: int) -> None:
        self.content[place:place + 4] = struct.pack("<i", distance)

"""A machine that runs pickles of protocols 2 to 5 and can build plain values only.

Python's own unpickler imports and calls whatever a file names. This one has no way to do that: names go through the
table of `pickle_forms`, and the result is looked through before it is handed out. Sizes are held against what is left
of the file before memory is taken, and large arrays are read straight into place.
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .byte_source import ByteSource
from .files import CorruptFileError
from .pickle_forms import Draft, Form, check_key, find_form

_LARGE = 1 << 16
_LONGEST_NAME = 256
_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes, bytearray, slice, np.ndarray,
                    *{np.dtype(c).type for c in "?bhilqBHILQefdFDSU"}))
_NESTED: dict[type, Callable[[Any], Any]] = {
    list: iter, tuple: iter, set: iter, frozenset: iter,
    dict: lambda d: (*d, *d.values()), OrderedDict: lambda d: (*d, *d.values()),
}


class UnsafePickleError(pickle.UnpicklingError):
    """A pickle asks for something other than plain data: a class or a function that loading would run.

    Nothing of it was run. Fix: if you trust where the file comes from, load it with the program that wrote it and save
    tensors, arrays, numbers, text and containers of these only.
    """

    def __init__(self, file: str, refused: str, place: str):
        super().__init__(file, refused, place)
        self.file, self.refused, self.place = file, refused, place

    def __str__(self) -> str:
        return (f"{self.file}: {self.place}: the file asks for {self.refused}, which is not plain data; loading could run "
                f"code of whoever wrote it. Nothing was run. Such files are not read here.")


class PickleReader:
    """Runs one pickle."""

    def __init__(self, source: ByteSource):
        self.source = source
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []
        self.memo: dict[int, Any] = {}

    def load(self) -> Any:
        """The value; CorruptFileError or UnsafePickleError, each naming file and offset."""
        read, table = self.source.file.read, _INSTRUCTIONS
        try:
            while (code := read(1)) != b".":
                handler = table.get(code)
                if handler is None:
                    self._unknown(code)
                else:
                    handler(self)
            return self._result()
        except (CorruptFileError, UnsafePickleError):
            raise
        except IndexError:
            self._fail("an instruction finds no value to work on")
        except KeyError as error:
            self._fail(f"nothing is remembered under {error}")
        except (ValueError, TypeError, OverflowError) as error:
            self._fail(str(error))

    def _fail(self, reason: str) -> NoReturn:
        self.source.fail(f"the pickle is damaged, or of a kind that is not read here: {reason}")

    def _unknown(self, code: bytes) -> None:
        at = self.source.position - 1
        if not code:
            self.source.fail("the file ends before the pickle does")
        if code in _REFUSED:
            raise UnsafePickleError(self.source.name, f"the pickle instruction {_REFUSED[code]}", f"byte {at}")
        self.source.fail(f"{code!r} is no instruction of a pickle of protocol 2 to 5", at)

    def _result(self) -> Any:
        if len(self.stack) != 1 or self.marks:
            raise ValueError("it ends with other than one value")
        result = self.stack[0]
        _check_plain(result)
        return result

    # reading ------------------------------------------------------------------------------------------------------

    def number(self, code: str, size: int) -> int:
        """A little-endian integer, `code` in the words of `struct`."""
        return struct.unpack(code, self.source.take(size))[0]

    def text(self, count: int) -> None:
        """Pushes text of `count` bytes of UTF-8."""
        self.stack.append(str(self.source.take(count), "utf-8", "surrogatepass"))

    def old_text(self, count: int) -> None:
        """Pushes a Python 2 string, which is text or bytes: latin-1 holds both."""
        self.stack.append(str(self.source.take(count), "latin-1"))

    def data(self, count: int) -> None:
        """Pushes bytes; the large data of an array (a dtype and its order lie on the stack) as an array of bytes."""
        stack = self.stack
        if count >= _LARGE and len(stack) > 1 and type(stack[-1]) is bool and isinstance(stack[-2], np.dtype):
            stack.append(self.source.array(count))
        else:
            stack.append(self.source.take(count))

    def byte_array(self, count: int) -> None:
        """Pushes a bytearray."""
        self.source.need(count, "")
        self.stack.append(bytearray(self.source.take(count)))

    def line(self) -> str:
        """A name that ends with the line."""
        text = self.source.file.readline(_LONGEST_NAME)
        if not text.endswith(b"\n"):
            raise ValueError("a name has no end")
        return str(text[:-1], "utf-8")

    # the stack ----------------------------------------------------------------------------------------------------

    def push(self, value: Any) -> None:
        """Pushes a value."""
        self.stack.append(value)

    def mark(self) -> None:
        """Opens a group of values."""
        self.marks.append(self.stack)
        self.stack = []

    def group(self) -> list[Any]:
        """Closes the group and gives its values."""
        items, self.stack = self.stack, self.marks.pop()
        return items

    def put(self, key: int) -> None:
        """Remembers the top value."""
        value = self.memo[key] = self.stack[-1]
        if type(value) is Draft:
            value.keys.append(key)

    def get(self, key: int) -> None:
        """Pushes a remembered value."""
        self.stack.append(self.memo[key])

    def make_tuple(self, count: int) -> None:
        """The last values as a tuple."""
        if count > len(self.stack):
            raise IndexError
        self.stack[-count:] = [tuple(self.stack[-count:])]

    def append(self, items: list[Any]) -> None:
        """Appends to the list on top."""
        target = self.stack[-1]
        if type(target) is not list:
            raise ValueError(f"values are appended to {type(target).__name__}")
        target.extend(items)

    def set_items(self, items: list[Any]) -> None:
        """Puts keys and values into the dict on top."""
        target = self.stack[-1]
        if type(target) not in (dict, OrderedDict) or len(items) % 2:
            raise ValueError("keys and values have no dict")
        for key, value in zip(items[::2], items[1::2], strict=True):
            check_key(key)
            target[key] = value

    def add_items(self, items: list[Any]) -> None:
        """Adds to the set on top."""
        target = self.stack[-1]
        if type(target) is not set:
            raise ValueError("members have no set")
        for item in items:
            check_key(item)
        target.update(items)

    def frozen_set(self) -> None:
        """The group as a frozenset."""
        items = self.group()
        for item in items:
            check_key(item)
        self.stack.append(frozenset(items))

    # names --------------------------------------------------------------------------------------------------------

    def name(self, module: Any, name: Any) -> None:
        """Pushes what a name stands for; UnsafePickleError when it is not among the few."""
        form = find_form(module, name) if isinstance(module, str) and isinstance(name, str) else None
        if form is None:
            shown = f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else "a name that is no text"
            raise UnsafePickleError(self.source.name, f"{shown:.{_LONGEST_NAME}}", f"byte {self.source.position}")
        self.stack.append(form)

    def global_line(self) -> None:
        """A name in two lines."""
        module = self.line()
        self.name(module, self.line())

    def instance(self) -> None:
        """An object of protocol 0: never plain data."""
        at = self.source.position
        raise UnsafePickleError(self.source.name, f"{self.line()}.{self.line()}", f"byte {at}")

    def global_stack(self) -> None:
        """A name from the stack."""
        name = self.stack.pop()
        self.name(self.stack.pop(), name)

    def reduce(self) -> None:
        """Calls what a name stands for."""
        args, form = self.stack.pop(), self.stack.pop()
        if type(form) is not Form or type(args) is not tuple:
            raise ValueError("a call is of something that is no name, or without arguments")
        self.stack.append(form.call(args))

    def build(self) -> None:
        """Gives a dtype or an array its state."""
        state, draft = self.stack.pop(), self.stack[-1]
        if type(draft) is not Draft:
            raise ValueError(f"a state is given to {type(draft).__name__}")
        value = self.stack[-1] = draft.finish(state)
        for key in draft.keys:
            self.memo[key] = value


def _check_plain(result: Any) -> None:
    """ValueError when something other than plain values is left in the result."""
    seen: set[int] = set()
    waiting = [result]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in _PLAIN:
            continue
        members = _NESTED.get(kind)
        if members is None:
            if isinstance(value, np.dtype):
                continue
            raise ValueError("an array or a name is left unfinished")
        if id(value) not in seen:
            seen.add(id(value))
            waiting.extend(members(value))


def _long(r: PickleReader, count: int) -> None:
    r.push(int.from_bytes(r.source.take(count), "little", signed=True))


def _protocol(r: PickleReader) -> None:
    version = r.number("B", 1)
    if version > 5:
        raise ValueError(f"protocol {version} is not known")


def _frame(r: PickleReader) -> None:
    r.source.need(r.number("<Q", 8), "frame")


_INSTRUCTIONS: dict[bytes, Callable[[PickleReader], Any]] = {
    b"\x80": _protocol, b"\x95": _frame,
    b"N": lambda r: r.push(None), b"\x88": lambda r: r.push(True), b"\x89": lambda r: r.push(False),
    b"J": lambda r: r.push(r.number("<i", 4)), b"K": lambda r: r.push(r.number("B", 1)),
    b"M": lambda r: r.push(r.number("<H", 2)), b"G": lambda r: r.push(r.number(">d", 8)),
    b"\x8a": lambda r: _long(r, r.number("B", 1)), b"\x8b": lambda r: _long(r, r.number("<I", 4)),
    b"\x8c": lambda r: r.text(r.number("B", 1)), b"X": lambda r: r.text(r.number("<I", 4)),
    b"\x8d": lambda r: r.text(r.number("<Q", 8)),
    b"U": lambda r: r.old_text(r.number("B", 1)), b"T": lambda r: r.old_text(r.number("<I", 4)),
    b"C": lambda r: r.data(r.number("B", 1)), b"B": lambda r: r.data(r.number("<I", 4)),
    b"\x8e": lambda r: r.data(r.number("<Q", 8)), b"\x96": lambda r: r.byte_array(r.number("<Q", 8)),
    b"(": PickleReader.mark, b"0": lambda r: r.stack.pop(), b"1": PickleReader.group,
    b"2": lambda r: r.push(r.stack[-1]),
    b"}": lambda r: r.push({}), b"]": lambda r: r.push([]), b")": lambda r: r.push(()), b"\x8f": lambda r: r.push(set()),
    b"a": lambda r: r.append([r.stack.pop()]), b"e": lambda r: r.append(r.group()),
    b"s": lambda r: r.set_items([r.stack.pop(-2), r.stack.pop()]), b"u": lambda r: r.set_items(r.group()),
    b"\x90": lambda r: r.add_items(r.group()), b"\x91": PickleReader.frozen_set,
    b"t": lambda r: r.push(tuple(r.group())), b"l": lambda r: r.push(r.group()),
    b"\x85": lambda r: r.make_tuple(1), b"\x86": lambda r: r.make_tuple(2), b"\x87": lambda r: r.make_tuple(3),
    b"q": lambda r: r.put(r.number("B", 1)), b"r": lambda r: r.put(r.number("<I", 4)),
    b"\x94": lambda r: r.put(len(r.memo)),
    b"h": lambda r: r.get(r.number("B", 1)), b"j": lambda r: r.get(r.number("<I", 4)),
    b"c": PickleReader.global_line, b"\x93": PickleReader.global_stack,
    b"i": PickleReader.instance, b"R": PickleReader.reduce, b"b": PickleReader.build,
}
_REFUSED = {b"\x81": "NEWOBJ", b"\x92": "NEWOBJ_EX", b"o": "OBJ", b"P": "PERSID", b"Q": "BINPERSID",
            b"\x82": "EXT1", b"\x83": "EXT2", b"\x84": "EXT4", b"\x97": "NEXT_BUFFER", b"\x98": "READONLY_BUFFER"}

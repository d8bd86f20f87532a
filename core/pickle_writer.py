"""Writes plain values as a pickle that Paddle, NumPy 1 and NumPy 2 can all open.

Arrays go to the file as they lie in memory, one at a time. NumPy's functions are named `numpy.core.multiarray`, which
both of NumPy's major versions know, whichever runs here. Knows nothing of files beyond `write`.
"""

from __future__ import annotations

import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

_CHUNK = 1 << 20


class PickleWriter:
    """Writes one value with `write`, a file's method, in protocol 2, 3 or 4.

    The value may hold None, bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, OrderedDict, set,
    frozenset, slice, and NumPy arrays and scalars of numbers, bools or text; TypeError, saying where, for others.
    What occurs twice is written once.
    """

    def __init__(self, write: Callable[[Any], Any], protocol: int):
        self.write, self.protocol = write, protocol
        self.memo: dict[Any, int] = {}
        self.kept: list[Any] = []  # what the memo knows by id must live as long as the memo
        self.path: list[Any] = []

    def dump(self, value: Any) -> None:
        """Writes the whole pickle."""
        self.write(b"\x80" + bytes([self.protocol]))
        try:
            self.save(value)
        except RecursionError:
            raise ValueError(f"The value is nested too deeply to be saved, at {self._place()}.") from None
        self.write(b".")

    def _place(self) -> str:
        return "the value" + "".join(f"[{key!r}]" for key in self.path[:8])

    def save(self, value: Any) -> None:
        """Writes a value that is part of the whole."""
        kind = type(value)
        handler = _HANDLERS.get(kind)
        if handler is None:
            if isinstance(value, np.ndarray):
                handler = PickleWriter.array
            elif isinstance(value, np.generic):
                handler = PickleWriter.scalar
            elif isinstance(value, np.dtype):
                handler = PickleWriter.dtype
            else:
                raise self._refusal(value)
        if kind in _SHARED and self._known(id(value)):
            return
        handler(self, value)

    def _refusal(self, value: Any) -> TypeError:
        return TypeError(
            f"save: {self._place()} is a {type(value).__module__}.{type(value).__qualname__}. Only None, bool, int, float, "
            f"complex, str, bytes, lists, tuples, dicts, sets and arrays can be saved, so that the file can be loaded "
            f"without running code. Convert it first."
        )

    # the memo -----------------------------------------------------------------------------------------------------

    def _known(self, key: Any) -> bool:
        index = self.memo.get(key)
        if index is None:
            return False
        self.write(b"h" + bytes([index]) if index < 256 else b"j" + struct.pack("<I", index))
        return True

    def remember(self, key: Any, value: Any = None) -> None:
        """Remembers, in the file and here, the value on top."""
        index = self.memo[key] = len(self.memo)
        self.kept.append(value)
        if self.protocol >= 4:
            self.write(b"\x94")
        else:
            self.write(b"q" + bytes([index]) if index < 256 else b"r" + struct.pack("<I", index))

    # single values ------------------------------------------------------------------------------------------------

    def integer(self, value: int) -> None:
        """An int of any size."""
        if 0 <= value < 256:
            self.write(b"K" + bytes([value]))
        elif 0 <= value < 65536:
            self.write(b"M" + struct.pack("<H", value))
        elif -(1 << 31) <= value < 1 << 31:
            self.write(b"J" + struct.pack("<i", value))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            self.write((b"\x8a" + bytes([len(data)]) if len(data) < 256 else b"\x8b" + struct.pack("<I", len(data))) + data)

    def text(self, value: str) -> None:
        """A str; equal ones are written once."""
        if not self._known(("text", value)):
            self._text(str.encode(value, "utf-8", "surrogatepass"))
            self.remember(("text", value))

    def _text(self, data: bytes) -> None:
        if self.protocol >= 4 and len(data) < 256:
            self.write(b"\x8c" + bytes([len(data)]) + data)
        else:
            self._text_head(len(data))
            self.write(data)

    def _text_head(self, count: int) -> None:
        if count < 1 << 32:
            self.write(b"X" + struct.pack("<I", count))
        elif self.protocol >= 4:
            self.write(b"\x8d" + struct.pack("<Q", count))
        else:
            raise self._too_large(count)

    def _too_large(self, count: int) -> ValueError:
        return ValueError(f"save: {self._place()} has {count} bytes, more than protocol {self.protocol} can hold. "
                          f"Save with protocol=4.")

    def bytes_(self, value: bytes) -> None:
        """Bytes."""
        if value or self.protocol >= 3:
            self.raw(np.frombuffer(value, np.uint8) if value else np.empty(0, np.uint8))
        else:
            self.call("__builtin__", "bytes", ())
        self.remember(id(value), value)

    def raw(self, data: np.ndarray) -> None:
        """The bytes of a flat uint8 array."""
        count = data.size
        if self.protocol < 3:
            self._latin(data)
            return
        if count < 256:
            head = b"C" + bytes([count])
        elif count < 1 << 32:
            head = b"B" + struct.pack("<I", count)
        elif self.protocol >= 4:
            head = b"\x8e" + struct.pack("<Q", count)
        else:
            raise self._too_large(count)
        self.write(head)
        self.write(data.data)

    def _latin(self, data: np.ndarray) -> None:
        """Protocol 2 knows no bytes: they are text, a character each, with the call that turns it back."""
        self.name("_codecs", "encode")
        self._text_head(data.size + int(np.count_nonzero(data & 0x80)))
        for start in range(0, data.size, _CHUNK):
            self.write(data[start:start + _CHUNK].tobytes().decode("latin-1").encode("utf-8"))
        self.text("latin1")
        self.write(b"\x86R")

    def byte_array(self, value: bytearray) -> None:
        """A bytearray."""
        self.call("builtins" if self.protocol >= 3 else "__builtin__", "bytearray", (bytes(value),))
        self.remember(id(value), value)

    # names and calls ----------------------------------------------------------------------------------------------

    def name(self, module: str, name: str) -> None:
        """The name of a function or class."""
        if self._known(("name", module, name)):
            return
        if self.protocol >= 4:
            self.text(module)
            self.text(name)
            self.write(b"\x93")
        else:
            self.write(f"c{module}\n{name}\n".encode())
        self.remember(("name", module, name))

    def builtin(self, name: str, *args: Any) -> None:
        """A call of a class of Python's own."""
        self.call("builtins" if self.protocol >= 3 else "__builtin__", name, args)

    def call(self, module: str, name: str, args: tuple) -> None:
        """A call with plain arguments."""
        self.name(module, name)
        self.group(args)
        self.write(b"R")

    def group(self, items: tuple) -> None:
        """A tuple that is not remembered."""
        if len(items) > 3:
            self.write(b"(")
        for item in items:
            self.save(item)
        self.write((b")", b"\x85", b"\x86", b"\x87")[len(items)] if len(items) <= 3 else b"t")

    # containers ---------------------------------------------------------------------------------------------------

    def tuple_(self, value: tuple) -> None:
        """A tuple; one that holds itself (through a list) is there when its members have been written."""
        if len(value) > 3:
            self.write(b"(")
        self._members(enumerate(value))
        short = len(value) <= 3
        if id(value) in self.memo:
            self.write(b"0" * len(value) if short else b"1")
            self._known(id(value))
            return
        self.write((b")", b"\x85", b"\x86", b"\x87")[len(value)] if short else b"t")
        self.remember(id(value), value)

    def _members(self, items: Iterable[tuple[Any, Any]]) -> None:
        for key, item in items:
            self.path.append(key)
            self.save(item)
            self.path.pop()

    def list_(self, value: list) -> None:
        """A list."""
        self.write(b"]")
        self.remember(id(value), value)
        if value:
            self.write(b"(")
            self._members(enumerate(value))
            self.write(b"e")

    def dict_(self, value: dict) -> None:
        """A dict."""
        self.write(b"}")
        self.remember(id(value), value)
        self._items(value)

    def ordered_dict(self, value: OrderedDict) -> None:
        """An OrderedDict."""
        self.call("collections", "OrderedDict", ())
        self.remember(id(value), value)
        self._items(value)

    def _items(self, value: dict) -> None:
        if value:
            self.write(b"(")
            for key, item in value.items():
                self.path.append(key)
                self.save(key)
                self.save(item)
                self.path.pop()
            self.write(b"u")

    # NumPy --------------------------------------------------------------------------------------------------------

    def dtype(self, value: np.dtype) -> None:
        """A dtype; written once."""
        if value.kind not in "biufcSU" or value.itemsize > 16 and value.kind in "fc" or value.str[1:] in ("f16", "f12"):
            raise TypeError(f"save: {self._place()} has the dtype {value}, of which files cannot hold elements. "
                            f"Convert it first, to numbers, bools or text.")
        if self._known(("dtype", value.str)):
            return
        self.call("numpy", "dtype", (value.str[1:], False, True))
        self.remember(("dtype", value.str))
        size, alignment, flags = (value.itemsize, value.alignment, 8 * (value.kind == "U")) if value.kind in "SU" else (-1, -1, 0)
        self.group((3, value.str[0], None, None, None, size, alignment, flags))
        self.write(b"b")

    def array(self, value: np.ndarray) -> None:
        """An array: the call that makes an empty one, then its state. bfloat16 is written as uint16, as Paddle does."""
        fortran = value.flags.f_contiguous and not value.flags.c_contiguous
        data = _bytes_of(value.T if fortran else value)
        if value.dtype.name == "bfloat16":
            value = value.view(np.uint16)
        self.name("numpy.core.multiarray", "_reconstruct")
        self.name("numpy", "ndarray")
        self.write(b"K\x00\x85")
        self.raw(np.frombuffer(b"b", np.uint8))
        self.write(b"\x87R")
        self.remember(id(value), value)
        self.write(b"(K\x01")
        self.group(tuple(map(int, value.shape)))
        self.dtype(value.dtype.newbyteorder("<"))
        self.write(b"\x88" if fortran else b"\x89")
        self.raw(data)
        self.write(b"tb")

    def scalar(self, value: np.generic) -> None:
        """A NumPy scalar."""
        self.name("numpy.core.multiarray", "scalar")
        self.dtype(value.dtype.newbyteorder("<"))
        self.raw(_bytes_of(np.asarray(value)))
        self.write(b"\x86R")


def _bytes_of(array: np.ndarray) -> np.ndarray:
    """The elements, little-endian, as a flat uint8 array; a copy only where they do not lie so already."""
    if array.dtype.hasobject or array.dtype.kind == "V" and array.dtype.name != "bfloat16":
        return np.empty(0, np.uint8)  # refused by its dtype
    if array.dtype.byteorder == ">" or (array.dtype.byteorder == "=" and not np.little_endian):
        array = array.astype(array.dtype.newbyteorder("<"))
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)


_HANDLERS: dict[type, Callable[[PickleWriter, Any], None]] = {
    type(None): lambda w, v: w.write(b"N"),
    bool: lambda w, v: w.write(b"\x88" if v else b"\x89"),
    int: PickleWriter.integer,
    float: lambda w, v: w.write(b"G" + struct.pack(">d", v)),
    complex: lambda w, v: w.builtin("complex", v.real, v.imag),
    slice: lambda w, v: w.builtin("slice", v.start, v.stop, v.step),
    str: PickleWriter.text,
    bytes: PickleWriter.bytes_,
    bytearray: PickleWriter.byte_array,
    tuple: PickleWriter.tuple_,
    list: PickleWriter.list_,
    dict: PickleWriter.dict_,
    OrderedDict: PickleWriter.ordered_dict,
    set: lambda w, v: w.builtin("set", list(v)),
    frozenset: lambda w, v: w.builtin("frozenset", list(v)),
    np.ndarray: PickleWriter.array,
}
_SHARED = frozenset((bytes, bytearray, tuple, list, dict, OrderedDict, np.ndarray))

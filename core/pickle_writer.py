"""Writing plain data as pickle opcodes: arrays go from their memory straight to the file.

The names of NumPy's functions in the file are NumPy 1's, which NumPy 2 opens too, whichever is running. Knows nothing
of paths or of state dicts.
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

_BATCH = 1000
_MAXIMUM_DEPTH = 100
_CHUNK_BYTES = 1 << 20
_KINDS = "biufcSU"
_MAXIMUM_ITEM_BYTES = 16  # complex128; long double differs from machine to machine


class PickleWriter:
    """Writes one value to a binary file with pickle protocol 2, 3 or 4. Objects that occur twice are written once."""

    def __init__(self, file: BinaryIO, protocol: int, convert: Callable[[Any], Any] | None = None):
        self._file = file
        self._protocol = protocol
        self._convert = convert
        self._keys: dict[Any, int] = {}
        self._alive: list[Any] = []  # while an object lives, its id stays its own
        self._depth = 0
        self._path: list[Any] = []  # the keys that lead to what is being written

    def dump(self, value: Any) -> None:
        """Writes the whole pickle."""
        self._put(pickle.PROTO, self._protocol.to_bytes(1, "little"))
        try:
            self._save(value)
        except _NotPlain as error:
            raise NotPlainError(f"save: {self._place()} is {error}") from error
        self._put(pickle.STOP)

    def _place(self) -> str:
        return "the value" + "".join(f"[{key!r}]" for key in self._path)

    def _put(self, *parts: Any) -> None:
        for part in parts:
            self._file.write(part)

    def _save(self, value: Any) -> None:
        writer = _WRITERS.get(type(value))
        if writer is None:
            writer = PickleWriter._other
        writer(self, value)

    def _remember(self, key: Any) -> None:
        number = self._keys[key] = len(self._keys)
        if self._protocol >= 4:
            self._put(pickle.MEMOIZE)
        elif number < 256:
            self._put(pickle.BINPUT, number.to_bytes(1, "little"))
        else:
            self._put(pickle.LONG_BINPUT, number.to_bytes(4, "little"))

    def _recall(self, key: Any) -> bool:
        """Writes a reference to what was remembered under `key`, where there is something."""
        number = self._keys.get(key)
        if number is None:
            return False
        if number < 256:
            self._put(pickle.BINGET, number.to_bytes(1, "little"))
        else:
            self._put(pickle.LONG_BINGET, number.to_bytes(4, "little"))
        return True

    def _global(self, module: str, name: str) -> None:
        if self._recall(("global", module, name)):
            return
        if self._protocol >= 4:
            self._text(module)
            self._text(name)
            self._put(pickle.STACK_GLOBAL)
        else:
            module = {"builtins": "__builtin__"}.get(module, module) if self._protocol == 2 else module
            self._put(pickle.GLOBAL, f"{module}\n{name}\n".encode())
        self._remember(("global", module, name))

    def _constant(self, value: Any) -> None:
        self._put(pickle.NONE if value is None else pickle.NEWTRUE if value else pickle.NEWFALSE)

    def _integer(self, value: int) -> None:
        if 0 <= value < 256:
            self._put(pickle.BININT1, value.to_bytes(1, "little"))
        elif -(1 << 31) <= value < 1 << 31:
            self._put(pickle.BININT, value.to_bytes(4, "little", signed=True))
        else:
            data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
            if len(data) > 255:
                raise ValueError(f"An integer of {len(data)} bytes is too large to be saved; 255 bytes are the most.")
            self._put(pickle.LONG1, len(data).to_bytes(1, "little"), data)

    def _float(self, value: float) -> None:
        self._put(pickle.BINFLOAT, struct.pack(">d", value))

    def _slice(self, value: slice) -> None:
        self._global("builtins", "slice")
        self._tuple((value.start, value.stop, value.step))
        self._put(pickle.REDUCE)

    def _complex(self, value: complex) -> None:
        self._global("builtins", "complex")
        self._float(value.real)
        self._float(value.imag)
        self._put(pickle.TUPLE2, pickle.REDUCE)

    def _text(self, value: str) -> None:
        if self._recall(value):
            return
        data = value.encode("utf-8", "surrogatepass")
        self._put(*self._unicode_header(len(data)), data)
        self._remember(value)

    def _unicode_header(self, size: int) -> tuple[bytes, bytes]:
        if self._protocol >= 4 and size < 256:
            return pickle.SHORT_BINUNICODE, size.to_bytes(1, "little")
        return self._sized_header(size, pickle.BINUNICODE, pickle.BINUNICODE8)

    def _sized_header(self, size: int, opcode: bytes, opcode8: bytes) -> tuple[bytes, bytes]:
        if size < 1 << 32:
            return opcode, size.to_bytes(4, "little")
        if self._protocol < 4:
            raise OverflowError(f"{size} bytes in one piece need protocol=4. Received protocol={self._protocol}.")
        return opcode8, size.to_bytes(8, "little")

    def _bytes(self, value: Any) -> None:
        """Bytes, or any contiguous memory."""
        data = memoryview(value).cast("B")
        if self._protocol == 2:
            self._bytes_as_text(data)
        elif len(data) < 256:
            self._put(pickle.SHORT_BINBYTES, len(data).to_bytes(1, "little"), data)
        else:
            self._put(*self._sized_header(len(data), pickle.BINBYTES, pickle.BINBYTES8), data)

    def _bytes_as_text(self, data: memoryview) -> None:
        """Protocol 2 has no bytes: they are written as _codecs.encode(text, "latin1"), the text in UTF-8."""
        if not len(data):
            self._global("builtins", "bytes")
            self._put(pickle.EMPTY_TUPLE, pickle.REDUCE)
            return
        self._global("_codecs", "encode")
        two_byte_characters = int(np.count_nonzero(np.frombuffer(data, np.uint8) & 0x80))
        self._put(*self._unicode_header(len(data) + two_byte_characters))
        for start in range(0, len(data), _CHUNK_BYTES):
            self._put(bytes(data[start : start + _CHUNK_BYTES]).decode("latin1").encode("utf-8"))
        self._text("latin1")
        self._put(pickle.TUPLE2, pickle.REDUCE)

    def _bytearray(self, value: bytearray) -> None:
        self._global("builtins", "bytearray")
        if self._protocol == 2:
            self._text(value.decode("latin1"))
            self._text("latin-1")
            self._put(pickle.TUPLE2, pickle.REDUCE)
        else:
            self._bytes(value)
            self._put(pickle.TUPLE1, pickle.REDUCE)

    def _tuple(self, value: tuple) -> None:
        with _Nesting(self):
            if len(value) > 3:
                self._put(pickle.MARK)
            for index, item in enumerate(value):
                self._save_member(index, item)
        short = (pickle.EMPTY_TUPLE, pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3)
        self._put(short[len(value)] if len(value) <= 3 else pickle.TUPLE)

    def _list(self, value: list) -> None:
        if self._begin(value, pickle.EMPTY_LIST):
            with _Nesting(self):
                self._items(enumerate(value), pickle.APPENDS, with_keys=False)

    def _dict(self, value: dict) -> None:
        if self._begin(value, pickle.EMPTY_DICT):
            with _Nesting(self):
                self._items(value.items(), pickle.SETITEMS)

    def _ordered_dict(self, value: OrderedDict) -> None:
        if self._recall(id(value)):
            return
        self._global("collections", "OrderedDict")
        self._put(pickle.EMPTY_TUPLE)
        if self._begin(value, pickle.REDUCE):
            with _Nesting(self):
                self._items(value.items(), pickle.SETITEMS)

    def _begin(self, value: Any, opcode: bytes) -> bool:
        """Writes the empty container, or a reference to the one already written (then False)."""
        if self._recall(id(value)):
            return False
        self._put(opcode)
        self._alive.append(value)
        self._remember(id(value))
        return True

    def _items(self, pairs: Iterable[tuple[Any, Any]], opcode: bytes, with_keys: bool = True) -> None:
        """Writes the members, given as key and value, in batches; of a list, the values only."""
        iterator = iter(pairs)
        while batch := list(islice(iterator, _BATCH)):
            self._put(pickle.MARK)
            for key, value in batch:
                if with_keys:
                    self._save(key)
                self._save_member(key, value)
            self._put(opcode)

    def _save_member(self, key: Any, value: Any) -> None:
        self._path.append(key)
        self._save(value)
        self._path.pop()

    def _set(self, value: set | frozenset) -> None:
        self._global("builtins", type(value).__name__)
        self._list(list(value))
        self._put(pickle.TUPLE1, pickle.REDUCE)

    def _other(self, value: Any) -> None:
        """NumPy's values, and what `convert` knows."""
        if isinstance(value, np.ndarray):
            self._once(value, self._array)
        elif isinstance(value, np.generic):
            self._scalar(value)
        elif isinstance(value, np.dtype):
            self._dtype(value)
        elif self._convert is not None:
            self._once(value, lambda value: self._save(self._convert_known(value)))
        else:
            raise _not_plain(value)

    def _convert_known(self, value: Any) -> Any:
        converted = self._convert(value)  # type: ignore[misc]
        if type(converted) is type(value):
            raise _not_plain(value)
        return converted

    def _once(self, value: Any, write: Callable[[Any], None]) -> None:
        if self._recall(id(value)):
            return
        write(value)
        self._alive.append(value)
        self._remember(id(value))

    def _array(self, array: np.ndarray) -> None:
        array = _plain_array(array)
        self._global("numpy.core.multiarray", "_reconstruct")
        self._global("numpy", "ndarray")
        self._tuple((0,))
        self._bytes(b"b")
        self._put(pickle.TUPLE3, pickle.REDUCE, pickle.MARK)
        self._integer(1)
        self._tuple(array.shape)
        self._dtype(array.dtype)
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        self._constant(fortran)
        self._bytes(_memory(array.T if fortran else array))
        self._put(pickle.TUPLE, pickle.BUILD)

    def _scalar(self, value: np.generic) -> None:
        array = _plain_array(np.asarray(value))
        self._global("numpy.core.multiarray", "scalar")
        self._dtype(array.dtype)
        self._bytes(_memory(array))
        self._put(pickle.TUPLE2, pickle.REDUCE)

    def _dtype(self, dtype: np.dtype) -> None:
        if self._recall(dtype):
            return
        _check_dtype(dtype)
        self._global("numpy", "dtype")
        self._text(dtype.str[1:])
        self._put(pickle.NEWFALSE, pickle.NEWTRUE, pickle.TUPLE3, pickle.REDUCE)
        self._remember(dtype)
        sizes = (dtype.itemsize, dtype.alignment) if dtype.kind in "SU" else (-1, -1)
        self._tuple((3, dtype.str[0], None, None, None, *sizes, 0))
        self._put(pickle.BUILD)


class _Nesting:
    """Counts how deep the writer is, so that a value that could not be read back is refused while it is saved."""

    def __init__(self, writer: PickleWriter):
        self._writer = writer

    def __enter__(self) -> None:
        self._writer._depth += 1
        if self._writer._depth > _MAXIMUM_DEPTH:
            raise ValueError(
                f"The value to save is nested more than {_MAXIMUM_DEPTH} deep, or holds itself. Save a flatter one."
            )

    def __exit__(self, *exc_info: object) -> None:
        self._writer._depth -= 1


def _plain_array(array: np.ndarray) -> np.ndarray:
    """The array as it is written: bfloat16 as the bits, and contiguous in C or Fortran order."""
    if array.dtype.name == "bfloat16":
        array = array.view(np.uint16)
    _check_dtype(array.dtype)
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return array
    return np.ascontiguousarray(array)


def _check_dtype(dtype: np.dtype) -> None:
    if dtype.kind not in _KINDS or (dtype.kind not in "SU" and dtype.itemsize > _MAXIMUM_ITEM_BYTES):
        raise _cannot_save(f"an array of dtype {dtype}", "Convert it with array.astype, to float32 say.")
    if dtype.kind in "fc" and dtype.char in "gG":
        raise _cannot_save(f"an array of dtype {dtype}", "Convert it with array.astype, to float64 say.")


def _memory(array: np.ndarray) -> memoryview:
    """The memory of a C-contiguous array, without a copy."""
    return memoryview(array.reshape(-1).view(np.uint8)) if array.nbytes else memoryview(b"")


class NotPlainError(TypeError):
    """What is to be saved holds something that is no plain data; the message says where."""


class _NotPlain(Exception):
    """What stands at the writer's place cannot be saved; the message says what it is."""


def _not_plain(value: Any) -> _NotPlain:
    return _cannot_save(
        f"an object of type {type(value).__module__}.{type(value).__qualname__}",
        "Save numbers, strings, arrays, or containers of them: a state_dict() or vars(obj), for example.",
    )


def _cannot_save(what: str, way_out: str) -> _NotPlain:
    return _NotPlain(f"{what}, which cannot be saved: loading it would have to run code. {way_out}")


_WRITERS: dict[type, Callable[[PickleWriter, Any], None]] = {
    type(None): PickleWriter._constant,
    bool: PickleWriter._constant,
    int: PickleWriter._integer,
    float: PickleWriter._float,
    complex: PickleWriter._complex,
    slice: PickleWriter._slice,
    str: PickleWriter._text,
    bytes: PickleWriter._bytes,
    bytearray: PickleWriter._bytearray,
    tuple: PickleWriter._tuple,
    list: PickleWriter._list,
    dict: PickleWriter._dict,
    OrderedDict: PickleWriter._ordered_dict,
    set: PickleWriter._set,
    frozenset: PickleWriter._set,
}

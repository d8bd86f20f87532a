"""The pickle machine for files from strangers: pickle's opcodes, of protocols 2 to 5, that stand for plain data.

It does not use `pickle.Unpickler`: no global is imported, nothing that a file names is called, sizes are checked
before memory is taken, and every failure knows its byte offset. Knows nothing of paths or of state dicts.
"""

from __future__ import annotations

import pickle
import pickletools
import struct
from collections.abc import Callable
from functools import partial
from typing import Any

from .byte_reader import ByteReader
from .files import CorruptFileError
from .pickle_values import CONSTRUCTORS, Constructor, Unbuilt, UnbuiltArray, check_key

_MAXIMUM_INTEGER_BYTES = 1024
_LARGE_BYTES = 1 << 12
_OPCODE_NAMES = {ord(opcode.code): opcode.name for opcode in pickletools.opcodes}


class UnsafePickleError(pickle.UnpicklingError):
    """A pickle asks for something that is not plain data; it was refused, and nothing of it was run.

    `file` names the file, `place` is the byte offset, `name` is what was refused: `os.system`, say.

    Fix: if you made the file, save a state dict, or numbers, strings, containers and NumPy arrays. If someone else
    made it, do not open it with `pickle` either.
    """

    def __init__(self, file: str, place: int, name: str):
        super().__init__(file, place, name)
        self.file = file
        self.place = place
        self.name = name

    def __str__(self) -> str:
        return (
            f"{self.file} asks at byte {self.place} for {self.name}, which was refused; nothing was run. Only numbers, "
            "strings, containers of them and NumPy arrays are loaded, such as those of a state_dict()."
        )


class PickleMachine:
    """Runs one pickle. `run()` returns the value on top of the stack at its end; its items are not yet checked."""

    def __init__(self, reader: ByteReader):
        self.reader = reader
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.opcode_position = reader.position

    def run(self) -> Any:
        """The value of the pickle; the reader then stands behind it."""
        reader = self.reader
        if reader.remaining < 2 or reader.take(1) != pickle.PROTO:
            raise reader.corrupt("this is not a pickle of protocol 2 to 5", self.opcode_position)
        _protocol(self)
        code = 0
        while code != _STOP:
            self.opcode_position = reader.position
            code = reader.take(1)[0]
            self._step(code)
        return self.stack.pop()

    def _step(self, code: int) -> None:
        handler = _HANDLERS.get(code)
        if handler is None:
            raise self._refused_opcode(code)
        try:
            handler(self)
        except CorruptFileError:
            raise
        except ValueError as error:
            raise self.reader.corrupt(str(error), self.opcode_position) from error
        except IndexError as error:
            raise self.reader.corrupt("the pickle's stack is empty", self.opcode_position) from error

    def _refused_opcode(self, code: int) -> Exception:
        if code not in _OPCODE_NAMES:
            return self.reader.corrupt(f"{code:#04x} is no opcode of a pickle", self.opcode_position)
        return self.unsafe(f"the pickle opcode {_OPCODE_NAMES[code]}")

    def unsafe(self, name: str) -> UnsafePickleError:
        """The error that refuses `name` here."""
        return UnsafePickleError(self.reader.name, self.opcode_position, name)

    def pop_mark(self) -> list[Any]:
        """The items above the last mark, taken off the stack."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def top(self, *types: type) -> Any:
        """The top of the stack, which must be of one of `types`."""
        value = self.stack[-1]
        if not isinstance(value, types):
            raise ValueError(f"a {type(value).__name__} stands where a {types[0].__name__} is needed")
        return value

    def memoize(self, key: int) -> None:
        """Keeps the top of the stack under `key`."""
        value = self.stack[-1]
        if isinstance(value, Unbuilt):
            value.memo_keys.append(key)
        self.memo[key] = value

    def recall(self, key: int) -> None:
        """Pushes what was kept under `key`."""
        if key not in self.memo:
            raise ValueError(f"the pickle refers to item {key}, which is not there")
        self.stack.append(self.memo[key])

    def push_global(self, name: str) -> None:
        """Pushes the constructor that stands for the global `name`, or refuses it."""
        if name not in CONSTRUCTORS:
            raise self.unsafe(name)
        self.stack.append(CONSTRUCTORS[name])

    def in_array_state(self) -> bool:
        """True where the next bytes are the elements of an array."""
        start = self.marks[-1] if self.marks else 0
        return 0 < start <= len(self.stack) and isinstance(self.stack[start - 1], UnbuiltArray)


_Handler = Callable[[PickleMachine], None]
_HANDLERS: dict[int, _Handler] = {}
_STOP = pickle.STOP[0]


def _on(*codes: bytes) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        _HANDLERS.update({code[0]: handler for code in codes})
        return handler

    return register


@_on(pickle.PROTO)
def _protocol(machine: PickleMachine) -> None:
    version = machine.reader.integer(1)
    if not 2 <= version <= 5:
        raise machine.reader.corrupt(f"{version} is no pickle protocol from 2 to 5", machine.opcode_position)


@_on(pickle.FRAME)
def _frame(machine: PickleMachine) -> None:
    machine.reader.need(machine.reader.integer(8), "a frame")


@_on(pickle.STOP)
def _stop(machine: PickleMachine) -> None:
    machine.top(object)


@_on(pickle.MARK)
def _mark(machine: PickleMachine) -> None:
    machine.marks.append(len(machine.stack))


@_on(pickle.POP)
def _pop(machine: PickleMachine) -> None:
    if machine.marks and machine.marks[-1] == len(machine.stack):
        machine.marks.pop()
    else:
        machine.stack.pop()


@_on(pickle.POP_MARK)
def _pop_mark(machine: PickleMachine) -> None:
    machine.pop_mark()


@_on(pickle.DUP)
def _duplicate(machine: PickleMachine) -> None:
    value = machine.stack[-1]
    if isinstance(value, Unbuilt):
        raise ValueError("an unfinished object is duplicated")
    machine.stack.append(value)


def _push(machine: PickleMachine, value: Any) -> None:
    machine.stack.append(value)


def _integer(machine: PickleMachine, size: int, signed: bool) -> None:
    machine.stack.append(machine.reader.integer(size, signed))


def _register_constants() -> None:
    for code, value in ((pickle.NONE, None), (pickle.NEWTRUE, True), (pickle.NEWFALSE, False)):
        _on(code)(partial(_push, value=value))
    _on(pickle.EMPTY_TUPLE)(lambda machine: machine.stack.append(()))
    _on(pickle.EMPTY_LIST)(lambda machine: machine.stack.append([]))
    _on(pickle.EMPTY_DICT)(lambda machine: machine.stack.append({}))
    _on(pickle.EMPTY_SET)(lambda machine: machine.stack.append(set()))


def _register_integers() -> None:
    for code, size, signed in ((pickle.BININT, 4, True), (pickle.BININT1, 1, False), (pickle.BININT2, 2, False)):
        _on(code)(partial(_integer, size=size, signed=signed))


_register_constants()
_register_integers()


@_on(pickle.INT)
def _text_integer(machine: PickleMachine) -> None:
    text = machine.reader.line(64)  # Python 2 writes integers of more than 32 bits in this way
    machine.stack.append(text == b"01" if text in (b"00", b"01") else int(text))


def _long(machine: PickleMachine, size: int) -> None:
    if size > _MAXIMUM_INTEGER_BYTES:
        raise ValueError(f"an integer of {size} bytes is too large")
    machine.stack.append(machine.reader.integer(size, signed=True))


@_on(pickle.LONG1)
def _long1(machine: PickleMachine) -> None:
    _long(machine, machine.reader.integer(1))


@_on(pickle.LONG4)
def _long4(machine: PickleMachine) -> None:
    _long(machine, machine.reader.integer(4))


@_on(pickle.BINFLOAT)
def _float(machine: PickleMachine) -> None:
    machine.stack.append(struct.unpack(">d", machine.reader.take(8))[0])


def _register_strings() -> None:
    for code, width in ((pickle.SHORT_BINUNICODE, 1), (pickle.BINUNICODE, 4), (pickle.BINUNICODE8, 8)):
        _on(code)(partial(_unicode, width=width))
    for code, width in ((pickle.SHORT_BINBYTES, 1), (pickle.BINBYTES, 4), (pickle.BINBYTES8, 8)):
        _on(code)(partial(_bytes, width=width))
    for code, width in ((pickle.SHORT_BINSTRING, 1), (pickle.BINSTRING, 4)):
        _on(code)(partial(_python2_string, width=width))


def _unicode(machine: PickleMachine, width: int) -> None:
    data = machine.reader.take(machine.reader.integer(width))
    machine.stack.append(data.decode("utf-8", "surrogatepass"))


def _bytes(machine: PickleMachine, width: int) -> None:
    size = machine.reader.integer(width)
    # Small bytes stay bytes: Python keeps one object for all of equal ones, which may stand elsewhere in the value too.
    large = size >= _LARGE_BYTES and machine.in_array_state()
    machine.stack.append(machine.reader.take_array(size) if large else machine.reader.take(size))


def _python2_string(machine: PickleMachine, width: int) -> None:
    machine.stack.append(machine.reader.take(machine.reader.integer(width, signed=width == 4)).decode("latin1"))


_register_strings()


@_on(pickle.BYTEARRAY8)
def _bytearray(machine: PickleMachine) -> None:
    machine.stack.append(bytearray(machine.reader.take(machine.reader.integer(8))))


@_on(pickle.TUPLE)
def _tuple(machine: PickleMachine) -> None:
    machine.stack.append(tuple(machine.pop_mark()))


def _short_tuple(machine: PickleMachine, size: int) -> None:
    if len(machine.stack) < size:
        raise IndexError
    machine.stack[-size:] = [tuple(machine.stack[-size:])]


def _register_short_tuples() -> None:
    for size, code in enumerate((pickle.TUPLE1, pickle.TUPLE2, pickle.TUPLE3), 1):
        _on(code)(partial(_short_tuple, size=size))


_register_short_tuples()


@_on(pickle.APPEND)
def _append(machine: PickleMachine) -> None:
    value = machine.stack.pop()
    machine.top(list).append(value)


@_on(pickle.APPENDS)
def _appends(machine: PickleMachine) -> None:
    items = machine.pop_mark()
    machine.top(list).extend(items)


def _set_items(machine: PickleMachine, items: list[Any]) -> None:
    target = machine.top(dict)
    if len(items) % 2:
        raise ValueError("a dict has a key without a value")
    for key, value in zip(items[::2], items[1::2], strict=True):
        check_key(key)
        target[key] = value


@_on(pickle.SETITEM)
def _set_item(machine: PickleMachine) -> None:
    value, key = machine.stack.pop(), machine.stack.pop()
    _set_items(machine, [key, value])


@_on(pickle.SETITEMS)
def _set_items_from_mark(machine: PickleMachine) -> None:
    _set_items(machine, machine.pop_mark())


@_on(pickle.ADDITEMS)
def _add_items(machine: PickleMachine) -> None:
    items = machine.pop_mark()
    for item in items:
        check_key(item)
    machine.top(set).update(items)


@_on(pickle.FROZENSET)
def _frozenset(machine: PickleMachine) -> None:
    items = machine.pop_mark()
    for item in items:
        check_key(item)
    machine.stack.append(frozenset(items))


@_on(pickle.MEMOIZE)
def _memoize(machine: PickleMachine) -> None:
    machine.memoize(len(machine.memo))


@_on(pickle.BINPUT)
def _put1(machine: PickleMachine) -> None:
    machine.memoize(machine.reader.integer(1))


@_on(pickle.LONG_BINPUT)
def _put4(machine: PickleMachine) -> None:
    machine.memoize(machine.reader.integer(4))


@_on(pickle.BINGET)
def _get1(machine: PickleMachine) -> None:
    machine.recall(machine.reader.integer(1))


@_on(pickle.LONG_BINGET)
def _get4(machine: PickleMachine) -> None:
    machine.recall(machine.reader.integer(4))


@_on(pickle.GLOBAL)
def _global(machine: PickleMachine) -> None:
    module, name = machine.reader.line(), machine.reader.line()
    machine.push_global(f"{module.decode('utf-8')}.{name.decode('utf-8')}")


@_on(pickle.STACK_GLOBAL)
def _stack_global(machine: PickleMachine) -> None:
    name, module = machine.stack.pop(), machine.stack.pop()
    if type(name) is not str or type(module) is not str:
        raise ValueError("a global's name is not a string")
    machine.push_global(f"{module}.{name}")


@_on(pickle.REDUCE)
def _reduce(machine: PickleMachine) -> None:
    args, constructor = machine.stack.pop(), machine.stack.pop()
    if type(constructor) is not Constructor or type(args) is not tuple:
        raise ValueError("something is called that is no function")
    machine.stack.append(constructor.make(args))


@_on(pickle.BUILD)
def _build(machine: PickleMachine) -> None:
    state = machine.stack.pop()
    unbuilt = machine.stack.pop()
    if not isinstance(unbuilt, Unbuilt):
        raise machine.unsafe(f"a state for a {type(unbuilt).__name__}")
    value = unbuilt.build(state)
    machine.stack.append(value)
    for key in unbuilt.memo_keys:
        if machine.memo[key] is unbuilt:
            machine.memo[key] = value

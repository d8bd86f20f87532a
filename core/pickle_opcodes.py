"""The opcodes of pickle's protocols 2 to 5 that stand for plain data: what each does to the machine that runs it."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from .pickle_values import Constructor, Unbuilt, check_key

if TYPE_CHECKING:
    from .pickle_machine import PickleMachine

_MAXIMUM_INTEGER_BYTES = 1024
_LARGE_BYTES = 1 << 12
_Handler = Callable[["PickleMachine"], None]
HANDLERS: dict[int, _Handler] = {}
"""What each opcode does to a machine; one that is not here is refused."""


def _on(*codes: bytes) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        HANDLERS.update({code[0]: handler for code in codes})
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


@_on(pickle.NEWOBJ)
def _new_object(machine: PickleMachine) -> None:
    machine.new_object()


@_on(pickle.BINPERSID)
def _outside(machine: PickleMachine) -> None:
    machine.stack.append(machine.kept_outside(machine.stack.pop()))


@_on(pickle.BUILD)
def _build(machine: PickleMachine) -> None:
    state = machine.stack.pop()
    unbuilt = machine.stack.pop()
    if not isinstance(unbuilt, Unbuilt):
        machine.stack.append(machine.with_state(unbuilt, state))
        return
    value = unbuilt.build(state)
    machine.stack.append(value)
    for key in unbuilt.memo_keys:
        if machine.memo[key] is unbuilt:
            machine.memo[key] = value

"""The message of a `.pdmodel` file as plain objects, read by the compiled form: who opens a file needs no protobuf.

They have the fields of `framework.proto` under its names, and protobuf's `HasField` and `ClearField`. Where the
compiled form is not in use, and for a file that it cannot read, `read` gives None: protobuf, whose import and objects
take a third of the time in which a small model is opened, reads it then, and says what is wrong with it.
"""

from __future__ import annotations

import functools
from typing import Any

from ...ops.core import native

_NUMBER32, _NUMBER64, _TRUTH, _VALUE, _FLOATING32, _FLOATING64, _TEXT, _NAME, _MESSAGE = range(9)  # see `_messages.c`


class Message:
    """A message: the fields that it has are its attributes, others have their class's value, lists are empty."""

    lists: dict[str, type] = {}

    def HasField(self, name: str) -> bool:
        """Whether the file has the field."""
        return name in self.__dict__

    def ClearField(self, name: str) -> None:
        """Takes the field away."""
        self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        made = self.lists.get(name)
        if made is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        found = self.__dict__[name] = made()
        return found


class Attributes(list):
    """Those of an operator."""

    kind: type[Message]

    def add(self) -> Any:
        """A new one."""
        made = self.kind()
        self.append(made)
        return made


def read(data: bytes, without: frozenset[str] | None = None) -> Any:
    """The ProgramDesc of these bytes; None where protobuf has to read it. Attributes named `without` are left out."""
    if native.module is None:
        return None
    return native.module.read_message(data, _program(without))


def _one(name: str, what: int, more: Any = None) -> tuple:
    return name, what, None, more


def _many(name: str, what: int, more: Any = None, of: type = list) -> tuple:
    return name, what, of, more


def _kinds(*numbers: int) -> int:
    return sum(1 << number for number in numbers)


def _absent(what: int, _: None, more: Any) -> Any:
    """What a field of this kind is that a file does not have, as in protobuf."""
    if what == _MESSAGE:
        return more[0]()
    if what == _VALUE:
        return (more & -more).bit_length() - 1  # the first one
    return "" if what in (_TEXT, _NAME) else False if what == _TRUTH else 0


def _table(name: str, fields: dict[int, tuple], needed: tuple[int, ...] = (), without: frozenset[str] | None = None,
           **absent: Any) -> tuple:
    """What reads a message. `absent`: what fields are that a file does not have, where that is not what others are."""
    lists = {field[0]: field[2] for field in fields.values() if field[2] is not None}
    values = {field[0]: _absent(*field[1:]) for field in fields.values() if field[2] is None}
    made = type(name, (Message,), {**values, **absent, "lists": lists, "__module__": __name__})
    return made, tuple(map(fields.get, range(max(fields) + 1))), _kinds(*needed), without


def _attributes(without: frozenset[str] | None) -> tuple:
    number = _table("Complex", {1: _one("r", _FLOATING64), 2: _one("i", _FLOATING64)}, (1, 2))
    scalar = _table("Scalar", {
        1: _one("type", _VALUE, _kinds(*range(1, 5))), 2: _one("b", _TRUTH), 3: _one("i", _NUMBER64),
        4: _one("r", _FLOATING64), 5: _one("c", _MESSAGE, number)}, (1,))
    return _table("Attr", {
        1: _one("name", _NAME), 2: _one("type", _VALUE, _kinds(*range(18))), 3: _one("i", _NUMBER32),
        4: _one("f", _FLOATING32), 5: _one("s", _TEXT), 6: _many("ints", _NUMBER32), 7: _many("floats", _FLOATING32),
        8: _many("strings", _TEXT), 10: _one("b", _TRUTH), 11: _many("bools", _TRUTH), 12: _one("block_idx", _NUMBER32),
        13: _one("l", _NUMBER64), 14: _many("blocks_idx", _NUMBER32), 15: _many("longs", _NUMBER64),
        16: _many("float64s", _FLOATING64), 17: _one("var_name", _TEXT), 18: _many("vars_name", _TEXT),
        19: _one("float64", _FLOATING64), 20: _one("scalar", _MESSAGE, scalar),
        21: _many("scalars", _MESSAGE, scalar)}, (1, 2), without)


def _operator(without: frozenset[str] | None) -> tuple:
    attribute = _attributes(without)
    several = type("Attributes", (Attributes,), {"kind": attribute[0], "__module__": __name__})
    slot = _table("Slot", {1: _one("parameter", _NAME), 2: _many("arguments", _TEXT)}, (1,))
    return _table("OpDesc", {
        1: _many("inputs", _MESSAGE, slot), 2: _many("outputs", _MESSAGE, slot), 3: _one("type", _NAME),
        4: _many("attrs", _MESSAGE, attribute, several), 5: _one("is_target", _TRUTH)}, (3,))


def _variable() -> tuple:
    elements = _kinds(*range(16), *range(17, 32))
    tensor = _table("TensorDesc", {1: _one("data_type", _VALUE, elements), 2: _many("dims", _NUMBER64)}, (1,))
    rows = _table("LoDTensorDesc", {1: _one("tensor", _MESSAGE, tensor), 2: _one("lod_level", _NUMBER32)}, (1,))
    reader = _table("ReaderDesc", {1: _many("lod_tensor", _MESSAGE, rows)})
    several = _table("Tuple", {1: _many("element_type", _VALUE, elements)})
    kind = _table("VarType", {
        1: _one("type", _VALUE, elements), 2: _one("selected_rows", _MESSAGE, tensor),
        3: _one("lod_tensor", _MESSAGE, rows), 4: _one("tensor_array", _MESSAGE, rows),
        5: _one("reader", _MESSAGE, reader), 7: _one("tuple", _MESSAGE, several), 8: _one("string", _MESSAGE, tensor),
        9: _one("strings", _MESSAGE, tensor), 10: _one("vocab", _MESSAGE, tensor),
        11: _one("sparse_coo", _MESSAGE, tensor), 12: _one("sparse_csr", _MESSAGE, tensor)}, (1,))
    more = _table("VarAttr", {
        1: _one("name", _NAME), 2: _one("type", _VALUE, _kinds(*range(18))), 3: _one("i", _NUMBER32),
        4: _one("s", _TEXT), 5: _many("ints", _NUMBER32)}, (1, 2))
    return _table("VarDesc", {
        1: _one("name", _TEXT), 2: _one("type", _MESSAGE, kind), 3: _one("persistable", _TRUTH),
        4: _one("need_check_feed", _TRUTH), 5: _one("is_parameter", _TRUTH), 6: _one("stop_gradient", _TRUTH),
        7: _many("attrs", _MESSAGE, more)}, (1, 2))


@functools.cache
def _program(without: frozenset[str] | None) -> tuple:
    block = _table("BlockDesc", {
        1: _one("idx", _NUMBER32), 2: _one("parent_idx", _NUMBER32), 3: _many("vars", _MESSAGE, _variable()),
        4: _many("ops", _MESSAGE, _operator(without)), 5: _one("forward_block_idx", _NUMBER32)}, (1, 2),
        forward_block_idx=-1)
    version = _table("Version", {1: _one("version", _NUMBER64)})
    of_operator = _table("OpVersion", {1: _one("version", _NUMBER32)}, (1,))
    pair = _table("OpVersionPair", {
        1: _one("op_name", _NAME), 2: _one("op_version", _MESSAGE, of_operator)}, (1, 2))
    versions = _table("OpVersionMap", {1: _many("pair", _MESSAGE, pair)})
    return _table("ProgramDesc", {
        1: _many("blocks", _MESSAGE, block), 4: _one("version", _MESSAGE, version),
        5: _one("op_version_map", _MESSAGE, versions)})

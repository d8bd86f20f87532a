"""Attribute values: between the fields of an `OpDesc.Attr` and plain Python values.

A type that the value itself tells (an int that fits 32 bits is an INT, a list of str is STRINGS) needs no mark. Where
it does not tell, the value is of one of the classes below, which are ints, floats, strs and lists that remember their
type in files: an attribute of an operator that nobody here knows is so written back as it was read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import messages as pb

_INT32 = range(-(1 << 31), 1 << 31)
_INT64 = range(-(1 << 63), 1 << 63)

TYPE_NAMES = ("INT", "FLOAT", "STRING", "INTS", "FLOATS", "STRINGS", "BOOLEAN", "BOOLEANS", "BLOCK", "LONG", "BLOCKS",
              "LONGS", "FLOAT64S", "VAR", "VARS", "FLOAT64", "SCALAR", "SCALARS")
"""Those of AttrType, by their numbers: they are known without protobuf."""
_numbers: Any = range(len(TYPE_NAMES))  # members of AttrType, to type checkers
(INT, FLOAT, STRING, INTS, FLOATS, STRINGS, BOOLEAN, BOOLEANS, BLOCK, LONG, BLOCKS, LONGS, FLOAT64S, VAR, VARS, FLOAT64,
 SCALAR, SCALARS) = _numbers
OWN_GRADIENT = "proa_gradient"  # the name of the one that has a gradient of the user's own
WEIGHT_BITS = "quantize_weight_bits"  # the name of the one that operations on weights of whole numbers have
NO_DTYPE = -1  # the number that says that an attribute names no element type


class Marked:
    """A value that remembers its type in files, as `file_type`."""

    file_type: int


def _marked(name: str, base: type, file_type: int) -> type:
    doc = f"A {base.__name__} that is written as {TYPE_NAMES[file_type]}."
    return type(name, (Marked, base), {"__doc__": doc, "file_type": file_type, "__module__": __name__})


LongValue = _marked("LongValue", int, LONG)
DoubleValue = _marked("DoubleValue", float, FLOAT64)
BlockValue = _marked("BlockValue", int, BLOCK)
VarValue = _marked("VarValue", str, VAR)
IntList = _marked("IntList", list, INTS)
LongList = _marked("LongList", list, LONGS)
FloatList = _marked("FloatList", list, FLOATS)
DoubleList = _marked("DoubleList", list, FLOAT64S)
StringList = _marked("StringList", list, STRINGS)
BoolList = _marked("BoolList", list, BOOLEANS)
BlockList = _marked("BlockList", list, BLOCKS)
VarList = _marked("VarList", list, VARS)
ScalarList = _marked("ScalarList", list, SCALARS)


class ScalarValue(Marked):
    """A number written as SCALAR; `value` is the bool, int, float or complex."""

    file_type = SCALAR
    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ScalarValue) and type(other.value) is type(self.value) and other.value == self.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"ScalarValue({self.value!r})"


_MARKS: dict[int, Any] = {
    LONG: LongValue, FLOAT64: DoubleValue, BLOCK: BlockValue, VAR: VarValue, INTS: IntList, LONGS: LongList,
    FLOATS: FloatList, FLOAT64S: DoubleList, STRINGS: StringList, BOOLEANS: BoolList, BLOCKS: BlockList, VARS: VarList,
    SCALAR: ScalarValue, SCALARS: ScalarList,
}
_FIELDS: dict[int, str] = {
    INT: "i", FLOAT: "f", STRING: "s", INTS: "ints", FLOATS: "floats", STRINGS: "strings", BOOLEAN: "b",
    BOOLEANS: "bools", BLOCK: "block_idx", LONG: "l", BLOCKS: "blocks_idx", LONGS: "longs", FLOAT64S: "float64s",
    VAR: "var_name", VARS: "vars_name", FLOAT64: "float64", SCALAR: "scalar", SCALARS: "scalars",
}
LISTS = frozenset((INTS, FLOATS, STRINGS, BOOLEANS, BLOCKS, LONGS, FLOAT64S, VARS, SCALARS))


def type_name(file_type: int) -> str:
    """The name of an attribute's type in files: INT, LONGS…"""
    return TYPE_NAMES[file_type]


def attr_value(attr: pb.OpDesc.Attr) -> Any:
    """The value of an attribute without a mark; ValueError when its field is missing."""
    return _value(attr, attr.type)


def _value(attr: pb.OpDesc.Attr, kind: int) -> Any:
    field = _FIELDS[kind]
    if kind in LISTS:
        return [_from_scalar(s) for s in attr.scalars] if kind == SCALARS else list(getattr(attr, field))
    if not attr.HasField(field):
        raise ValueError(f"an attribute of type {type_name(kind)} has no field {field!r}")
    value = getattr(attr, field)
    return _from_scalar(value) if kind == SCALAR else value


def attr_to_python(attr: pb.OpDesc.Attr) -> Any:
    """The value of an attribute, marked with its type in files where the value does not tell it.

    Raises ValueError when the field that its type names is missing.
    """
    kind = attr.type
    value = _value(attr, kind)
    if kind in _TOLD or value and kind in _TOLD_BY_ELEMENTS:
        return value
    return value if infer_type(value) == kind else _MARKS[kind](value)


_TOLD = frozenset((INT, FLOAT, STRING, BOOLEAN, INTS))
"""Types that values of protobuf tell by themselves, and, where they are not empty, lists of them."""
_TOLD_BY_ELEMENTS = frozenset((FLOATS, STRINGS, BOOLEANS))


def infer_type(value: Any) -> int | None:
    """The type in files that a Python value has by itself; None for one that files have no type for."""
    if isinstance(value, Marked):
        return value.file_type
    if isinstance(value, (list, tuple)):
        return _infer_list(value)
    for kinds, file_type in _SINGLE:
        if isinstance(value, kinds):
            return file_type
    if isinstance(value, (int, np.integer)):
        return INT if int(value) in _INT32 else LONG if int(value) in _INT64 else None
    return None


_SINGLE: tuple[tuple[Any, int], ...] = (
    ((bool, np.bool_), BOOLEAN), (str, STRING), ((float, np.floating), FLOAT), ((complex, np.complexfloating), SCALAR))


def _infer_list(values: Any) -> int | None:
    kinds = {infer_type(v) for v in values}
    if kinds <= {INT}:
        return INTS
    if kinds <= {INT, LONG}:
        return LONGS
    if kinds <= {INT, LONG, FLOAT}:
        return FLOATS
    if kinds == {BOOLEAN}:
        return BOOLEANS
    return STRINGS if kinds == {STRING} else None


def python_to_attr(attr: pb.OpDesc.Attr, name: str, value: Any, attr_type: int | None = None) -> None:
    """Fills an attribute of a message; its type is `attr_type`, or what the value tells.

    An INT or INTS that does not fit 32 bits becomes LONG or LONGS. Raises TypeError for a value that files have no
    type for, and ValueError for an integer beyond 64 bits or a value that is not of the type.
    """
    file_type = infer_type(value) if attr_type is None else attr_type
    if file_type is None:
        raise TypeError(f"the attribute {name!r} cannot be written to a file, which has no type for a value like "
                        f"{value!r:.200} ({type(value).__name__})")
    attr.name = name
    value = value.value if isinstance(value, ScalarValue) else value
    try:
        plain = [_CONVERT[file_type](v) for v in value] if file_type in LISTS else _CONVERT[file_type](value)
        file_type = _wide_enough(file_type, plain)
        attr.type = file_type  # type: ignore[assignment]
        _set(attr, file_type, plain)
    except (TypeError, ValueError) as error:
        raise ValueError(f"the attribute {name!r} should be of type {type_name(file_type)}, "
                         f"received {value!r:.200}: {error}") from error


def _wide_enough(file_type: int, value: Any) -> int:
    if file_type == INT and value not in _INT32:
        return LONG
    if file_type == INTS and any(v not in _INT32 for v in value):
        return LONGS
    return file_type


def _set(attr: pb.OpDesc.Attr, file_type: int, value: Any) -> None:
    field = _FIELDS[file_type]
    if file_type == SCALAR:
        _fill_scalar(attr.scalar, value)
    elif file_type == SCALARS:
        for item in value:
            _fill_scalar(attr.scalars.add(), item)
    elif file_type in LISTS:
        getattr(attr, field).extend(value)
    else:
        setattr(attr, field, value)


def _number(value: Any) -> int:
    if isinstance(value, (str, float, np.floating)) and value != int(value):
        raise ValueError("not an integer")
    return int(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return str(value)


def _any_number(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


_CONVERT: dict[int, Callable[[Any], Any]] = {
    INT: _number, LONG: _number, BLOCK: _number, INTS: _number, LONGS: _number, BLOCKS: _number, FLOAT: float,
    FLOATS: float, FLOAT64: float, FLOAT64S: float, STRING: _text, STRINGS: _text, VAR: _text, VARS: _text,
    BOOLEAN: bool, BOOLEANS: bool, SCALAR: _any_number, SCALARS: _any_number,
}


_SCALAR_FIELDS = ("", "b", "i", "r", "c")  # by a scalar's type: BOOLEAN, LONG, FLOAT64, COMPLEX128


def _from_scalar(scalar: pb.Scalar) -> Any:
    field = _SCALAR_FIELDS[scalar.type]
    if not scalar.HasField(field):
        raise ValueError(f"a scalar has no field {field!r}")
    return complex(scalar.c.r, scalar.c.i) if field == "c" else getattr(scalar, field)


def _fill_scalar(scalar: pb.Scalar, value: Any) -> None:
    if isinstance(value, bool):
        scalar.type, scalar.b = pb.Scalar.BOOLEAN, value
    elif isinstance(value, int):
        scalar.type, scalar.i = pb.Scalar.LONG, value
    elif isinstance(value, float):
        scalar.type, scalar.r = pb.Scalar.FLOAT64, value
    elif isinstance(value, complex):
        scalar.type = pb.Scalar.COMPLEX128
        scalar.c.r, scalar.c.i = value.real, value.imag
    else:
        raise TypeError(f"{type(value).__name__} is no number")

"""The text of a `.json` Program, PaddlePaddle 3's form of `.pdmodel`, as operations whose every field has been checked.

A value has a number and is made by one operation or is an argument of a block; an operation may hold regions, each of
one block. Knows the syntax and nothing of what an operation means.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from ....core.dtype import DType, convert_dtype
from ....core.file_kind import LOOKED_AT, kind_of
from ....core.files import CorruptFileError

LATEST = 4  # the version of the form that PaddlePaddle 3.3 writes
_DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf", "3": "custom_op", "4": "dist_op"}
_DTYPES = {
    "t_bool": "bool", "t_bf16": "bfloat16", "t_f16": "float16", "t_f32": "float32", "t_f64": "float64",
    "t_i8": "int8", "t_ui8": "uint8", "t_i16": "int16", "t_i32": "int32", "t_i64": "int64", "t_c64": "complex64",
    "t_c128": "complex128",
}
_NOT_FINITE = {"INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_MOST_DIMENSIONS, _DEEPEST = 32, 64


@dataclass(frozen=True)
class TensorType:
    """What a value is: a tensor, a list of tensors in a Program ("array"), or another thing that has no dtype."""

    kind: str
    dtype: DType | None = None
    shape: tuple[int, ...] = ()


ValueType = TensorType | list[TensorType]


@dataclass
class PirOperation:
    """One operation: its name, the numbers of its operands (0: none), its results by number, attributes, regions."""

    name: str
    place: str
    operands: list[int]
    results: list[tuple[int, ValueType]]
    attributes: dict[str, Any]
    regions: list[PirBlock]
    marks: dict[str, list[bool]]  # "stop_gradient" and "persistable", result by result


@dataclass
class PirBlock:
    """Arguments by number, and operations."""

    arguments: list[tuple[int, ValueType]]
    operations: list[PirOperation]


def read_json_program(data: bytes, name: str) -> PirBlock:
    """The outermost block; CorruptFileError, naming file and place, for what is no such Program."""
    if data[:LOOKED_AT].lstrip()[:1] != b"{":
        raise CorruptFileError(name, "byte 0", f"this is no Program of PaddlePaddle 3, which is JSON; "
                                               f"{kind_of(data[:LOOKED_AT]) or 'the file is no text'}")
    try:
        found = json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise CorruptFileError(name, "its text", f"it is no JSON, or damaged: {error}") from error
    return _Reader(name).program(found)


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number of JSON")


class _Reader:
    """Checks and takes apart what JSON gave."""

    def __init__(self, name: str):
        self.name = name

    def fail(self, place: str, reason: str) -> NoReturn:
        """Raises CorruptFileError."""
        raise CorruptFileError(self.name, place, reason)

    def field(self, holder: Any, key: str, kind: type, place: str) -> Any:
        """A field that must be there, of a type."""
        if not isinstance(holder, dict) or key not in holder:
            self.fail(place, f"the field {key!r} is missing")
        value = holder[key]
        if not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
            self.fail(f"{place}, {key}", f"it should be of type {kind.__name__}, and is {type(value).__name__}")
        return value

    def program(self, found: Any) -> PirBlock:
        """The whole file."""
        if "base_code" not in found:
            self.fail("the file", "this is JSON, but no Program of PaddlePaddle 3: it has no field 'base_code'")
        head = self.field(found, "base_code", dict, "the file")
        if head.get("magic") != "pir":
            self.fail("base_code", f"the file is no Program of PaddlePaddle 3: its magic is {head.get('magic')!r}")
        version = self.field(head, "version", int, "base_code")
        if not 0 < version <= LATEST:
            self.fail("base_code, version", f"files of version {version} are not known here, only 1 to {LATEST}")
        program = self.field(found, "program", dict, "the file")
        return self.region(self.one(self.field(program, "regions", list, "program"), "program, regions"), "program", 0)

    def one(self, items: list[Any], place: str) -> Any:
        """The only item of a list."""
        if len(items) != 1:
            self.fail(place, f"there should be one, and there are {len(items)}")
        return items[0]

    def region(self, found: Any, place: str, depth: int) -> PirBlock:
        """The block of a region."""
        if depth > _DEEPEST:
            self.fail(place, f"blocks stand in blocks, more than {_DEEPEST} deep")
        block = self.one(self.field(found, "blocks", list, place), f"{place}, blocks")
        if self.field(block, "args", list, place) and not depth:
            self.fail(f"{place}, args", "the outermost block has no arguments")
        arguments = [(self.field(arg, "#", int, f"{place}, args"), self.type(arg.get("TT"), f"{place}, args", 0))
                     for arg in block["args"]]
        if any(number >= 0 for number, _ in arguments):
            self.fail(f"{place}, args", "the number of an argument is negative")
        return PirBlock(arguments, [self.operation(op, f"{place}, operation {n}", depth)
                                    for n, op in enumerate(self.field(block, "ops", list, place))])

    def operation(self, found: Any, place: str, depth: int) -> PirOperation:
        """One operation."""
        name = self.field(found, "#", str, place)
        if name == "p":
            return self.parameter(found, f"{place} (parameter)")
        dialect, dot, rest = name.partition(".")
        name = f"{_DIALECTS.get(dialect, dialect)}.{rest}" if dot else name
        place = f"{place} ({name})"
        operands = [self.field(operand, "%", int, f"{place}, I") for operand in self.field(found, "I", list, place)]
        results = [(self.field(result, "%", int, f"{place}, O"), self.type(result.get("TT"), f"{place}, O", 0))
                   for result in self.field(found, "O", list, place)]
        if any(number < 0 for number, _ in results):
            self.fail(f"{place}, O", "the number of a result is not negative")
        marks = {key: value for key, value in self.attributes(found.get("OA", []), f"{place}, OA").items()
                 if isinstance(value, list)}
        regions = [self.region(region, f"{place}, region {n}", depth + 1)
                   for n, region in enumerate(found.get("regions", []))] if "regions" in found else []
        return PirOperation(name, place, operands, results, self.attributes(self.field(found, "A", list, place), place),
                            regions, marks)

    def parameter(self, found: Any, place: str) -> PirOperation:
        """A parameter or buffer, which files have in a shorter form."""
        facts, marks = self.field(found, "A", list, place), found.get("OA", [0, 0, 1])
        result = self.field(found, "O", dict, place)
        if len(facts) < 4 or not isinstance(facts[3], str) or not facts[3]:
            self.fail(f"{place}, A", "it has no name")
        if not isinstance(marks, list) or len(marks) < 3 or any(mark not in (0, 1) for mark in marks):
            self.fail(f"{place}, OA", "three marks of 0 or 1 should stand there")
        number, of_type = self.field(result, "%", int, place), self.type(result.get("TT"), place, 0)
        if number < 0 or isinstance(of_type, list) or of_type.dtype is None:
            self.fail(f"{place}, O", "a parameter is one tensor")
        return PirOperation("builtin.parameter", place, [], [(number, of_type)],
                            {"parameter_name": facts[3], "trainable": bool(marks[2])}, [],
                            {"persistable": [bool(marks[0])], "stop_gradient": [bool(marks[1])]})

    def attributes(self, found: Any, place: str) -> dict[str, Any]:
        """Attributes by name."""
        if not isinstance(found, list):
            self.fail(place, "a list of attributes should stand there")
        return {self.field(item, "N", str, place): self.attribute(self.field(item, "AT", dict, place), place, 0)
                for item in found}

    def attribute(self, found: Any, place: str, depth: int) -> Any:
        """The value of an attribute; of a dtype the DType, or None where it says none."""
        kind = self.field(found, "#", str, place).rpartition(".")[2]
        if "VD" in found:
            if found["VD"] not in _NOT_FINITE:
                self.fail(place, f"{found['VD']!r} is no number")
            return _NOT_FINITE[found["VD"]]
        value, read = found.get("D"), _ATTRIBUTES.get(kind)
        if kind == "a_array":
            if not isinstance(value, list) or depth > _MOST_DIMENSIONS:
                self.fail(place, "a list of values should stand there")
            return [self.attribute(item, place, depth + 1) for item in value]
        if read is None:
            self.fail(place, f"attributes of the kind {kind!r} are not known here")
        try:
            return read(value)
        except (TypeError, ValueError, IndexError, KeyError, OverflowError) as error:
            self.fail(place, f"{str(value)[:40]!r} is no value of the kind {kind!r}: {error}")

    def type(self, found: Any, place: str, depth: int) -> ValueType:
        """What a value is."""
        kind = self.field(found, "#", str, place).rpartition(".")[2]
        if kind == "NULL":
            return TensorType("none")
        if kind == "t_vec":
            if depth:
                self.fail(place, "a list of lists of tensors is not known here")
            items = [self.type(item, place, depth + 1) for item in self.field(found, "D", list, place)]
            return [item for item in items if isinstance(item, TensorType)]
        if kind not in ("t_dtensor", "t_tensorarray", "t_dtensor_array", "t_dense_tensor_array"):
            return TensorType(kind)
        parts = self.field(found, "D", list, place)
        named = self.field(parts[0] if parts else None, "#", str, place).rpartition(".")[2]
        dims = parts[1] if len(parts) > 1 else None
        if named not in _DTYPES:
            self.fail(place, f"elements of the type {named!r} are not known here")
        if not isinstance(dims, list) or len(dims) > _MOST_DIMENSIONS or not all(type(d) is int for d in dims) \
                or any(size >= 1 << 62 for size in dims):
            self.fail(place, f"a shape of {str(dims)[:80]} cannot be")
        return TensorType("tensor" if kind == "t_dtensor" else "array", convert_dtype(_DTYPES[named]),
                          tuple(max(size, -1) for size in dims))


def _number(value: Any) -> Any:
    if type(value) not in (int, float, bool):
        raise TypeError("it is no number")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
        raise TypeError("it is no whole number of 64 bits")
    return value


def _truth(value: Any) -> bool:
    if type(value) not in (bool, int) or value not in (0, 1):
        raise TypeError("it is neither true nor false")
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("it is no text")
    return value


def _numbers(value: Any) -> list[int]:
    if not isinstance(value, list):
        raise TypeError("it is no list")
    return [_whole(item) for item in value]


def _dtype(value: Any) -> DType | None:
    return None if _text(value).startswith("Undefined") else convert_dtype(value)


def _scalar(value: Any) -> Any:
    if not isinstance(value, list) or len(value) not in (2, 3):
        raise TypeError("it is no dtype with a number")
    return _number(value[1]) if len(value) == 2 else complex(_number(value[1]), _number(value[2]))


def _complex(value: Any) -> complex:
    if not isinstance(value, list) or len(value) != 2:
        raise TypeError("it is no pair")
    return complex(_number(value[0]), _number(value[1]))


def _anything(value: Any) -> None:
    return None


_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "a_bool": _truth, "a_f32": _number, "a_f64": _number, "a_i32": _whole, "a_i64": _whole, "a_index": _whole,
    "a_str": _text, "a_intarray": _numbers, "a_scalar": _scalar, "a_dtype": _dtype, "a_c64": _complex,
    "a_c128": _complex, "a_layout": _text, "a_place": _anything, "a_type": _anything, "a_tensorname": _text,
}

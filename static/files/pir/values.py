"""What a translation keeps: variables by the numbers that a file gives them, constants, block and operation in hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

from ....core.dtype import DType
from ....core.files import CorruptFileError
from ....ops.core.operator import find, is_declared
from ...format import attributes as at
from ...ir.block import Block
from ...ir.operation import Operation
from ...ir.program import Program
from ..types_in_files import CONVERT, annotated_type
from .json_file import PirBlock, PirOperation, TensorType, ValueType


class Constant:
    """A value that the file itself gives."""

    def __init__(self, values: list[Any], shape: tuple[int, ...], dtype: DType):
        self.values, self.shape, self.dtype = values, shape, dtype

    def numbers(self) -> list[Any]:
        """All elements, as numbers of the dtype."""
        if len(self.values) != 1:
            return self.values
        count = math.prod(self.shape)
        return self.values * count


class Translation:
    """One file's: the Program as far as it has been made. `handler` gives what translates operations of a name."""

    def __init__(self, source: str, handler: Callable[[str], Handler | None]):
        self.source, self.program, self.handler = source, Program(), handler
        self.block: Block = self.program.global_block()
        self.names: dict[int, str | list[str]] = {}
        self.types: dict[int, ValueType] = {}
        self.constants: dict[int, Constant] = {}
        self.stacked: dict[int, list[str]] = {}  # what a value was put together of, for who takes a list of numbers
        self.made: list[Operation] = []  # of constants
        self.feeds: list[str] = []
        self.fetches: dict[int, str] = {}
        self.fetched: dict[int, int] = {}  # the operand of each fetch, by column
        self.taken: set[str] = {"feed", "fetch"}
        self.op = PirOperation("", "", [], [], {}, [], {})

    def fail(self, reason: str) -> NoReturn:
        """Raises CorruptFileError, with the place of the operation in hand."""
        raise CorruptFileError(self.source, self.op.place, reason)

    def operations(self, block: PirBlock) -> None:
        """Those of a block, one after the other."""
        for op in block.operations:
            self.op = op
            handler = self.handler(op.name)
            assert handler is not None
            handler(self)

    def variable(self, name: str, of_type: ValueType, stop_gradient: bool, persistable: bool = False) -> str:
        """Makes a variable in the block in hand."""
        assert isinstance(of_type, TensorType)
        kind = {"array": "array"}.get(of_type.kind, "tensor")
        self.block.new_var(name, of_type.shape, of_type.dtype, kind=kind, stop_gradient=stop_gradient,
                           persistable=persistable)
        self.taken.add(name)
        return name

    def fresh(self, stem: str) -> str:
        """A name that nothing has."""
        name, count = stem, 0
        while name in self.taken:
            count += 1
            name = f"{stem}.{count}"
        self.taken.add(name)
        return name

    def result(self, index: int) -> tuple[int, ValueType]:
        """The number and the type of a result."""
        if index >= len(self.op.results):
            self.fail(f"it has {len(self.op.results)} results, and should have more than {index}")
        return self.op.results[index]

    def declare(self, index: int) -> list[str]:
        """The variables of a result: one, or as many as its list has."""
        number, of_type = self.result(index)
        if number in self.names:
            self.fail(f"the value {number} is made twice")
        stops = self.op.marks.get("stop_gradient", [])
        stop = bool(stops[index]) if index < len(stops) and isinstance(stops[index], bool) else False
        stem = f"{self.op.name.partition('.')[2].rstrip('_')}_{number}.tmp"
        items = of_type if isinstance(of_type, list) else [of_type]
        if any(item.kind not in ("tensor", "array") for item in items):
            return []  # what no result of an operator here holds
        made = [self.variable(self.fetches[number] if number in self.fetches and not isinstance(of_type, list)
                              else self.fresh(f"{stem}_{n}"), item, stop) for n, item in enumerate(items)]
        self.bind(number, made if isinstance(of_type, list) else made[0], of_type)
        return made

    def bind(self, number: int, names: str | list[str], of_type: ValueType) -> None:
        """Says what a number stands for."""
        if number:
            self.names[number], self.types[number] = names, of_type

    def operand(self, index: int) -> int:
        """The number of an operand; 0 where there is none."""
        return self.op.operands[index] if index < len(self.op.operands) else 0

    def values(self, number: int) -> list[str]:
        """The variables of a number."""
        if number not in self.names:
            self.fail(f"the value {number} is used where it has not been made")
        names = self.names[number]
        return names if isinstance(names, list) else [names]

    def tensor(self, number: int) -> str:
        """The one variable of a number."""
        names = self.values(number)
        if len(names) != 1 or self.block.find_var(names[0]) is None:
            self.fail(f"the value {number} is no tensor that can be used here")
        return names[0]

    def attribute(self, name: str, kind: type) -> Any:
        """An attribute of the operation that must be there."""
        value = self.op.attributes.get(name)
        if not isinstance(value, kind):
            self.fail(f"the attribute {name!r} should be of type {kind.__name__}, and is {type(value).__name__}")
        return value

    def append(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]],
               attrs: dict[str, Any]) -> Operation:
        """Appends an operation to the block in hand, its attributes in the types of the declaration.

        Those that PaddlePaddle 3 leaves out are as declared: who reads a `.pdmodel` made of it may ask for them.
        """
        converted = {name: self.converted(type, name, value) for name, value in attrs.items()}
        declared = find(type).defaults if is_declared(type) else {}
        return self.block.append(type, inputs, outputs, {**declared, **converted})

    def converted(self, type: str, name: str, value: Any) -> Any:
        """A value of an attribute as the declaration has it."""
        file_type, is_dtype = annotated_type(type, name)
        if value is None or is_dtype or file_type not in CONVERT or name == "sub_block":
            return value
        many, convert = file_type in at.LISTS, CONVERT[file_type]
        if isinstance(value, list) and file_type == at.STRING and len(value) == 1:
            value = repr(value[0])  # tolerances, which are texts in files
        if isinstance(value, list) and not many and len(value) == 1:
            value = value[0]
        if isinstance(value, list) != many or any(
                isinstance(item, (str, list, type_of_none, DType)) != (convert is str) for item in _items(value)):
            self.fail(f"the attribute {name!r} of {type} should be of type {at.type_name(file_type)}")
        try:
            return [convert(item) for item in value] if many else convert(value)
        except (TypeError, ValueError, OverflowError) as error:
            self.fail(f"the attribute {name!r} of {type}: {error}")

    def cast(self, given: str, made: str) -> None:
        """A value in the dtype of another variable."""
        self.append("cast", {"X": [given]}, {"Out": [made]}, {
            "in_dtype": self.block.var(given)._dtype, "out_dtype": self.block.var(made)._dtype})

    def item(self, number: int, of_type: ValueType, name: str) -> None:
        """A number for a variable that is there; a copy where the file's fetches give it another name."""
        if number in self.fetches and isinstance(of_type, TensorType):
            made = self.variable(self.fetches[number], of_type, False)
            self.append("assign", {"X": [name]}, {"Out": [made]}, {})
            name = made
        self.bind(number, name, of_type)

    def copied(self, name: str, of_type: TensorType) -> str:
        """A variable of its own with a value."""
        made = self.variable(self.fresh("loop.tmp"), of_type, self.block.var(name).stop_gradient)
        self.append("assign", {"X": [name]}, {"Out": [made]}, {})
        return made


type_of_none = type(None)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


Handler = Callable[[Translation], None]

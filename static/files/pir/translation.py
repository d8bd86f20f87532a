"""PaddlePaddle 3's Programs in the operators of `.pdmodel` files.

A value there has a number; here it is a variable. What a constant feeds becomes an attribute where `.pdmodel` has one
(`operators.py` says which), regions become blocks, and a block that yields values assigns them to variables around it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from ....core.dtype import DType, convert_dtype
from ....core.files import CorruptFileError
from ....ops.core.operator import find, is_declared, with_fed_inputs
from ....ops.core.trace import using
from ...building.control_flow import append_branch, append_while
from ...building.trace import ProgramTrace
from ...format import attributes as at
from ...ir.block import Block
from ...ir.frame import append_fetch_ops, prepend_feed_ops
from ...ir.operation import Operation
from ...ir.program import Program
from ...ir.variable import ParameterVariable
from ..program_codec import _CONVERT, annotated_type
from .json_file import PirBlock, PirOperation, TensorType, ValueType
from .operators import Correspondence, Operand, correspondences

_FACTS = frozenset(("struct_name", "op_callstack", "place", "op_role", "op_role_var", "op_namescope", "op_device",
                    "use_cudnn", "use_mkldnn", "mkldnn_data_type", "with_quant_attr", "event_name",
                    "execution_stream", "stop_gradient", "persistable", "kernel_name", "name"))
_LARGEST_CONSTANT = 1 << 28  # elements


def translated(outermost: PirBlock, source: str) -> Program:
    """The Program of a file that `read_json_program` has checked.

    NotImplementedError names the operators that have no counterpart here; CorruptFileError the place of what makes no
    sense.
    """
    unknown = sorted({op.name for op in _all(outermost) if _handler(op.name) is None})
    if unknown:
        raise NotImplementedError(
            f"{source}: the Program has operators of PaddlePaddle 3 that are not known here: {', '.join(unknown)}. "
            "Save it with PaddlePaddle 3 as a .pdmodel (FLAGS_enable_pir_api=0), or compute them outside of it.")
    found = _Translation(source)
    with using(ProgramTrace(found.program, Program())):
        return found.run(outermost)


def _all(block: PirBlock) -> Iterator[PirOperation]:
    for op in block.operations:
        yield op
        for region in op.regions:
            yield from _all(region)


def _plain(name: str) -> str:
    """The name that the table has for an operator; the name as it is where it has none."""
    dialect, _, rest = name.partition(".")
    known = correspondences()
    if dialect == "pd_op":
        found = next((key for key in (rest, rest.removesuffix("_")) if key in known), None)
        if found is not None and is_declared(known[found].type):
            return found
    return name


def _handler(name: str) -> Callable[..., None] | None:
    own = _OWN.get(name) or _OWN.get(name.removesuffix("_"))
    return own if own is not None else (_Translation.translate if _plain(name) in correspondences() else None)


class _Constant:
    """A value that the file itself gives."""

    def __init__(self, values: list[Any], shape: tuple[int, ...], dtype: DType):
        self.values, self.shape, self.dtype = values, shape, dtype

    def numbers(self) -> list[Any]:
        """All elements, as numbers of the dtype."""
        if len(self.values) != 1:
            return self.values
        count = math.prod(self.shape)
        return self.values * count


class _Translation:
    """One file's."""

    def __init__(self, source: str):
        self.source, self.program = source, Program()
        self.block: Block = self.program.global_block()
        self.names: dict[int, str | list[str]] = {}
        self.types: dict[int, ValueType] = {}
        self.constants: dict[int, _Constant] = {}
        self.made: list[Operation] = []  # of constants
        self.feeds: list[str] = []
        self.fetches: dict[int, str] = {}
        self.fetched: dict[int, int] = {}  # the operand of each fetch, by column
        self.taken: set[str] = {"feed", "fetch"}
        self.op = PirOperation("", "", [], [], {}, [], {})

    def fail(self, reason: str) -> NoReturn:
        """Raises CorruptFileError, with the place of the operation in hand."""
        raise CorruptFileError(self.source, self.op.place, reason)

    # the whole

    def run(self, outermost: PirBlock) -> Program:
        """The Program."""
        for op in outermost.operations:
            if op.name in ("builtin.parameter", "pd_op.data", "pd_op.feed"):
                self.taken.add(str(op.attributes.get("parameter_name", op.attributes.get("name"))))
        columns: dict[int, tuple[int, str]] = {}
        for op in outermost.operations:
            if op.name in ("pd_op.fetch", "builtin.shadow_output") and len(op.operands) == 1:
                self.op = op
                column, name = op.attributes.get("col", len(columns)), op.attributes.get("name")
                if type(column) is not int or column in columns or not isinstance(name, str) or not name:
                    self.fail("a fetch has a name, and a column of its own")
                columns[column] = op.operands[0], name
        for column in sorted(columns):
            number, name = columns[column]
            self.fetched[column] = number
            if name not in self.taken:
                self.fetches.setdefault(number, name)
        self.taken.update(self.fetches.values())
        self.operations(outermost)
        names = []
        for column in sorted(columns):
            names.append(self.output(self.fetched[column], columns[column][1]))
        self.drop_unused(names)
        prepend_feed_ops(self.program, self.feeds)
        append_fetch_ops(self.program, names)
        return self.program

    def output(self, number: int, name: str) -> str:
        """The variable that is fetched: a copy where its value has another name."""
        found = self.tensor(number)
        if found == name or name in self.program.global_block().vars:
            return found
        of_type = self.types[number]
        made = self.variable(name, of_type[0] if isinstance(of_type, list) else of_type, True)
        self.append("assign", {"X": [found]}, {"Out": [made]}, {})
        return made

    def drop_unused(self, fetched: list[str]) -> None:
        """Takes constants away that became attributes."""
        read = set(fetched) | {name for block in self.program.blocks for op in block.ops for name in op.input_arg_names}
        for op in self.made:
            if op.output("Out")[0] not in read:
                op.block.ops.remove(op)
                del op.block.vars[op.output("Out")[0]]

    def operations(self, block: PirBlock) -> None:
        """Those of a block, one after the other."""
        for op in block.operations:
            self.op = op
            handler = _handler(op.name)
            assert handler is not None
            handler(self)

    # values

    def variable(self, name: str, of_type: ValueType, stop_gradient: bool, persistable: bool = False) -> str:
        """Makes a variable in the block in hand."""
        assert isinstance(of_type, TensorType)
        kind = {"array": "array"}.get(of_type.kind, "tensor")
        self.block.create_var(name, of_type.shape, of_type.dtype, kind=kind, stop_gradient=stop_gradient,
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
        """Appends an operation to the block in hand, its attributes in the types of the declaration."""
        converted = {name: self.converted(type, name, value) for name, value in attrs.items()}
        return self.block.append(type, inputs, outputs, converted)

    def converted(self, type: str, name: str, value: Any) -> Any:
        """A value of an attribute as the declaration has it."""
        file_type, is_dtype = annotated_type(type, name)
        if value is None or is_dtype or file_type not in _CONVERT or name == "sub_block":
            return value
        many, convert = file_type in at.LISTS, _CONVERT[file_type]
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

    # what the table says

    def translate(self) -> None:
        """An operation that the table has."""
        entry = correspondences()[_plain(self.op.name)]
        type, attrs = entry.type, self.attributes(entry)
        if len(self.op.operands) > len(entry.operands):
            self.fail(f"it has {len(self.op.operands)} operands, and should have {len(entry.operands)} at most")
        if len(self.op.results) > len(entry.results):
            self.fail(f"it has {len(self.op.results)} results, and should have {len(entry.results)} at most")
        inputs: dict[str, list[str]] = {}
        for index, place in enumerate(entry.operands):
            self.take(index, place, inputs, attrs)
        fed = [name for name in inputs if name not in {slot.name for slot in find(type).inputs}]
        if fed:
            try:
                type = with_fed_inputs(type, fed).type
            except (TypeError, ValueError) as error:
                self.fail(f"{', '.join(fed)}: {error}")
        outputs = {slot: self.declare(index) for index, slot in enumerate(entry.results)
                   if slot and index < len(self.op.results)}
        known = {slot.name for slot in find(type).outputs}
        outputs = {slot: names for slot, names in outputs.items() if slot in known and names}
        self.share(type, inputs, outputs)
        self.complete(type, attrs, inputs, outputs)
        self.append(type, inputs, outputs, attrs)

    def attributes(self, entry: Correspondence) -> dict[str, Any]:
        """The attributes of the operation in hand, by the names that they have here."""
        known, attrs = find(entry.type).attributes, dict(entry.fixed)
        for name, value in self.op.attributes.items():
            ours = entry.renamed.get(name, name)
            if name in entry.zero:
                if value not in (False, 0, 0.0, None, []):
                    raise NotImplementedError(f"{self.source}: {self.op.place}: {name}={value!r} cannot be computed "
                                              "here.")
            elif ours in known and ours not in entry.fixed:
                if not (isinstance(value, list) and any(isinstance(item, (list, DType)) for item in value)):
                    attrs[ours] = value
                else:
                    self.fail(f"the attribute {name!r} is a list of lists")
            elif name not in entry.ignored and name not in _FACTS:
                self.fail(f"the attribute {name!r} is not known here")
        return attrs

    def take(self, index: int, place: Operand, inputs: dict[str, list[str]], attrs: dict[str, Any]) -> None:
        """Puts an operand in its place."""
        number = self.operand(index)
        if not number:
            return
        constant = self.constants.get(number)
        if place.attribute and constant is not None:
            attrs[place.attribute] = constant.numbers()
        elif place.attribute:
            names = self.values(number)
            lists = isinstance(self.names[number], list) and not self.is_vector(names)
            slot = place.listed if lists else place.slot
            inputs[slot or place.attribute] = names
            known = find(correspondences()[_plain(self.op.name)].type).attributes
            if place.slot and place.attribute in known and known[place.attribute].default is known[
                    place.attribute].empty:
                attrs[place.attribute] = [-1] * len(attrs.get("axes", [0]))
                if "infer_flags" in known:
                    attrs["infer_flags"] = [-1] * len(attrs.get("axes", [0]))
        elif place.slot:
            inputs[place.slot] = list(self.values(number))

    def is_vector(self, names: list[str]) -> bool:
        """Whether a list of values is one vector of several numbers."""
        return len(names) == 1 and math.prod(self.block.var(names[0]).shape) != 1

    def share(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]]) -> None:
        """Results that are an input with a new value have the input's variable."""
        operator = find(type)
        for result, given in operator.aliases:
            made, of = operator.results[result].name, operator.inputs[given].name
            if made in outputs and inputs.get(of):
                for name in outputs[made]:
                    del self.block.vars[name]
                for number, names in self.names.items():
                    if names in (outputs[made], outputs[made][0]):
                        self.names[number] = inputs[of] if isinstance(names, list) else inputs[of][0]
                        self.fetches.pop(number, None)
                outputs[made] = list(inputs[of])

    def complete(self, type: str, attrs: dict[str, Any], inputs: dict[str, list[str]],
                 outputs: dict[str, list[str]]) -> None:
        """What PaddlePaddle 3 tells by types, or not at all, and attributes say here."""
        known = find(type).attributes
        if "infer_flags" in known and "axes" in attrs:
            attrs.setdefault("infer_flags", [1] * len(attrs["axes"]))
        if {"reduce_all", "dim"} <= known.keys() and "dim" not in inputs and not attrs.get("reduce_all"):
            attrs["reduce_all"] = not attrs.get("dim")
        if "in_dtype" in known and inputs.get("X") and outputs.get("Out"):
            given, made = (self.block.var(names[0])._dtype for names in (inputs["X"], outputs["Out"]))
            if given is not made or attrs.get("out_dtype") is not None:
                attrs["in_dtype"], attrs["out_dtype"] = given, made
        for name, parameter in known.items():  # other readers of what is written of it want them all
            if parameter.default not in (None, parameter.empty) and name not in inputs:
                value = parameter.default
                attrs.setdefault(name, list(value) if isinstance(value, tuple) else value)

    # what the table does not say

    def parameter(self) -> None:
        """A parameter, or a buffer."""
        number, of_type = self.result(0)
        name, persistable = self.attribute("parameter_name", str), self.op.marks["persistable"][0]
        assert isinstance(of_type, TensorType) and of_type.dtype is not None
        block = self.program.global_block()
        if self.block is not block or name in block.vars:
            self.fail(f"there is a variable {name!r} already, or the parameter stands in an inner block")
        if persistable and self.op.attributes["trainable"] and not self.op.marks["stop_gradient"][0]:
            block.add_var(ParameterVariable(block, name, of_type.shape, of_type.dtype, trainable=True))
        else:
            self.variable(name, of_type, True, persistable)
        self.bind(number, name, of_type)

    def data(self) -> None:
        """An input."""
        number, of_type = self.result(0)
        name = self.attribute("name", str)
        if not isinstance(of_type, TensorType) or of_type.dtype is None or not name or self.block.idx or \
                name in self.block.vars:
            self.fail("an input is a tensor of the outermost block, with a name of its own")
        self.block.create_var(name, of_type.shape, of_type.dtype, stop_gradient=True)
        self.feeds.append(name)
        self.bind(number, name, of_type)

    def nothing(self) -> None:
        """What says something to PaddlePaddle alone, or has been seen to."""

    def keep_constant(self, values: list[Any], shape: tuple[int, ...], dtype: DType) -> None:
        """A value that the file gives: an operation that makes it, and what may become an attribute."""
        if any(size < 0 for size in shape) or math.prod(shape) > _LARGEST_CONSTANT:
            self.fail(f"a constant of shape {list(shape)} cannot be")
        made, number = self.declare(0), self.op.results[0][0]
        if not made:
            self.fail("a constant is a tensor")
        if not dtype.is_differentiable and not any(isinstance(v, complex) for v in values):
            if any(not math.isfinite(v) for v in values):
                self.fail(f"a constant of dtype {dtype.name} is not finite")
            values = [int(v) for v in values]
        if number not in self.fetches and math.prod(shape) <= 1 << 12:
            self.constants[number] = _Constant(values, shape, dtype)
        if len(values) == 1:
            value = complex(values[0]) if isinstance(values[0], complex) else float(values[0])
            op = self.block.append("fill_constant", {}, {"Out": made}, {
                "shape": list(shape), "dtype": dtype, "value": value,
                "str_value": "" if isinstance(values[0], float) else str(values[0])})
        else:
            with np.errstate(all="ignore"):
                array = np.asarray(values).astype(dtype.dtype).reshape(shape)
            op = self.block.append("assign_value", {}, {"Out": made}, {
                "shape": list(shape), "dtype": dtype, "values": array})
        self.made.append(op)

    def full(self) -> None:
        """The same number everywhere."""
        value = self.op.attributes.get("value")
        if isinstance(value, bool) or not isinstance(value, (int, float, complex)):
            value = int(value) if isinstance(value, bool) else self.fail("its value is no number")
        self.keep_constant([value], tuple(self.attribute("shape", list)), self.attribute("dtype", DType))

    def full_int_array(self) -> None:
        """A vector of whole numbers."""
        values = self.attribute("value", list)
        if not all(type(value) is int for value in values):
            self.fail("its values are no whole numbers")
        self.keep_constant(values, (len(values),), self.attribute("dtype", DType))

    def assign_value(self) -> None:
        """Any numbers."""
        values, shape = self.attribute("values", list), tuple(self.attribute("shape", list))
        if not all(type(size) is int for size in shape) or math.prod(shape) != len(values):
            self.fail(f"a constant of shape {list(shape)} does not have {len(values)} values")
        if any(not isinstance(value, (bool, int, float, complex)) for value in values):
            self.fail("its values are no numbers")
        self.keep_constant(values, shape, self.attribute("dtype", DType))

    def full_with_tensor(self) -> None:
        """The same number everywhere, where a tensor says how many."""
        inputs, attrs = {}, {"shape": [], "dtype": self.attribute("dtype", DType)}
        value, shape = self.constants.get(self.operand(0)), self.constants.get(self.operand(1))
        if value is not None and len(value.values) == 1:
            attrs["value"] = float(value.values[0])
        else:
            inputs["ValueTensor"] = [self.tensor(self.operand(0))]
        if shape is not None:
            attrs["shape"] = shape.numbers()
        else:
            inputs["ShapeTensor"] = [self.tensor(self.operand(1))]
        self.append("fill_constant", inputs, {"Out": self.declare(0)}, attrs)

    def shape64(self) -> None:
        """Sizes as 64-bit numbers; `shape` gives 32."""
        number, of_type = self.result(0)
        narrow = self.variable(self.fresh(f"shape_{number}"), TensorType(
            "tensor", convert_dtype("int32"), of_type.shape if isinstance(of_type, TensorType) else ()), True)
        self.append("shape", {"Input": [self.tensor(self.operand(0))]}, {"Out": [narrow]}, {})
        self.cast(narrow, self.declare(0)[0])

    def cast(self, given: str, made: str) -> None:
        """A value in the dtype of another variable."""
        self.append("cast", {"X": [given]}, {"Out": [made]}, {
            "in_dtype": self.block.var(given)._dtype, "out_dtype": self.block.var(made)._dtype})

    def arange(self) -> None:
        """A range, whose ends have the dtype of the result here."""
        dtype, ends = self.attribute("dtype", DType), []
        for index in range(3):
            number = self.operand(index)
            given, constant = self.tensor(number), self.constants.get(number)
            if self.block.var(given)._dtype is not dtype:
                made = self.variable(self.fresh(f"{given}.end"), TensorType("tensor", dtype, (1,)), True)
                if constant is not None and len(constant.values) == 1:
                    self.made.append(self.block.append("fill_constant", {}, {"Out": [made]}, {
                        "shape": [1], "dtype": dtype, "value": float(constant.values[0]), "str_value": ""}))
                else:
                    self.cast(given, made)
                given = made
            ends.append([given])
        self.append("range", dict(zip(("Start", "End", "Step"), ends, strict=True)), {"Out": self.declare(0)}, {})

    def combine(self) -> None:
        """A list of values."""
        number, of_type = self.result(0)
        self.bind(number, [self.tensor(given) for given in self.op.operands], of_type)

    def split(self) -> None:
        """The values of a list."""
        names = self.values(self.operand(0))
        if len(names) != len(self.op.results):
            self.fail(f"a list of {len(names)} is taken apart into {len(self.op.results)}")
        for (number, of_type), name in zip(self.op.results, names, strict=True):
            self.item(number, of_type, name)

    def slice(self) -> None:
        """One value of a list."""
        names, index = self.values(self.operand(0)), self.attribute("index", int)
        if not 0 <= index < len(names):
            self.fail(f"a list of {len(names)} has no value {index}")
        self.item(*self.result(0), names[index])

    def item(self, number: int, of_type: ValueType, name: str) -> None:
        """A number for a variable that is there; a copy where the file's fetches give it another name."""
        if number in self.fetches and isinstance(of_type, TensorType):
            made = self.variable(self.fetches[number], of_type, False)
            self.append("assign", {"X": [name]}, {"Out": [made]}, {})
            name = made
        self.bind(number, name, of_type)

    # blocks

    def yielded(self, region: PirBlock) -> list[int]:
        """The numbers that a block gives."""
        last = region.operations[-1] if region.operations else None
        if last is None or last.name != "cf.yield":
            self.fail("one of its blocks does not end with cf.yield")
        return last.operands

    def inner(self, region: PirBlock) -> None:
        """The operations of a region, in a new block; the operation in hand stays."""
        here = self.op
        self.operations(region)
        self.op = here

    def branch(self) -> None:
        """`if`: each branch assigns what it gives to variables around it, of which one is chosen."""
        if len(self.op.regions) != 2 or len(self.op.operands) != 1:
            self.fail("a branch has a condition and two blocks")
        here, condition = self.op, self.tensor(self.operand(0))
        types = [of_type for _, of_type in here.results]
        opposite = self.variable(self.fresh("logical_not.tmp"), TensorType("tensor", convert_dtype("bool"),
                                 self.block.var(condition).shape), True)
        self.append("logical_not", {"X": [condition]}, {"Out": [opposite]}, {})
        sides = []
        for region, mask in zip(here.regions, (condition, opposite), strict=True):
            outer, block = [], self.program.create_block(self.block.idx)
            parent = self.block
            for of_type in types:
                if not isinstance(of_type, TensorType):
                    self.fail("a branch gives a list")
                outer.append(self.variable(self.fresh("branch.tmp"), of_type, False))
            self.block = block
            self.inner(region)
            given = self.yielded(region)
            if len(given) != len(outer):
                self.fail(f"a block gives {len(given)} values, where the branch has {len(outer)}")
            for number, name in zip(given, outer, strict=True):
                self.append("assign", {"X": [self.tensor(number)]}, {"Out": [name]}, {})
            self.block = parent
            append_branch(block, [parent.var(mask)], True, outer)
            sides.append(outer)
        if not types:
            return
        mask = self.variable(self.fresh("cast.tmp"), TensorType("tensor", convert_dtype("int32"),
                             self.block.var(condition).shape), True)
        self.cast(condition, mask)
        for index, (true, false) in enumerate(zip(*sides, strict=True)):
            self.append("select_input", {"X": [false, true], "Mask": [mask]}, {"Out": self.declare(index)}, {})

    def loop(self) -> None:
        """`while`: variables that a block overwrites, as long as the condition that it gives is true."""
        here = self.op
        region = here.regions[0] if len(here.regions) == 1 else self.fail("a loop has one block")
        if len(region.arguments) != len(here.operands) - 1 or len(here.results) != len(region.arguments):
            self.fail("a loop has as many values as its block has arguments, and a condition")
        condition = self.copied(self.tensor(self.operand(0)), TensorType("tensor", convert_dtype("bool"), (1,)))
        variables = []
        for index, (number, of_type) in enumerate(region.arguments):
            if not isinstance(of_type, TensorType):
                self.fail("a value of a loop is a list")
            name = self.copied(self.tensor(self.operand(index + 1)), of_type)
            variables.append(name)
            self.bind(number, name, of_type)
        parent, block = self.block, self.program.create_block(self.block.idx)
        block.repeats = True
        self.block = block
        self.inner(region)
        given = [self.tensor(number) for number in self.yielded(region)]
        if len(given) != len(variables) + 1:
            self.fail(f"the block gives {len(given)} values, and should give {len(variables) + 1}")
        kept = [self.copied(name, TensorType("tensor", self.block.var(name)._dtype, self.block.var(name).shape))
                if name in variables else name for name in given]
        for name, made in zip(kept, [condition, *variables], strict=True):
            self.append("assign", {"X": [name]}, {"Out": [made]}, {})
        self.block = parent
        append_while(block, parent.var(condition), False)
        for (number, of_type), name in zip(here.results, variables, strict=True):
            self.item(number, of_type, name)

    def copied(self, name: str, of_type: TensorType) -> str:
        """A variable of its own with a value."""
        made = self.variable(self.fresh("loop.tmp"), of_type, self.block.var(name).stop_gradient)
        self.append("assign", {"X": [name]}, {"Out": [made]}, {})
        return made


type_of_none = type(None)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


_OWN: dict[str, Callable[[_Translation], None]] = {
    "builtin.parameter": _Translation.parameter, "pd_op.data": _Translation.data, "pd_op.feed": _Translation.data,
    "pd_op.fetch": _Translation.nothing, "builtin.shadow_output": _Translation.nothing,
    "builtin.combine": _Translation.combine, "builtin.split": _Translation.split, "builtin.slice": _Translation.slice,
    "pd_op.full": _Translation.full, "pd_op.full_int_array": _Translation.full_int_array,
    "pd_op.full_with_tensor": _Translation.full_with_tensor, "pd_op.assign_value": _Translation.assign_value,
    "pd_op.shape64": _Translation.shape64, "pd_op.arange": _Translation.arange, "pd_op.if": _Translation.branch,
    "pd_op.while": _Translation.loop, "cf.yield": _Translation.nothing,
}

"""Between a Program and the `ProgramDesc` message of `.pdmodel` files.

An attribute of an operator that is declared here has the type in files that its declaration's annotation names; any
other is written by what its value tells, and remembers its type when it was read from a file (`format.attributes`), so
that operators and attributes that nobody here knows come out of a load and a save as they went in.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection
from typing import Any

from ... import backend
from ...core.dtype import DType, from_number
from ...core.files import CorruptFileError
from ...ops.core.operator import Double, Long, Longs, find, is_declared
from ..format import attributes as at
from ..format import framework_pb2 as pb
from ..format.program_file import read_program_desc, serialize_program_desc
from ..format.versions import stamp
from ..ir.program import KINDS, Block, Operation, ParameterVariable, Program, Variable
from . import array_codec, gradient_codec
from .constant_codec import CONSTANTS, read_values, write_values

_KINDS = {
    "tensor": pb.VarType.LOD_TENSOR, "array": pb.VarType.LOD_TENSOR_ARRAY, "scopes": pb.VarType.STEP_SCOPES,
    "feed": pb.VarType.FEED_MINIBATCH, "fetch": pb.VarType.FETCH_LIST, "selected_rows": pb.VarType.SELECTED_ROWS,
    "raw": pb.VarType.RAW, "reader": pb.VarType.READER, "rank_table": pb.VarType.LOD_RANK_TABLE,
    "places": pb.VarType.PLACE_LIST, "tuple": pb.VarType.TUPLE, "string": pb.VarType.STRING,
    "strings": pb.VarType.STRINGS, "vocab": pb.VarType.VOCAB, "feed_list": pb.VarType.FEED_LIST,
    "pstring": pb.VarType.PSTRING, "sparse_coo": pb.VarType.SPARSE_COO, "sparse_csr": pb.VarType.SPARSE_CSR,
}
_SAME_IN_FILES = {"array_gradient": "array"}
_KIND_NAMES = {number: kind for kind, number in _KINDS.items()}
_ANNOTATIONS: dict[Any, int] = {
    bool: at.BOOLEAN, int: at.INT, Long: at.LONG, float: at.FLOAT, Double: at.FLOAT64, str: at.STRING, DType: at.INT,
    list[int]: at.INTS, Longs: at.LONGS, list[float]: at.FLOATS, list[str]: at.STRINGS, list[bool]: at.BOOLEANS,
}
_CONVERT: dict[int, Callable[[Any], Any]] = {
    at.BOOLEAN: bool, at.INT: int, at.LONG: int, at.FLOAT: float, at.FLOAT64: float, at.STRING: str, at.INTS: int,
    at.LONGS: int, at.FLOATS: float, at.STRINGS: str, at.BOOLEANS: bool,
}
_NO_DTYPE = -1


def annotated_type(op_type: str, name: str) -> tuple[int | None, bool]:
    """The type in files of an operator's attribute (None: its declaration gives none), and whether it is a dtype."""
    if name == "sub_block":
        return at.BLOCK, False
    parameter = find(op_type).attributes.get(name) if is_declared(op_type) else None
    if parameter is None:
        return None, False
    annotation = parameter.annotation
    if isinstance(annotation, types.UnionType):
        annotation = next(a for a in typing.get_args(annotation) if a is not type(None))
    return _ANNOTATIONS.get(annotation), annotation is DType


# to a message ---------------------------------------------------------------------------------------------------------

def to_desc(program: Program) -> pb.ProgramDesc:
    """The message of a Program; TypeError, naming operator and attribute, for what files cannot hold."""
    program = array_codec.to_file(gradient_codec.to_file(program, _bytes))
    desc = pb.ProgramDesc()
    for block in program.blocks:
        message = desc.blocks.add(idx=block.idx, parent_idx=block.parent_idx)
        if block.forward_block_idx >= 0:
            message.forward_block_idx = block.forward_block_idx
        for variable in block.vars.values():
            _write_variable(message.vars.add(), variable)
        for operation in block.ops:
            _write_operation(message.ops.add(), operation)
    stamp(desc)
    return desc


def _bytes(program: Program) -> bytes:
    return serialize_program_desc(to_desc(program))


def variable_text(variable: Variable) -> str:
    """What stands in a file of a variable, as text."""
    message = pb.VarDesc()
    _write_variable(message, variable)
    return str(message)


def _write_variable(message: pb.VarDesc, variable: Variable) -> None:
    message.name = variable.name
    message.type.type = _KINDS[_SAME_IN_FILES.get(variable.kind, variable.kind)]
    message.persistable = variable.persistable
    message.stop_gradient = variable.stop_gradient
    if variable.is_data:
        message.need_check_feed = True
    if variable.is_parameter:
        message.is_parameter = True
    field = _tensor_field(message.type)
    if field is None or variable._dtype is None:
        return
    tensor = getattr(field, "tensor", field)
    tensor.data_type = variable._dtype.number
    tensor.dims.extend(variable.shape)
    if tensor is not field:
        field.lod_level = variable.lod_level


def _tensor_field(kind: pb.VarType) -> Any:
    """The part of a variable's type that holds element type and shape; None for a type without."""
    name = {
        pb.VarType.LOD_TENSOR: "lod_tensor", pb.VarType.LOD_TENSOR_ARRAY: "tensor_array",
        pb.VarType.SELECTED_ROWS: "selected_rows", pb.VarType.SPARSE_COO: "sparse_coo",
        pb.VarType.SPARSE_CSR: "sparse_csr",
    }.get(kind.type)
    return None if name is None else getattr(kind, name)


def _runs_block(operation: Operation) -> bool:
    """Whether it runs a block: Paddle wants the outputs of such operators named, if there are none."""
    return is_declared(operation.type) and find(operation.type).runs_block


def _write_operation(message: pb.OpDesc, operation: Operation) -> None:
    message.type = operation.type
    for slot, names in operation.inputs.items():
        message.inputs.add(parameter=slot, arguments=names)
    for slot, names in operation.outputs.items():
        if names or _runs_block(operation):  # named without a variable it counts as there for training
            message.outputs.add(parameter=slot, arguments=names)
    attrs = operation.attrs
    try:
        if operation.type in CONSTANTS:
            attrs = write_values(operation.type, attrs)
        for name, value in attrs.items():
            _write_attribute(message, operation.type, name, value)
    except (TypeError, ValueError) as error:
        where = f", appended at {operation.source}" if operation.source else ""
        raise TypeError(f"The operator {operation.type}{where}: {error}.") from error


def _write_attribute(message: pb.OpDesc, op_type: str, name: str, value: Any) -> None:
    file_type, is_dtype = annotated_type(op_type, name)
    if value is None and not is_dtype:
        return  # left to the default, which is what its absence means
    if isinstance(value, DType) or is_dtype:
        file_type, value = at.INT, _NO_DTYPE if value is None else getattr(value, "number", value)
    elif backend.is_array(value):
        value = backend.to_numpy(value).tolist()
    if isinstance(value, at.Marked) and file_type is None:
        file_type = value.file_type
    at.python_to_attr(message.attrs.add(), name, value, file_type)


# from a message -------------------------------------------------------------------------------------------------------

def from_desc(desc: pb.ProgramDesc, source_name: str, given: Collection[str] = ()) -> Program:
    """The Program of a message that `read_program_desc` has checked; `source_name` is what errors call the file.

    `given`: the names that one Program inside of another gets from there.
    Raises CorruptFileError, naming file and place, where a variable or an attribute makes no sense.
    """
    program = Program()
    program.blocks = [Block(program, index, block.parent_idx) for index, block in enumerate(desc.blocks)]
    for block, message in zip(program.blocks, desc.blocks, strict=True):
        block.forward_block_idx = message.forward_block_idx
        for var in message.vars:
            block.vars[var.name] = _read_variable(block, var, source_name)
        for number, op in enumerate(message.ops):
            place = f"block {block.idx}, operator {number} ({op.type})"
            attrs = _read_attributes(op, source_name, place)
            block.ops.append(Operation(block, op.type, _slots(op.inputs), _slots(op.outputs), attrs))
    if not any(var.HasField("stop_gradient") for block in desc.blocks for var in block.vars):
        _stop_at_detached(program)
    array_codec.from_file(program)
    gradient_codec.from_file(program, source_name, given, lambda data, kept: from_desc(
        read_program_desc(data, source_name), source_name, kept))
    return program


def _stop_at_detached(program: Program) -> None:
    """What PaddlePaddle's `jit.save` leaves of where gradients stop: `detach()` is a `share_data` there."""
    for block in program.blocks:
        for name in [name for op in block.ops if op.type == "share_data" for name in op.output("Out")]:
            block.var(name).stop_gradient = True


def _slots(side: Any) -> dict[str, list[str]]:
    return {slot.parameter: list(slot.arguments) for slot in side}


def _read_variable(block: Block, message: pb.VarDesc, source: str) -> Variable:
    place = f"block {block.idx}, variable {message.name!r}"
    kind = _KIND_NAMES.get(message.type.type)
    if kind is None:
        raise CorruptFileError(source, place, f"{message.type.type} is not the number of what a variable can hold")
    field = _tensor_field(message.type)
    shape: tuple[int, ...] = ()
    dtype, lod_level = None, 0
    tensor = getattr(field, "tensor", field)
    if tensor is not None and tensor.HasField("data_type"):
        shape, lod_level = tuple(tensor.dims), getattr(field, "lod_level", 0)
        try:
            dtype = from_number(tensor.data_type)
        except TypeError as error:
            raise CorruptFileError(source, place, f"its elements are of an unsupported type: {error}") from error
    if message.is_parameter and dtype is not None:
        return ParameterVariable(block, message.name, shape, dtype, trainable=not message.stop_gradient)
    made = KINDS.get(kind, Variable)
    return made(block, message.name, shape, dtype, persistable=message.persistable, lod_level=lod_level,
                stop_gradient=message.stop_gradient, is_data=message.need_check_feed, kind=kind)


def _read_attributes(op: pb.OpDesc, source: str, place: str) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    try:
        for attr in op.attrs:
            attrs[attr.name] = _read_attribute(op.type, attr)
        return read_values(op.type, attrs) if op.type in CONSTANTS else attrs
    except (TypeError, ValueError, OverflowError) as error:
        what = f"{place}, attribute {attr.name!r}" if len(attrs) < len(op.attrs) else place
        raise CorruptFileError(source, what, f"{error}") from error


def _read_attribute(op_type: str, attr: pb.OpDesc.Attr) -> Any:
    file_type, is_dtype = annotated_type(op_type, attr.name)
    if is_dtype:
        number = at.attr_value(attr)
        return None if number == _NO_DTYPE else from_number(number)
    if file_type is None or attr.type == at.BLOCK or file_type not in _CONVERT:
        return at.attr_to_python(attr)
    value, convert = at.attr_value(attr), _CONVERT[file_type]
    is_list = file_type in at.LISTS
    if isinstance(value, list) != is_list or (attr.type in (at.STRING, at.STRINGS)) != (convert is str):
        raise ValueError(f"it should be of type {at.type_name(file_type)}, and is of type {at.type_name(attr.type)}")
    return [convert(v) for v in value] if is_list else convert(value)

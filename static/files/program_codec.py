"""Programs as `ProgramDesc` messages of `.pdmodel` files; `program_reader.py` makes Programs of them.

An attribute of an operator that is declared here has the type in files that its declaration's annotation names; any
other is written by what its value tells, and remembers its type when it was read from a file (`format.attributes`), so
that operators and attributes that nobody here knows come out of a load and a save as they went in.
"""

from __future__ import annotations

from typing import Any

from ... import backend
from ...core.dtype import DType
from ...ops.core.operator import find, is_declared
from ..format import attributes as at
from ..format import messages as pb
from ..format.constant_codec import CONSTANTS, write_values
from ..format.program_file import serialize_program_desc
from ..format.versions import stamp
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.variable import Variable
from . import array_codec, gradient_codec, lod_codec, number_codec, own_codec
from .types_in_files import KINDS, annotated_type, tensor_field

_SAME_IN_FILES = {"array_gradient": "array"}


def to_desc(program: Program) -> pb.ProgramDesc:
    """The message of a Program; TypeError, naming operator and attribute, for what files cannot hold."""
    return _desc(own_codec.to_file(program))


def _desc(program: Program) -> pb.ProgramDesc:
    program = lod_codec.to_file(array_codec.to_file(gradient_codec.to_file(program, _bytes)))
    program = number_codec.to_file(program)
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
    """Of what a PyLayer's `backward` is, which nobody else reads: with operators of ours alone."""
    return serialize_program_desc(_desc(program))


def text_of(part: Variable | Operation | Block | Program) -> str:
    """What stands in a file of a variable, an operation, a block or a Program, as text."""
    if isinstance(part, Variable):
        message = pb.VarDesc()
        _write_variable(message, part)
        return str(_as_printed(part.program, [message])[0])
    if isinstance(part, Operation):
        described = pb.OpDesc()
        _write_operation(described, part)
        return str(described)
    if isinstance(part, Block):
        described_block = to_desc(part.program).blocks[part.idx]
        _as_printed(part.program, described_block.vars)
        return str(described_block)
    whole = to_desc(part)
    whole.ClearField("op_version_map")  # the same in every file
    for each in whole.blocks:
        _as_printed(part, each.vars)
    return str(whole)


def _as_printed(program: Program, described: Any) -> Any:
    """The variables without what Paddle 1.x does not know of them, where it is what prints."""
    for message in described if program.printed_as_in_files else ():
        message.ClearField("is_parameter")
        message.ClearField("stop_gradient")
    return described


def file_type(op_type: str, name: str, value: Any) -> str:
    """The name of the type that an attribute has in files; TypeError for what files cannot hold."""
    message = pb.OpDesc()
    _write_attribute(message, op_type, name, value)
    found = at.type_name(message.attrs[0].type)
    return {"BOOLEAN": "BOOL", "BOOLEANS": "BOOLS"}.get(found, found)


def _write_variable(message: pb.VarDesc, variable: Variable) -> None:
    message.name = variable.name
    message.type.type = KINDS[_SAME_IN_FILES.get(variable.kind, variable.kind)]
    message.persistable = variable.persistable
    message.stop_gradient = variable.stop_gradient
    if variable.need_check_feed:
        message.need_check_feed = True
    if variable.is_parameter:
        message.is_parameter = True
    field = tensor_field(message.type)
    if field is None or variable._dtype is None:
        return
    tensor = getattr(field, "tensor", field)
    tensor.data_type = variable._dtype.number
    tensor.dims.extend(variable.shape)
    if tensor is not field:
        field.lod_level = variable.lod_level


def _runs_block(operation: Operation) -> bool:
    """Whether it runs a block: Paddle wants the outputs of such operators named, if there are none."""
    return is_declared(operation.type) and find(operation.type).runs_block


def _offsets_slots(type: str) -> set[str]:
    """The slots of an operator that hold LoD: no file has them."""
    operator = find(type) if is_declared(type) else None
    return set() if operator is None else {slot.name for slot in (*operator.inputs, *operator.outputs)
                                           if slot.offsets_of}


def _attribute_slots(type: str) -> set[str]:
    """The inputs of an operator that files have as attributes."""
    return {slot.name for slot in find(type).inputs if slot.is_attribute} if is_declared(type) else set()


def _write_operation(message: pb.OpDesc, operation: Operation) -> None:
    message.type = find(operation.type).file_type if is_declared(operation.type) else operation.type
    attributes = _attribute_slots(operation.type)
    unsaid = attributes | _offsets_slots(operation.type)
    for slot, names in operation.inputs.items():
        if slot not in unsaid:
            message.inputs.add(parameter=slot, arguments=names)
    for slot, names in operation.outputs.items():
        if slot not in unsaid and names or _runs_block(operation):  # named, without a variable, it counts as training
            message.outputs.add(parameter=slot, arguments=names)
    attrs = operation.attrs
    if is_declared(operation.type):
        attrs = {**find(operation.type).in_files, **attrs}
    try:
        if operation.type in CONSTANTS:
            attrs = write_values(operation.type, attrs)
        fed = {slot for slot in attributes.intersection(operation.inputs) if operation.inputs[slot]}
        for name, value in attrs.items():
            if name not in fed:
                _write_attribute(message, operation.type, name, value)
        for slot in fed:
            names = operation.inputs[slot]
            given = at.VarList(names) if len(names) > 1 else at.VarValue(names[0])
            at.python_to_attr(message.attrs.add(), slot, given, given.file_type)
    except (TypeError, ValueError) as error:
        where = f", appended at {operation.source}" if operation.source else ""
        raise TypeError(f"The operator {operation.type}{where}: {error}.") from error


def _write_attribute(message: pb.OpDesc, op_type: str, name: str, value: Any) -> None:
    file_type, is_dtype = annotated_type(op_type, name)
    if value is None and not is_dtype:
        return  # left to the default, which is what its absence means
    if isinstance(value, DType) or is_dtype:
        file_type, value = at.INT, at.NO_DTYPE if value is None else getattr(value, "number", value)
    elif backend.is_array(value):
        value = backend.to_numpy(value).tolist()
    if isinstance(value, at.Marked) and file_type is None:
        file_type = value.file_type
    at.python_to_attr(message.attrs.add(), name, value, file_type)

"""Programs from the `ProgramDesc` messages of `.pdmodel` files; `program_codec.py` writes them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from ...core.dtype import DType, from_number
from ...core.files import CorruptFileError
from ...ops.core.decomposition import find_decomposition
from ...ops.core.operator import find, is_declared, taking, with_fed_inputs
from ..format import attributes as at
from ..format import messages as pb
from ..format.constant_codec import CONSTANTS, read_values
from ..format.older_operators import bring_up_to_date
from ..format.program_file import read_program_desc
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.slots import missing_input
from ..ir.variable import ParameterVariable, Variable, class_of_kind
from .types_in_files import CONVERT, KIND_NAMES, PY_LAYER, annotated_type, annotated_types, tensor_field

_Made = TypeVar("_Made", bound=Program)


_SINCE_2 = 2000000  # versions of files
_OF_VARIABLES = frozenset((at.VAR, at.VARS))  # attributes that a run takes from variables


def read_into(program: _Made, desc: pb.ProgramDesc, source_name: str, given: Collection[str] = ()) -> _Made:
    """An empty Program, filled with what a message says that `read_program_desc` has checked.

    `source_name` is what errors call the file; `given`: the names that one Program inside of another gets from there.
    Raises CorruptFileError, naming file and place, where a variable or an attribute makes no sense.
    """
    bring_up_to_date(desc, source_name)
    program.blocks = [Block(program, index, block.parent_idx) for index, block in enumerate(desc.blocks)]
    for block, message in zip(program.blocks, desc.blocks, strict=True):
        block.forward_block_idx = message.forward_block_idx
        for var in message.vars:
            block.vars[var.name] = _read_variable(block, var, source_name)
        for number, op in enumerate(message.ops):
            place = f"block {block.idx}, operator {number} ({op.type})"
            attrs = _read_attributes(op, source_name, place)
            if op.type == "adam" and 0 < desc.version.version < _SINCE_2:
                attrs.setdefault("of_1", True)
            fed = _fed(op, attrs)
            inputs = _slots(op.inputs)
            named = with_fed_inputs(op.type, fed).type if fed else _named(op.type, inputs)
            made = Operation(block, named, {**inputs, **fed}, _slots(op.outputs), attrs)
            if is_declared(named):
                if "file_path" in find(named).attributes:
                    raise NotImplementedError(
                        f"{source_name}: {place} names a file that it reads or writes when it runs. What comes from a "
                        "file may not; in a Program that is written by code, Block.append_op takes such an operator.")
                find(named).named(made.attrs, made.inputs, made.outputs)
            missing = missing_input(made) or _missing_block(made)
            if missing is not None:
                raise CorruptFileError(source_name, place, missing)
            block.ops.append(made)
    if not any(var.HasField("stop_gradient") for block in desc.blocks for var in block.vars):
        _stop_at_detached(program)
    _bring_forms(program, source_name)
    if any(at.OWN_GRADIENT in op.attrs for block in program.blocks for op in block.ops):
        from . import gradient_codec  # for the few Programs with gradients of the user's own

        gradient_codec.from_file(program, source_name, given, lambda data, kept: read_into(
            type(program)(), read_program_desc(data, source_name), source_name, kept))
    return program


def _bring_forms(program: Program, source: str) -> None:
    """Changes what files say otherwise than Programs; what does so is imported for what has something for it to do."""
    variables = [variable for block in program.blocks for variable in block.vars.values()]
    if PY_LAYER in _types(program):
        from .decomposed import inline_forwards

        inline_forwards(program, source)
    if any(variable.is_list for variable in variables):
        from . import array_codec

        array_codec.from_file(program)
    if any(variable.lod_level for variable in variables) or any(map(_takes_offsets, _types(program))):
        from . import lod_codec

        lod_codec.from_file(program, source)
    if any(at.WEIGHT_BITS in op.attrs for block in program.blocks for op in block.ops):
        from . import whole_weights

        whole_weights.from_file(program)
    if any(find_decomposition(kind) is not None for kind in _types(program)):
        from . import decomposed

        decomposed.from_file(program, source)


def _types(program: Program) -> set[str]:
    return {op.type for block in program.blocks for op in block.ops}


def _takes_offsets(kind: str) -> bool:
    """Whether operations of a type read or make the offsets of sequences."""
    return is_declared(kind) and bool(find(kind).given_offsets or find(kind).made_offsets)


def _named(type: str, inputs: dict[str, list[str]]) -> str:
    """The type of an operation that has inputs of these slots."""
    return taking(type, [slot for slot, names in inputs.items() if names]).type if is_declared(type) else type


def _missing_block(op: Operation) -> str | None:
    """What an operation lacks that runs a block; None where it has one, or runs none."""
    if "sub_block" in op.attrs:  # another kind of number was not checked as those of blocks are
        is_block = isinstance(op.attrs["sub_block"], at.BlockValue)
        return None if is_block else "its sub_block is not the number of a block"
    return "it has no block to run" if is_declared(op.type) and find(op.type).runs_block else None


def _fed(op: pb.OpDesc, attrs: dict[str, Any]) -> dict[str, list[str]]:
    """The variables whose names stand in the places of attributes of a declared operator, which are taken away."""
    names = [attr.name for attr in op.attrs if attr.type in _OF_VARIABLES] if is_declared(op.type) else []
    return {name: [str(found)] if isinstance(found := attrs.pop(name), str) else list(found) for name in names}


def _stop_at_detached(program: Program) -> None:
    """What PaddlePaddle's `jit.save` leaves of where gradients stop: `detach()` is a `share_data` there."""
    for block in program.blocks:
        for name in [name for op in block.ops if op.type == "share_data" for name in op.output("Out")]:
            block.var(name).stop_gradient = True


def _slots(side: Any) -> dict[str, list[str]]:
    return {slot.parameter: slot.arguments for slot in side}


def _read_variable(block: Block, message: pb.VarDesc, source: str) -> Variable:
    kind = KIND_NAMES.get(message.type.type)
    if kind is None:
        raise CorruptFileError(source, _place_of(block, message),
                               f"{message.type.type} is not the number of what a variable can hold")
    field = tensor_field(message.type)
    shape: tuple[int, ...] = ()
    dtype, lod_level = None, 0
    tensor = getattr(field, "tensor", field)
    if tensor is not None and tensor.HasField("data_type"):
        shape, lod_level = tuple(tensor.dims), getattr(field, "lod_level", 0)
        try:
            dtype = from_number(tensor.data_type)
        except TypeError as error:
            raise CorruptFileError(source, _place_of(block, message),
                                   f"its elements are of an unsupported type: {error}") from error
    if message.is_parameter and dtype is not None:
        return ParameterVariable(block, message.name, shape, dtype, trainable=not message.stop_gradient)
    made = class_of_kind(kind, Variable)
    return made(block, message.name, shape, dtype, persistable=message.persistable, lod_level=lod_level,
                stop_gradient=message.stop_gradient, is_data=message.need_check_feed, kind=kind)


def _place_of(block: Block, message: pb.VarDesc) -> str:
    return f"block {block.idx}, variable {message.name!r}"


def _read_attributes(op: pb.OpDesc, source: str, place: str) -> dict[str, Any]:
    attrs: dict[str, Any] = {}
    kind = op.type
    declared = annotated_types(find(kind)) if is_declared(kind) else {}
    try:
        for attr in op.attrs:
            name = attr.name
            if name in declared or name == "sub_block" or attr.type in _OF_VARIABLES:
                attrs[name] = _read_attribute(kind, attr, declared.get(name))
            else:
                attrs[name] = at.attr_to_python(attr)
        return read_values(op.type, attrs) if op.type in CONSTANTS else attrs
    except (TypeError, ValueError, OverflowError) as error:
        what = f"{place}, attribute {attr.name!r}" if len(attrs) < len(op.attrs) else place
        raise CorruptFileError(source, what, f"{error}") from error


def _read_attribute(op_type: str, attr: pb.OpDesc.Attr, declared: tuple[int | None, bool] | None) -> Any:
    if attr.type in _OF_VARIABLES:
        if is_declared(op_type):
            with_fed_inputs(op_type, [attr.name])
        return at.attr_to_python(attr)
    file_type, is_dtype = declared or annotated_type(op_type, attr.name)
    if is_dtype:
        number = at.attr_value(attr)
        return _default(op_type, attr.name) if number == at.NO_DTYPE else from_number(number)
    if file_type is None or attr.type == at.BLOCK or file_type not in CONVERT:
        return at.attr_to_python(attr)
    value, convert = at.attr_value(attr), CONVERT[file_type]
    is_list = file_type in at.LISTS
    if isinstance(value, list) != is_list or (attr.type in (at.STRING, at.STRINGS)) != (convert is str):
        raise ValueError(f"it should be of type {at.type_name(file_type)}, and is of type {at.type_name(attr.type)}")
    return [convert(v) for v in value] if is_list else convert(value)


def _default(op_type: str, name: str) -> Any:
    """What an attribute is where a file names no dtype: the declaration's default, as `arg_max` of 1.x has it."""
    default = find(op_type).attributes[name].default
    return default if isinstance(default, DType) else None

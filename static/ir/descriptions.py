"""What Paddle calls descs: `Program.desc`, `Block.desc`, `Operation.desc`, `Variable.desc`, views of these objects.

They answer as methods what is an attribute there: `op.desc.type()`, `op.desc.input_arg_names()`, `var.desc.shape()`.
"""

from __future__ import annotations

import hashlib
from typing import Any

from ...core.dtype import DType
from ...core.var_type import AttrType, VarType
from ...ops.core.operator import find
from .op_inference import results_of


class OpDesc:
    """An operation of a Program."""

    def __init__(self, operation: Any):
        self._operation = operation

    def type(self) -> str:
        """The operator's type."""
        return self._operation.type

    def set_type(self, type: str) -> None:
        """Makes it an operation of this type."""
        self._operation.type = type
        self._changed()

    def check_attrs(self) -> None:
        """Gives the attributes that are not there their defaults. Raises where the operator is not known."""
        self._operation.attrs = {**find(self.type()).defaults, **self._operation.attrs}
        self._changed()

    def _changed(self) -> None:
        self._operation.block.program.version += 1

    def input_names(self) -> list[str]:
        """The input slots."""
        return self._operation.input_names

    def output_names(self) -> list[str]:
        """The output slots."""
        return self._operation.output_names

    def inputs(self) -> dict[str, list[str]]:
        """The names in all input slots."""
        return {slot: self.input(slot) for slot in self.input_names()}

    def outputs(self) -> dict[str, list[str]]:
        """The names in all output slots."""
        return {slot: self.output(slot) for slot in self.output_names()}

    def input(self, slot: str) -> list[str]:
        """The names in an input slot."""
        return self._operation.input(slot)

    def output(self, slot: str) -> list[str]:
        """The names in an output slot."""
        return self._operation.output(slot)

    def input_arg_names(self) -> list[str]:
        """Every variable read."""
        return list(self._operation.input_arg_names)

    def output_arg_names(self) -> list[str]:
        """Every variable written."""
        return list(self._operation.output_arg_names)

    def attr_names(self) -> list[str]:
        """The attributes."""
        return list(self._operation.attrs)

    def has_attr(self, name: str, with_attr_var: bool = False) -> bool:
        """True when the attribute is there."""
        return self._operation.has_attr(name)

    def attr(self, name: str, with_attr_var: bool = False) -> Any:
        """The value of an attribute."""
        return self._operation.attr(name)

    def attr_type(self, name: str) -> AttrType:
        """What an attribute is in a file: AttrType.INT, AttrType.STRINGS and so on."""
        return self._operation.attr_type(name)

    def infer_var_type(self, block: BlockDesc) -> None:
        """Nothing: `infer_shape` says what the results hold."""

    def infer_shape(self, block: BlockDesc) -> None:
        """Gives the results the shapes that follow from those that the inputs have now, as after `VarDesc.set_shape`.

        Raises ValueError, naming operator and place, where the operator does not take these.
        """
        of = self._operation.block
        dtypes = {id(of.var(name)): of.var(name)._dtype for name in self._operation.input_arg_names}
        for variable, spec in results_of(of, self._operation, dtypes):
            variable.shape = spec.shape or variable.shape[:1]  # a value of 1.x that is one number has a dimension
            variable._dtype = spec.dtype if variable._dtype is None else variable._dtype
        of.program.version += 1

    def set_input(self, slot: str, names: list[str]) -> None:
        """Puts these names into an input slot."""
        self._operation.set_input(slot, names)

    def set_output(self, slot: str, names: list[str]) -> None:
        """Puts these names into an output slot."""
        self._operation.set_output(slot, names)

    def remove_input(self, slot: str) -> None:
        """Leaves an input slot out."""
        self._operation.remove_input(slot)

    def remove_output(self, slot: str) -> None:
        """Leaves an output slot out."""
        self._operation.remove_output(slot)

    def _rename_input(self, old: str, new: str) -> None:
        self._operation.rename_input(old, new)

    def _rename_output(self, old: str, new: str) -> None:
        self._operation.rename_output(old, new)

    def _set_attr(self, name: str, value: Any) -> None:
        self._operation.set_attr(name, value)


class VarDesc:
    """A variable of a Program."""

    def __init__(self, variable: Any):
        self._variable = variable

    def name(self) -> str:
        """The name."""
        return self._variable.name

    def shape(self) -> list[int]:
        """The sizes, -1 where one is not known."""
        return list(self._variable.shape)

    get_shape = shape

    def set_shape(self, shape: Any) -> None:
        """Declares other sizes."""
        self._variable.shape = tuple(-1 if size is None else int(size) for size in shape)
        self._variable.block.program.version += 1

    def dtype(self) -> DType:
        """The element type."""
        return self._variable.dtype

    def type(self) -> VarType:
        """What it holds."""
        return self._variable.type

    def attr_names(self) -> list[str]:
        """The attributes of a variable: none."""
        return []

    def lod_level(self) -> int:
        """The depth of its levels of detail."""
        return self._variable.lod_level

    def persistable(self) -> bool:
        """Whether its value is kept between runs."""
        return self._variable.persistable

    def set_persistable(self, persistable: bool) -> None:
        """Says whether its value is kept between runs."""
        self._variable.persistable = persistable

    def stop_gradient(self) -> bool:
        """Whether gradients stop here."""
        return self._variable.stop_gradient

    def set_stop_gradient(self, stop_gradient: bool) -> None:
        """Says whether gradients stop here."""
        self._variable.stop_gradient = stop_gradient
        self._variable.block.program.version += 1

    def is_parameter(self) -> bool:
        """Whether it is trained."""
        return self._variable.is_parameter

    def need_check_feed(self) -> bool:
        """Whether it is fed."""
        return self._variable.need_check_feed

    def set_need_check_feed(self, need_check_feed: bool) -> None:
        """Says whether what is fed must have its sizes."""
        self._variable.takes_any_size = not need_check_feed
        self._variable.is_data = self._variable.is_data or need_check_feed
        self._variable.block.program.version += 1


class BlockDesc:
    """A block of a Program."""

    def __init__(self, block: Any):
        self._block = block

    @property
    def id(self) -> int:
        """The number of the block."""
        return self._block.idx

    @property
    def parent(self) -> int:
        """The number of the block around it, -1 for the outermost."""
        return self._block.parent_idx

    def op_size(self) -> int:
        """The number of operations."""
        return len(self._block.ops)

    def op(self, index: int) -> OpDesc:
        """An operation."""
        return OpDesc(self._block.ops[index])

    def append_op(self) -> OpDesc:
        """A further operation at the end, without a type: `set_type`, `set_input`, `set_output` say what it is."""
        return self._insert_op(self.op_size())

    def _prepend_op(self) -> OpDesc:
        return self._insert_op(0)

    def _insert_op(self, index: int) -> OpDesc:
        return OpDesc(self._block._insert_empty_op(index))

    def _remove_op(self, start: int, end: int) -> None:
        del self._block.ops[start:end]
        self._block.program.version += 1

    def var(self, name: str | bytes) -> VarDesc:
        """The variable of this name in this block, which is made where there is none."""
        found = self.find_var(name)
        return VarDesc(self._block.new_var(name=_text(name))) if found is None else found

    def _remove_var(self, name: str | bytes) -> None:
        self._block.vars.pop(_text(name), None)
        self._block.program.version += 1

    def all_vars(self) -> list[VarDesc]:
        """The variables."""
        return [VarDesc(variable) for variable in self._block.vars.values()]

    def has_var(self, name: str | bytes) -> bool:
        """Whether there is a variable of this name in this block."""
        return _text(name) in self._block.vars

    def find_var(self, name: str | bytes) -> VarDesc | None:
        """The variable of this name in this block; None where there is none."""
        variable = self._block.vars.get(_text(name))
        return None if variable is None else VarDesc(variable)

    def find_var_recursive(self, name: str | bytes) -> VarDesc | None:
        """The variable of this name in this block or one around it; None where there is none."""
        variable = self._block.find_var(_text(name))
        return None if variable is None else VarDesc(variable)


class ProgramDesc:
    """A Program."""

    def __init__(self, program: Any):
        self._program = program

    def num_blocks(self) -> int:
        """The number of blocks."""
        return self._program.num_blocks

    def block(self, index: int) -> BlockDesc:
        """A block."""
        return BlockDesc(self._program.block(index))

    def serialize_to_string(self) -> bytes:
        """The bytes of a `.pdmodel` file."""
        return self._program.serialized()

    def need_update(self) -> bool:
        """Whether the Program has changed since it was flushed, or hashed, last."""
        return self._program.flushed_version != self._program.version

    def flush(self) -> None:
        """Notes that nothing has changed so far: this is the Program itself, and no copy of it."""
        self._program.flushed_version = self._program.version

    def cached_hash_str(self) -> str:
        """A hash of the Program's bytes, and `flush`."""
        self.flush()
        return hashlib.sha256(self.serialize_to_string()).hexdigest()


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name

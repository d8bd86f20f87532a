"""Operation: one operator applied in a Block, by its type name, variable names by slot, and attributes."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ...core.var_type import AttrType
from .name_scopes import ATTRIBUTE, OUTSIDE
from .variable import Variable

if TYPE_CHECKING:
    from .block import Block
    from .descriptions import OpDesc

BACKWARD_ROLE, OPTIMIZE_ROLE, SCHEDULE_ROLE, LOSS_ROLE = 1, 2, 16, 256  # of the attribute op_role in files
SERVERS_ROLE = 4 | 8  # what exchanges gradients and parameters with servers, and what cuts and joins them for that


_OF_EVERY_OPERATION: dict[str, Any] = {ATTRIBUTE: OUTSIDE, "op_device": "", "op_role": 0, "op_role_var": [],
                                       "with_quant_attr": False}


_CALLSTACK, _ROLE_VARIABLES = "op_callstack", "op_role_var"

IMPLIED = "implied"
"""An attribute of the operation that empties a list where files have none: a list is there when the Program begins."""


class Operation:
    """One operator applied in a Block: its type, variable names by slot, and attributes.

    `source` is the user's file and line that appended it, for error messages. `inferred` is what its rule said when it
    was appended: the specs of the inputs and of the results, by slot; None where it was not asked.
    """

    __slots__ = ("block", "type", "inputs", "outputs", "attrs", "source", "inferred", "_reads", "_writes")

    def __init__(self, block: Block, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]],
                 attrs: dict[str, Any], source: str = "", inferred: tuple[tuple, tuple] | None = None):
        self.block, self.type, self.attrs, self.source, self.inferred = block, type, attrs, source, inferred
        self.inputs = {slot: list(names) for slot, names in inputs.items()}
        self.outputs = {slot: list(names) for slot, names in outputs.items()}
        self._reads: list[str] | None = None  # of all slots, collected when they are first asked for
        self._writes: list[str] | None = None

    def input(self, slot: str) -> list[str]:
        """The names in an input slot; empty when it is not there."""
        return self.inputs.get(slot, [])

    def output(self, slot: str) -> list[str]:
        """The names in an output slot; empty when it is not there."""
        return self.outputs.get(slot, [])

    @property
    def input_names(self) -> list[str]:
        """The input slots."""
        return list(self.inputs)

    @property
    def output_names(self) -> list[str]:
        """The output slots."""
        return list(self.outputs)

    @property
    def input_arg_names(self) -> list[str]:
        """Every variable read."""
        found = self._reads
        if found is None:
            found = self._reads = [name for names in self.inputs.values() for name in names]
        return found

    @property
    def output_arg_names(self) -> list[str]:
        """Every variable written."""
        found = self._writes
        if found is None:
            found = self._writes = [name for names in self.outputs.values() for name in names]
        return found

    def set_input(self, slot: str, names: list[str]) -> None:
        """Puts these names into an input slot."""
        self.inputs[slot], self._reads = names, None
        self.block.program.version += 1

    def remove_input(self, slot: str) -> None:
        """Leaves an input slot out."""
        self.inputs.pop(slot, None)
        self._reads = None
        self.block.program.version += 1

    def remove_output(self, slot: str) -> None:
        """Leaves an output slot out."""
        self.outputs.pop(slot, None)
        self._writes = None
        self.block.program.version += 1

    def set_output(self, slot: str, names: list[str]) -> None:
        """Puts these names into an output slot."""
        self.outputs[slot], self._writes = names, None
        self.block.program.version += 1

    def attr(self, name: str) -> Any:
        """The value of an attribute; KeyError, with those that there are, for a name without one.

        What every operation of Paddle's has, its part in training (`op_role`), its device and the like, need not be
        there. `op_callstack`: the user's file and line that appended it, as lines of text; none where it is of a file.
        """
        if name not in self.attrs:
            if name == _CALLSTACK:
                file, _, line = self.source.rpartition(":")
                return [f'  File "{file}", line {line}'] if file else []
            if name == _ROLE_VARIABLES:
                return self._updated()
            if name in _OF_EVERY_OPERATION:
                return copy.copy(_OF_EVERY_OPERATION[name])
            raise KeyError(f"attr(name): the operation {self.type!r} has no attribute {name!r}. It has: "
                           f"{sorted(self.attrs)}.")
        return self.attrs[name]

    def _updated(self) -> list[str]:
        """The parameter that an optimizer's operation updates, and the gradient that it reads, by name."""
        names = self.input("Param")[:1] + self.input("Grad")[:1] if self._is_optimize_op() else []
        return names if len(names) == 2 else []

    def attr_type(self, name: str) -> AttrType:
        """The type in files of an attribute's value."""
        return AttrType[self.block.program.attribute_type(self, name, self.attr(name))]

    def _block_attr_id(self, name: str) -> int:
        return int(self.attr(name))

    def _block_attr(self, name: str) -> Block:
        return self.block.program.block(self._block_attr_id(name))

    def _blocks_attr_ids(self, name: str) -> list[int]:
        return list(self.attr(name))

    def _blocks_attr(self, name: str) -> list[Block]:
        return [self.block.program.block(index) for index in self.attr(name)]

    def _var_attr(self, name: str) -> Variable:
        return self.block.var(self.attr(name))

    def _vars_attr(self, name: str) -> list[Variable]:
        return [self.block.var(each) for each in self.attr(name)]

    @property
    def is_backward(self) -> bool:
        """Whether it belongs to a backward pass."""
        return bool(self.attrs.get("op_role", 0) & BACKWARD_ROLE)

    def _is_backward_op(self) -> bool:
        return self.is_backward

    def _is_optimize_op(self) -> bool:
        return bool(self.attrs.get("op_role", 0) & OPTIMIZE_ROLE)

    def _remove_attr(self, name: str) -> None:
        self.attrs.pop(name, None)
        self.inferred = None
        self.block.program.version += 1

    @property
    def attr_names(self) -> list[str]:
        """The attributes."""
        return list(self.attrs)

    def all_attrs(self) -> dict[str, Any]:
        """The attributes with their values, those that every operation of Paddle's has among them; Blocks, not indices.

        So what copies a Program by these, `append_op(attrs=…)`, goes on to the block in its turn.
        """
        found = {**{name: self.attr(name) for name in (*_OF_EVERY_OPERATION, _CALLSTACK)}, **self.attrs}
        if "sub_block" in found:
            found["sub_block"] = self._block_attr("sub_block")
        return found

    @property
    def desc(self) -> OpDesc:
        """This operation as Paddle's desc: its type and names are methods."""
        from .descriptions import OpDesc  # for who asks

        return OpDesc(self)

    @property
    def idx(self) -> int:
        """Its place in the block."""
        return next(n for n, op in enumerate(self.block.ops) if op is self)

    def to_string(self, throw_on_error: bool = True) -> str:
        """The operation as text: what stands of it in a file."""
        return self.block.program.text_of(self)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return repr(self)

    def set_attr(self, name: str, value: Any) -> None:
        """Gives an attribute a value; what the rule said of the results with another one is forgotten."""
        self.attrs[name], self.inferred = value.idx if isinstance(value, type(self.block)) else value, None
        self.block.program.version += 1

    def has_attr(self, name: str) -> bool:
        """True when the attribute is there, or is one that every operation of Paddle's has."""
        return name in self.attrs or name in _OF_EVERY_OPERATION or name == _CALLSTACK

    def rename_input(self, old: str, new: str) -> None:
        """Reads `new` wherever it read `old`."""
        self.inputs = {s: [new if n == old else n for n in names] for s, names in self.inputs.items()}
        self._reads = None
        self.block.program.version += 1

    def rename_output(self, old: str, new: str) -> None:
        """Writes `new` wherever it wrote `old`."""
        self.outputs = {s: [new if n == old else n for n in names] for s, names in self.outputs.items()}
        self._writes = None
        self.block.program.version += 1

    # Older names of the same.
    _set_attr = _update_desc_attr = _update_desc_plain_attr = set_attr
    _rename_input, _rename_output = rename_input, rename_output

    def __repr__(self) -> str:
        def side(slots: dict[str, list[str]]) -> str:
            return ", ".join(f"{slot}={names}" for slot, names in slots.items() if names)

        attrs = ", ".join(f"{k} = {v}" for k, v in sorted(self.attrs.items()))
        return f"{{{side(self.outputs)}}} = {self.type}(inputs={{{side(self.inputs)}}}, {attrs})"

    def __str__(self) -> str:
        return self.to_string() if self.block.program.printed_as_in_files else repr(self)

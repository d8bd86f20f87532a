"""Puts the operations of one Program into another, under names of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.limits import tighter
from .block import Block
from .operation import Operation
from .program import Program
from .usage import OUTSIDE, sub_block
from .variable import Variable


class _Copier:
    """Copies blocks, giving every variable of the copied Program a new name unless it is mapped already."""

    def __init__(self, target: Program, names: dict[str, str], role: int, stop_gradient: bool):
        self.target, self.names, self.role, self.stop_gradient = target, names, role, stop_gradient

    def operations(self, source: Block, block: Block, names: dict[str, str]) -> None:
        """Appends copies of the operations of `source` to `block`."""
        for op in source.ops:
            if op.type in OUTSIDE:
                continue
            attrs = dict(op.attrs)
            self._declare(source, block, op, names)
            inner = sub_block(op)
            if inner is not None:
                attrs["sub_block"] = self._block(inner, block, names).idx
            if self.role:
                attrs["op_role"] = self.role
            if "saved" in attrs:
                attrs["saved"] = [names.get(n, n) for n in attrs["saved"]]
            block.append(op.type, _renamed(op.inputs, names), _renamed(op.outputs, names), attrs, op.source)

    def _declare(self, source: Block, block: Block, op: Operation, names: dict[str, str]) -> None:
        for name in (*op.input_arg_names, *op.output_arg_names):
            variable = source.vars.get(name)
            if name in names or variable is None:
                continue
            names[name] = self.target.new_name(name.partition(".tmp")[0])
            block.new_var(names[name], variable.shape, variable._dtype, kind=variable.kind,
                          stop_gradient=self.stop_gradient or variable.stop_gradient)

    def _block(self, source: Block, parent: Block, names: dict[str, str]) -> Block:
        current = self.target.current_block_idx
        block = self.target.create_block(parent.idx)
        self.operations(source, block, names)
        self.target.current_block_idx = current
        return block


def _renamed(slots: dict[str, list[str]], names: dict[str, str]) -> dict[str, list[str]]:
    return {slot: [names.get(n, n) for n in used] for slot, used in slots.items()}


def inline(source: Program, block: Block, given: dict[str, Variable], outputs: Sequence[str], role: int = 0,
           stop_gradient: bool = False) -> list[Variable]:
    """Appends the operations of `source` to `block`; `given` are its inputs and persistables. Gives its outputs.

    `role`: that of the operations (`op_role`), where not their own. With `stop_gradient` no gradient flows in them.
    """
    names = {name: variable.name for name, variable in given.items()}
    block.program.limits = tighter(block.program.limits, source.limits)
    _Copier(block.program, names, role, stop_gradient).operations(source.global_block(), block, names)
    return [given[name] if name in given else block.var(names[name]) for name in outputs]

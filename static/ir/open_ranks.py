"""Which values of a Program may have another number of dimensions than it declares: what branches differ in.

A condition whose branches give values of several numbers of dimensions declares the largest. A value of which
dimensions are squeezed that only a run can tell keeps those of another size than 1. What is computed of such a value is
no surer, so that nothing may be chosen by what is declared of it.
"""

from __future__ import annotations

from ...ops.array.reshape import squeeze_of_fed_op
from ...ops.program.control_flow import select_input_op
from .block import Block
from .operation import Operation
from .program import Program

_SOURCES = (squeeze_of_fed_op.type, select_input_op.type)


class Sources:
    """The operations of a Program from which such values may come, found again in what was appended since."""

    def __init__(self) -> None:
        self._seen: list[tuple[Block, int, Operation | None]] = []  # a block, how many operations, the last of them
        self._found: list[tuple[Block, Operation]] = []

    def differ(self, program: Program) -> bool:
        """Whether there are such values; it may say so of a Program of which operations were taken away."""
        if not self._is_continued_by(program):
            self._seen, self._found = [], []
        for number, block in enumerate(program.blocks):
            begin = self._seen[number][1] if number < len(self._seen) else 0
            self._found += [(block, op) for op in block.ops[begin:] if op.type in _SOURCES]
        self._seen = [(block, len(block.ops), block.ops[-1] if block.ops else None) for block in program.blocks]
        return any(_differs(block, op) for block, op in self._found)

    def _is_continued_by(self, program: Program) -> bool:
        return len(self._seen) <= len(program.blocks) and all(
            block is seen and len(block.ops) >= count and (last is None or block.ops[count - 1] is last)
            for (seen, count, last), block in zip(self._seen, program.blocks, strict=False))


def open_ranks(program: Program) -> frozenset[str]:
    """The names of these values."""
    version, found = program.open_ranks
    if version != program.version:
        if program.rank_sources is None:
            program.rank_sources = Sources()
        found = _find(program) if program.rank_sources.differ(program) else frozenset()
        program.open_ranks = program.version, found
    return found


def _find(program: Program) -> frozenset[str]:
    ops = [(block, op) for block in program.blocks for op in block.ops]
    found = {name for block, op in ops if _differs(block, op) for name in op.output_arg_names}
    before = 0
    while found and len(found) > before:  # a loop hands them back to its begin
        before = len(found)
        for block, op in ops:
            if not found.isdisjoint(op.input_arg_names):
                found.update(name for name in op.output_arg_names if not _is_kept(block, name))
    return frozenset(found)


def _differs(block: Block, op: Operation) -> bool:
    if op.type == squeeze_of_fed_op.type:
        return True
    if op.type != select_input_op.type:
        return False
    branches = [block.find_var(name) for name in op.input("X")]
    return len({variable.ndim for variable in branches if variable is not None and variable.kind == "tensor"}) > 1


def _is_kept(block: Block, name: str) -> bool:
    """Whether a name stands for a value of which files and scopes know the shape."""
    variable = block.find_var(name)
    return variable is not None and variable.persistable

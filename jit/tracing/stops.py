"""Whether gradients stop at a value of a Program, where what the function is given may stop them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any

from ...dygraph.value import EagerValue
from ...ops.program.control_flow import select_input_op
from ...static.ir.block import Block
from ...static.ir.operation import Operation
from ...static.ir.variable import Variable
from ..footprint.locations import Guard, Location

_HANDS_ON = ("assign", select_input_op.type)  # what branches and loops append to give a value a name


def may_stop(value: Any, captured: Container[str]) -> bool:
    """Whether the arguments decide: gradients flow through them here, and nothing else lets them flow to the value.

    `captured`: the names of Tensors that are no arguments, and of which it is known.
    """
    pending, seen, reached = [value], set(), False
    while pending:
        variable = pending.pop()
        if not isinstance(variable, Variable) or variable.stop_gradient or variable.name in seen:
            continue
        seen.add(variable.name)
        if variable.name in captured:
            return False
        if variable.op is None:
            reached = True
            continue
        sources = [variable.block.find_var(name) for name in variable.op.input_arg_names]
        flowing = [source for source in sources if source is not None and not source.stop_gradient]
        if not flowing:  # it was told to want a gradient
            return False
        pending += flowing
    return reached


class AnswerGuard(Guard):
    """What was asked of a Tensor, or of how a function is called, while it was traced."""

    __slots__ = ("ask", "told")

    def __init__(self, location: Location, ask: Callable[[], bool], told: bool):
        super().__init__(location)
        self.ask, self.told = ask, told

    def holds(self) -> bool:
        """Whether the answer is the same."""
        return self.ask() is self.told


class Answers:
    """Whether gradients stop at values of a Program, in the calls for which these Tensors are as they are now.

    `captured` are those that the Program reads, by name; `asked` collects those that an answer relies on. Not
    `records`: that the function is called where no gradients are recorded.
    """

    def __init__(self, captured: Mapping[str, EagerValue], records: bool):
        self._captured, self._records = captured, records
        self.asked: dict[str, EagerValue] = {}
        self._seen: set[tuple[str, int]] = set()

    def of(self, variable: Variable) -> set[bool]:
        """The answers that runs may give: two where one branch, or one number of turns, gives another than others."""
        self._seen.clear()
        return self._of(variable.name, variable.block, len(variable.block.ops))

    def _of(self, name: str, block: Block, end: int) -> set[bool]:
        variable = block.find_var(name)
        tensor = self._captured.get(name)
        if variable is None or tensor is not None:
            if tensor is not None:
                self.asked[name] = tensor
            return {tensor is None or tensor.stop_gradient}
        if variable.stop_gradient:
            return {True}
        if name in variable.program.leaves:
            return {False}
        for place in reversed(range(end)):
            if name in block.ops[place].output_arg_names:
                return self._written(name, block, place)
        if name in block.vars or block.parent is None:
            return {False}
        return self._of(name, block.parent, len(block.parent.ops))

    def _written(self, name: str, block: Block, place: int) -> set[bool]:
        op = block.ops[place]
        if (name, id(op)) in self._seen:
            return set()  # a turn of a loop gives what the one before gave
        self._seen.add((name, id(op)))
        if "sub_block" in op.attrs:
            inside = block.program.blocks[op.attrs["sub_block"]]
            found = self._of(name, inside, len(inside.ops))
            return found | self._of(name, block, place) if inside.repeats else found
        return self._computed(op, block, place)

    def _computed(self, op: Operation, block: Block, place: int) -> set[bool]:
        if not self._records and op.type not in _HANDS_ON:
            return {True}
        if op.type == select_input_op.type:
            return set().union(*(self._of(each, block, place) for each in op.input("X")))
        found: list[set[bool]] = [answers for each in op.input_arg_names if (answers := self._of(each, block, place))]
        if not found:
            return set() if op.input_arg_names else {False}
        return {stops for stops in (True, False) if (all if stops else any)(stops in answers for answers in found)}

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
    """Whether gradients stop at the values of a Program so far, in calls for which these Tensors are as they are now.

    `captured` are those that the Program reads, by name; `asked` collects those that an answer relies on. Not
    `records`: that the function is called where no gradients are recorded. A value has two answers where one branch, or
    one number of turns, gives another than others.
    """

    def __init__(self, captured: Mapping[str, EagerValue], records: bool):
        self._captured, self._records = captured, records
        self.asked: dict[str, EagerValue] = {}
        self._found: dict[str, frozenset[bool]] = {}

    def of(self, variable: Variable) -> frozenset[bool]:
        """The answers for a variable of the block that is being written, or of one around it."""
        around: list[Block] = []
        block: Block | None = variable.program.current_block()
        while block is not None:
            around.append(block)
            block = block.parent
        for each in reversed(around):
            self._run(each)
        return self._of(variable.name, variable.block)

    def _of(self, name: str, block: Block) -> frozenset[bool]:
        tensor = self._captured.get(name)
        if name in self._found:
            return self._found[name]
        if tensor is not None:
            self.asked[name] = tensor
            return _ONE[tensor.stop_gradient]
        variable = block.find_var(name)
        return _ONE[variable is None or variable.stop_gradient]

    def _run(self, block: Block) -> None:
        for op in block.ops:
            if "sub_block" in op.attrs:
                self._inside(op, block.program.blocks[op.attrs["sub_block"]])
            else:
                computed = self._computed(op, block)
                for name in op.output_arg_names:
                    self._found[name] = self._given(name, op, block, computed)

    def _inside(self, op: Operation, block: Block) -> None:
        """What a branch or a loop leaves: as it was before, too, where that may not run."""
        while True:
            before = {name: self._found[name] for name in op.output_arg_names if name in self._found}
            self._run(block)
            for name, answers in before.items():
                self._found[name] |= answers
            if not block.repeats or all(self._found[name] == answers for name, answers in before.items()):
                return

    def _given(self, name: str, op: Operation, block: Block, computed: frozenset[bool]) -> frozenset[bool]:
        variable = block.find_var(name)
        if variable is None or variable.stop_gradient:
            return _ONE[True]
        if name in variable.program.leaves:
            return _ONE[False]
        sources = [block.find_var(each) for each in op.input_arg_names]
        if all(source is None or source.stop_gradient for source in sources):
            return computed | _ONE[False]  # turns of a loop that is being written give it a gradient
        return computed

    def _computed(self, op: Operation, block: Block) -> frozenset[bool]:
        if not self._records and op.type not in _HANDS_ON:
            return _ONE[True]
        if op.type == select_input_op.type:
            return frozenset().union(*(self._of(name, block) for name in op.input("X")))
        found = [self._of(name, block) for name in op.input_arg_names]
        return frozenset(stops for stops in (True, False)
                         if (all if stops else any)(stops in answers for answers in found))


_ONE = {stops: frozenset({stops}) for stops in (True, False)}

"""The optimizers' updates in a Program: of which parameter each is, which gradient it takes, what belongs to it.

What lies between a gradient as it is sent and the new parameter, regularization and the update itself, is a server's
work; clipping is the trainer's, and so is all that mixes gradients of several parameters. Schedules of learning rates
(role 16) are apart from both.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...static.ir.operation import BACKWARD_ROLE, OPTIMIZE_ROLE, SCHEDULE_ROLE

CLIP = "gradient_clip"
"""Stands in the name scopes of operations that clip gradients, of 1.x and of 2.x."""


class Update(NamedTuple):
    """The update of one parameter: `ops` in order, of which `op` takes Param, Grad and LearningRate."""

    parameter: str
    gradient: str
    op: Any
    ops: list[Any]

    def leading_to(self, *slots: str) -> list[Any]:
        """The operations, in order, that make what the update takes in these slots."""
        found: list[Any] = []
        wanted = {name for slot in slots for name in self.op.input(slot)}
        for op in reversed(self.ops):
            if op is not self.op and not wanted.isdisjoint(op.output_arg_names):
                found.append(op)
                wanted.update(op.input_arg_names)
        return found[::-1]


def is_schedule(op: Any) -> bool:
    """Whether an operation belongs to a schedule of learning rates."""
    return op.attr("op_role") in (SCHEDULE_ROLE, SCHEDULE_ROLE | OPTIMIZE_ROLE)


def is_update(op: Any) -> bool:
    """Whether an operation updates a parameter."""
    return bool(op.input("Param")) and bool(op.input("LearningRate"))


def updates_of(program: Any) -> list[Update]:
    """The updates of a Program, in the order of the parameters' names, as 1.8.5 appends them.

    Raises ValueError for an operation that updates several parameters at once, and for a parameter that is updated
    twice.
    """
    found = _Updates(program.global_block())
    made = [found.of(op) for op in found.steps]
    names = [update.parameter for update in made]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"DistributeTranspiler: {name!r} is updated by {names.count(name)} operations. A server "
                             "takes one gradient of each parameter: call minimize once.")
    return sorted(made, key=lambda update: update.parameter)


class _Updates:
    def __init__(self, block: Any):
        self.block = block
        self.ops = [op for op in block.ops if op.attr("op_role") == OPTIMIZE_ROLE]
        self.steps = [op for op in self.ops if is_update(op)]
        for op in self.steps:
            if len(op.input("Param")) > 1:
                raise ValueError(f"DistributeTranspiler: {op.type} updates {len(op.input('Param'))} parameters at "
                                 "once. Use an optimizer with an operation for each.")
        self.kept = {name for name, var in block.vars.items() if var.persistable}
        self.makers = {name: op for op in self.ops for name in op.output_arg_names if name not in self.kept}
        self.of_trainer = self._on_trainer()

    def _ways(self, name: str) -> list[Any]:
        """The operations that make a value, from the last one back."""
        found: list[Any] = []
        names = [name]
        while names:
            op = self.makers.get(names.pop())
            if op is not None and op not in found:
                found.append(op)
                names.extend(op.input_arg_names)
        return found

    def _on_trainer(self) -> set[int]:
        """Operations that clip, or that take or give what several updates depend on: of those that make gradients."""
        ways = [self._ways(op.input("Grad")[0]) for op in self.steps]
        users: dict[int, int] = {}
        for way in ways:
            for op in way:
                users[id(op)] = users.get(id(op), 0) + 1
        found = {id(op) for way in ways for op in way if users[id(op)] > 1 or CLIP in op.attr("op_namescope")}
        for step, way in zip(self.steps, ways, strict=True):
            shape = self.block.var(step.input("Param")[0]).shape
            for op in reversed(way):
                for name in op.input_arg_names:
                    maker = self.makers.get(name)
                    if maker is not None and id(maker) in found and self.block.var(name).shape != shape:
                        found.add(id(op))
            changed = True
            while changed:  # what such an operation depends on stays with it
                before = len(found)
                for op in way:
                    if id(op) in found:
                        found.update(id(each) for name in op.input_arg_names for each in self._ways(name))
                changed = len(found) > before
        return found

    def of(self, step: Any) -> Update:
        parameter = step.input("Param")[0]
        ops, gradients = [step], []
        names = [name for slot in step.input_names if slot != "Param" for name in step.input(slot)]
        while names:
            name = names.pop()
            maker = self.makers.get(name)
            if maker is not None and id(maker) not in self.of_trainer:
                if maker not in ops:
                    ops.append(maker)
                    names.extend(maker.input_arg_names)
            elif name not in self.kept and name not in gradients and not self._is_scheduled(name):
                gradients.append(name)
        if len(gradients) != 1:
            raise ValueError(f"DistributeTranspiler: the update of {parameter!r} by {step.type} needs {gradients}, and "
                             "a server gets one gradient of each parameter.")
        for op in self._of_state(step):
            if op not in ops:
                ops.append(op)
        ops.sort(key=lambda op: next(n for n, each in enumerate(self.block.ops) if each is op))
        return Update(parameter, gradients[0], step, ops)

    def _of_state(self, step: Any) -> list[Any]:
        """What else changes the state of an update, as the powers of Adamax."""
        state = {name for slot in step.input_names if slot not in ("Param", "Grad", "LearningRate")
                 for name in step.input(slot)}
        found = []
        for op in self.ops:
            if op.output_arg_names and state.issuperset(op.output_arg_names) and not is_update(op):
                found += [op, *(each for name in op.input_arg_names for each in self._ways(name))]
        return found

    def _is_scheduled(self, name: str) -> bool:
        return any(name in op.output_arg_names for op in self.block.ops if is_schedule(op))


def schedules_of(program: Any) -> list[Any]:
    """The operations of a Program's schedules of learning rates, in order."""
    return [op for op in program.global_block().ops if is_schedule(op)]


def readers_of(program: Any, parameter: str) -> list[Any]:
    """The operations of the forward pass that take a parameter."""
    return [op for block in program.blocks for op in block.ops
            if parameter in op.input_arg_names and not op.attr("op_role") & (BACKWARD_ROLE | OPTIMIZE_ROLE)]


def holds_rows(program: Any, parameter: str) -> bool:
    """Whether the gradient of a parameter holds some rows alone: of a table that is looked up with `is_sparse`."""
    readers = readers_of(program, parameter)
    return bool(readers) and all(op.attrs.get("is_sparse") for op in readers)


def is_prefetched(program: Any, parameter: str) -> bool:
    """Whether a parameter is a table whose rows a trainer asks for when it needs them."""
    readers = readers_of(program, parameter)
    return bool(readers) and all(op.attrs.get("is_sparse") and op.attrs.get("remote_prefetch") and op.input("Ids")
                                 for op in readers)


def distributed_tables(program: Any) -> list[str]:
    """The parameters that are looked up with `is_distributed`: tables whose rows are made when they are asked for."""
    found: dict[str, None] = {}
    for op in program.global_block().ops:
        if op.attrs.get("is_distributed") and op.input("W") and op.input("Ids"):
            found[op.input("W")[0]] = None
    for name in found:
        if not all(op.attrs.get("is_distributed") and op.attrs.get("is_sparse") for op in readers_of(program, name)):
            raise ValueError(f"DistributeTranspiler: {name!r} is looked up with is_distributed=True; then every "
                             "operation that takes it must, and with is_sparse=True.")
    return list(found)

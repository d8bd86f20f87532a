"""Emits the Python source of a plan: one line an operation, control flow as Python's own.

Every variable becomes a local name and every operator's kernel a global one, so that a run looks nothing up. A local is
deleted after its last use, so that memory is freed as early as in eager code.

What is emitted, and what becomes of it where kernels are chosen, is in `code.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

from ...core.dtype import DType
from ...core.limits import Limits
from ...ops.core.operator import Operator, find
from ...ops.core.signature import Slot
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.usage import block_writes, reads, sub_block, writes
from .code import Call, Code, own
from .refused import MisfitError, refuse_misfits
from .unit import Unit, inner_unit

if TYPE_CHECKING:
    from .limited import Limited

_INLINE = (bool, int, str, type(None))


class Emitter:
    """Collects the lines of one function and the objects that its global names stand for."""

    def __init__(self, optimize: Callable[[Unit], Unit], limits: Limits | None = None) -> None:
        self.optimize = optimize
        self.limited = None if limits is None else _limited(limits)
        self.lines: list[str] = []
        self.operations_at: dict[int, Operation] = {}  # by line number, counted from 1
        self.arguments_at: dict[int, list[Any]] = {}  # the locals in a call's input slots, by line number
        self.calls_at: dict[int, Call] = {}  # by line number
        self.unit: Unit | None = None  # whose operations are being emitted
        self.bindings: dict[str, Any] = {}
        self.frozen: list[str] = []  # the inputs that `prepare` takes
        self.locals: dict[tuple[int, str], str] = {}  # by the block that has the variable, and its name
        self._seen: dict[tuple[int, str], str] = {}  # by the block that it is seen from
        self._bound: dict[int, str] = {}
        self._assigned: set[str] = set()

    # Names

    def local(self, block: Block, name: str) -> str:
        """The local that holds a variable, seen from `block`."""
        seen = block.idx, name
        found = self._seen.get(seen)
        if found is None:
            variable = block.find_var(name)
            key = (variable.block.idx if variable is not None else 0, name)
            found = self._seen[seen] = self.locals.setdefault(key, f"v{len(self.locals)}")
        return found

    def bind(self, prefix: str, value: Any) -> str:
        """A global name for an object."""
        if id(value) not in self._bound:
            self._bound[id(value)] = f"{prefix}{len(self.bindings)}"
            self.bindings[self._bound[id(value)]] = value
        return self._bound[id(value)]

    def literal(self, value: Any) -> str:
        """An attribute's value as source."""
        if type(value) in _INLINE:
            return repr(value)
        if type(value) is float and value == value and abs(value) != float("inf"):
            return repr(value)
        if type(value) in (list, tuple) and all(type(v) in (int, bool, str) for v in value):
            return repr(value)
        return self.bind("d" if isinstance(value, DType) else "a", value)

    def line(self, depth: int, text: str, op: Operation | None = None) -> None:
        """Adds a line; `op` is the operation it runs."""
        self.lines.append("    " * depth + text)
        if op is not None:
            self.operations_at[len(self.lines)] = op

    # Operations

    def operations(self, ops: Sequence[Operation], depth: int) -> None:
        """Emits operations in order."""
        for op in ops:
            self.operation(op, depth)

    def inner(self, op: Operation, block: Block, depth: int) -> None:
        """Emits the block that a control-flow operation runs; `pass` where nothing is left of it.

        One that cannot run is refused when it is to run: a branch that is never taken harms nobody.
        """
        made = inner_unit(op, block)
        try:
            refuse_misfits(made)
        except MisfitError as error:
            self.line(depth, f"raise ValueError({str(error)!r})")
            return
        outer, self.unit = self.unit, self.optimize(made)
        before = len(self.lines)
        self.operations([*self.unit.prepared, *self.unit.ops], depth)
        self.unit = outer
        if len(self.lines) == before:
            self.line(depth, "pass")

    def operation(self, op: Operation, depth: int) -> None:
        """Emits one operation."""
        special = CONTROL_FLOW.get(op.type)
        if special is not None:
            special(self, op, depth)
        else:
            self._kernel_call(op, depth)

    def _kernel_call(self, op: Operation, depth: int) -> None:
        operator = find(op.type)
        inputs = [[self.local(op.block, name) for name in op.input(slot.name)] for slot in operator.inputs]
        arguments = [_argument(names, slot) for names, slot in zip(inputs, operator.inputs, strict=True)]
        known = operator.attributes
        attrs = {k: v for k, v in op.attrs.items() if k in known}
        given = [_keyword_argument(k, self.literal(v)) for k, v in attrs.items()]
        targets = self._targets(op, operator)
        counted = self.limited is not None and self.limited.limits.memory_mb
        limited = f"{self.bind('l', self.limited)}.call" if counted else ""
        kernel = f"{limited}({self.bind('k', operator)}, " if counted else f"{self.bind('k', operator)}("
        self.line(depth, f"{targets} = {kernel}{', '.join(['xp', *arguments, *given])})", op)
        self.arguments_at[len(self.lines)] = inputs
        self.calls_at[len(self.lines)] = Call(operator, self._specs(op, operator), attrs, targets, ", ".join(arguments),
                                              "".join(f", {text}" for text in given), limited)

    def _specs(self, op: Operation, operator: Operator) -> tuple[Any, ...]:
        """The specs of an operation's inputs by slot; `...` for a value of which nothing is sure."""
        assert self.unit is not None
        specs: list[Any] = []
        for slot in operator.inputs:
            found = [self.unit.sure_spec(name) for name in op.input(slot.name)]
            specs.append((found or slot.nothing) if slot.many else found[0] if found else None)
        return tuple(specs)

    def code(self) -> Code:
        """What was emitted, without what it was emitted from."""
        return Code(self.lines, self.calls_at, self.bindings, self.frozen, self.limited)

    def count_round(self, op: Operation, depth: int) -> None:
        """Has a round of a loop counted, where so many may be."""
        if self.limited is not None and self.limited.limits.loop_rounds:
            self.line(depth, f"{self.bind('l', self.limited)}.round()", op)

    def _targets(self, op: Operation, operator: Operator) -> str:
        targets = []
        for slot in operator.results:
            names = [self.assigned(op.block, name) for name in op.output(slot.name)]
            if slot.many:
                targets.append(f"[{', '.join(names)}]" if names else "_")
            else:
                targets.append(names[0] if names else "_")
        return ", ".join(targets) or "_"

    def assigned(self, block: Block, name: str) -> str:
        """The local that holds a variable, which the line being emitted assigns."""
        local = self.local(block, name)
        self._assigned.add(local)
        return local

    def new_name(self, prefix: str) -> str:
        """A name for a local that holds no variable, used from the line being emitted on."""
        return f"{prefix}{len(self.lines)}"

    def declare(self, op: Operation, depth: int) -> None:
        """Gives a value to every local that a branch may leave unassigned."""
        block = sub_block(op)
        assert block is not None
        for name in dict.fromkeys([*op.output("Out"), *block_writes(block)]):
            local = self.local(op.block, name)
            if local not in self._assigned:
                self.line(depth, f"{self.assigned(op.block, name)} = None")

    def saved_tuple(self, op: Operation, block: Block) -> str:
        """The values of a block that its gradient needs, as a tuple of locals."""
        names = [self.local(block, name) for name in op.attrs.get("saved", ())]
        return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def _limited(limits: Limits) -> Limited:
    from .limited import Limited  # for the few Programs that have limits

    return Limited(limits)


def _keyword_argument(name: str, value: str) -> str:
    return f"**{{{name!r}: {value}}}" if iskeyword(name) else f"{name}={value}"


def _argument(names: list[str], slot: Slot) -> str:
    if slot.many:
        return f"[{', '.join(names)}]" if names else str(slot.nothing)
    return names[0] if names else "None"


def _emit_forward(emitter: Emitter, op: Operation, depth: int, head: str, scope: str, start: str, keep: str) -> None:
    """`head` and the block under it; the local of the slot `scope` begins as `start` and keeps what the gradient needs.

    `keep` is the statement that keeps it, with places for the local and the values.
    """
    block = sub_block(op)
    assert block is not None
    scopes = [emitter.local(op.block, name) for name in op.output(scope)] if "saved" in op.attrs else []
    emitter.declare(op, depth)
    for local in scopes:
        emitter.line(depth, f"{local} = {start}")
    emitter.line(depth, head, op)
    if head.startswith("while"):
        emitter.count_round(op, depth + 1)
    emitter.inner(op, block, depth + 1)
    for local in scopes:
        emitter.line(depth + 1, keep.format(local, emitter.saved_tuple(op, block)))


def _emit_while(emitter: Emitter, op: Operation, depth: int) -> None:
    head = f"while {emitter.local(op.block, op.input('Condition')[0])}:"
    _emit_forward(emitter, op, depth, head, "StepScopes", "[]", "{}.append({})")


def _emit_conditional_block(emitter: Emitter, op: Operation, depth: int) -> None:
    scalar = op.attrs.get("is_scalar_condition", False)
    asked, names = ("all()", op.input("Cond")) if scalar else ("size", op.input("Input"))
    conditions = [f"{emitter.local(op.block, name)}.{asked}" for name in names]
    _emit_forward(emitter, op, depth, f"if {' and '.join(conditions) or True}:", "Scope", "None", "{} = {}")


def _emit_while_grad(emitter: Emitter, op: Operation, depth: int) -> None:
    block = sub_block(op)
    assert block is not None
    scopes = emitter.local(op.block, op.input("StepScopes")[0])
    emitter.line(depth, f"for {emitter.saved_tuple(op, block)} in reversed({scopes}):".replace("for ()", "for _"), op)
    emitter.inner(op, block, depth + 1)


def _emit_conditional_block_grad(emitter: Emitter, op: Operation, depth: int) -> None:
    block = sub_block(op)
    assert block is not None
    scope = emitter.local(op.block, op.input("Scope")[0])
    emitter.line(depth, f"if {scope} is not None:", op)
    if op.attrs.get("saved"):
        emitter.line(depth + 1, f"{emitter.saved_tuple(op, block)} = {scope}")
    emitter.inner(op, block, depth + 1)


def _emit_recurrent(emitter: Emitter, op: Operation, depth: int) -> None:
    from .recurrent import emit_recurrent  # for the few Programs that have one

    emit_recurrent(emitter, op, depth)


def _emit_recurrent_grad(emitter: Emitter, op: Operation, depth: int) -> None:
    from .recurrent import emit_recurrent_grad

    emit_recurrent_grad(emitter, op, depth)


CONTROL_FLOW = {
    "while": _emit_while,
    "while_grad": _emit_while_grad,
    "conditional_block": _emit_conditional_block,
    "conditional_block_grad": _emit_conditional_block_grad,
    "recurrent": _emit_recurrent,
    "recurrent_grad": _emit_recurrent_grad,
}


def emit_unit(unit: Unit, optimize: Callable[[Unit], Unit], limits: Limits | None = None) -> Emitter:
    """Emits `def run(xp, inputs…, prepared…)`, which returns the results as a tuple.

    Where something is prepared, `def prepare(xp, frozen…)` before it gives that.
    """
    emitter = Emitter(optimize, limits)
    emitter.unit = unit
    made = {name for op in unit.prepared for name in writes(op)}
    kept = [name for name in dict.fromkeys(name for op in unit.ops for name in reads(op)) if name in made]
    taken = {name for op in unit.prepared for name in reads(op)}
    emitter.frozen = [name for name in unit.inputs if name in taken]
    if kept:
        _emit_function(emitter, "prepare", unit.prepared, unit.block, emitter.frozen, kept)
        emitter.line(0, "")
    _emit_function(emitter, "run", unit.ops, unit.block, [*unit.inputs, *kept], unit.results)
    return emitter


def _emit_function(emitter: Emitter, name: str, ops: Sequence[Operation], block: Block, inputs: Sequence[str],
                   outputs: Sequence[str]) -> None:
    arguments = [emitter.assigned(block, name) for name in inputs]
    results = [emitter.local(block, name) for name in outputs]
    kept = set(results)
    touched = [list(dict.fromkeys(emitter.local(block, name) for name in (*reads(op), *writes(op)))) for op in ops]
    last = {name: index for index, names in enumerate(touched) for name in names}
    emitter.line(0, f"def {name}({', '.join(['xp', *arguments])}):")
    assigned = set(arguments)
    for index, (op, names) in enumerate(zip(ops, touched, strict=True)):
        emitter.operation(op, 1)
        assigned.update(emitter.local(block, name) for name in writes(op))
        dead = sorted(n for n in names if last[n] == index and n in assigned and n not in kept)
        if dead:
            emitter.line(1, f"{' = '.join(dead)} = None")
    given = set(arguments)
    shown = []
    for local in results:
        shown.append(f"{emitter.bind('own', own)}({local})" if local in given else local)
        given.add(local)
    emitter.line(1, f"return ({', '.join(shown)}{',' if len(shown) == 1 else ''})")

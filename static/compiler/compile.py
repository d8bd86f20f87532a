"""Compiles a Program, or some of its operations: prunes to what is asked for, optimizes, and emits a plan."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.collection import resting
from ...core.forks import unforked
from ...ops.core.checking import check_in_force
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import OUTSIDE, needed_operations, reads, without_gradient, writes
from .emit import Emitter, emit_unit
from .exchanges import with_exchanges
from .packed_weights import packed_weights
from .passes import optimize
from .plan import Origin, Plan, PlanForm
from .refused import refuse, refuse_misfits
from .unit import Unit, in_declared_rank, in_evaluation, unit_of


def external_reads(ops: Sequence[Operation], given: set[str]) -> list[str]:
    """The names that operations read before any of them writes them, in order; `given` are known otherwise."""
    found: dict[str, None] = {}
    written = set(given)
    for op in ops:
        found.update((name, None) for name in reads(op) if name not in written)
        written.update(writes(op))
    return list(found)


def compile_plan(program: Program, feeds: Sequence[str], fetches: Sequence[str], block: Block | None = None,
                 ops: Sequence[Operation] | None = None, keep_writes: bool = True,
                 freeze: bool = True) -> tuple[Plan, list[str], list[str]]:
    """Compiles what `fetches` need: the plan, the names it reads beyond the feeds, and the persistables it writes.

    The plan's inputs are the feeds and then those names; its outputs the fetches and then the persistables. With
    `freeze`, what depends on parameters alone is computed when they change, not at every run.
    """
    block = block or program.global_block()
    ops = [ranked for op in (block.ops if ops is None else ops) if op.type not in OUTSIDE
           for plain in without_gradient(op) for evaluated in in_evaluation(plain)
           for ranked in in_declared_rank(evaluated)]
    ops = with_exchanges(ops)
    persistable = {name for op in ops for name in writes(op) if _is_persistable(block, name)} if keep_writes else set()
    needed = _needed(block, ops, set(fetches) | persistable, set(feeds))
    outer = external_reads(needed, set(feeds))
    made = {name for op in needed for name in writes(op)}
    outer += [name for name in dict.fromkeys(fetches) if name not in made and name not in feeds and name not in outer]
    updated = sorted(name for name in persistable if name in made)
    inputs, outputs = [*feeds, *outer], [*fetches, *updated]
    frozen = [name for name in inputs if _is_persistable(block, name)] if freeze else []
    refuse(needed, {*fetches, *updated})
    with unforked(), resting():
        unit = unit_of(block, needed, inputs, outputs, frozen)
        refuse_misfits(unit)
        passes = optimize if check_in_force() is None else _as_it_is  # what is looked at are the Program's operators
        unit = passes(unit)
        plan = _plan(unit, emit_unit(unit, passes, program.limits), inputs, outputs)
    return plan, outer, updated


def _as_it_is(unit: Unit) -> Unit:
    return unit


def _needed(block: Block, ops: Sequence[Operation], wanted: set[str], feeds: set[str]) -> list[Operation]:
    """What the wanted names depend on, and what draws, where nothing is missing for that."""
    needed = needed_operations(ops, wanted)
    if len(needed) == len(ops):
        return needed
    drawing = needed_operations(ops, wanted, drawing=True)
    if len(drawing) > len(needed):
        more = set(external_reads(drawing, feeds)) - set(external_reads(needed, feeds))
        if all(_is_persistable(block, name) for name in more):
            return drawing
    return needed


def _is_persistable(block: Block, name: str) -> bool:
    variable = block.find_var(name)
    return variable is not None and variable.persistable


def _plan(unit: Unit, emitter: Emitter, inputs: Sequence[str], outputs: Sequence[str]) -> Plan:
    specs = [unit.sure_spec(name) for name in inputs]
    form = PlanForm(emitter.code(), tuple(inputs), tuple(outputs),
                    [None if spec is ... else spec.dtype.dtype for spec in specs], packed_weights(unit))
    origin = Origin(unit, emitter.operations_at, emitter.arguments_at)
    return Plan(form, lambda: origin)

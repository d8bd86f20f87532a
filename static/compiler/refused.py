"""What a plan cannot be made of: it is refused by name before anything is compiled.

Of a Program that was read from a file, which may have been damaged or changed, more is asked: shapes and dtypes, as far
as they follow from what is given, are what each operator takes, and no loop or branch reads a value before it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.limits import LimitError, too_large
from ...ops.core.infer import product
from ...ops.core.operator import find, is_declared
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.slots import missing_input
from ..ir.usage import block_reads, needed_operations, reads, sub_block, writes
from .unit import Unit

_FORWARD = ("while", "conditional_block")
_SCOPES = ("StepScopes", "Scope", "step_scopes")


class MisfitError(ValueError):
    """An operator of a Program from a file that does not take what it is given."""


def refuse(ops: Sequence[Operation], fetches: set[str]) -> None:
    """Raises ValueError or NotImplementedError, naming the operator, for the first that cannot be run."""
    every = list(_with_inner(ops))
    _scopes(every)
    _gradients_of_paddle(every)
    _missing_inputs(every)
    _what_files_alone_have(ops, fetches)
    _unknown_results(every, fetches)
    for op in ops:
        if op.type in _FORWARD and op.block.program.is_loaded:
            _unmade_values(op)


def refuse_misfits(unit: Unit) -> None:
    """MisfitError, naming the operator, for the first that does not take what it is given, of a Program from a file.

    Only what follows from a run's inputs and parameters is asked, of what is run: what a file says of other values may
    be wrong, and what nobody reads is left out of the plan.
    LimitError where a result is larger than all that a run may take.
    """
    limits = unit.block.program.limits
    if not unit.block.program.is_loaded:
        return
    for op in needed_operations(unit.ops, {*unit.results, *unit.pinned}, drawing=True):
        if limits is None and op in unit.fitting:
            continue
        try:
            made = unit.sure_results(op)
        except Exception as error:  # whatever a rule comes upon in attributes that nobody has checked
            raise MisfitError(f"The operator {op.type} does not take what it is given: {error}\n  in the operation "
                              f"{op!r} (block {op.block.idx}). The model's file is damaged or was changed, or it does "
                              "not take inputs of these shapes.") from error
        size = sum(product(spec.shape) * spec.dtype.dtype.itemsize for spec in made if spec.is_known)
        if limits is not None and size > limits.memory_mb << 20 > 0:
            shown = ", ".join(f"{spec.dtype.name}{list(spec.shape)}" for spec in made)
            raise LimitError(f"{too_large(shown, limits.memory_mb)}\n  in the operation {op!r}")


def _with_inner(ops: Sequence[Operation]) -> Iterator[Operation]:
    """Operations, and those of the blocks that they run."""
    for op in ops:
        yield op
        block = sub_block(op)
        if block is not None:
            yield from _with_inner(block.ops)


def _scopes(ops: Sequence[Operation]) -> None:
    """ValueError where what a loop or branch keeps for its gradient would stand in the place of a tensor."""
    for op in ops if ops and ops[0].block.program.is_loaded else ():
        kept = {name for slot in _SCOPES for name in op.output(slot)} if sub_block(op) is not None else set()
        for name in op.output_arg_names:
            variable = op.block.find_var(name)
            if variable is not None and (variable.kind == "scopes") != (name in kept):
                raise ValueError(f"The operator {op.type} writes to {name!r}, which holds "
                                 f"{'no' if name in kept else 'the'} rounds of a loop or branch: the Program was "
                                 f"changed, or its file is damaged. Operation: {op!r}")
        if not op.output_arg_names and is_declared(op.type) and find(op.type).results and not find(op.type).has_effect:
            raise ValueError(f"The operator {op.type} has no result: the Program was changed, or its file is damaged. "
                             f"Operation: {op!r}")


def _unmade_values(op: Operation) -> None:
    """ValueError where a block reads a value of its own before it makes it."""
    block = sub_block(op)
    assert block is not None
    made = {name for name, variable in block.vars.items() if variable.persistable}
    for inner in block.ops:
        unmade = [name for name in _read_here(inner) if name in block.vars and name not in made]
        if unmade:
            raise ValueError(f"The operator {inner.type} reads {unmade[0]!r} before it is made, in the block "
                             f"{block.idx} of a {op.type}: the Program was changed, or its file is "
                             f"damaged. Operation: {inner!r}")
        made.update(writes(inner))
        if inner.type in _FORWARD:
            _unmade_values(inner)


def _read_here(op: Operation) -> list[str]:
    block: Block | None = sub_block(op)
    return op.input_arg_names if block is None else [*op.input_arg_names, *block_reads(block)]


def _what_files_alone_have(ops: Sequence[Operation], fetches: set[str]) -> None:
    """ValueError where a variable is wanted that an operator has for files, as reshape2 its XShape."""
    for op in ops:
        if fetches.isdisjoint(op.output_arg_names):
            continue
        for slot in find(op.type).outputs if is_declared(op.type) else ():
            wanted = fetches.intersection(op.output(slot.name)) if slot.file_only else ()
            if wanted:
                raise ValueError(f"fetch: {min(wanted)!r} is the result {slot.name} of {op.type}, which stands in "
                                 "files for Paddle's gradients; no run computes it.")


def _gradients_of_paddle(ops: Sequence[Operation]) -> None:
    """NotImplementedError for the gradient of an operator as PaddlePaddle has it: here it is other operators."""
    for op in ops:
        if "sub_block" in op.attrs:
            continue
        gradients = [slot for slot in op.inputs if slot.endswith("@GRAD")]
        if gradients and not (is_declared(op.type) and find(op.type).input_names.issuperset(gradients)):
            raise NotImplementedError(
                f"{op.type}: an operator of a gradient, as PaddlePaddle writes Programs of training; here they are "
                "written with other operators. Run the Program's clone(for_test=True), which has none, or build the "
                "network again, call minimize, and load the values.")


def _missing_inputs(ops: Sequence[Operation]) -> None:
    """ValueError where an operator lacks a value that it needs, or has two in the place of one."""
    for op in ops:
        missing = missing_input(op)
        if missing is not None:
            where = f", appended at {op.source}" if op.source else ""
            raise ValueError(f"The operator {op.type}{where}: {missing}. Operation: {op!r}")


def _unknown_results(ops: Sequence[Operation], fetches: set[str]) -> None:
    """ValueError where a value that is wanted stands in a slot that its operator does not have."""
    wanted = fetches.union(*map(reads, ops))
    for op in ops:
        if not is_declared(op.type) or sub_block(op) is not None:
            continue
        known = find(op.type).result_names
        unknown = [slot for slot, names in op.outputs.items() if slot not in known and not wanted.isdisjoint(names)]
        if unknown:
            raise ValueError(f"The operator {op.type} has no result {unknown[0]}: the Program was changed, or its file "
                             f"is damaged. Operation: {op!r}")

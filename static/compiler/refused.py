"""What a plan cannot be made of: it is refused by name before anything is compiled."""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.core.operator import find, is_declared
from ..ir.operation import Operation
from ..ir.slots import missing_input
from ..ir.usage import reads, sub_block


def refuse(ops: Sequence[Operation], fetches: set[str]) -> None:
    """Raises ValueError or NotImplementedError, naming the operator, for the first that cannot be run."""
    _gradients_of_paddle(ops)
    _missing_inputs(ops)
    _unknown_results(ops, fetches)
    _what_files_alone_have(ops, fetches)


def _what_files_alone_have(ops: Sequence[Operation], fetches: set[str]) -> None:
    """ValueError where a variable is wanted that an operator has for files, as reshape2 its XShape."""
    for op in ops:
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
        known = {slot.name for slot in find(op.type).inputs} if is_declared(op.type) else set()
        if any(slot.endswith("@GRAD") and slot not in known for slot in op.inputs):
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
    wanted = {name for op in ops for name in reads(op)} | fetches
    for op in ops:
        if not is_declared(op.type) or sub_block(op) is not None:
            continue
        known = {slot.name for slot in find(op.type).outputs}
        unknown = [slot for slot, names in op.outputs.items() if slot not in known and wanted.intersection(names)]
        if unknown:
            raise ValueError(f"The operator {op.type} has no result {unknown[0]}: the Program was changed, or its file "
                             f"is damaged. Operation: {op!r}")

"""Whether an operation gives its operator what it needs: what files that were damaged or changed get wrong."""

from __future__ import annotations

from ...ops.core.operator import find, is_declared
from .operation import Operation

_FRAME = ("feed", "fetch")


def missing_input(op: Operation) -> str | None:
    """What an operation lacks, or has twice, of the values that its operator needs; None where all is there.

    Where it also has gradients in slots that the operator does not know, it is another one of this name: Paddle's.
    """
    if op.type in _FRAME and not (op.output("Out") if op.type == "feed" else op.input("X")):
        return "it names no value"
    operator = find(op.type) if is_declared(op.type) else None
    if operator is None:
        return None
    for name in op.inputs:
        if name.endswith("@GRAD") and name not in operator.input_names:
            return None
    inputs = op.inputs
    for slot in operator.inputs:
        given = len(inputs.get(slot.name, ()))
        if given > 1 and not slot.many or given == 0 and not (slot.optional or slot.many or slot.file_only):
            return f"it needs one value as {slot.name}, and has {given}"
    return None

"""What depends on constants and parameters alone is computed once, and again when a parameter has another array."""

from __future__ import annotations

from ...ir.operation import Operation
from ...ir.usage import views
from ..unit import Unit


def hoist_frozen(unit: Unit) -> None:
    """Moves such operations from `ops` to `prepared`.

    Not a result, nor what a result may share memory with: it leaves the Program, and whoever has it may change it.
    """
    invariant = set(unit.frozen)
    results = set(unit.results)
    for op in reversed(unit.ops):
        results.update(given for result, given in views(op) if result in results)
    kept: list[Operation] = []
    for op in unit.ops:
        if (unit.is_movable(op) and invariant.issuperset(op.input_arg_names)
                and results.isdisjoint(op.output_arg_names) and unit.updated.isdisjoint(op.output_arg_names)):
            unit.prepared.append(op)
            invariant.update(op.output_arg_names)
        else:
            kept.append(op)
    unit.ops = kept

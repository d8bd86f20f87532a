"""Removes operations that nothing needs."""

from ...ir.usage import needed_operations
from ..unit import Unit


def remove_dead(unit: Unit) -> None:
    """Keeps what the results, or an effect beyond the Program, depend on."""
    unit.ops = needed_operations(unit.ops, set(unit.results))
    wanted = set(unit.results) | {name for op in unit.ops for name in op.input_arg_names} | unit.pinned
    unit.prepared = needed_operations(unit.prepared, wanted)

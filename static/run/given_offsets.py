"""Whether what is fed gives the offsets (LoD) of what is fetched."""

from __future__ import annotations

from typing import Any

from ..ir.program import Program
from ..ir.usage import needed_operations, reads
from ..ir.variable import OffsetsVariable


def offsets_given(program: Program, name: str, fed: frozenset[str]) -> tuple[str, ...]:
    """The names of a variable's offsets, where the fed values give them; empty otherwise."""
    key: Any = ("offsets", name, fed)
    found = program.plans.get(key)
    if found is None or found[0] != program.version:
        block = program.global_block()
        names = tuple(level.name for level in block.var(name).lod if block.has_var(level.name))
        wanted = {*names}.union(*(reads(op) for op in needed_operations(block.ops, set(names)))) if names else set()
        written = {made for op in block.ops for made in op.output_arg_names}
        missing = [n for n in wanted - fed - written if isinstance(block.find_var(n), OffsetsVariable)]
        found = program.plans[key] = (program.version, () if missing else names)
    return found[1]

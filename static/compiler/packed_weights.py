"""Which inputs of a plan products alone read, each of them one: who calls the plan may give a FrozenWeight there."""

from __future__ import annotations

from collections import Counter

from ..ir.usage import reads
from .epilogues import Packed
from .projections import Joined
from .unit import Unit


def packed_weights(unit: Unit) -> frozenset[str]:
    """The names of these inputs."""
    readers = Counter(name for op in (*unit.prepared, *unit.ops) for name in reads(op))
    found = {name for op in unit.ops if any(type(value) in (Packed, Joined) for value in op.attrs.values())
             for name in op.input("Filter") or op.input("Y")}
    kept = {*unit.results, *unit.pinned}
    return frozenset(name for name in found if readers[name] == 1 and name in unit.frozen and name not in kept)

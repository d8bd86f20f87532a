"""Products of one value with several frozen weights become one: the queries, keys and values of attention."""

from __future__ import annotations

from ...ir.operation import Operation
from ...ir.usage import reads
from ..projections import Joined
from ..unit import Unit


def join_projections(unit: Unit) -> None:
    """Puts `fused_linears` in the place of several `fused_linear` of one value.

    Of those only whose results are reshaped at once, for heads: a result lies in the joint one as columns, which other
    operators would rather have side by side.
    """
    groups: dict[tuple[str, bool], list[Operation]] = {}
    reshaped = _reshaped(unit)
    for op in unit.ops:
        if op.type == "fused_linear" and not op.attrs["activation"] and not op.input("Residual"):
            if op.output("Out")[0] in reshaped:
                groups.setdefault((op.input("X")[0], bool(op.input("Bias"))), []).append(op)
    instead: dict[int, Operation | None] = {}
    for ops in groups.values():
        if len(ops) > 1:
            instead.update({id(op): None for op in ops})
            instead[id(ops[0])] = _joined(ops)
    unit.ops = [found for op in unit.ops if (found := instead.get(id(op), op)) is not None]


def _reshaped(unit: Unit) -> set[str]:
    """The values that a reshape reads, and nothing else."""
    readers: dict[str, list[str]] = {name: ["a result"] for name in unit.results}
    for op in unit.ops:
        for name in set(reads(op)):
            readers.setdefault(name, []).append(op.type)
    return {name for name, types in readers.items() if types == ["reshape2"] and name not in unit.pinned}


def _joined(ops: list[Operation]) -> Operation:
    first = ops[0]
    inputs = {"X": first.input("X"), "Y": [op.input("Y")[0] for op in ops],
              "Bias": [name for op in ops for name in op.input("Bias")]}
    return Operation(first.block, "fused_linears", inputs, {"Out": [op.output("Out")[0] for op in ops]},
                     {"joined": Joined()}, first.source)

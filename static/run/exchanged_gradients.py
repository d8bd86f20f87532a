"""Gradients of several processes become their sums: exchanged in buckets, while the rest is computed."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...ops.collective.coalesced import parts_op, whole_op
from ...ops.collective.exchanges import broadcast_op
from ...ops.collective.reductions import all_reduce_ops
from ...ops.collective.streams import exchanged_op
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.usage import writes

_BUCKET = 8 << 20  # bytes


def with_exchanges(block: Block, ops: Sequence[Operation], gradients: Sequence[str], fused: bool) -> list[Operation]:
    """The operations, which give gradients that are the sums of those of all processes.

    They are exchanged as soon as they are computed: those that are `fused` some at a time, one behind the other.
    """
    last = {name: place for place, op in enumerate(ops) for name in writes(op)}
    rows = {name for op in ops if op.attrs.get("is_sparse") for name in writes(op)}  # of tables: exchanged as rows
    behind: dict[int, list[Operation]] = {}
    unpacked: list[Operation] = []
    for number, names in enumerate(_buckets(block, sorted(gradients, key=lambda n: last.get(n, -1)), fused, rows)):
        place, whole = max(last.get(name, -1) for name in names), f"@GRADIENTS@{number}"
        packed = behind.setdefault(place, [])
        if len(names) == 1:
            whole = names[0]
        else:
            packed.append(Operation(block, whole_op.type, {"X": names}, {"Out": [whole]}, {}))
            unpacked.append(Operation(block, parts_op.type, {"X": [whole], "Like": names}, {"Out": names}, {}))
        packed.append(Operation(block, all_reduce_ops["sum"].type, {"X": [whole]}, {"Out": [whole]},
                                {"ring_id": 0, "use_calc_stream": False}))
    done = list(behind.get(-1, ()))
    for place, op in enumerate(ops):
        done += [op, *behind.get(place, ())]
    return [*done, Operation(block, exchanged_op.type, {}, {}, {"ring_id": 0}), *unpacked]


def with_first_values(block: Block, names: Sequence[str]) -> list[Operation]:
    """Operations that give every process the first one's values."""
    return [Operation(block, broadcast_op.type, {"X": [name]}, {"Out": [name]},
                      {"ring_id": 0, "root": 0, "use_calc_stream": True}) for name in names]


def _buckets(block: Block, names: Sequence[str], fused: bool, alone: Collection[str]) -> list[list[str]]:
    """Gradients of one dtype together, up to a size, in the order in which they come; some `alone`."""
    found: list[list[str]] = []
    room: int = 0
    dtype = None
    for name in names:
        variable = block.var(name)
        size = variable.spec.size * variable.dtype.itemsize
        is_alone = not fused or name in alone
        if not found or is_alone or size > room or variable.dtype is not dtype:
            found.append([])
            room, dtype = 0 if is_alone else _BUCKET, variable.dtype
        found[-1].append(name)
        room -= size
    return found

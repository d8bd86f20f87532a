"""What the processes of a ring must exchange alike: said once, before the first exchange of each ring in a plan.

Processes whose Programs exchange different things would wait for each other for ever, or take the one for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ops.collective.rings import set_up_rings
from ...ops.collective.streams import agree_op, orders_only
from ...ops.core.operator import find, is_declared
from ..ir.operation import Operation
from ..ir.usage import sub_block


def agreed(ops: Sequence[Operation]) -> list[Operation]:
    """The operations, with a comparison before the first of each ring."""
    found: dict[int, list[str]] = {}
    first: dict[int, int] = {}
    for place, op in enumerate(ops):
        for inner in _with_inner(op):
            ring = _ring(inner)
            if ring is not None:
                found.setdefault(ring, []).append(_account(inner))
                first.setdefault(ring, place)
    done: list[Operation] = []
    for place, op in enumerate(ops):
        done += [Operation(op.block, agree_op.type, {}, {}, {"ring_id": ring, "exchanges": found[ring]}, op.source)
                 for ring, at in first.items() if at == place]
        done.append(op)
    return done


def _with_inner(op: Operation) -> Iterator[Operation]:
    yield op
    block = sub_block(op)
    for inner in () if block is None else block.ops:
        yield from _with_inner(inner)


def _ring(op: Operation) -> int | None:
    """The ring whose processes all take part; None for what is no exchange, or one of two of them."""
    if op.type in orders_only or op.type in set_up_rings or not is_declared(op.type):
        return None
    operator = find(op.type)
    if "communicates" not in operator.effects or "ring_id" not in operator.attributes or "peer" in operator.attributes:
        return None
    return op.attrs.get("ring_id", 0)


def _account(op: Operation) -> str:
    """An exchange in words; what stands behind " of " may differ between processes."""
    names = op.input("X")
    variable = op.block.find_var(names[0]) if names else None
    kind = "" if variable is None or variable._dtype is None else f" {variable._dtype.name}{list(variable.shape)}"
    root = "".join(f" from {op.attrs[name]}" for name in ("root", "root_id") if name in op.attrs)
    return f"{op.type}{kind}{root} of {', '.join(names)}"

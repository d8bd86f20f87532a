"""Attention that a Program spells out, products around a softmax, is one operation where only its result is wanted.

Where a gradient is there already, it wants the weights, and they stay; one that is yet to be taken is that of the one
operation (`jit/tracing/trained_attention.py`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ....core.dtype import float32
from ...ir.operation import Operation
from ...ir.usage import reads
from ..unit import Unit


class Attention(NamedTuple):
    """Operations of a Unit that are attention: their numbers, that of the last, and the one that they are together."""

    place: int
    members: set[int]
    whole: Operation


def fuse_attention(unit: Unit) -> None:
    """Puts `attention`, or `fused_attention` where sizes are not known, in the place of the operations they are."""
    found = attention_in(unit)
    if found:
        unit.ops = replaced(unit.ops, found)


def replaced(ops: list[Operation], found: list[Attention]) -> list[Operation]:
    """The operations with those that attention stands for in their place."""
    placed = {each.place: each.whole for each in found}
    gone = {number for each in found for number in each.members}
    return [placed.get(number, op) for number, op in enumerate(ops) if number in placed or number not in gone]


def attention_in(unit: Unit) -> list[Attention]:
    """Where a Unit spells attention out, and nothing else wants what is inside."""
    if not any(op.type == "softmax" for op in unit.ops):
        return []
    graph = _Graph(unit)
    found: list[Attention] = []
    gone: set[int] = set()
    for index, op in enumerate(unit.ops):
        each = _forward(graph, index) if op.type == "softmax" else None
        if each is not None and gone.isdisjoint(each.members):
            gone.update(each.members)
            found.append(each)
    return found


class _Graph:
    """Who makes and who reads each value, by the number of the operation."""

    def __init__(self, unit: Unit):
        self.unit, self.ops, self.results = unit, unit.ops, set(unit.results)
        self.maker = {name: n for n, op in enumerate(self.ops) for name in op.output_arg_names}
        self.readers: dict[str, list[int]] = {}
        for n, op in enumerate(self.ops):
            for name in set(reads(op)):
                self.readers.setdefault(name, []).append(n)

    def made_here(self, name: str) -> int | None:
        """The operation that makes a value which one other operation reads, and nothing else."""
        return self.maker.get(name) if len(self.readers.get(name, ())) == 1 and name not in self.results else None

    def of_rank_4(self, *names: str) -> bool:
        """Whether these are float32 of [batch, heads, rows, columns]."""
        specs = [self.unit.spec(name) for name in names]
        return all(spec is not None and spec.rank == 4 and spec.dtype is float32 for spec in specs)

    def batches(self, *names: str) -> set[Any]:
        """The different [batch, heads] of values of rank 4; -1 where a size is not known, and they may broadcast."""
        found = {spec.shape[:2] for name in names if (spec := self.unit.spec(name)) is not None}
        return {-1 if -1 in sizes else sizes for sizes in found}

    def product(self, index: int | None, trans_x: bool, trans_y: bool) -> tuple[str, str, str] | None:
        """The two factors and the result of an operation that is a product of this kind."""
        op = None if index is None else self.ops[index]
        if op is None or op.type != "matmul_v2" or not self.unit.is_movable(op):
            return None
        if bool(op.attrs.get("trans_x")) is not trans_x or bool(op.attrs.get("trans_y")) is not trans_y:
            return None
        x, y, result = op.input("X")[0], op.input("Y")[0], op.output("Out")[0]
        return (x, y, result) if self.of_rank_4(x, y, result) else None

    def factor(self, index: int | None) -> float | None:
        """The number that an operation multiplies with, where that is all it does."""
        op = None if index is None else self.ops[index]
        if op is None or op.type != "scale" or op.input("ScaleTensor") or not self.unit.is_movable(op):
            return None
        return float(op.attrs.get("scale", 1.0)) if not op.attrs.get("bias") else None

    def is_plain_softmax(self, op: Operation) -> bool:
        """Whether it is one over the last of four dimensions."""
        axis = op.attrs.get("axis", -1)
        return axis in (-1, 3) and self.unit.is_movable(op) and self.of_rank_4(op.input_arg_names[0])


def _forward(graph: _Graph, index: int) -> Attention | None:
    """[scale] → product → [+ mask] → softmax → product, beginning with the softmax."""
    op = graph.ops[index]
    scores, weights = op.input("X")[0], op.output("Out")[0]
    if not graph.is_plain_softmax(op):
        return None
    members, inputs = {index}, {}
    made = graph.made_here(scores)
    masked = _masked(graph, made)
    if masked is not None and made is not None:
        members.add(made)
        made, inputs["Mask"] = masked[0], [masked[1]]
    first = graph.product(made, False, True)
    if first is None or made is None or graph.made_here(weights) is None:
        return None
    place = graph.readers[weights][0]
    second = graph.product(place, False, False)
    if second is None or second[0] != weights or second[1] == weights:
        return None
    q, scale = first[0], 1.0
    before = graph.made_here(q)
    factor = graph.factor(before)
    if factor is not None and before is not None:
        q, scale = graph.ops[before].input("X")[0], factor
        members.add(before)
    inputs = {"Q": [q], "K": [first[1]], "V": [second[1]], **inputs}
    batches = graph.batches(q, first[1], second[1])
    if len(batches - {-1}) > 1:
        return None
    members |= {made, place}
    from .. import attention as _operators  # noqa: F401 - declares what is put into a Unit, where there is something

    kind = "fused_attention" if -1 in batches else "attention"
    last = graph.ops[place]
    whole = Operation(last.block, kind, inputs, {"Out": [second[2]]}, {"scale": scale}, last.source)
    return Attention(place, members, whole)


def _masked(graph: _Graph, index: int | None) -> tuple[int, str] | None:
    """The operation that makes the scores to which an operation adds a mask, and the mask."""
    op = None if index is None else graph.ops[index]
    if op is None or op.type != "elementwise_add" or op.attrs.get("axis", -1) != -1 or not graph.unit.is_movable(op):
        return None
    x, y = op.input("X")[0], op.input("Y")[0]
    for scores, mask in ((x, y), (y, x)):
        made, spec = graph.made_here(scores), graph.unit.spec(mask)
        if made is None or graph.product(made, False, True) is None or spec is None or spec.dtype is not float32:
            continue
        if graph.unit.spec(scores) == graph.unit.spec(op.output("Out")[0]) and _is_broadcast(spec, graph, scores):
            return made, mask
    return None


def _is_broadcast(mask: Any, graph: _Graph, scores: str) -> bool:
    """Whether a mask cannot make the scores larger."""
    spec = graph.unit.spec(scores)
    assert spec is not None
    sizes = spec.shape[4 - mask.rank:] if mask.rank <= 4 else ()
    return mask.rank <= 4 and all(m in (1, n) for m, n in zip(mask.shape, sizes, strict=True))

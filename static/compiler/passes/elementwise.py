"""Fuses elementwise operators that work on values of one shape into groups, each of which runs as one loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....backend.loops.formula import expression
from ....backend.loops.types import OF_DTYPE, REAL
from ....ops.core.operator import find
from ....ops.core.spec import Spec
from ...ir.program import Operation
from ...ir.usage import reads, writes
from ..elementwise_group import Group, Part
from ..unit import Unit

_LARGEST_GROUP = 48  # operators: larger loops run out of registers
_MASKS = ("bool", "uint8")


def fuse_elementwise(unit: Unit) -> None:
    """Puts one operation, `fused_elementwise`, in the place of each group of two or more."""
    unit.prepared = _Fusion(unit, unit.prepared, set(unit.results) | _read_in(unit.ops)).run()
    unit.ops = _Fusion(unit, unit.ops, set(unit.results)).run()


def _read_in(ops: Sequence[Operation]) -> set[str]:
    return {name for op in ops for name in op.input_arg_names}


class _Fusion:
    """Groups are grown in order: an operation joins the group of one of its inputs where no third stands between."""

    def __init__(self, unit: Unit, ops: Sequence[Operation], wanted: set[str]):
        self.unit, self.ops, self.wanted = unit, list(ops), wanted
        self.readers: dict[str, set[int]] = {}
        self.group = list(range(len(self.ops)))
        self.members: dict[int, list[int]] = {i: [i] for i in range(len(self.ops))}
        self.feeds: list[set[int]] = []  # by operation: those that must come before it: the makers of its inputs

    def run(self) -> list[Operation]:
        """The operations with groups fused, in an order that respects what each reads."""
        fusible = [self._real_dtype(op) for op in self.ops]
        maker: dict[str, int] = {}
        for index, op in enumerate(self.ops):
            self.feeds.append(self._before(op, maker))
            for name in reads(op):
                self.readers.setdefault(name, set()).add(index)
            maker.update((name, index) for name in writes(op))
            if fusible[index] is None:
                continue
            for other in sorted(self.feeds[index], reverse=True):
                if (fusible[other] == fusible[index] and self.group[other] != self.group[index]
                        and self._shape(op) == self._shape(self.ops[other]) and self._may_join(index, other)):
                    self._join(index, other)
        if all(len(members) == 1 for members in self.members.values()):
            return self.ops
        return self._ordered()

    def _before(self, op: Operation, maker: dict[str, int]) -> set[int]:
        """What an operation must come behind; where names are written more than once, their readers and writers too."""
        found = {maker[name] for name in reads(op) if name in maker}
        for name in writes(op):
            if name in self.unit.pinned:
                found |= self.readers.get(name, set()) | ({maker[name]} if name in maker else set())
        return found

    def _shape(self, op: Operation) -> tuple[int, ...]:
        spec = self.unit.spec(op.output_arg_names[0])
        assert spec is not None
        return spec.shape

    def _real_dtype(self, op: Operation) -> str | None:
        """The floating dtype in which an operation works when it can be fused; None when it cannot."""
        unit = self.unit
        if not unit.is_movable(op) or find(op.type).formula is None or _formula(op, {}) is None:
            return None
        specs = [unit.spec(name) for name in (*op.input_arg_names, *op.output_arg_names)]
        if any(spec is None for spec in specs) or len(op.output_arg_names) != 1:
            return None
        kinds = {spec.dtype.name for spec in specs if spec is not None and spec.dtype.name not in _MASKS}
        return kinds.pop() if len(kinds) == 1 and kinds <= {"float32", "float64"} else None

    def _may_join(self, index: int, other: int) -> bool:
        """Whether the operation may run with the other's group: none of its inputs needs that group by a detour."""
        own, target = self.group[index], self.group[other]
        if len(self.members[own]) + len(self.members[target]) > _LARGEST_GROUP:
            return False
        first = min(self.members[target] + self.members[own])
        pending = [self.group[i] for member in self.members[own] for i in self.feeds[member]]
        pending = [g for g in pending if g not in (own, target)]
        pending += [self.group[i] for member in self.members[target] for i in self.feeds[member]
                    if self.group[i] not in (own, target)]
        seen = set(pending)
        while pending:
            current = pending.pop()
            if max(self.members[current]) < first:
                continue
            for member in self.members[current]:
                for i in self.feeds[member]:
                    found = self.group[i]
                    if found in (own, target):
                        return False
                    if found not in seen:
                        seen.add(found)
                        pending.append(found)
        return True

    def _join(self, index: int, other: int) -> None:
        source, target = self.group[index], self.group[other]
        for member in self.members.pop(source):
            self.group[member] = target
            self.members[target].append(member)

    def _ordered(self) -> list[Operation]:
        """The operations, groups as one, each behind what it reads; otherwise in the old order."""
        done: list[Operation] = []
        placed: set[int] = set()

        def place(group: int) -> None:
            stack = [(group, False)]
            while stack:
                current, ready = stack.pop()
                if current in placed:
                    continue
                if ready:
                    placed.add(current)
                    done.append(self._operation(sorted(self.members[current])))
                    continue
                stack.append((current, True))
                needed = {self.group[i] for m in self.members[current] for i in self.feeds[m]} - {current} - placed
                stack.extend((g, False) for g in sorted(needed, reverse=True))

        for index in range(len(self.ops)):
            if index == max(self.members[self.group[index]]):
                place(self.group[index])
        return done

    def _operation(self, members: list[int]) -> Operation:
        if len(members) == 1:
            return self.ops[members[0]]
        ops = [self.ops[i] for i in members]
        made = [op.output_arg_names[0] for op in ops]
        inputs = list(dict.fromkeys(n for op in ops for n in op.input_arg_names if n not in made))
        number = {name: k for k, name in enumerate([*inputs, *made])}
        outputs = [n for n in made if n in self.wanted or not self.readers.get(n, set()).issubset(members)]
        parts = [self._part(op, number, len(inputs)) for op in ops]
        group = Group(parts, [number[n] for n in outputs], [self._spec(n) for n in outputs])
        return Operation(ops[0].block, "fused_elementwise", {"X": inputs}, {"Out": outputs}, {"group": group},
                         ops[-1].source)

    def _spec(self, name: str) -> Spec:
        spec = self.unit.spec(name)
        assert spec is not None
        return spec

    def _part(self, op: Operation, number: dict[str, int], inputs: int) -> Part:
        operator = find(op.type)
        names = {n: f"a{k}" if (k := number[n]) < inputs else f"t{k}" for n in op.input_arg_names}
        formula = _formula(op, names)
        assert formula is not None
        slots: list[Any] = []
        for slot in operator.inputs:
            values = tuple(number[n] for n in op.input(slot.name))
            slots.append(values if slot.many else values[0] if values else None)
        attrs = {k: v for k, v in op.attrs.items() if k in operator.attributes}
        result = op.output_arg_names[0]
        kind = OF_DTYPE[self._spec(result).dtype.name]
        if kind in REAL:
            formula = f"{kind}({formula})"  # what is made of masks alone is a number from here on
        return Part(operator, tuple(slots), number[result], attrs, formula)


def _formula(op: Operation, names: dict[str, str]) -> str | None:
    """The operation's formula over named values; None where it has none, or leaves an input out."""
    operator = find(op.type)
    assert operator.formula is not None
    operands = {slot.name: [names.get(n, f"x{k}") for k, n in enumerate(op.input(slot.name))]
                for slot in operator.inputs if op.input(slot.name)}
    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    text = expression(operator.formula, operands, attrs)
    absent = {slot.name for slot in operator.inputs if slot.optional and op.input(slot.name)}
    return None if text is None or absent else text

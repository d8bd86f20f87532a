"""Fuses elementwise operators that work on values of one shape into groups, each of which runs as one loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ....backend.loops.formula import over, text_for
from ....backend.loops.types import OF_DTYPE, REAL
from ....ops.core.operator import Operator, find
from ....ops.core.spec import Spec
from ...ir.operation import Operation
from ...ir.usage import reads, writes
from ..elementwise_group import Group, Part
from ..unit import Unit, written_inputs

_LARGEST_GROUP = 48  # operators: larger loops run out of registers
_MASKS = ("bool", "uint8")


def fuse_elementwise(unit: Unit) -> None:
    """Puts one operation, `fused_elementwise`, in the place of each group of two or more."""
    unit.prepared = _Fusion(unit, unit.prepared, set(unit.results) | _read_in(unit.ops)).run()
    unit.ops = _Fusion(unit, unit.ops, set(unit.results)).run()


def _read_in(ops: Sequence[Operation]) -> set[str]:
    return {name for op in ops for name in op.input_arg_names}


class _Fusible(NamedTuple):
    """What is known of an operation that may be part of a loop: among others the floating dtype in which it works."""

    operator: Operator
    dtype: str
    shape: tuple[int, ...]
    attrs: dict[str, Any]
    formula: str


class _Fusion:
    """Groups are grown in order: an operation joins the group of one of its inputs where no third stands between."""

    def __init__(self, unit: Unit, ops: Sequence[Operation], wanted: set[str]):
        self.unit, self.ops, self.wanted = unit, list(ops), wanted
        self.readers: dict[str, set[int]] = {}
        self.group = list(range(len(self.ops)))
        self.members: dict[int, list[int]] = {i: [i] for i in range(len(self.ops))}
        self.last = list(range(len(self.ops)))  # by group: its last member
        self.reach = list(range(len(self.ops)))  # by group: the last of these and of what must come before
        self.fusible: list[_Fusible | None] = []
        self.feeds: list[set[int]] = []  # by operation: those that must come before it: the makers of its inputs
        self.users: list[list[int]] = [[] for _ in self.ops]  # by operation: those that must come behind it

    def run(self) -> list[Operation]:
        """The operations with groups fused, in an order that respects what each reads."""
        self.fusible = fusible = [self._fusible(op) for op in self.ops]
        maker: dict[str, int] = {}
        for index, op in enumerate(self.ops):
            self.feeds.append(self._before(op, maker))
            for other in self.feeds[index]:
                self.users[other].append(index)
            for name in reads(op):
                self.readers.setdefault(name, set()).add(index)
            maker.update((name, index) for name in writes(op))
            own = fusible[index]
            if own is None:
                continue
            for other in sorted(self.feeds[index], reverse=True):
                found = fusible[other]
                if (found is not None and found.dtype == own.dtype and found.shape == own.shape
                        and self.group[other] != self.group[index] and self._may_join(index, other)):
                    self._join(index, other)
        if all(len(members) == 1 for members in self.members.values()):
            return self.ops
        return self._ordered()

    def _before(self, op: Operation, maker: dict[str, int]) -> set[int]:
        """What an operation must come behind: the makers of what it reads, and the readers of what it may write over.

        Where names are written more than once, their readers and writers too.
        """
        found = {maker[name] for name in reads(op) if name in maker}
        for name in written_inputs(op):
            found |= self.readers.get(name, set())
        for name in writes(op):
            if name in self.unit.pinned:
                found |= self.readers.get(name, set()) | ({maker[name]} if name in maker else set())
        return found

    def _fusible(self, op: Operation) -> _Fusible | None:
        """What is known of an operation when it can be fused; None when it cannot."""
        unit, outputs = self.unit, op.output_arg_names
        if len(outputs) != 1 or not unit.is_movable(op):
            return None
        operator = find(op.type)
        made = None if operator.formula is None else unit.spec(outputs[0])
        if operator.formula is None or made is None:
            return None
        dtype = made.dtype.name
        for name in op.input_arg_names:
            spec = unit.spec(name)
            if spec is None:
                return None
            kind = spec.dtype.name
            if kind != dtype and kind not in _MASKS:
                if dtype not in _MASKS:
                    return None
                dtype = kind
        if dtype not in ("float32", "float64"):
            return None
        if any(slot.optional and op.input(slot.name) for slot in operator.inputs):  # the formula leaves it out
            return None
        attrs = {k: v for k, v in op.attrs.items() if k in operator.attributes}
        text = text_for(operator.formula, {**operator.defaults, **attrs})
        return None if text is None else _Fusible(operator, dtype, made.shape, attrs, text)

    def _may_join(self, index: int, other: int) -> bool:
        """Whether the operation may run with the other's group: none of its inputs needs that group by a detour."""
        own, target = self.group[index], self.group[other]
        if len(self.members[own]) + len(self.members[target]) > _LARGEST_GROUP:
            return False
        group, reach, feeds = self.group, self.reach, self.feeds
        both = [*self.members[own], *self.members[target]]
        first = min(both)
        begins = [index] if len(self.members[own]) == 1 else both  # nothing reads yet what the newest makes
        pending = [group[i] for member in begins for i in feeds[member] if reach[group[i]] >= first]
        seen = {own, target, *pending}
        pending = [found for found in pending if found != own and found != target]
        while pending:
            for member in self.members[pending.pop()]:
                for i in feeds[member]:
                    found = group[i]
                    if found == own or found == target:
                        return False
                    if found not in seen and reach[found] >= first:
                        seen.add(found)
                        pending.append(found)
        return True

    def _join(self, index: int, other: int) -> None:
        source, target = self.group[index], self.group[other]
        for member in self.members.pop(source):
            self.group[member] = target
            self.members[target].append(member)
        self.last[target] = self.reach[target] = index  # the newest of all
        pending = [target]
        while pending:  # what comes behind the group comes behind its newest member now
            for user in [user for member in self.members[pending.pop()] for user in self.users[member]]:
                if self.reach[self.group[user]] < index:
                    self.reach[self.group[user]] = index
                    pending.append(self.group[user])

    def _ordered(self) -> list[Operation]:
        """The operations, groups as one, each behind what it reads; otherwise in the old order."""
        done: list[Operation] = []
        placed: set[int] = set()
        begun: set[int] = set()

        def place(group: int) -> None:
            if all(self.group[i] in placed or self.group[i] == group for m in self.members[group]
                   for i in self.feeds[m]):
                stack = [(group, True)]
            else:
                stack = [(group, False)]
            while stack:
                current, ready = stack.pop()
                if current in placed:
                    continue
                if ready:
                    placed.add(current)
                    done.append(self._operation(sorted(self.members[current])))
                    continue
                assert current not in begun, "two groups need each other"
                begun.add(current)
                stack.append((current, True))
                needed = {self.group[i] for m in self.members[current] for i in self.feeds[m]} - {current} - placed
                stack.extend((g, False) for g in sorted(needed, reverse=True))

        for index in range(len(self.ops)):
            if index == self.last[self.group[index]]:
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
        parts = [self._part(i, number, len(inputs)) for i in members]
        group = Group(parts, [number[n] for n in outputs], [self._spec(n) for n in outputs])
        return Operation(ops[0].block, "fused_elementwise", {"X": inputs}, {"Out": outputs}, {"group": group},
                         ops[-1].source)

    def _spec(self, name: str) -> Spec:
        spec = self.unit.spec(name)
        assert spec is not None
        return spec

    def _part(self, index: int, number: dict[str, int], inputs: int) -> Part:
        op, known = self.ops[index], self.fusible[index]
        assert known is not None
        operator, attrs = known.operator, known.attrs
        slots: list[Any] = []
        operands: dict[str, list[str]] = {}
        for slot in operator.inputs:
            values = tuple([number[n] for n in op.input(slot.name)])
            slots.append(values if slot.many else values[0] if values else None)
            if values:
                operands[slot.name] = [f"a{k}" if k < inputs else f"t{k}" for k in values]
        formula = over(known.formula, operands, {**operator.defaults, **attrs})
        result = op.output_arg_names[0]
        kind = OF_DTYPE[self._spec(result).dtype.name]
        if kind in REAL:
            formula = f"{kind}({formula})"  # what is made of masks alone is a number from here on
        return Part(operator, tuple(slots), number[result], attrs, formula)

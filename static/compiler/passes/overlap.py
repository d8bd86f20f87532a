"""Exchanges go on while a plan computes: begun where they stand, over where the Program waits, or reads what they give.

An exchange that asks for it (`use_calc_stream=False`) is begun, and its result is given on by the next wait for its
ring, ahead of the first operation that reads it, or with the first update of a parameter. Where nothing is computed
until then it stays what it is.
"""

from __future__ import annotations

import itertools

from ....ops.collective.streams import begun_forms, finish_op, waits
from ....ops.core.operator import find, is_declared
from ...ir.operation import OPTIMIZE_ROLE, Operation
from ...ir.usage import reads
from ..unit import Unit, renamed


def overlap_exchanges(unit: Unit) -> None:
    """Puts begun exchanges in the place of those behind which something is computed, and their ends behind that."""
    if not any(op.type in begun_forms or op.type in waits for op in unit.ops):
        return
    finished = _finished(unit)
    exchanges = {name: op for op in unit.ops if op.type in begun_forms for name in op.output_arg_names}
    rings = {name: op.attrs.get("ring_id", 0) for name, op in exchanges.items()}
    begun = {name for names in finished.values() for name in names}
    instead: dict[str, str] = {}
    done: list[Operation] = []
    for place, op in enumerate((*unit.ops, None)):
        for ring, group in itertools.groupby(sorted(finished.get(place, ()), key=rings.__getitem__), rings.__getitem__):
            names = list(group)
            instead.update((name, unit.new_name(name, unit.spec(name))) for name in names)
            done.append(Operation(unit.block, finish_op.type, {"X": names}, {"Out": [instead[n] for n in names]},
                                  {"ring_id": ring}, exchanges[names[0]].source))
        if op is None or op.type in waits:
            continue
        op = renamed(op, instead, {})
        done.append(_begun(op) if op.type in begun_forms and op.output("Out")[0] in begun else op)
    unit.ops = done
    unit.results = [instead.get(name, name) for name in unit.results]


def _begun(op: Operation) -> Operation:
    form = begun_forms[op.type]
    attrs = {name: value for name, value in op.attrs.items() if name in form.attributes}
    what = f"{op.type} of {op.output('Out')[0].partition('@v_')[0]!r}"
    return Operation(op.block, form.type, op.inputs, op.outputs, {**attrs, "what": what}, op.source)


def _finished(unit: Unit) -> dict[int, list[str]]:
    """By places: the results of exchanges that go on until there."""
    pending: dict[str, tuple[int, int]] = {}  # place and ring
    found: dict[int, list[str]] = {}
    computed = list(itertools.accumulate((not _exchanges(op) for op in unit.ops), initial=0))

    def finish(place: int, names: list[str]) -> None:
        for name in names:
            begun, _ = pending.pop(name)
            if computed[place] > computed[begun]:
                found.setdefault(place, []).append(name)

    for place, op in enumerate(unit.ops):
        ring = op.attrs.get("ring_id", 0)
        if op.type in waits:
            finish(place, [name for name, (_, of) in pending.items() if of == ring])
        elif not pending.keys().isdisjoint(reads(op)):
            updates = op.attrs.get("op_role", 0) & OPTIMIZE_ROLE
            finish(place, [name for name in pending if updates or name in reads(op)])
        if op.type in begun_forms and not op.attrs.get("use_calc_stream", False):
            name = op.output("Out")[0]
            if unit.pinned.isdisjoint((*op.input_arg_names, name)):
                pending[name] = place, ring
    finish(len(unit.ops), list(pending))
    return found


def _exchanges(op: Operation) -> bool:
    return is_declared(op.type) and "communicates" in find(op.type).effects

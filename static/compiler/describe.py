"""A plan as a table for people: what became of each operation, what it costs, and where the user wrote it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ...ops.core.facts import free
from ...ops.core.operator import Operator, find
from ...ops.core.signature import Slot
from ...ops.core.spec import Spec
from ..ir.operation import Operation
from .unit import Unit


def describe(unit: Unit) -> str:
    """The table of a compiled Unit: first what is prepared, then what every run does.

    Costs are of one run: operations with a product and a sum as two, and bytes read and written. They are left out
    where a size is not known before the run.
    """
    lines = [f"{len(unit.ops)} operations a run, {len(unit.prepared)} prepared; "
             f"{_number(_total(unit, unit.ops))} operations"]
    header = ("", "operation", "gives", "operations", "bytes", "written at")
    for title, ops in (("prepared when a parameter changes", unit.prepared), ("every run", unit.ops)):
        if ops:
            rows = [header, *(_row(unit, number, op) for number, op in enumerate(ops, 1))]
            lines += ["", title, *_table(rows)]
    return "\n".join(lines)


def _row(unit: Unit, number: int, op: Operation) -> tuple[str, ...]:
    computed = [name for slot in find(op.type).results for name in op.output(slot.name)]  # no XShape
    results = ", ".join(_shape(unit.spec(name)) for name in computed[:2])
    return (str(number), _name(op), results, _number(operations_of(unit, op)), _number(bytes_of(unit, op)),
            _place(op.source))


def _name(op: Operation) -> str:
    if op.type == "fused_elementwise":
        return f"one loop: {op.attrs['group']}"
    if op.type in ("fused_conv2d", "fused_linear"):
        parts = ["conv2d" if op.type == "fused_conv2d" else "matmul_v2", *(s.lower() for s in ("Bias", "Residual")
                 if op.input(s)), *([op.attrs["activation"]] if op.attrs["activation"] else [])]
        return f"one call: {' + '.join(parts)}"
    return f"{op.type} (a view)" if _is_view(op) else op.type


def _shape(spec: Spec | None) -> str:
    return "?" if spec is None else f"{spec.dtype.name}{[n if n >= 0 else '?' for n in spec.shape]}".replace("'", "")


def _place(source: str) -> str:
    path, _, line = source.rpartition(":")
    return f"{Path(path).name}:{line}" if path else source


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _number(value: int | None) -> str:
    if value is None:
        return "?"
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return str(value)


def _total(unit: Unit, ops: Sequence[Operation]) -> int | None:
    counts = [operations_of(unit, op) for op in ops]
    return None if None in counts else sum(count or 0 for count in counts)


def _specs(unit: Unit, op: Operation, slots: Sequence[Slot], names: Callable[[str], list[str]]) -> list[Any] | None:
    """What is known of the values in slots; None where a size is not."""
    found: list[Any] = []
    for slot in slots:
        specs = [unit.spec(name) for name in names(slot.name)]
        if any(spec is None or not spec.is_known for spec in specs):
            return None
        found.append((specs or slot.nothing) if slot.many else specs[0] if specs else None)
    return found


def _shapes(specs: Sequence[Any]) -> list[Any]:
    return [[s.shape for s in spec] if isinstance(spec, list) else spec and spec.shape for spec in specs]


def _known(unit: Unit, op: Operation) -> tuple[Operator, list[Any], list[Any]] | None:
    """The operator, and what is known of its inputs and results; None where a size is not."""
    operator = find(op.type)
    inputs = _specs(unit, op, operator.inputs, op.input)
    results = _specs(unit, op, operator.results, op.output)
    return None if inputs is None or results is None else (operator, inputs, results)


def operations_of(unit: Unit, op: Operation) -> int | None:
    """The arithmetic operations of one run; None where a size is not known."""
    if find(op.type).cost is free:
        return 0
    known = _known(unit, op)
    if known is None:
        return None
    operator, inputs, results = known
    return operator.cost(_shapes(inputs), _shapes(results), op.attrs)


def bytes_of(unit: Unit, op: Operation) -> int | None:
    """The bytes that one run reads and writes; None where a size is not known.

    All inputs and results once; of an input from which elements are only moved, not more than there are results.
    """
    if _is_view(op):
        return 0
    known = _known(unit, op)
    if known is None:
        return None
    operator, inputs, results = known
    written = sum(map(_nbytes, results))
    return written + sum(min(_nbytes(spec), written) if operator.moves else _nbytes(spec) for spec in inputs)


def _is_view(op: Operation) -> bool:
    """Whether it does nothing but to look at the memory of an input in another way."""
    operator = find(op.type)
    return operator.moves and len(operator.views) > 0


def _nbytes(spec: Any) -> int:
    if isinstance(spec, list):
        return sum(map(_nbytes, spec))
    return 0 if spec is None else math.prod(spec.shape) * spec.dtype.dtype.itemsize

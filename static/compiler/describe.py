"""A plan as a table for people: what became of each operation, what it costs, and where the user wrote it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from ...ops.spec import Spec
from ..program import Operation
from .unit import Unit

_CONVOLUTIONS = ("conv2d", "depthwise_conv2d", "conv3d", "conv2d_transpose", "fused_conv2d", "conv_input_grad")
_PRODUCTS = ("matmul_v2", "bmm", "mul", "fused_linear")
_VIEWS = ("reshape2", "transpose2", "squeeze2", "unsqueeze2", "flatten_contiguous_range", "share_data")


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
    results = ", ".join(_shape(unit.spec(name)) for name in op.output_arg_names[:2])
    return (str(number), _name(op), results, _number(operations_of(unit, op)), _number(bytes_of(unit, op)),
            _place(op.source))


def _name(op: Operation) -> str:
    if op.type == "fused_elementwise":
        return f"one loop: {op.attrs['group']}"
    if op.type in ("fused_conv2d", "fused_linear"):
        parts = ["conv2d" if op.type == "fused_conv2d" else "matmul_v2", *(s.lower() for s in ("Bias", "Residual")
                 if op.input(s)), *([op.attrs["activation"]] if op.attrs["activation"] else [])]
        return f"one call: {' + '.join(parts)}"
    return f"{op.type} (a view)" if op.type in _VIEWS else op.type


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


def _elements(spec: Spec | None) -> int | None:
    return None if spec is None or not spec.is_known else math.prod(spec.shape)


def operations_of(unit: Unit, op: Operation) -> int | None:
    """The arithmetic operations of one run; None where a size is not known."""
    if op.type in _VIEWS:
        return 0
    result = _elements(unit.spec(op.output_arg_names[0])) if op.output_arg_names else 0
    if result is None:
        return None
    if op.type in _CONVOLUTIONS:
        filters = unit.spec((op.input("Filter") or op.input_arg_names)[0])
        return None if filters is None or not filters.is_known else 2 * result * math.prod(filters.shape[1:])
    if op.type in _PRODUCTS:
        x = unit.spec(op.input("X")[0])
        if x is None or not x.is_known or not x.shape:
            return None
        return 2 * result * x.shape[-2 if op.attrs.get("trans_x") and x.rank > 1 else -1]
    return result * (len(op.attrs["group"].parts) if op.type == "fused_elementwise" else 1)


def bytes_of(unit: Unit, op: Operation) -> int | None:
    """The bytes that one run reads and writes; None where a size is not known."""
    if op.type in _VIEWS:
        return 0
    total = 0
    for name in (*op.input_arg_names, *op.output_arg_names):
        spec = unit.spec(name)
        count = _elements(spec)
        if spec is None or count is None:
            return None
        total += count * spec.dtype.dtype.itemsize
    return total

"""`fluid.distribute_lookup_table`: the table of a Program that is looked up with `is_distributed`."""

from __future__ import annotations

from typing import Any

from ..core.lazy import listed

LOOKUP_TABLE_TYPE = "lookup_table"


def find_distributed_lookup_table(program: Any) -> str | None:
    """The name of the table; None where there is none, RuntimeError where there are several."""
    names = {op.input("W")[0] for op in program.global_block().ops if op.attrs.get("is_distributed") and op.input("W")}
    if len(names) > 1:
        raise RuntimeError(f"find_distributed_lookup_table: the Program has {len(names)}: {sorted(names)}.")
    return next(iter(names), None)


def _lookups(program: Any, table_name: str) -> list[Any]:
    return [op for op in program.global_block().ops if op.input("W") == [table_name] and op.input("Ids")]


def find_distributed_lookup_table_inputs(program: Any, table_name: str) -> list[Any]:
    """The variables whose numbers are looked up in a table."""
    return [program.global_block().var(name) for op in _lookups(program, table_name) for name in op.input("Ids")]


def find_distributed_lookup_table_outputs(program: Any, table_name: str) -> list[Any]:
    """The variables that hold rows of a table."""
    return [program.global_block().var(name) for op in _lookups(program, table_name)
            for name in (op.output("Out") or op.output("Outputs"))]


__all__ = ["find_distributed_lookup_table", "find_distributed_lookup_table_inputs",
           "find_distributed_lookup_table_outputs"]
__dir__ = listed(__name__)

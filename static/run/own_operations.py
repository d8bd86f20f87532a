"""Operations that an Executor runs by itself, not as parts of a plan, as `listen_and_serv`: by whom is said here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..ir.operation import Operation
from ..ir.usage import OWN

_runners: dict[str, Callable[[Any, Any, Any, Any], None]] = {}


def run_by(type: str, run: Callable[[Any, Any, Any, Any], None]) -> None:
    """Has `run(executor, program, operation, scope)` run the operations of a type, one of `OWN`."""
    if type not in OWN:
        raise ValueError(f"run_by(type): one of {sorted(OWN)}. Received {type!r}.")
    _runners[type] = run


def run_own_operations(executor: Any, program: Any, operations: Sequence[Operation], scope: Any) -> None:
    """Runs operations of a Program. RuntimeError for one that nobody runs."""
    for op in operations:
        if op.type not in _runners:
            raise RuntimeError(f"Executor.run(program): nobody runs {op.type!r} here. Import proa.fluid.transpiler, or "
                               "call proa.distributed.ps.engine.connect().")
        _runners[op.type](executor, program, op, scope)

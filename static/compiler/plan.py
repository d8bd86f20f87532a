"""A plan: the compiled form of a Program for given inputs and outputs, and how its failures are told."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.dtype import from_numpy_dtype
from ...ops.operator import Operator, find, is_declared
from ...ops.spec import Spec
from ..program import Block, Operation, Program
from .emit import Emitter, emit_function
from .usage import needed_operations, reads, writes

_numbers = itertools.count()
_KEPT = (ValueError, TypeError, IndexError, NotImplementedError, AssertionError)  # anything else becomes RuntimeError


class Plan:
    """A compiled Program: `plan(xp, arrays)` takes the arrays of `inputs` and gives those of `outputs`, in order."""

    def __init__(self, emitter: Emitter, inputs: Sequence[str], outputs: Sequence[str]):
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.source = "\n".join(emitter.lines)
        self._file = f"<proa plan {next(_numbers)}>"
        self._operations = emitter.operations_at
        self._arguments = emitter.arguments_at
        self._bindings = emitter.bindings
        self._runs: dict[bool, Callable[..., tuple]] = {}

    def _function(self, on_host: bool) -> Callable[..., tuple]:
        """The compiled code over the kernels for NumPy arrays, or for a device's."""
        run = self._runs.get(on_host)
        if run is None:
            namespace = {name: (value.host_kernel if on_host else value.kernel) if isinstance(value, Operator) else value
                         for name, value in self._bindings.items()}
            exec(compile(self.source, self._file, "exec"), namespace)  # noqa: S102 - the source is our own, of names
            run = self._runs[on_host] = namespace["run"]
        return run

    def __call__(self, xp: Any, arrays: Sequence[Any]) -> tuple:
        """The outputs' arrays; a failure names the operation and the user's line that appended it."""
        try:
            return self._function(xp is np)(xp, *arrays)
        except Exception as error:
            self._explain(error)
            raise

    def _explain(self, error: Exception) -> None:
        """Raises the error anew, naming the operation and the user's line that appended it."""
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != self._file:
            trace = trace.tb_next
        op = self._operations.get(trace.tb_lineno) if trace is not None else None
        if op is None or trace is None:
            return
        reason = _operator_account(op, self._arguments.get(trace.tb_lineno, []), trace.tb_frame.f_locals) or str(error)
        where = f" appended at {op.source}" if op.source else ""
        message = f"{reason}\n  in the operation {op.type!r}{where}: {op!r}"
        kind = type(error) if type(error) in _KEPT else RuntimeError
        raise kind(message) from error

    def __repr__(self) -> str:
        return self.source


def _operator_account(op: Operation, arguments: list[list[str]], values: dict[str, Any]) -> str | None:
    """What the operator's own shape rule says of the inputs it met; None when it finds nothing wrong."""
    if not arguments or not is_declared(op.type):
        return None
    operator = find(op.type)
    specs: list[Any] = []
    for slot, names in zip(operator.inputs, arguments, strict=True):
        if any(values.get(n) is None for n in names):
            return None
        found = [Spec(values[n].shape, from_numpy_dtype(values[n].dtype)) for n in names]
        specs.append((found or None) if slot.many else found[0] if found else None)
    try:
        operator.infer_specs(tuple(specs), {k: v for k, v in op.attrs.items() if k in operator.attributes})
    except (ValueError, TypeError, IndexError) as error:
        return str(error)
    return None


def external_reads(ops: Sequence[Operation], given: set[str]) -> list[str]:
    """The names that operations read before any of them writes them, in order; `given` are known otherwise."""
    found: dict[str, None] = {}
    written = set(given)
    for op in ops:
        found.update((name, None) for name in reads(op) if name not in written)
        written.update(writes(op))
    return list(found)


def compile_plan(program: Program, feeds: Sequence[str], fetches: Sequence[str], block: Block | None = None,
                 ops: Sequence[Operation] | None = None, keep_writes: bool = True) -> tuple[Plan, list[str], list[str]]:
    """Compiles what `fetches` need: the plan, the names it reads beyond the feeds, and the persistables it writes.

    The plan's inputs are the feeds and then those names; its outputs the fetches and then the persistables.
    """
    block = block or program.global_block()
    ops = block.ops if ops is None else ops
    persistable = {name for op in ops for name in writes(op)
                   if (v := block.find_var(name)) is not None and v.persistable} if keep_writes else set()
    needed = needed_operations(ops, set(fetches) | persistable)
    outer = external_reads(needed, set(feeds))
    made = {name for op in needed for name in writes(op)}
    outer += [name for name in dict.fromkeys(fetches) if name not in made and name not in feeds and name not in outer]
    updated = sorted(name for name in persistable if name in made)
    emitter = emit_function(needed, block, [*feeds, *outer], [*fetches, *updated])
    return Plan(emitter, [*feeds, *outer], [*fetches, *updated]), outer, updated


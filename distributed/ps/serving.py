"""`listen_and_serv`: runs the Program of a parameter server, whose blocks, compiled, are the updates of a Server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...backend.selected_rows import SelectedRows
from ...core import flags
from ...ops.core.operator import find, is_declared
from ...ops.core.trace import ArrayTrace
from ...static.compiler import compile_plan
from ...static.ir.operation import Operation
from ...static.run.executor import Executor
from ...static.run.scope import Scope
from . import first_rows
from .admission import entry_of
from .checkpoint import ALONE, Block, Checkpoints
from .errors import RefusedError
from .options import Options
from .row_rule import OfRows, RowRule
from .server import Server, Update
from .sparse_table import SparseTable
from .state import MODES
from .values import Value


class _Variables(MutableMapping[str, np.ndarray]):
    """The values of a scope that trainers may read."""

    def __init__(self, scope: Scope, names: Sequence[str]):
        self._scope, self._names = scope, dict.fromkeys(names)

    def __getitem__(self, name: str) -> np.ndarray:
        value = self._scope.array(name) if name in self._names else None
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: np.ndarray) -> None:
        self._scope.set_array(name, value)

    def __delitem__(self, name: str) -> None:
        self._scope.erase([name])

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if self._scope.array(name) is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Block:
    """A block of a server's Program, compiled: an update of one parameter, or the schedules of learning rates.

    Where a gradient holds some rows alone, the operator that updates by rows stands in the place of the other.
    """

    def __init__(self, executor: Any, program: Any, block: Any, scope: Scope, gradient: str = "", trainers: int = 1):
        self.executor, self.program, self.block, self.scope = executor, program, block, scope
        self.gradient, self.trainers = gradient, trainers
        self.ops = [op for op in block.ops if not self._puts_together(op)]
        self.is_mean = len(self.ops) < len(block.ops)
        self._plans: dict[bool, Any] = {}

    def _puts_together(self, op: Operation) -> bool:
        """Whether an operation makes one gradient of those of all trainers, which is done before."""
        made = op.output_arg_names == [self.gradient]
        return made and all(name == self.gradient or name.startswith(f"{self.gradient}.trainer_")
                            for name in op.input_arg_names)

    def run(self, values: dict[int, Value] | None = None) -> None:
        """Runs it, for the gradients by the numbers of the trainers that sent them."""
        fed = [] if not values else self._fed(_sum(list(values.values())))
        by_rows = len(fed) == 2
        plan, reads, writes = self._plan(by_rows)
        held = [self.executor.from_scope(self.scope, name, self.program) for name in reads]
        results = plan(np, [*fed, *held])
        del held, fed
        for name, array in zip(writes, results, strict=True):
            self.scope.set_array(name, np.asarray(array))

    def _fed(self, total: Value) -> list[Any]:
        if self.is_mean:
            total = total * np.asarray(1.0 / self.trainers, total.dtype)
        if not isinstance(total, SelectedRows):
            return [total]
        update = _update_of(self.ops)
        if update is None or update.input("Grad") != [self.gradient] or not is_declared(f"{update.type}_rows"):
            return [total.to_dense()]
        merged = total.merge()
        return [merged.values, merged.rows]

    def _plan(self, by_rows: bool) -> Any:
        if by_rows not in self._plans:
            feeds = [self.gradient] if self.gradient else []
            ops, update = self.ops, _update_of(self.ops)
            if by_rows and update is not None:
                feeds = [f"{self.gradient}@values", f"{self.gradient}@rows"]
                ops = [_by_rows(update, *feeds) if op is update else op for op in ops]
            self._plans[by_rows] = compile_plan(self.program, feeds, [], block=self.block, ops=ops, freeze=False)
        return self._plans[by_rows]


def _update_of(ops: Sequence[Operation]) -> Operation | None:
    return next((op for op in ops if op.input("Param") and op.input("Grad")), None)


def _by_rows(op: Operation, values: str, rows: str) -> Operation:
    """The update by some rows of a gradient."""
    operator = find(f"{op.type}_rows")
    inputs = {slot: names for slot, names in op.inputs.items() if slot != "Grad"}
    attrs = {key: value for key, value in op.attrs.items() if key in operator.attributes}
    return Operation(op.block, operator.type, {**inputs, "Values": [values], "Rows": [rows]}, op.outputs, attrs,
                     op.source)


def _sum(values: Sequence[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total


class _Counted:
    """A step that one trainer has made where nobody waits: the schedules' block counts them all."""

    def __init__(self, scope: Scope, name: str, schedules: _Block):
        self.scope, self.name, self.schedules = scope, name, schedules

    def run(self, values: dict[int, Value]) -> None:
        """Counts, and computes the learning rates."""
        self.scope.set_array(self.name, self.scope.array(self.name) + _sum(list(values.values())))
        self.schedules.run()


class _Compensated:
    """An update that is told what the trainer had (`enable_dc_asgd`), and keeps what it has then."""

    def __init__(self, block: _Block, parameter: str):
        self.block, self.parameter = block, parameter

    def run(self, values: dict[int, Value]) -> None:
        """Updates by the gradient of one trainer."""
        (trainer,) = values
        scope = self.block.scope
        scope.set_array("@TRAINER_ID@", np.array([trainer], "int64"))
        self.block.run(values)
        scope.set_array(f"{self.parameter}.trainer_{trainer}_bak", scope.array(self.parameter).copy())


def serve(executor: Executor, program: Any, operation: Operation, scope: Scope,
          options: Options | None = None) -> None:
    """Runs `listen_and_serv`: returns when all trainers are done."""
    attrs = operation.attrs
    if attrs.get("prefetch_var_name_to_block_id"):
        raise NotImplementedError("listen_and_serv: a transpiler of a release before 1.8 has made this Program: it "
                                  "does not say how the rows of its table begin. Divide the Program of one process "
                                  "here, by fluid.DistributeTranspiler.")
    mode, trainers = MODES[attrs.get("distributed_mode", 0)], attrs["Fanin"]
    schedule = attrs.get("lr_decay_block_id", -1)
    before = None if schedule < 0 else _Block(executor, program, program.blocks[schedule], scope)
    updates: dict[str, Update] = {}
    for entry in attrs.get("grad_to_block_id", ()):
        gradient, _, index = entry.rpartition(":")
        if int(index) == schedule and before is not None:
            updates[gradient] = Update(gradient, _Counted(scope, gradient, before).run)
            continue
        block = _Block(executor, program, program.blocks[int(index)], scope, gradient, trainers)
        update = _update_of(block.ops)
        if update is not None:
            parameter = update.input("Param")[0]
            run = _Compensated(block, parameter).run if attrs.get("dc_asgd") else block.run
            updates[gradient] = Update(parameter, run)
    names = [var.name for var in program.list_vars() if var.persistable]
    counted = any(isinstance(getattr(update.run, "__self__", None), _Counted) for update in updates.values())
    before_updates = None if before is None or counted else before.run
    variables = _Variables(scope, names)
    checkpoints = _checkpoints(program, attrs.get("pserver_id", 0), variables)
    server = Server(attrs["endpoint"], trainers, mode, variables, updates, tables=_tables(program, operation, scope),
                    before_updates=before_updates, options=options, checkpoints=checkpoints)
    if checkpoints is not None:
        server.restore(alone=flags.get_flag(ALONE))
    server.serve()


def _checkpoints(program: Any, index: int, variables: _Variables) -> Checkpoints | None:
    """Those that the flags ask for: of what has a value, by what it is part of."""
    described: tuple[int, dict[str, tuple[str, int]]] | None = getattr(program, "_parts_on_server", None)
    servers, parts = (1, {}) if described is None else described
    return Checkpoints.of_flags(index, servers, {name: Block(*parts.get(name, (name, 0))) for name in variables})


class _Rows:
    """A variable that holds a block of a table: what trainers look up rows in."""

    def __init__(self, scope: Scope, name: str):
        self._scope, self._name = scope, name
        value = scope.array(name)
        if value is None:
            raise RuntimeError(f"listen_and_serv: {name!r} has no value. Run the startup Program of the server first.")
        self.height, self.width, self.dtype = value.shape[0], value.shape[1], value.dtype

    def check(self, name: str, ids: np.ndarray) -> None:
        """RefusedError for row numbers that there are not."""
        if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < self.height:
            raise RefusedError(f"{name!r} has the rows 0 to {self.height - 1}. Received row numbers from {ids.min()} "
                               f"to {ids.max()}.")

    def look_up(self, ids: np.ndarray) -> np.ndarray:
        """The rows with these numbers."""
        return self._scope.array(self._name).take(ids, 0)


def _tables(program: Any, operation: Operation, scope: Scope) -> dict[str, Any]:
    """What trainers look rows up in: blocks of tables, and tables whose rows are made when they are asked for."""
    found: dict[str, Any] = {}
    for entry in operation.attrs.get("sparse_grad_to_param", ()):
        name = entry.rpartition(":")[2]
        if len(program.global_block().var(name).shape) == 2:
            found[name] = _Rows(scope, name)
    for name, table in (getattr(program, "_tables_on_server", None) or {}).items():
        operator, rate = find(table["rule"]), partial(_computed, table["rates"], scope.array, table["takes"][1])
        attrs = {key: value for key, value in table["attrs"].items() if key in operator.attributes}
        rule = RowRule(table["rule"], rate, table["first"], _gradient_of(table), **attrs)
        found[name] = SparseTable(table["shape"][1], rule=rule, first=_first_rows(name, table["begins"]),
                                  seed=table["seed"], dtype=table["dtype"], entry=entry_of(table["entry"], name))
    return found


def _gradient_of(table: Any) -> OfRows | None:
    """What makes of a gradient that is sent the one that the update takes, as operations of a Program say."""
    if not table["before"]:
        return None

    def gradient(rows: np.ndarray, pushed: np.ndarray) -> np.ndarray:
        values = {table["parameter"]: rows, table["gradient"]: pushed}
        return _computed(table["before"], values.__getitem__, table["takes"][0])

    return gradient


def _computed(ops: Sequence[Any], read: Callable[[str], Any], wanted: str) -> Any:
    """The value of this name, by operations over values that are read by their names."""
    trace, made = ArrayTrace(np), dict[str, Any]()
    for type, inputs, outputs, attrs in ops:
        operator = find(type)
        given = [[made[each] if each in made else read(each) for each in inputs.get(slot.name, ())]
                 for slot in operator.inputs]
        found = trace.apply(operator, tuple(
            (each if slot.many else each[0]) if each else slot.nothing
            for slot, each in zip(operator.inputs, given, strict=True)),
            {key: value for key, value in attrs.items() if key in operator.attributes})
        results = found if isinstance(found, tuple) else (found,)
        made.update((outputs[slot.name][0], value) for slot, value in zip(operator.outputs, results, strict=True)
                    if outputs.get(slot.name))
    return made[wanted] if wanted in made else read(wanted)


def _first_rows(name: str, begins: tuple[str, dict[str, Any]] | None) -> Any:
    """What the rows of a table hold at first, by the operation that would fill the whole."""
    type, attrs = begins or ("fill_constant", {})
    if type not in _FIRST:
        raise NotImplementedError(f"listen_and_serv: the rows of {name!r}, which are made when they are asked for, "
                                  f"cannot begin with what {type} makes of a whole one. Use one of "
                                  "fluid.initializer.Constant, Uniform, Normal, TruncatedNormal, Xavier.")
    make, names = _FIRST[type]
    return make(*(attrs[each] for each in names if each in attrs))


_FIRST: dict[str, tuple[Any, tuple[str, ...]]] = {
    "fill_constant": (first_rows.constant, ("value",)), "uniform_random": (first_rows.uniform, ("min", "max")),
    "gaussian_random": (first_rows.normal, ("mean", "std")),
    "truncated_gaussian_random": (first_rows.truncated_normal, ("mean", "std"))}

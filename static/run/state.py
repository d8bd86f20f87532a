"""A Program's persistable values: read from a scope and put back."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ... import backend
from ..ir.program import Program
from ..ir.variable import Variable
from .scope import Scope, global_scope

NAME_TABLE = "StructuredToParameterName@@"  # the key of a Layer's state with which parameters' own names stand


def _wanted(program: Program, mode: str) -> list[Variable]:
    if not isinstance(mode, str):
        raise TypeError(f"Program.state_dict(mode): must be a string. Received {type(mode).__name__}.")
    if mode not in ("all", "param", "opt"):
        raise ValueError(f"Program.state_dict(mode): 'all', 'param' or 'opt'. Received {mode!r}.")
    variables = [v for v in program.list_vars() if v.persistable and v.kind == "tensor"]
    if mode == "all":
        return variables
    return [v for v in variables if v.is_parameter == (mode == "param")]


def fill_host_values(program: Program, scope: Scope) -> None:
    """Gives the scope learning rates that it does not have, as where no startup Program has run."""
    for name, held in program.host_values.items():
        if scope.array(name) is None:
            _write_host_value(program, scope, name, held.source())


def fill_for_files(program: Program, scope: Scope) -> None:
    """Gives the scope what files are to hold: learning rates that it lacks, joined values as their parts are now."""
    fill_host_values(program, scope)
    for name, parts in program.joined.items():
        arrays = [scope.array(part) for part in parts]
        if all(array is not None for array in arrays):
            xp = backend.namespace_of(arrays)
            scope.set_array(name, xp.concatenate([array.reshape(-1) for array in arrays]))


def refill_host_values(program: Program, scope: Scope) -> None:
    """Gives the scope what a run is to find: learning rates as they are now."""
    for name, held in program.host_values.items():
        number = held.due(scope, scope.array(name) is not None)
        if number is not None:
            _write_host_value(program, scope, name, number)


def _write_host_value(program: Program, scope: Scope, name: str, number: float) -> None:
    variable = program.global_block().var(name)
    scope.set_array(name, np.full(variable.shape, number, variable.dtype.dtype))


def refuse_values_elsewhere(what: str, program: Program, names: Iterable[str]) -> None:
    """Raises RuntimeError where one of these is a table whose rows live on parameter servers alone: zeros are here."""
    from ...ops.parameter_server.rpc import look_up_op

    tables = {name for block in program.blocks for op in block.ops
              if op.type == look_up_op.type for name in op.input("W")}
    elsewhere = sorted(tables.intersection(names))
    if elsewhere:
        raise RuntimeError(
            f"{what}: {elsewhere} live on parameter servers alone; what is here would be zeros. Use save_persistables "
            "or save_inference_model of fleet, or save_persistables of fluid.io, which ask the servers, or let servers "
            "write checkpoints by themselves (FLAGS_ps_checkpoint_folder, FLAGS_ps_checkpoint_every).")


def values_to_write(what: str, program: Program, names: Iterable[str]) -> dict[str, Any]:
    """The arrays of a Program's values in the global scope, by name; RuntimeError, naming those that have none."""
    names, scope = list(names), global_scope()
    refuse_values_elsewhere(what, program, names)
    arrays = {name: scope.array(name) for name in names}
    missing = [name for name, array in arrays.items() if array is None]
    if missing:
        raise RuntimeError(f"{what}: {missing} have no value in the scope. Run the startup Program first; values that "
                           "a run computes and forgets are left out with predicate=is_persistable of save_vars.")
    return arrays


def program_state(program: Program, mode: str = "all", scope: Scope | None = None) -> dict[str, Any]:
    """The persistable values of a Program by name, as the holders that a scope gives (`numpy.array(v)` reads one)."""
    scope, state = _scope(scope, "Program.state_dict(scope)"), {}
    refuse_values_elsewhere("Program.state_dict()", program, [variable.name for variable in _wanted(program, mode)])
    fill_for_files(program, scope)
    for variable in _wanted(program, mode):
        found = scope.find_var(variable.name)
        if found is None or found.array is None:
            raise ValueError(
                f"Program.state_dict(): {variable.name!r} has no value in the scope. Run the startup Program first."
            )
        state[variable.name] = found.get_tensor()
    return state


def _scope(scope: Any, what: str) -> Scope:
    if scope is not None and not isinstance(scope, Scope):
        raise TypeError(f"{what}: must be a Scope. Received {type(scope).__name__}.")
    return scope or global_scope()


def set_program_state_dict(program: Program, state_dict: dict[str, Any], scope: Scope | None = None) -> None:
    """Puts values into a scope by name: by parameters' own, where the state has the table of a Layer's names for them.

    Warns of names that the Program does not have. Nothing is changed when a shape does not fit (ValueError).
    """
    if not isinstance(state_dict, dict):
        raise TypeError(f"set_state_dict(state_dict): must be a dict. Received {type(state_dict).__name__}.")
    scope = _scope(scope, "set_state_dict(scope)")
    known = {v.name: v for v in program.list_vars() if v.persistable}
    arrays, names = {}, state_dict.get(NAME_TABLE, {})
    for key, value in state_dict.items():
        name = names.get(key, key)
        if name not in known:
            if name != NAME_TABLE:
                warnings.warn(f"set_state_dict: the Program has no variable {name!r}; it is passed over.", stacklevel=3)
            continue
        array = np.asarray(value)
        if name in program.host_values and array.size == 1:
            array = array.reshape(known[name].shape)
        if list(array.shape) != list(known[name].shape):
            raise ValueError(
                f"set_state_dict: {name!r} has shape {list(known[name].shape)}. Received shape {list(array.shape)}."
            )
        arrays[name] = array.astype(known[name].dtype.dtype, copy=True)
    for name, array in arrays.items():
        place = backend.place_of(old) if (old := scope.array(name)) is not None else None
        scope.set_array(name, array if place is None else backend.as_place(array, place))

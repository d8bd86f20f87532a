"""A Program with its values as files and bytes: `save`, `load`, their states, and persistable values in one piece.

`save` writes PREFIX.pdparams (parameters), PREFIX.pdopt (the other persistable values) and PREFIX.pdmodel (the
Program). What older code wrote, a folder with a file for each variable or one file with all, can be read too.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import backend
from ...core.dtype import bfloat16
from ...core.errors import ArgumentError, AssertedError
from ...core.files import CorruptFileError, MissingFileError, atomic_group, atomic_write
from ...core.safe_pickle import dump_state, load_state
from ..building.mode import default_main_program
from ..format.tensor_stream import read_combined, write_combined
from ..ir.program import Program
from ..ir.transform import persistable_names
from ..ir.variable import Variable
from ..run.executor import Executor
from ..run.scope import global_scope
from ..run.state import NAME_TABLE, program_state, values_to_write
from .inference_model import normalize_program, program_bytes, stream_array
from .model_files import MODEL_SUFFIX, as_declared, folder_state

PARAMETERS_SUFFIX, OPTIMIZER_SUFFIX = ".pdparams", ".pdopt"


def save(program: Program, model_path: str, protocol: int = 4, **configs: Any) -> None:
    """Writes a Program and its persistable values in the global scope; PaddlePaddle reads the files.

    `model_path`: the files' common prefix, FOLDER/NAME (ValueError otherwise); the folder is made. `protocol`: of the
    pickles, 2, 3 or 4. All files are written, or none. Raises ValueError when a value is missing from the scope.

    >>> import tempfile, proa as paddle
    >>> from proa import static
    >>> main, startup, exe = static.Program(), static.Program(), static.Executor()
    >>> prefix = tempfile.mkdtemp() + "/model"
    >>> with static.scope_guard(static.Scope()), static.program_guard(main, startup):
    ...     y = static.nn.fc(static.data("x", [None, 2]), 1)
    ...     _ = exe.run(startup)
    ...     static.save(main, prefix)
    ...     static.load(main, prefix)
    """
    _check_program("save", program)
    save_state(program, model_path, protocol, program_bytes)


def save_state(program: Program, model_path: str, protocol: int, to_bytes: Callable[[Program], bytes],
               rates: tuple[int, ...] = ()) -> None:
    """As `save`, with the function that writes the Program, and the shape that learning rates have in files."""
    path = os.fspath(model_path)
    if not os.path.basename(path):
        raise AssertedError(f"save(model_path): a path ends in the files' common name, FOLDER/NAME. Received {path!r}.")
    if protocol not in (2, 3, 4):
        raise ValueError(f"save(protocol): must be 2, 3 or 4. Received {protocol!r}.")
    states = {suffix: _plain(program_state(program, mode), program, rates)
              for suffix, mode in ((PARAMETERS_SUFFIX, "param"), (OPTIMIZER_SUFFIX, "opt"))}
    with atomic_group() as group:
        for suffix, state in states.items():
            with group.open(path + suffix) as file:
                dump_state(state, file, protocol)
        with group.open(path + MODEL_SUFFIX) as file:
            file.write(to_bytes(program))


def _check_program(what: str, program: Any) -> None:
    if not isinstance(program, Program):
        raise TypeError(f"{what}(program): must be a Program. Received {type(program).__name__}.")


def _plain(state: dict[str, Any], program: Program, rates: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Arrays as files have them: bfloat16 as raw 16-bit integers, learning rates of the shape `rates`."""
    arrays = {name: np.asarray(value) for name, value in state.items()}
    arrays.update({name: arrays[name].reshape(rates) for name in program.host_values if name in arrays})
    return {name: a.view(np.uint16) if a.dtype.name == "bfloat16" else a for name, a in arrays.items()}


def _names(var_list: Any) -> list[str] | None:
    return None if var_list is None else [v if isinstance(v, str) else v.name for v in var_list]


def _persistables(program: Program) -> dict[str, Variable]:
    return {v.name: v for v in program.list_vars() if v.persistable and v.kind == "tensor"}


def load(program: Program, model_path: str, executor: Executor | None = None, var_list: Any = None) -> None:
    """Puts the values that `save` wrote, here or in PaddlePaddle, into the global scope.

    `model_path`: the prefix, with or without one of the suffixes; or a folder with a file for each variable, or one
    file with the variables of `var_list`. `executor`: the values go to its place. `var_list`: only these Variables.
    What a folder has no file for, as one of parameters alone has none for an optimizer's moments, keeps its value, with
    a warning. Nothing is changed when something is missing from the files or does not fit (ValueError). Raises
    FileNotFoundError and CorruptFileError, naming the file.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> prefix = tempfile.mkdtemp() + "/state"
    >>> static.save(main, prefix)
    >>> static.load(main, prefix, exe)
    """
    _check_program("load", program)
    wanted = _persistables(program)
    if var_list is not None:
        names = _names(var_list) or []
        unknown = [name for name in names if name not in wanted]
        if unknown:
            raise ValueError(f"load(var_list): {unknown} are not persistable variables of the Program.")
        wanted = {name: wanted[name] for name in names}
    state = _state_at(model_path, list(wanted) if var_list is None or not _is_pair(model_path) else None,
                      f"load({model_path!r})")
    missing = sorted(set(wanted) - set(state) - set(program.host_values) - set(program.joined))
    if missing:
        _lacking(model_path, missing, set(wanted) & set(state))
    _fill("load", {n: v for n, v in wanted.items() if n in state}, _shaped(state, program, wanted), executor)


def _lacking(path: Any, missing: list[str], found: set[str]) -> None:
    """AssertedError for what a saved state lacks; a warning for a folder, which may be of parameters alone."""
    if _is_pair(path) or not os.path.isdir(path) or not found:
        raise AssertedError(f"load: {os.fspath(path)!r} has no value for {missing}.")
    warnings.warn(f"load: the folder {os.fspath(path)!r} has no file for {missing}, which keep their values.",
                  stacklevel=3)


def _shaped(state: dict[str, Any], program: Program, known: dict[str, Variable]) -> dict[str, Any]:
    """The state with learning rates of the shape that the Program declares: older files have a dimension more."""
    rates = {name: np.reshape(state[name], known[name].shape) for name in program.host_values
             if name in known and name in state and np.size(state[name]) == 1}
    return {**state, **rates}


def _prefix(path: str) -> str:
    for suffix in (PARAMETERS_SUFFIX, OPTIMIZER_SUFFIX, MODEL_SUFFIX):
        if path.endswith(suffix):
            return path[:-len(suffix)]
    return path


def _is_pair(path: Any) -> bool:
    return os.path.exists(_prefix(os.fspath(path)) + PARAMETERS_SUFFIX)


def _state_at(path: Any, names: list[str] | None, what: str) -> dict[str, np.ndarray]:
    """The arrays of a saved state by name; `names` are those that a combined file or a folder is asked for."""
    path = os.fspath(path)
    prefix = _prefix(path)
    if _is_pair(path):
        state = _pickled(prefix + PARAMETERS_SUFFIX)
        if os.path.exists(prefix + OPTIMIZER_SUFFIX):
            state.update(_pickled(prefix + OPTIMIZER_SUFFIX))
        return state
    if os.path.isdir(path):
        return folder_state(path, names)
    if not os.path.exists(path):
        raise MissingFileError(f"{what}: there is neither {prefix + PARAMETERS_SUFFIX!r} nor a file or folder "
                               f"{path!r}.")
    if names is None:
        raise ValueError(f"{what}: {path!r} holds several variables without their names; give var_list.")
    return {name: as_declared(array, number) for name, (array, number, _) in read_combined(path, sorted(names)).items()}


def _pickled(path: str) -> dict[str, np.ndarray]:
    state = load_state(path)
    if not isinstance(state, dict):
        raise CorruptFileError(path, "its pickle", f"a dict of arrays should stand here, not a {type(state).__name__}")
    return {name: _restored(value) for name, value in state.items() if name != NAME_TABLE}


def _restored(value: Any) -> np.ndarray:
    array = np.asarray(value[1] if isinstance(value, tuple) else value)
    return array.view(bfloat16.dtype) if array.dtype == np.uint16 else array


def _fill(what: str, variables: dict[str, Variable], state: dict[str, Any], executor: Executor | None) -> None:
    """Puts arrays into the global scope, all of them or none."""
    arrays = {}
    for name, variable in variables.items():
        array = np.asarray(state[name])
        if list(array.shape) != list(variable.shape):
            raise AssertedError(f"{what}: {name!r} has shape {list(variable.shape)} in the Program. "
                                f"Received shape {list(array.shape)}.")
        arrays[name] = array.astype(variable.dtype.dtype, copy=True)
    scope = global_scope()
    for name, array in arrays.items():
        scope.set_array(name, array if executor is None else backend.as_place(array, executor.place))


def load_program_state(model_path: str, var_list: Any = None) -> dict[str, np.ndarray]:
    """The values that `save` wrote as a dict of arrays by name; also of a folder, or of one file with `var_list`.

    `var_list` gives only these, as Variables or names. Raises FileNotFoundError and CorruptFileError.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> prefix = tempfile.mkdtemp() + "/state"
    >>> static.save(main, prefix)
    >>> state = static.load_program_state(prefix)
    >>> static.set_program_state(main, state)
    >>> sorted(value.shape for value in state.values())
    [(1,), (2, 1)]
    """
    names = _names(var_list)
    state = _state_at(model_path, names, f"load_program_state({model_path!r})")
    return state if names is None else {name: state[name] for name in names if name in state}


def set_program_state(program: Program, state_dict: dict[str, Any]) -> None:
    """Puts arrays into the global scope by name, where a part of a network was trained before, for example.

    Warns of names that the Program does not have, and of values of the Program that are not among the arrays and stay
    as they are: what the startup Program made of them. Nothing is changed when a shape does not fit (ValueError).

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> prefix = tempfile.mkdtemp() + "/state"
    >>> static.save(main, prefix)
    >>> state = static.load_program_state(prefix)
    >>> static.set_program_state(main, state)
    >>> sorted(value.shape for value in state.values())
    [(1,), (2, 1)]
    """
    _check_program("set_program_state", program)
    known = _persistables(program)
    unused = sorted(set(state_dict) - set(known))
    _fill("set_program_state", {n: v for n, v in known.items() if n in state_dict},
          _shaped(state_dict, program, known), None)
    if unused:
        warnings.warn(f"set_program_state: the Program has no variables {unused}; they are passed over.", stacklevel=2)
    kept = sorted(set(known) - set(state_dict) - set(program.host_values) - set(program.joined))
    if kept:
        warnings.warn("set_program_state: these variables of the Program are not in the state, and keep their values: "
                      f"{kept}.", stacklevel=2)


def serialize_persistables(feed_vars: Any, fetch_vars: Any, executor: Executor, **kwargs: Any) -> bytes | None:
    """The persistable values that `fetch_vars` need of `feed_vars`, as the bytes of a `.pdiparams` file.

    `program=`: the default main Program by default. None, with a warning, where there are none. RuntimeError when
    one has no value in the global scope.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> data = static.serialize_persistables([x], [y], exe, program=main)
    >>> static.deserialize_persistables(main, data, exe)
    >>> len(data) > 12
    True
    """
    program = normalize_program(kwargs.get("program") or default_main_program(), feed_vars, fetch_vars)
    names = persistable_names(program)
    if not names:
        warnings.warn("serialize_persistables: the Program has no persistable values to write.", stacklevel=2)
        return None
    arrays = values_to_write("serialize_persistables", program, names)
    file = io.BytesIO()
    write_combined(file, [stream_array(array) for array in arrays.values()])
    return file.getvalue()


def deserialize_persistables(program: Program, data: bytes | None, executor: Executor) -> None:
    """Puts what `serialize_persistables` gave into the global scope, for a Program with the same persistable values.

    Raises CorruptFileError when the bytes are damaged or belong to another Program, ValueError for a wrong shape.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> data = static.serialize_persistables([x], [y], exe, program=main)
    >>> static.deserialize_persistables(main, data, exe)
    >>> len(data) > 12
    True
    """
    _check_program("deserialize_persistables", program)
    if data is None:
        return
    if not isinstance(data, (bytes, bytearray)):
        raise TypeError(f"deserialize_persistables(data): must be bytes. Received {type(data).__name__}.")
    names = persistable_names(program)
    tensors = read_combined(io.BytesIO(data), names)
    state = {name: as_declared(array, number) for name, (array, number, _) in tensors.items()}
    _fill("deserialize_persistables", {name: v for name, v in _persistables(program).items()}, state, executor)


def save_to_file(path: str, content: bytes) -> None:
    """Writes bytes to a file, whole or not at all; its folder is made. TypeError for something else than bytes.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> file = tempfile.mkdtemp() + "/data"
    >>> static.save_to_file(file, b"bytes")
    >>> static.load_from_file(file)
    b'bytes'
    """
    if not isinstance(content, (bytes, bytearray)):
        raise ArgumentError(f"save_to_file(content): must be bytes. Received {type(content).__name__}.")
    with atomic_write(path) as file:
        file.write(content)


def load_from_file(path: str) -> bytes:
    """The bytes of a file.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> file = tempfile.mkdtemp() + "/data"
    >>> static.save_to_file(file, b"bytes")
    >>> static.load_from_file(file)
    b'bytes'
    """
    with open(path, "rb") as file:
        return file.read()


__all__ = ("deserialize_persistables", "load", "load_from_file", "load_program_state", "save",
                          "save_to_file", "serialize_persistables", "set_program_state")

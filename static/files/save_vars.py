"""`save_vars` and `load_vars`: chosen values of a Program, a file for each or all in one, as Paddle 1.x has them.

A file of a value is one tensor stream, called as the variable; a combined file holds the streams in the order of the
names. Without a folder and a name the streams are bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core.files import atomic_group
from ..building.mode import default_main_program
from ..format.tensor_stream import StoredTensor, read_combined, read_stream, write_combined, write_stream
from ..ir.program import Program
from ..ir.variable import ParameterVariable, Variable
from ..run.executor import Executor
from ..run.scope import global_scope
from ..run.state import fill_for_files, values_to_write
from .inference_model import stream_array
from .model_files import as_declared

_NOT_VALUES = frozenset(("feed", "fetch", "reader", "raw", "scopes", "array"))


def is_parameter(var: Variable) -> bool:
    """Whether a variable is trained.

    >>> import proa as paddle
    >>> from proa.static.files.save_vars import is_parameter
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     w = paddle.static.create_parameter([2], "float32")
    >>> is_parameter(w)
    True
    """
    return isinstance(var, ParameterVariable)


def is_persistable(var: Variable) -> bool:
    """Whether a variable's value is kept between runs: a parameter's, and a state's.

    >>> import proa as paddle
    >>> with paddle.static.program_guard(paddle.static.Program()):
    ...     x = paddle.static.data("x", [2])
    >>> paddle.static.is_persistable(x)
    False
    """
    return var.persistable and var.kind not in ("feed", "fetch", "reader")


def is_belong_to_optimizer(var: Variable) -> bool:
    """Whether a variable is kept between runs and neither a parameter nor an input."""
    return not is_parameter(var) and not var.is_data and is_persistable(var)


def get_program_parameter(program: Program) -> list[Variable]:
    """The parameters of a Program."""
    return [var for var in program.list_vars() if is_parameter(var)]


def get_program_persistable_vars(program: Program) -> list[Variable]:
    """The variables of a Program whose values are kept between runs."""
    return [var for var in program.list_vars() if is_persistable(var)]


def valid_program(what: str, program: Any) -> Program:
    """The Program that is meant: the default one for None, its own for a CompiledProgram; TypeError for none."""
    program = default_main_program() if program is None else getattr(program, "_program", program)
    if not isinstance(program, Program):
        raise TypeError(f"{what}(main_program): must be a Program. Received {type(program).__name__}.")
    return program


def _chosen(what: str, executor: Any, program: Any, chosen: Any,
            predicate: Callable[[Variable], bool] | None) -> dict[str, Variable]:
    """The variables with values that are asked for, by name and in the order of the names."""
    if not isinstance(executor, Executor):
        raise TypeError(f"{what}(executor): must be an Executor. Received {type(executor).__name__}.")
    executor.check_open()
    program = valid_program(what, program)
    found = [var for var in program.list_vars() if predicate is None or predicate(var)] if chosen is None else chosen
    variables = [program.global_block().var(var) if isinstance(var, str) else var for var in found]
    for var in variables:
        if not isinstance(var, Variable):
            raise TypeError(f"{what}(vars): must be Variables of the Program. Received {type(var).__name__}.")
    return {var.name: var for var in sorted(variables, key=lambda v: v.name) if var.kind not in _NOT_VALUES}


def save_vars(executor: Executor, dirname: str | os.PathLike[str] | None, main_program: Any = None,
              vars: Sequence[Any] | None = None, predicate: Callable[[Variable], bool] | None = None,
              filename: str | None = None) -> bytes | None:
    """Writes values of the global scope: of `vars` (Variables or names), or of those for which `predicate` is true.

    Each goes to a file `dirname/NAME`; with `filename` all go to `dirname/filename`, in the order of their names.
    With neither folder nor `filename` the bytes of that one file are the result. All files are written, or none.
    Raises RuntimeError, naming them, for variables without a value.

    >>> import os, tempfile, proa as paddle
    >>> from proa import static
    >>> main, startup, exe, folder = static.Program(), static.Program(), static.Executor(), tempfile.mkdtemp()
    >>> with static.scope_guard(static.Scope()), static.program_guard(main, startup):
    ...     y = static.nn.fc(static.data("x", [None, 2]), 1, name="fc")
    ...     _ = exe.run(startup)
    ...     static.save_vars(exe, folder, main, predicate=static.is_persistable)
    >>> sorted(os.listdir(folder))
    ['fc.b_0', 'fc.w_0']
    """
    names = list(_chosen("save_vars", executor, main_program, vars, predicate))
    program = valid_program("save_vars", main_program)
    fill_for_files(program, global_scope())
    if dirname is None and filename is not None:
        raise ValueError(f"save_vars(dirname): give the folder in which {filename!r} is to be; without both, the "
                         "result is bytes.")
    streams = _streams(values_to_write("save_vars", program, names))
    if dirname is None:
        memory = io.BytesIO()
        write_combined(memory, streams)
        return memory.getvalue()
    folder = os.path.normpath(os.fspath(dirname))
    with atomic_group() as group:
        if filename is not None:
            with group.open(os.path.join(folder, filename)) as file:
                write_combined(file, streams)
        else:
            for name, stream in zip(names, streams, strict=True):
                with group.open(os.path.join(folder, name)) as file:
                    write_stream(file, *stream)
    return None


def _streams(arrays: dict[str, Any]) -> list[tuple]:
    scope = global_scope()
    return [(*stream_array(array), scope.var(name).get_tensor().lod()) for name, array in arrays.items()]


def load_vars(executor: Executor, dirname: str | os.PathLike[str] | None, main_program: Any = None,
              vars: Sequence[Any] | None = None, predicate: Callable[[Variable], bool] | None = None,
              filename: str | bytes | None = None) -> None:
    """Puts what `save_vars` wrote, here or in PaddlePaddle, into the global scope; the arguments are as there.

    Without a folder, `filename` is the bytes of a combined file. Nothing is changed when something is missing or does
    not fit: FileNotFoundError names the variables without a file, CorruptFileError what is damaged or combined of
    others, RuntimeError a shape or dtype that the Program has otherwise.
    """
    variables = _chosen("load_vars", executor, main_program, vars, predicate)
    stored = _stored(list(variables), dirname, filename)
    arrays = {name: _fitting(variables[name], tensor) for name, tensor in stored.items()}
    scope = global_scope()
    for name, array in arrays.items():
        scope.set_array(name, backend.as_place(array, executor.place))
        scope.var(name).get_tensor().set_lod(stored[name].lod)


def _stored(names: list[str], dirname: Any, filename: Any) -> dict[str, StoredTensor]:
    if dirname is None:
        if not isinstance(filename, (bytes, bytearray)):
            raise ValueError("load_vars(dirname, filename): give a folder, or a combined file's bytes as filename. "
                             f"Received None and {type(filename).__name__}.")
        return read_combined(io.BytesIO(filename), names)
    folder = os.path.normpath(os.fspath(dirname))
    if filename is not None:
        return read_combined(os.path.join(folder, filename), names)
    missing = [name for name in names if not os.path.isfile(os.path.join(folder, name))]
    if missing:
        raise FileNotFoundError(_way_out(folder, missing, len(names)))
    found = {}
    for name in names:
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            found[name] = read_stream(file, path)
    return found


def _way_out(folder: str, missing: list[str], count: int) -> str:
    if not os.path.isdir(folder):
        return f"load_vars: there is no folder {folder!r}."
    return (f"load_vars: the folder {folder!r} has no file for {len(missing)} of {count} variables: {missing}. Are the "
            "others in one file? Name it with filename=. Is the Program larger than the one that was saved? Run the "
            "startup Program, and load what is there: set_program_state(program, load_program_state(folder)), or "
            "load_vars(…, predicate=) with a function that tells which variables.")


def _fitting(variable: Variable, stored: StoredTensor) -> np.ndarray:
    """The array, in the variable's dtype; RuntimeError where it is not the variable's."""
    array = as_declared(stored.array, stored.number)
    if variable._dtype is None:
        return array
    shape = variable.shape
    if array.size == 1 and {shape, array.shape} == {(), (1,)}:  # a learning rate in 2.x and in 1.x
        array = array.reshape(shape)
    if len(shape) != array.ndim or any(n not in (-1, m) for n, m in zip(shape, array.shape, strict=True)):
        raise RuntimeError(f"load_vars: {variable.name!r} has shape {list(shape)} in the Program. "
                           f"Received shape {list(array.shape)}.")
    if not np.can_cast(array.dtype, variable.dtype.dtype, "same_kind"):
        raise RuntimeError(f"load_vars: {variable.name!r} has dtype {variable.dtype.name} in the Program. "
                           f"Received dtype {array.dtype}.")
    return array.astype(variable.dtype.dtype, copy=False)

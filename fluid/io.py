"""`fluid.io`: values and inference models in Paddle 1.x's files, and readers.

A folder of values has a file for each variable, or one file for all; a model has its Program in `__model__`. Programs
are written as 1.8.5 writes them, so that it reads the files.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import unique_name
from ..core.dtype import uint8
from ..core.files import atomic_write
from ..core.lazy import listed
from ..core.limits import limits_of
from ..io.batch_sampler import BatchSampler, batch
from ..io.dataset import Dataset
from ..ops.core.operator import find, is_declared
from ..ops.core.trace import using
from ..ops.math.elementwise import scale
from ..reader import (
    ComposeNotAligned,
    buffered,
    cache,
    chain,
    compose,
    firstn,
    map_readers,
    multiprocess_reader,
    shuffle,
    xmap_readers,
)
from ..static.building.trace import ProgramTrace
from ..static.files.persistence import load, load_program_state, save_state, set_program_state
from ..static.files.program_codec import to_desc
from ..static.files.save_vars import (
    get_program_parameter,
    get_program_persistable_vars,
    is_belong_to_optimizer,
    is_parameter,
    is_persistable,
    load_vars,
    save_vars,
    valid_program,
)
from ..static.format.program_file import read_program_desc
from ..static.format.versions_1_8 import stamped, unknown_to_1_8
from ..static.ir.frame import append_fetch_ops, feed_names, fetch_names, prepend_feed_ops
from ..static.ir.transform import for_inference
from ..static.program import Program, from_desc
from ..static.run.executor import Executor
from ..static.run.scope import global_scope
from .framework import Variable
from .reader import DataLoader, PyReader, default_collate_fn
from .values_on_servers import is_divided, load_divided, save_divided, with_endpoints

__all__ = [
    "BatchSampler", "ComposeNotAligned", "DataLoader", "Dataset", "PyReader", "append_fetch_ops", "batch",
    "buffered", "cache", "chain", "compose", "default_collate_fn", "firstn", "get_parameter_value",
    "get_parameter_value_by_name", "get_program_parameter", "get_program_persistable_vars",
    "is_belong_to_optimizer", "is_parameter", "is_persistable", "load", "load_inference_model", "load_params",
    "load_persistables", "load_program_state", "load_vars", "map_readers", "multiprocess_reader",
    "prepend_feed_ops", "save", "save_inference_model", "save_params", "save_persistables", "save_vars",
    "set_program_state", "shuffle", "xmap_readers",
]
__dir__ = listed(__name__)

_MODEL, _WHOLE = "__model__", ".main_program"


def save_params(executor: Executor, dirname: str | None, main_program: Any = None,
                filename: str | None = None) -> bytes | None:
    """Writes the parameters of a Program: `save_vars` with `predicate=is_parameter`.

    Without `dirname` and `filename` their bytes are the result.

    >>> import os, tempfile, proa.fluid as fluid
    >>> main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    >>> folder = tempfile.mkdtemp()
    >>> with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
    ...     y = fluid.layers.fc(fluid.data("x", [None, 2]), 1, name="fc")
    ...     _ = exe.run(startup)
    ...     fluid.io.save_params(exe, folder, main)
    >>> sorted(os.listdir(folder))
    ['fc.b_0', 'fc.w_0']
    """
    if is_divided(main_program):
        save_divided(executor, dirname, main_program, is_parameter, with_state=False)
        return None
    return save_vars(executor, dirname, main_program, None, is_parameter, filename)


def save_persistables(executor: Executor, dirname: str | None, main_program: Any = None,
                      filename: str | None = None) -> bytes | None:
    """Writes all values of a Program that are kept between runs, an optimizer's state among them, as `save_params`.

    Of a trainer's Program, trainer 0 writes what lies on parameter servers too, each variable as a whole; a table whose
    rows live on servers alone, these save by themselves, in their folder of checkpoints.
    """
    if is_divided(main_program):
        save_divided(executor, dirname, main_program, is_persistable, with_state=True)
        return None
    return save_vars(executor, dirname, main_program, None, is_persistable, filename)


def load_params(executor: Executor, dirname: str | None, main_program: Any = None,
                filename: str | bytes | None = None) -> None:
    """Reads the parameters of a Program, which `save_params` wrote. Run the startup Program before, not after.

    Raises FileNotFoundError, naming the variables, where something is missing; see `load_vars`.
    """
    load_vars(executor, dirname, main_program, None, is_parameter, filename)


def load_persistables(executor: Executor, dirname: str | None, main_program: Any = None,
                      filename: str | bytes | None = None) -> None:
    """Reads what `save_persistables` wrote, to go on training; see `load_params`.

    On a parameter server, with its Program or startup Program, it reads the parts that lie there.
    """
    if is_divided(main_program):
        load_divided(executor, dirname, main_program, is_persistable)
        return
    load_vars(executor, dirname, main_program, None, is_persistable, filename)


def get_parameter_value(para: Any, executor: Executor) -> np.ndarray:
    """The value of a parameter as an array; TypeError for another variable, RuntimeError where it has none."""
    if not is_parameter(para):
        raise TypeError(f"get_parameter_value(para): must be a parameter. Received {para!r}.")
    array = global_scope().find_var(para.name)
    if array is None:
        raise RuntimeError(f"get_parameter_value: {para.name!r} has no value. Run the startup Program first.")
    return np.array(array.get_tensor())


def get_parameter_value_by_name(name: str, executor: Executor, program: Any = None) -> np.ndarray:
    """The value of the parameter of this name, of the default main Program unless another is given."""
    return get_parameter_value(valid_program("get_parameter_value_by_name", program).global_block().var(name), executor)


def save_inference_model(dirname: str, feeded_var_names: Any, target_vars: Any, executor: Executor,
                         main_program: Any = None, model_filename: str | None = None,
                         params_filename: str | None = None, export_for_deployment: bool = True,
                         program_only: bool = False) -> list[str]:
    """Writes the Program that `target_vars` need of the fed variables, and its values; the targets' names in the file.

    `dirname` gets `__model__`, or `model_filename`, and a file for each value, or all in `params_filename`. With
    `export_for_deployment=False` the whole Program goes to `__model__.main_program`; with `program_only` no values are
    written. Raises ValueError for names or targets of another kind, and where the targets need an input that is not
    among those fed. Warns of operators that PaddlePaddle 1.8 does not have: it cannot run such a model.

    >>> import tempfile, proa.fluid as fluid
    >>> main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    >>> folder = tempfile.mkdtemp()
    >>> with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
    ...     y = fluid.layers.fc(fluid.data("x", [None, 2]), 1)
    ...     _ = exe.run(startup)
    ...     _ = fluid.io.save_inference_model(folder, ["x"], [y], exe, main)
    ...     program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
    >>> feeds
    ['x']
    """
    program = valid_program("save_inference_model", main_program)
    feeds = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names)
    targets = [target_vars] if isinstance(target_vars, Variable) else list(target_vars)
    if not all(isinstance(name, str) for name in feeds):
        raise ValueError("save_inference_model(feeded_var_names): must be a list of names. Received "
                         f"{feeded_var_names!r}.")
    if not targets or not all(isinstance(target, Variable) for target in targets):
        raise ValueError("save_inference_model(target_vars): must be a list of Variables with something in it. "
                         f"Received {target_vars!r}.")
    scaled, names = _scaled(program, targets)
    for name in feeds:
        program.global_block().var(name)
    _warn_of_auc(program)
    if not os.fspath(dirname):
        raise ValueError("save_inference_model(dirname): must be a folder. Received an empty name.")
    path = os.path.join(os.path.normpath(dirname), os.path.basename(model_filename or _MODEL))
    if export_for_deployment:
        written: Any = for_inference(scaled, feeds, names)
    else:
        written, path = scaled, path + _WHOLE
    for block in written.blocks:
        for op in block.ops:
            op.attrs.pop("op_device", None)
    _name_all_results(written)
    content = program_bytes(written, path)
    with atomic_write(path) as file:
        file.write(content)
    if program_only:
        warnings.warn("save_inference_model(program_only=True): the values of the Program are not written.",
                      stacklevel=2)
    else:
        save_persistables(executor, dirname, written, params_filename and os.path.basename(params_filename))
    return names


def _scaled(program: Any, targets: Sequence[Variable]) -> tuple[Program, list[str]]:
    """A copy of a Program in which each target is multiplied by one, and the names of the products.

    So a file has them, under names that say what they are: no pass that puts operators together takes a target away.
    """
    copied = program.clone()
    names = []
    with using(ProgramTrace(copied)):
        for number, target in enumerate(targets):
            block = copied.global_block()
            name = unique_name.generate(f"save_infer_model/scale_{number}.tmp")
            result = scale(block.var(target.name), 1.0)
            block._rename_var(result.name, name)
            names.append(name)
    return copied, names


def _name_all_results(program: Any) -> None:
    """Gives a variable to each result that an operation leaves out, a dropout's mask in evaluation: 1.8 asks for it."""
    for block in program.blocks:
        for op in block.ops:
            missing = [slot for slot in find(op.type).results if not op.output(slot.name) and not slot.many
                       ] if is_declared(op.type) and op.output_arg_names else []
            for slot in missing:
                first = block.var(op.output_arg_names[0])
                name = f"{first.name}.{slot.name}"
                made = op.input(slot.alias) if slot.alias else [block.new_var(name, first.shape, uint8).name]
                op.set_output(slot.name, made)


def _warn_of_auc(program: Any) -> None:
    if any(op.type == "auc" for op in program.global_block().ops):
        warnings.warn("save_inference_model: the Program computes an area under the curve (auc), whose state is "
                      "written as it is. Set it to zeros before.", stacklevel=3)


def program_bytes(program: Any, name: str) -> bytes:
    """A Program as 1.8.5 writes it; `name` is what a warning calls the file."""
    desc = to_desc(program)
    newer = unknown_to_1_8(op.type for block in desc.blocks for op in block.ops)
    if newer:
        warnings.warn(f"{name}: holds operators that PaddlePaddle 1.8 does not have ({', '.join(newer)}). It reads the "
                      "file, and does not run it. fluid.layers has those that it has.", stacklevel=3)
    return stamped(desc)


def load_inference_model(dirname: str | None, executor: Executor, model_filename: Any = None,
                         params_filename: Any = None, pserver_endpoints: Any = None,
                         memory_limit_mb: int | None = None, loop_limit: int | None = None) -> list[Any]:
    """Reads what `save_inference_model` wrote, here or in PaddlePaddle: [Program, names to feed, Variables to fetch].

    The values go to the global scope. Without `dirname`, `model_filename` and `params_filename` are the files' bytes.
    `pserver_endpoints`: the servers that a model asks for rows of tables, in the places of those it was written for.
    `memory_limit_mb`, `loop_limit`: what a run may take, as of `paddle.jit.load`; PaddlePaddle does not have these.
    Raises ValueError where there is no such folder, FileNotFoundError and CorruptFileError, naming the file.
    """
    limits = limits_of("load_inference_model", memory_limit_mb, loop_limit)
    if dirname is None:
        program = _from_bytes(model_filename, params_filename)
    else:
        folder = os.path.normpath(os.fspath(dirname))
        if not os.path.isdir(folder):
            raise ValueError(f"load_inference_model(dirname): there is no folder {folder!r}.")
        path = os.path.join(folder, os.path.basename(model_filename or _MODEL))
        program = from_desc(read_program_desc(path), path)
        params_filename = params_filename and os.path.basename(params_filename)
    program.limits = limits
    if pserver_endpoints:
        with_endpoints(program, pserver_endpoints)
    load_persistables(executor, dirname, program, params_filename)
    block = program.global_block()
    return [program, feed_names(program), [block.var(name) for name in fetch_names(program)]]


def _from_bytes(model: Any, params: Any) -> Program:
    for what, content in (("model_filename", model), ("params_filename", params)):
        if not isinstance(content, (bytes, bytearray)):
            raise ValueError(f"load_inference_model({what}): without dirname it must be the bytes of the file. "
                             f"Received {type(content).__name__}.")
    name = "load_inference_model(model_filename)"
    return from_desc(read_program_desc(bytes(model), name), name)


def save(program: Any, model_path: str) -> None:
    """Writes PREFIX.pdparams (parameters), PREFIX.pdopt (other values that are kept) and PREFIX.pdmodel (the Program).

    `model_path`: the files' common prefix, FOLDER/NAME. Raises ValueError when a value is missing from the scope.
    """
    save_state(valid_program("save", program), model_path, 2, lambda kept: stamped(to_desc(kept)), (1,))

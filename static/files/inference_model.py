"""Inference models: a pruned Program and its parameters as `PREFIX.pdmodel` and `PREFIX.pdiparams`."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core.byte_reader import open_reader
from ...core.collection import resting
from ...core.errors import ArgumentError
from ...core.files import atomic_group
from ...core.limits import limits_of
from ..building.mode import default_main_program
from ..format.program_file import read_program_desc, serialize_program_desc
from ..format.tensor_stream import write_combined
from ..ir.frame import feed_names, fetch_names
from ..ir.program import Program
from ..ir.transform import for_inference, persistable_names
from ..ir.variable import Variable
from ..program import from_desc
from ..run.executor import Executor
from ..run.scope import Scope, global_scope
from ..run.state import values_to_write
from . import whole_weights
from .model_files import MODEL_SUFFIX, PARAMS_SUFFIX, older_files, program_file, read_values
from .model_program import program_desc
from .own_codec import only_ours
from .program_codec import to_desc


def program_bytes(program: Program) -> bytes:
    """A Program in the form of a `.pdmodel` file."""
    return serialize_program_desc(to_desc(program))


def read_program(path: Any, memory_limit_mb: int | None = None, loop_limit: int | None = None) -> Program:
    """The Program in a `.pdmodel` file, or in PaddlePaddle 3's `.json`, and what a run of it may take.

    CorruptFileError when it is none.
    """
    with open_reader(path) as reader:
        data, name = reader.take(reader.remaining), reader.name
    return program_of(data, name, memory_limit_mb, loop_limit)


def program_of(data: bytes, name: str, memory_limit_mb: int | None = None, loop_limit: int | None = None) -> Program:
    """The Program in the content of such a file, which errors call by a name."""
    limits = limits_of("load", memory_limit_mb, loop_limit)
    with resting():
        program = from_desc(program_desc(data, name), name)
    program.limits = limits
    return program


def read_parameters(path: Any, program: Program) -> dict[str, np.ndarray]:
    """The persistable values of a Program, by name, in the Program's own dtypes: from its `.pdiparams` file.

    `path` may also be a folder with a file for each, as Paddle 1.x writes them; FileNotFoundError names those that are
    missing.
    """
    return whole_weights.as_floats(program, read_values(path, persistable_names(program)))


def add_model(group: Any, prefix: str, program: Program, parameters: dict[str, Any]) -> None:
    """Adds the files of a model to a group that is written together. Without parameters there is no file of them."""
    desc = to_desc(program)
    own = sorted({op.type for block in desc.blocks for op in block.ops
                  if only_ours(op.type, [slot.parameter for slot in op.inputs]) or _is_gradient_of_block(op)})
    if own:
        warnings.warn(f"{prefix + MODEL_SUFFIX}: holds operators that only proa has ({', '.join(own)}): proa reads the "
                      "file, PaddlePaddle does not run it.", stacklevel=4)
    with group.open(prefix + MODEL_SUFFIX) as file:
        file.write(serialize_program_desc(desc))
    if parameters:
        with group.open(prefix + PARAMS_SUFFIX) as file:
            write_combined(file, [stream_array(parameters[name]) for name in persistable_names(program)])


def _is_gradient_of_block(op: Any) -> bool:
    """Whether it takes gradients back through a branch or loop, for which PaddlePaddle reads what is not here."""
    return op.type.endswith("_grad") and any(attr.name == "sub_block" for attr in op.attrs)


def stream_array(array: Any) -> tuple[np.ndarray, int]:
    """A host array and the number of its element type, as the tensor streams take them."""
    from ...core.dtype import from_numpy_dtype

    host = backend.to_numpy(array)
    dtype = from_numpy_dtype(host.dtype)
    return (host.view(np.uint16) if dtype.name == "bfloat16" else host), dtype.number


def _names(variables: Any, what: str) -> list[str]:
    items = list(variables) if isinstance(variables, (list, tuple)) else [variables]
    for item in items:
        if not isinstance(item, Variable):
            raise ArgumentError(f"{what} must be a Variable or a list of Variables. Received {type(item).__name__}.")
    return [item.name for item in items]


def normalize_program(program: Program, feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> Program:
    """A copy that holds only what the fetched Variables need of the fed ones, for evaluation.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> smaller = static.normalize_program(main, [x], [y])
    >>> [op.type for op in smaller.global_block().ops]
    ['feed', 'mul', 'elementwise_add', 'fetch']
    """
    if not isinstance(program, Program):
        raise TypeError(f"normalize_program(program): must be a Program. Received {type(program).__name__}.")
    return for_inference(program, _names(feed_vars, "feed_vars"), _names(fetch_vars, "fetch_vars"))


def save_inference_model(path_prefix: str, feed_vars: Any, fetch_vars: Any, executor: Executor, **kwargs: Any) -> None:
    """Writes `PREFIX.pdmodel` and `PREFIX.pdiparams`: the Program pruned to what `fetch_vars` need of `feed_vars`.

    `program=` (the default main Program by default) and `clip_extra=` as in Paddle. Parameters come from the global
    scope; RuntimeError when one has no value yet.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> prefix = tempfile.mkdtemp() + "/net"
    >>> static.save_inference_model(prefix, [x], [y], exe, program=main)
    >>> program, feeds, fetches = static.load_inference_model(prefix, exe)
    >>> feeds
    ['x']
    """
    if not isinstance(executor, Executor):
        raise ArgumentError(f"save_inference_model(executor): must be an Executor. Received {type(executor).__name__}.")
    if not isinstance(path_prefix, (str, os.PathLike)):
        raise ArgumentError("save_inference_model(path_prefix): must be a path without a suffix. Received "
                            f"{type(path_prefix).__name__}.")
    program = kwargs.get("program") or default_main_program()
    if not isinstance(program, Program):
        raise ArgumentError(f"save_inference_model(program): must be a Program. Received {type(program).__name__}.")
    pruned = for_inference(program, _names(feed_vars, "feed_vars"), _names(fetch_vars, "fetch_vars"))
    parameters = values_to_write("save_inference_model", pruned, persistable_names(pruned))
    with atomic_group() as group:
        add_model(group, os.fspath(path_prefix), pruned, parameters)


def load_inference_model(path_prefix: str | None, executor: Executor, **kwargs: Any) -> list[Any]:
    """Reads what `save_inference_model` or `jit.save` wrote, here or in PaddlePaddle 1 to 3.

    It gives [Program, names to feed, Variables to fetch].

    The parameters go to the global scope. `model_filename=` and `params_filename=` name other files in the folder
    `path_prefix`, as Paddle 1.x has them; without the second each value has a file of its own. With None as
    `path_prefix` they are the files' bytes. `memory_limit_mb=` and `loop_limit=`: what a run may take, as of
    `jit.load`. Raises FileNotFoundError and CorruptFileError, naming the file.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> prefix = tempfile.mkdtemp() + "/net"
    >>> static.save_inference_model(prefix, [x], [y], exe, program=main)
    >>> program, feeds, fetches = static.load_inference_model(prefix, exe)
    >>> feeds
    ['x']
    """
    model, params = _paths(path_prefix, kwargs.get("model_filename"), kwargs.get("params_filename"))
    program = read_program(model, kwargs.get("memory_limit_mb"), kwargs.get("loop_limit"))
    scope: Scope = global_scope()
    for name, array in read_parameters(params, program).items():
        scope.set_array(name, backend.as_place(array, executor.place))
    block = program.global_block()
    return [program, feed_names(program), [block.var(name) for name in fetch_names(program)]]


def _paths(prefix: str | None, model: Any, params: Any) -> tuple[Any, Any]:
    """Where the Program and the values stand: files, or what holds their bytes."""
    if prefix is None:
        for name, data in (("model_filename", model), ("params_filename", params)):
            if not isinstance(data, bytes):
                raise ArgumentError(f"load_inference_model({name}): without a path_prefix it must be the file's bytes. "
                                    f"Received {type(data).__name__}.")
        return io.BytesIO(model), io.BytesIO(params)
    prefix = os.fspath(prefix)
    if model is None and params is None:
        return program_file(prefix), prefix + PARAMS_SUFFIX
    return older_files(prefix, model, params)


def serialize_program(feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> bytes:
    """The pruned Program as the bytes of a `.pdmodel` file.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> data = static.serialize_program([x], [y], program=main)
    >>> static.deserialize_program(data).global_block().var("x").shape
    (-1, 2)
    """
    return program_bytes(normalize_program(kwargs.get("program") or default_main_program(), feed_vars, fetch_vars))


def deserialize_program(data: bytes) -> Program:
    """The Program in the bytes of a `.pdmodel` file.

    >>> import proa as paddle
    >>> from proa import static
    >>> import tempfile
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     y = static.nn.fc(x, 1)
    >>> exe = static.Executor()
    >>> _ = exe.run(startup)
    >>> data = static.serialize_program([x], [y], program=main)
    >>> static.deserialize_program(data).global_block().var("x").shape
    (-1, 2)
    """
    return from_desc(read_program_desc(data, "deserialize_program(data)"), "deserialize_program(data)")


__all__: Sequence[str] = ("deserialize_program", "load_inference_model", "normalize_program", "save_inference_model",
                          "serialize_program")

"""`fluid.layers.io`: inputs of Programs, from feeds and from readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...static.building import data as static_data
from ..mode import face
from ..variable import Variable
from .readers import create_py_reader_by_data, double_buffer, open_files, py_reader, read_file


@face
def data(name: str, shape: Sequence[int], append_batch_size: bool = True, dtype: Any = "float32", lod_level: int = 0,
         type: Any = None, stop_gradient: bool = True) -> Any:
    """An input of the default main Program; -1 is put before its shape unless that holds a negative size itself.

    What is fed may have other sizes, where the operators take it; `fluid.data` is an input that is checked.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.data("x", [3]).shape
    (-1, 3)
    """
    sizes = [-1 if size is None else size for size in shape]
    if append_batch_size and not any(size < 0 for size in sizes):
        sizes = [-1, *sizes]
    made = static_data.data(name, sizes, dtype, lod_level)
    made.stop_gradient, made.takes_any_size = stop_gradient, True
    return made


def load(out: Any, file_path: str, load_as_fp16: bool | None = None) -> None:
    """A Program that reads the value of `out`, a variable, from a file of `fluid.io.save_vars` whenever it runs.

    `load_as_fp16`: as float16, whatever the file has. In 1.8.5 a Program with this layer does not run.

    >>> import os, tempfile, numpy as np
    >>> import proa.fluid as fluid
    >>> exe, folder = fluid.Executor(fluid.CPUPlace()), tempfile.mkdtemp()
    >>> with fluid.scope_guard(fluid.Scope()), fluid.program_guard(fluid.Program()):
    ...     w = fluid.layers.create_global_var([2], 3.0, "float32", persistable=True, name="w")
    ...     _ = exe.run(fluid.default_startup_program())
    ...     fluid.io.save_vars(exe, folder, vars=[w])
    ...     fluid.layers.load(w, os.path.join(folder, "w"))
    ...     exe.run(fetch_list=[w + 1.0])[0].tolist()
    [4.0, 4.0]
    """
    if not isinstance(out, Variable):
        raise TypeError(f"layers.load(out): must be a variable of a Program. Received {type(out).__name__}; "
                        "in dynamic mode there is fluid.load_dygraph.")
    out.block.append_op("load", outputs={"Out": out}, attrs={"file_path": file_path,
                                                             "load_as_fp16": bool(load_as_fp16)})


__all__ = ["create_py_reader_by_data", "data", "double_buffer", "load", "open_files", "py_reader", "read_file"]

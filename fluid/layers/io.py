"""`fluid.layers.io`: inputs of Programs, from feeds and from readers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...static.building import data as static_data
from ..mode import face
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
    """NotImplementedError: in 1.8 too, a Program with this layer does not run."""
    raise NotImplementedError("layers.load: no file is read within a Program. Read it into the scope instead: "
                              "fluid.io.load_vars(exe, folder, vars=[variable]), once, behind the startup Program.")


__all__ = ["create_py_reader_by_data", "data", "double_buffer", "load", "open_files", "py_reader", "read_file"]

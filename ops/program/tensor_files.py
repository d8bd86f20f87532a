"""save, save_combine, load, load_combine: operators of 1.x by which a Program writes values to files, or reads them.

Where the files are, the attribute `file_path` says; nothing that was read from a file may name one
(`static/files/program_reader.py`). How values lie in files, what stands above knows, and tells `FORM`.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import backend
from ...core import dtype as dt
from ...core.files import atomic_write
from ..core.operator import Longs, operator
from ..core.spec import Spec


class Form:
    """How values lie in a file."""

    write: Callable[[Any, Sequence[tuple[np.ndarray, list[list[int]]]]], None]
    read: Callable[[str, list[str] | None], list[np.ndarray]]


FORM = Form()


def _write(type, path, overwrite, half, values):
    if os.path.exists(path) and not overwrite:
        raise FileExistsError(f"{type}(file_path): {path!r} is there already, and overwrite is False.")
    arrays = [backend.to_numpy(value) for value, _ in values]
    arrays = [a.astype(np.float16) if half and a.dtype == np.float32 else a for a in arrays]
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with atomic_write(path) as file:
        FORM.write(file, list(zip(arrays, [lod for _, lod in values], strict=True)))
    return ()


def _save(xp, x, lod=None, *, file_path: str = "", overwrite: bool = True, save_as_fp16: bool = False):
    levels = [backend.to_numpy(level).tolist() for level in lod or ()]
    return _write("save", file_path, overwrite, save_as_fp16, [(x, levels)])


def _save_combine(xp, x, *, file_path: str = "", overwrite: bool = True, save_as_fp16: bool = False,
                  save_to_memory: bool = False):
    if save_to_memory:
        raise NotImplementedError("save_combine(save_to_memory=True): write to file_path, or use fluid.io.save_vars "
                                  "with neither dirname nor filename, which gives bytes.")
    _write("save_combine", file_path, overwrite, save_as_fp16, [(each, []) for each in x])
    return np.zeros(0, np.float32)


def _load(xp, *, file_path: str = "", load_as_fp16: bool = False, seek: int = -1, shape: Longs = ()):
    [array] = FORM.read(file_path, None)
    if seek >= 0:
        array = array.reshape(-1)[seek: seek + int(np.prod(shape))].reshape(shape)
    return xp.asarray(array.astype(np.float16) if load_as_fp16 else array)


def _load_combine(xp, *, file_path: str = "", load_as_fp16: bool = False, model_from_memory: bool = False,
                  results: list[str] = ()):
    if model_from_memory:
        raise NotImplementedError("load_combine(model_from_memory=True): file_path has to be a path; "
                                  "fluid.io.load_vars reads bytes.")
    arrays = FORM.read(file_path, list(results))
    return [xp.asarray(each.astype(np.float16) if load_as_fp16 else each) for each in arrays]


save_op = operator("save", "X, lod^X ->", kernel=_save, infer=lambda x, lod, **_: (), effects="writes", lod="drop",
                   fails="values")
"""Writes a value, with its LoD, to a file of its own; `save_as_fp16`: floats as float16."""
save_combine_op = operator("save_combine", "X* -> Y", kernel=_save_combine, effects="writes", lod="drop",
                           infer=lambda x, **_: Spec((0,), dt.float32), fails="values")
"""Writes values to one file, one behind the other. Y orders operations in files."""
load_op = operator("load", "-> Out", kernel=_load, infer=lambda **_: (None,), effects="reads", lod="drop",
                   fails="values")
"""The value of a file; with `seek` and `shape` as many of its elements from there on."""
load_combine_op = operator("load_combine", "-> Out*", kernel=_load_combine, infer=lambda **_: (None,), effects="reads",
                           lod="drop", fails="values", names={"results": "Out"})
"""The values of a file, of which each of Out is one."""

__all__ = ["FORM", "load_combine_op", "load_op", "save_combine_op", "save_op"]

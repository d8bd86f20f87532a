"""Models as the commands are given them: the files of Program and values, by prefix, file or folder."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Any
from zipfile import BadZipFile

_MODEL, _JSON, _PARAMS, _INFO, _OLDER = ".pdmodel", ".json", ".pdiparams", ".info", "__model__"
_TENSOR = 7  # VarType.LOD_TENSOR: the kind of variable whose values are in files


def model_file(path: str, params: str | None = None) -> str | None:
    """The file that holds the Program of a model; None where the path names no model.

    Where the file of its values is named (`params`), a file of any name is one. ValueError for a folder with several.
    """
    from ..static.files.model_files import is_program_file, program_file

    if params is not None and os.path.isfile(path):
        return path
    candidates = [path] if path.endswith((_MODEL, _JSON)) or os.path.basename(path) == _OLDER else [
        program_file(path.removesuffix(_INFO).removesuffix(_PARAMS)), os.path.join(path, _OLDER)]
    found = next((file for file in candidates if os.path.isfile(file)), None)
    if found is not None or not os.path.isdir(path):
        return found
    files = [name for name in sorted(os.listdir(path)) if is_program_file(os.path.join(path, name))]
    files = [name for name in files if name.endswith(_MODEL)] or files
    if len(files) > 1:
        raise ValueError(f"the folder {path!r} holds {len(files)} models: {', '.join(files[:5])}"
                         f"{', …' if len(files) > 5 else ''}. Name one of them.")
    return os.path.join(path, files[0]) if files else None


def no_model(path: str) -> OSError | ValueError:
    """The error that says why a path names no model: nothing is there, or what is there is something else."""
    known = f"a file {_MODEL} or {_JSON}, or a folder with {_OLDER} or such a file"
    if os.path.isdir(path):
        return FileNotFoundError(f"the folder {path!r} holds no model: a model is {known}.")
    if not os.path.exists(path):
        return FileNotFoundError(f"there is no file and no model {path!r}: a model is {known}, or the name without "
                                 "its suffix.")
    if not os.path.isfile(path):
        return ValueError(f"{path!r} is no file and no folder, but a pipe or a device: a model is {known}.")
    if path.endswith(".onnx"):
        return ValueError(f"{path!r} is an ONNX file, which no command reads: the package x2paddle makes a {_MODEL} of "
                          "it (docs/interchange.md, ONNX).")
    return ValueError(f"the file {path!r} is no model by its name: a model is {known}. With --params-file NAME, "
                      "of its values, it may have any name.")


def numpy_arrays(path: str) -> dict[str, Any]:
    """The arrays of a `.npz` by name, or the one of a `.npy`; ValueError where it is no such file, or holds objects."""
    import numpy as np

    from ..core.file_kind import LOOKED_AT, kind_of

    with open(path, "rb") as file:
        start = file.read(LOOKED_AT)
        file.seek(0)
        if not start.startswith((b"PK", b"\x93NUMPY")):  # NumPy would take it for a pickle
            kind = kind_of(start) or "it begins as none of them"
            raise ValueError(f"{path!r} is no file of NumPy's arrays (.npy, .npz): {kind}.")
        try:
            found = np.load(file, allow_pickle=False)
            return {"": found} if isinstance(found, np.ndarray) else {name: found[name] for name in found.files}
        except (ValueError, EOFError, OSError, BadZipFile, zlib.error) as error:
            if isinstance(error, ValueError) and "allow_pickle" in str(error):
                raise ValueError(f"{path!r} holds Python objects: only arrays of numbers are loaded.") from error
            raise ValueError(f"{path!r} is damaged, or cut off: {error}") from error


def stored_shapes(desc: Any) -> dict[str, list[int]]:
    """The shapes of the values that a Program's files hold, by name."""
    return {var.name: list(var.type.lod_tensor.tensor.dims) for block in desc.blocks for var in block.vars
            if var.persistable and var.type.type == _TENSOR}


def values_file(file: str, params: str | None, names: Sequence[str]) -> str:
    """Where a model's values are: the file of all, the folder with one for each, or "" where neither is there.

    `params`: as the caller names it. In a folder of Paddle 1.x it may have any name, where it is the only such file.
    """
    folder = os.path.dirname(file)
    if params is not None:
        found = [place for place in (os.path.join(folder, params), params) if os.path.exists(place)]
        if not found:
            raise FileNotFoundError(f"--params-file: there is no file {params!r}, and none beside {file!r}.")
        return found[0]
    if os.path.basename(file) != _OLDER:
        whole = os.path.splitext(file)[0] + _PARAMS
        return whole if os.path.exists(whole) else ""
    whole = os.path.join(folder, "__params__")
    if os.path.isfile(whole):
        return whole
    if any(os.path.isfile(os.path.join(folder, name)) for name in names):
        return folder or "."
    others = [place for place in (os.path.join(folder, name) for name in os.listdir(folder or "."))
              if place != file and os.path.isfile(place) and _may_hold_values(place)]
    return others[0] if names and len(others) == 1 else ""


def _may_hold_values(path: str) -> bool:
    """Whether a file begins as values do: with their version, 0."""
    with open(path, "rb") as file:
        return file.read(4) == bytes(4)


def absent_values(file: str, values: str, names: Sequence[str]) -> str:
    """What to say where files of a model's values are not there; "" where none is wanting."""
    way = "--params-file NAME says where they are."
    if names and not values:
        usual = f"{os.path.splitext(file)[0] + _PARAMS!r}" if os.path.basename(file) != _OLDER else \
            "__params__, nor one for each, nor one file alone"
        return (f"the model {file!r} has {len(names)} parameters ({min(names)!r} is one), and there is no file of "
                f"their values beside it: no {usual}. {way}")
    missing = [name for name in names if os.path.isdir(values) and not os.path.isfile(os.path.join(values, name))]
    if missing:
        more = " and others" if len(missing) > 5 else ""
        return (f"the folder {values!r} has no file for {missing[:5]}{more}, which the model {file!r} has. Where all "
                f"are in one file, {way}")
    return ""


def model_files(path: str, params: str | None) -> tuple[str, str]:
    """The files of a model's Program and of its values (a folder of them; "" where it has none).

    An error that says why where the path names no model, and where its values are not there.
    """
    file = model_file(path, params)
    if file is None:
        raise no_model(path)
    values = values_file(file, params, ())
    if values:  # of all: nobody needs the names
        return file, values
    from ..static.files.inference_model import program_desc

    with open(file, "rb") as opened:
        names = list(stored_shapes(program_desc(opened.read(), file)))
    values = values_file(file, params, names)
    absent = absent_values(file, values, names)
    if absent:
        raise FileNotFoundError(absent)
    return file, values


def predictor_of(path: str, params: str | None = None) -> Any:
    """A Predictor of the model that a path names; an error that says why where it names none."""
    from ..inference import Config, create_predictor

    return create_predictor(Config(*model_files(path, params)))


def size_of(count: float) -> str:
    """A number of bytes for people."""
    for unit in ("B", "KB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def table(rows: Sequence[Sequence[Any]]) -> str:
    """Rows as lines, their cells one below the other."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
                     for row in cells)

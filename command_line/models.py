"""Models as the commands are given them, by prefix, file or folder; their inputs' shapes and values."""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any
from zipfile import BadZipFile

_MODEL, _JSON, _PARAMS, _INFO, _OLDER = ".pdmodel", ".json", ".pdiparams", ".info", "__model__"


def model_file(path: str) -> str | None:
    """The file that holds the Program of a model; None where the path names no model.

    ValueError for a folder with several.
    """
    from ..static.files.model_files import is_program_file, program_file

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
    return ValueError(f"the file {path!r} is no model by its name: a model is {known}.")


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


def params_file(file: str, names: Sequence[str]) -> str:
    """Where a model's values are: the file of all, the folder with one for each, or "" where neither is beside it."""
    from ..static.files.model_files import older_files

    if os.path.basename(file) != _OLDER:
        params = os.path.splitext(file)[0] + _PARAMS
        return params if os.path.exists(params) else ""
    values = older_files(os.path.dirname(file), None, None)[1]
    return values if os.path.isfile(values) or any(os.path.isfile(os.path.join(values, name)) for name in names) else ""


def predictor_of(path: str) -> Any:
    """A Predictor of the model that a path names; an error that says why where it names none."""
    from ..inference import Config, create_predictor

    file = model_file(path)
    if file is None:
        raise no_model(path)
    if os.path.basename(file) == _OLDER:
        return create_predictor(Config(os.path.dirname(file)))
    params = os.path.splitext(file)[0] + _PARAMS
    return create_predictor(Config(file, params if os.path.exists(params) else ""))


def by_name(given: Sequence[str], names: Sequence[str], option: str) -> dict[str, str]:
    """What `NAME=VALUE` options give for each name; a VALUE alone belongs to the first name that has none."""
    found: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or name not in names:
            if equals and not os.path.exists(item):
                raise ValueError(f"{option} {item}: there is no input {name!r}. The inputs are {list(names)}.")
            name, value = next((name for name in names if name not in found), ""), item
        if not name or name in found:
            raise ValueError(f"{option} {item}: more values than inputs, which are {list(names)}.")
        found[name] = value
    return found


def shapes_of(specs: Mapping[str, Any], given: Sequence[str]) -> dict[str, list[int]]:
    """The shape of each input: as given (`1,3,224,224`), else the model's own with 1 for what it leaves open."""
    shapes = {name: [size if size >= 0 else 1 for size in spec.shape] for name, spec in specs.items()}
    for name, text in by_name(given, list(specs), "--shape").items():
        try:
            shapes[name] = [int(size) for size in text.split(",")]
        except ValueError as error:
            raise ValueError(f"--shape {text}: sizes with commas between them, please: 1,3,224,224.") from error
        if min(shapes[name]) < 0:
            raise ValueError(f"--shape {text}: a size is negative.")
    return shapes


def specs_of(predictor: Any) -> dict[str, Any]:
    """The shape and dtype of each input, as the model says them."""
    return {name: predictor._model.variables[name].spec for name in predictor.get_input_names()}


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

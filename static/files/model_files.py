"""The files of a model, by their names, and the values in them, by theirs. Knows no Program, and imports none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import from_number
from ...core.files import is_temporary
from ..format.tensor_stream import read_combined, read_stream

MODEL_SUFFIX, PARAMS_SUFFIX, INFO_SUFFIX = ".pdmodel", ".pdiparams", ".pdiparams.info"
JSON_SUFFIX = ".json"  # of a Program of PaddlePaddle 3, which is read and not written
QUANTIZED_WEIGHTS = b"quantize_weight_bits"  # in a Program's file whose weights may be whole numbers with scales
OLDER_MODEL = "__model__"  # what Paddle 1.x calls the file of the Program


def program_file(prefix: str) -> str:
    """The file of a model's Program: `PREFIX.pdmodel`, or PaddlePaddle 3's `PREFIX.json` where there is that alone."""
    json_file = prefix + JSON_SUFFIX
    return json_file if os.path.isfile(json_file) and not os.path.exists(prefix + MODEL_SUFFIX) \
        else prefix + MODEL_SUFFIX


def is_program_file(name: str) -> bool:
    """Whether a file's name is that of a model's Program; of a `.json`, whether parameters stand beside it too."""
    return name.endswith(MODEL_SUFFIX) or name.endswith(JSON_SUFFIX) and os.path.isfile(
        name.removesuffix(JSON_SUFFIX) + PARAMS_SUFFIX)


def read_values(path: Any, names: Sequence[str]) -> dict[str, np.ndarray]:
    """The values of these names, which are sorted as Paddle has them in a `.pdiparams` file, in the dtypes it says.

    `path` may also be a folder with a file for each, as Paddle 1.x writes them; FileNotFoundError names those that are
    missing.
    """
    if not names:
        return {}
    if not path:
        raise FileNotFoundError(f"The model has {len(names)} parameters ({names[0]!r} is one), and no file holds their "
                                f"values: it is PREFIX{PARAMS_SUFFIX}, beside PREFIX{MODEL_SUFFIX}.")
    if isinstance(path, str) and os.path.isdir(path):
        return folder_state(path, list(names), complete=True)
    return {name: as_declared(array, number) for name, (array, number, _) in read_combined(path, names).items()}


def folder_state(folder: str, names: list[str] | None, complete: bool = False) -> dict[str, np.ndarray]:
    """The arrays of a folder with a file for each variable, by name; `names`: of these, where there are files.

    With `complete` there must be files for all of them: FileNotFoundError.
    """
    if names is None:
        found = [os.path.join(place, name) for place, _, files in os.walk(folder) for name in files]
        names = sorted(os.path.relpath(path, folder).replace(os.sep, "/") for path in found)
        names = [name for name in names if name != OLDER_MODEL and not is_temporary(name)]
    missing = [name for name in names if not os.path.isfile(os.path.join(folder, name))]
    if missing and complete:
        raise FileNotFoundError(f"The folder {folder!r} has no file for {missing}, which the model has. Are its values "
                                "in one file? Name it with params_filename=.")
    state = {}
    for name in names:
        if name not in missing:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                stored = read_stream(file, path)
            state[name] = as_declared(stored.array, stored.number)
    return state


def older_files(folder: str, model: str | None, params: str | None) -> tuple[str, str]:
    """The files of a model in a folder: where no file of values is named, `__params__` or the folder itself."""
    if params is None:
        whole = os.path.join(folder, "__params__")
        return os.path.join(folder, model or OLDER_MODEL), whole if os.path.isfile(whole) else folder
    return os.path.join(folder, model or OLDER_MODEL), os.path.join(folder, params)


def as_declared(array: np.ndarray, number: int) -> np.ndarray:
    """The array in the element type that the file names: bfloat16 comes as raw 16-bit integers."""
    dtype = from_number(number)
    return array.view(dtype.dtype) if dtype.name == "bfloat16" else array

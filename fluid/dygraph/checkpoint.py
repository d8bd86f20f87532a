"""save_dygraph and load_dygraph: a layer's and an optimizer's state in `.pdparams` and `.pdopt` files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...core.files import MissingFileError
from ...core.safe_pickle import dump_state, load_state
from ...nn.state import NAME_TABLE
from ...ops.array.full import is_value

__all__ = ["save_dygraph", "load_dygraph"]

_PARAMETERS, _OPTIMIZER = ".pdparams", ".pdopt"


def save_dygraph(state_dict: dict[str, Any], model_path: str | os.PathLike[str]) -> None:
    """Writes PATH.pdparams, or PATH.pdopt where the first value is no parameter: the state of an optimizer.

    PaddlePaddle reads the files. Raises ValueError for an empty state and for a path that ends in no file's name.

    >>> import tempfile
    >>> import proa.fluid as fluid
    >>> path = tempfile.mkdtemp() + "/linear"
    >>> with fluid.dygraph.guard():
    ...     fluid.save_dygraph(fluid.dygraph.Linear(2, 3).state_dict(), path)
    ...     parameters, optimizer = fluid.load_dygraph(path)
    >>> sorted(parameters), optimizer
    (['bias', 'weight'], None)
    """
    prefix = os.fspath(model_path)
    if not os.path.basename(prefix):
        raise ValueError(f"save_dygraph(model_path): a path ends in a file's name, FOLDER/NAME. Received {prefix!r}.")
    if not state_dict:
        raise ValueError("save_dygraph(state_dict): is empty; there is nothing to save.")
    first = next(iter(state_dict.values()))
    plain: dict[str, Any] = {key: value.numpy() if is_value(value) else value for key, value in state_dict.items()}
    plain[NAME_TABLE] = {key: value.name for key, value in state_dict.items() if is_value(value)}
    path = prefix + (_PARAMETERS if getattr(first, "is_parameter", False) else _OPTIMIZER)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    dump_state(plain, path, 2)


def load_dygraph(model_path: str | os.PathLike[str],
                 keep_name_table: bool = False) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The states that PATH.pdparams and PATH.pdopt hold, as arrays by name; None where there is no such `.pdopt`.

    `keep_name_table`: whether the table of the parameters' own names stays in the first. Reading runs no code of the
    file's.
    """
    prefix = os.fspath(model_path).removesuffix(_PARAMETERS).removesuffix(_OPTIMIZER)
    if not os.path.exists(prefix + _PARAMETERS):
        raise MissingFileError(f"load_dygraph: there is no file {prefix + _PARAMETERS!r}. Give the path that "
                               f"save_dygraph was given, without its ending.")
    parameters = _read(prefix + _PARAMETERS)
    if not keep_name_table:
        parameters.pop(NAME_TABLE, None)
    return parameters, _read(prefix + _OPTIMIZER) if os.path.exists(prefix + _OPTIMIZER) else None


def _read(path: str) -> dict[str, Any]:
    state = load_state(path)
    if not isinstance(state, dict):
        raise ValueError(f"{path}: holds {type(state).__name__}, and no state of a layer or an optimizer.")
    return {key: np.asarray(value) if isinstance(value, np.generic) else value for key, value in state.items()}

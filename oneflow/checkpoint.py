"""`flow.checkpoint`: values by name, written to a folder and read from one lazily. OneFlow 0.2 and later."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.dtype import DType, from_numpy_dtype
from .job.session import default_session
from .snapshot.layout import VALUES
from .snapshot.reading import StoredValue, check_folder, list_variables
from .snapshot.writing import write_snapshot
from .variable_values import host_array, ready_session

__all__ = ["get", "save"]


def save(path: str | os.PathLike[str], var_dict: Mapping[str, Any] | None = None) -> None:
    """Writes values by name, by default those of all variables, to a folder that is not there yet or is empty.

    `var_dict` has arrays, or what gives one by `numpy()`: values of `get`, of `get_all_variables`, tensors. Beside the
    values of each stands a file `meta` with its shape and dtype. The folder is written as a whole or not at all.
    Raises FileExistsError for a folder that is not empty.

    >>> import tempfile, numpy as np, proa.oneflow as flow
    >>> folder = tempfile.mkdtemp() + "/values"
    >>> flow.checkpoint.save(folder, {"w": np.ones((2, 3), "float32")})
    >>> flow.checkpoint.get(folder)["w"].shape
    (2, 3)
    """
    if var_dict is None:
        session = ready_session()
        write_snapshot(path, sorted(session.variables), lambda name: host_array(session, name), "checkpoint.save", True)
        return
    if not isinstance(var_dict, Mapping):
        raise TypeError(f"checkpoint.save(var_dict): a dict from names to values is expected. Received {var_dict!r}.")
    values = var_dict
    for name, value in values.items():
        if not isinstance(value, (np.ndarray, np.generic)) and not callable(getattr(value, "numpy", None)):
            raise TypeError(f"checkpoint.save(var_dict): {name!r} must be an array or a tensor. Received {value!r}.")
    write_snapshot(path, list(values), lambda name: _array(values[name]), "checkpoint.save", True)


def get(path: str | os.PathLike[str]) -> dict[str, StoredValue] | StoredValue:
    """The values in a folder by their names, or the one value of a variable's own folder.

    Nothing is read but sizes and `meta` files; `numpy()` of a value reads it. Folders of `CheckPoint.save` have no
    `meta` files: shapes and dtypes are then those of the session's variables of these names, as for `load_variables`.

    >>> import tempfile, numpy as np, proa.oneflow as flow
    >>> folder = tempfile.mkdtemp() + "/values"
    >>> flow.checkpoint.save(folder, {"w": np.ones((2, 3), "float32")})
    >>> flow.checkpoint.get(folder + "/w").numpy().tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    folder = check_folder(path, "checkpoint.get")
    if os.path.isfile(os.path.join(folder, VALUES)):
        return _stored(folder)
    return stored_values(folder)


def stored_values(folder: str) -> dict[str, StoredValue]:
    """The values of the variables in a snapshot."""
    return {name: _stored(os.path.join(folder, name)) for name in list_variables(folder)}


def _stored(folder: str) -> StoredValue:
    def of_the_session() -> tuple[tuple[int, ...], DType] | None:
        record = default_session().variables.get(os.path.basename(os.path.normpath(folder)))
        return None if record is None else (record.shape, record.dtype)

    return StoredValue(folder, told_by=of_the_session)


def load_variables(value_dict: Mapping[str, Any], ignore_mismatch: bool = True) -> None:
    """Gives variables the values of a dict by their names: arrays, tensors, values of `checkpoint.get`.

    Names that belong to no variable are passed over (with a warning where none of them does), or with
    `ignore_mismatch=False` refused. Every value must have the
    shape and dtype of its variable: ValueError otherwise, and then no variable has changed.

    >>> import numpy as np, proa.oneflow as flow
    >>> @flow.global_function()
    ... def job():
    ...     return flow.get_variable("load-w", (2,), initializer=lambda shape, dtype: np.ones(shape))
    >>> flow.load_variables({"load-w": np.array([3, 4], "float32")})
    >>> flow.get_all_variables()["load-w"].numpy()
    array([3., 4.], dtype=float32)
    """
    if not isinstance(value_dict, Mapping):
        raise TypeError("load_variables(value_dict): a dict from names to values is expected. For the folder of one "
                        f"variable give its name: {{name: value}}. Received {value_dict!r}.")
    session = default_session().start()
    unknown = [name for name in value_dict if name not in session.variables]
    if unknown and not ignore_mismatch:
        raise RuntimeError(f"load_variables: {', '.join(map(repr, unknown))}: no variable has such a name. There are "
                         f"{', '.join(map(repr, sorted(session.variables)))}. No variable was changed.")
    if unknown and len(unknown) == len(value_dict):
        warnings.warn(f"load_variables: none of the {len(unknown)} names ({', '.join(map(repr, unknown[:3]))}, …) is a "
                      f"variable's, so nothing was loaded. There are {len(session.variables)} variables "
                      f"({', '.join(map(repr, sorted(session.variables)[:3]))}, …). Global functions have to be "
                      "defined before values are loaded.", stacklevel=2)
    fitting = {}
    for name, value in value_dict.items():
        if name in session.variables:
            record = session.record(name)
            fitting[name] = _fitting(name, value, record.shape, record.dtype)
    arrays = {name: _array(value) for name, value in fitting.items()}
    while arrays:
        session.set_value(*arrays.popitem())


def _fitting(name: str, value: Any, shape: tuple[int, ...], dtype: DType) -> Any:
    """The value, if it is one of that shape and dtype."""
    if isinstance(value, StoredValue) and not value.has_meta_info:
        return value.of(shape, dtype)
    if not isinstance(value, (np.ndarray, np.generic)) and not callable(getattr(value, "numpy", None)):
        raise TypeError(f"load_variables: the value of {name!r} must be an array, a tensor or a value of "
                        f"checkpoint.get. Received {value!r}.")
    found_shape = tuple(value.shape)
    found = value.dtype
    if isinstance(value, (np.ndarray, np.generic)):
        found = from_numpy_dtype(value.dtype.newbyteorder("="))
    if (found_shape, found) != (shape, dtype):
        raise ValueError(f"load_variables: the variable {name!r} has shape {list(shape)} and dtype {dtype.name}. "
                         f"Received shape {list(found_shape)} and dtype {getattr(found, 'name', found)}. No variable "
                         "was changed."
                         + (f" Convert it: value.astype('{dtype.name}')." if found_shape == shape else ""))
    return value


def _array(value: Any) -> np.ndarray:
    return np.asarray(value if isinstance(value, (np.ndarray, np.generic)) else value.numpy())

"""What a file holds of Tensors and of containers of them: arrays and names, as Paddle's files have them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backend import to_numpy
from ...core import nest
from ...dygraph.tensor import Tensor
from ...static.run.lod_tensor import LoDTensor

NAME_TABLE = "StructuredToParameterName@@"


def plain_state(obj: Any) -> Any:
    """An object as a file holds it: a state dict with a table of names, or nested containers."""
    return _state_dict(obj) if is_state_dict(obj) else _plain(obj)


def is_state_dict(obj: Any) -> bool:
    """True for a dict of values, schedulers' dicts beside them: what `state_dict()` gives.

    With dicts of values beside them (an optimizer's master weights) Paddle keeps a nested object.
    """
    return isinstance(obj, dict) and bool(obj) and all(
        isinstance(v, (Tensor, LoDTensor)) or isinstance(v, dict) and not any(
            isinstance(leaf, Tensor) for leaf in nest.leaves(v)) for v in obj.values())


def _state_dict(state: dict[str, Any]) -> dict[str, Any]:
    """A state dict as Paddle keeps it: arrays by key, and a table from keys to the parameters' own names."""
    plain: dict[str, Any] = {}
    names: dict[str, str] = {}
    for key, value in state.items():
        if isinstance(value, dict):
            plain[key] = {k: _plain(v) for k, v in value.items()}
        else:
            plain[key] = array_of(value)
            names[key] = getattr(value, "name", key)
    plain[NAME_TABLE] = names
    return plain


def array_of(value: Any) -> np.ndarray:
    """The elements on the host; bfloat16 as the raw 16-bit integers that files hold."""
    array = np.asarray(value) if isinstance(value, LoDTensor) else to_numpy(value._array)
    return array.view(np.uint16) if array.dtype.name == "bfloat16" else array


def _plain(obj: Any) -> Any:
    """Nested containers with every Tensor as Paddle keeps it, a tuple of name and array."""
    if isinstance(obj, Tensor):
        return (obj.name, array_of(obj))
    if isinstance(obj, LoDTensor):
        return np.asarray(obj)
    if isinstance(obj, dict):
        return type(obj)((k, _plain(v)) for k, v in obj.items())
    if isinstance(obj, tuple) and hasattr(obj, "_fields"):
        return tuple(_plain(v) for v in obj)
    if isinstance(obj, (list, tuple, set, frozenset)):
        return type(obj)(_plain(v) for v in obj)
    return obj

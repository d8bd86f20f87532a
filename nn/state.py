"""Taking a state dict over into a Layer: all of it that fits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..ops.array.full import is_value

NAME_TABLE = "StructuredToParameterName@@"
_SHOWN = 8  # names in a warning


def load_state(layer: Any, state: dict[str, Any], use_structured_name: bool) -> tuple[list[str], list[str]]:
    """Sets the values of a Layer from a state dict: (missing keys, unexpected keys)."""
    if not isinstance(state, dict):
        raise TypeError(f"set_state_dict(state_dict): must be a dict. Received {type(state).__name__}.")
    is_hooked = any([each._state_dict_hooks for each in layer.sublayers(include_self=True)])
    own = layer.state_dict(use_hook=False) if is_hooked else layer.state_dict()  # which may be the user's
    given = {key: value for key, value in state.items() if key != NAME_TABLE}
    if not use_structured_name:
        given = _by_structured_name(own, given)
    filled = {id(own[key]) for key in given if key in own}  # a recurrent layer's parameters have two names each
    names = {key: key if use_structured_name else value.name for key, value in own.items()}  # as the caller knows them
    missing = [names[key] for key, value in own.items() if id(value) not in filled]
    unexpected = [key for key in given if key not in own]
    other = {key: _shape(value) for key, value in given.items() if key in own and _shape(value) != list(own[key].shape)}
    for key, value in given.items():
        if key in own and key not in other:
            target = own[key]
            target.set_value(_in_dtype(_array(value), target.dtype.dtype))
    _warn(layer, missing, unexpected, {names[key]: (own[key].shape, shape) for key, shape in other.items()})
    misshapen = [names[key] for key in other]
    return missing + misshapen, unexpected + misshapen


def _by_structured_name(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The given values by structured name; a key may be a parameter's own name, or its structured name as it is."""
    structured = {value.name: key for key, value in own.items()}
    return {structured.get(key, key): value for key, value in given.items()}


def _array(value: Any) -> np.ndarray:
    return value.numpy() if is_value(value) else np.asarray(value)


def _in_dtype(array: np.ndarray, dtype: Any) -> np.ndarray:
    """The array in a dtype; uint16 for bfloat16 are its bits, as PaddlePaddle has them in NumPy and in files."""
    return array.view(dtype) if array.dtype == np.uint16 and dtype.name == "bfloat16" else array.astype(dtype)


def _shape(value: Any) -> list[int]:
    return list(value.shape) if hasattr(value, "shape") else list(np.shape(value))


def _listed(names: list[str]) -> str:
    """The first of many names: a state of another network has none of hundreds."""
    return f"{names[:_SHOWN]}" + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def _warn(layer: Any, missing: list[str], unexpected: list[str], other: dict[str, tuple[Any, list[int]]]) -> None:
    """Says once each what is missing, what has no place, and what has another shape."""
    subject = type(layer).__name__
    texts = [f"the state lacks {_listed(missing)}"] if missing else []
    texts += [f"{subject} has no place for {_listed(unexpected)}"] if unexpected else []
    if other:
        shapes = "; ".join(f"{key}: the layer has {list(own)}, the state {theirs}"
                           for key, (own, theirs) in other.items())
        texts.append(f"values of other shapes are left out, and the layer's stay as they are. {shapes}")
    for text in texts:
        warnings.warn(f"set_state_dict: {text}.", stacklevel=4)

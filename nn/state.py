"""Taking a state dict over into a Layer: all of it that fits, or nothing when something cannot fit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..ops.creation import is_value

NAME_TABLE = "StructuredToParameterName@@"


def load_state(layer: Any, state: dict[str, Any], use_structured_name: bool) -> tuple[list[str], list[str]]:
    """Sets the values of a Layer from a state dict: (missing keys, unexpected keys)."""
    if not isinstance(state, dict):
        raise TypeError(f"set_state_dict(state_dict): must be a dict. Received {type(state).__name__}.")
    own = layer.state_dict()
    given = {key: value for key, value in state.items() if key != NAME_TABLE}
    if not use_structured_name:
        given = _by_structured_name(own, given)
    filled = {id(own[key]) for key in given if key in own}  # a recurrent layer's parameters have two names each
    missing = [key for key, value in own.items() if id(value) not in filled]
    unexpected = [key for key in given if key not in own]
    _check_fit(layer, own, given)
    for key, value in given.items():
        if key in own:
            target = own[key]
            target.set_value(_array(value).astype(target.dtype.dtype))
    _warn(layer, missing, unexpected)
    return missing, unexpected


def _by_structured_name(own: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """The given values by structured name; a key may be a parameter's own name, or its structured name as it is."""
    structured = {value.name: key for key, value in own.items()}
    return {structured.get(key, key): value for key, value in given.items()}


def _array(value: Any) -> np.ndarray:
    return value.numpy() if is_value(value) else np.asarray(value)


def _check_fit(layer: Any, own: dict[str, Any], given: dict[str, Any]) -> None:
    wrong = []
    for key, value in given.items():
        if key not in own:
            continue
        shape = list(value.shape) if hasattr(value, "shape") else list(np.shape(value))
        if shape != list(own[key].shape):
            wrong.append(f"{key}: the layer has {list(own[key].shape)}, the state {shape}")
    if wrong:
        raise ValueError(
            f"set_state_dict: these values do not fit {type(layer).__name__}, and nothing was changed. "
            + "; ".join(wrong)
        )


def _warn(layer: Any, missing: list[str], unexpected: list[str]) -> None:
    for what, keys in (("is missing", missing), ("has no place for", unexpected)):
        if keys:
            subject = "the state" if what == "is missing" else type(layer).__name__
            text = f"{subject} lacks {keys}" if what == "is missing" else f"{subject} {what} {keys}"
            warnings.warn(f"set_state_dict: {text}.", stacklevel=4)

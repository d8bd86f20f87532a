"""Checks of arguments that datasets, samplers and the DataLoader share. Knows nothing of any of them."""

from __future__ import annotations

import numbers
from typing import Any


def is_positive_int(value: Any) -> bool:
    """True for an int of at least 1 (NumPy's included, bool not)."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) > 0


def require_positive_int(where: str, name: str, value: Any) -> int:
    """`value` as an int; TypeError where it is no int, ValueError below 1."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be an int. Received {value!r}.")
    if value < 1:
        raise ValueError(f"{where}: {name} must be at least 1. Received {value!r}.")
    return int(value)


def require_bool(where: str, name: str, value: Any) -> bool:
    """`value`; TypeError where it is no bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{where}: {name} must be True or False. Received {value!r}.")
    return value


def require_callable(where: str, name: str, value: Any) -> None:
    """TypeError where `value` is neither None nor callable."""
    if value is not None and not callable(value):
        raise TypeError(f"{where}: {name} must be a function or None. Received {value!r}.")

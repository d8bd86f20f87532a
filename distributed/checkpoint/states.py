"""State dicts as checkpoints hold them: Tensors by keys without nesting, and the arrays of their files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ops.array.full import is_value


def flat_state(function: str, state: Any) -> dict[str, Any]:
    """The Tensors of a state dict by keys; those in dicts within it by both keys, "outer.inner".

    Raises TypeError, in the name of `function`, for what is no Tensor, ValueError for two of one key.
    """
    if not isinstance(state, dict):
        raise TypeError(f"{function}(state_dict): must be a dict of Tensors. Received {type(state).__name__}.")
    found: dict[str, Any] = {}
    for key, value in _values(function, state, ""):
        if key in found:
            raise ValueError(f"{function}(state_dict): two values have the key {key!r}, one of them in a dict within.")
        found[key] = value
    return found


def _values(function: str, state: dict[Any, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in state.items():
        if not isinstance(key, str):
            raise TypeError(f"{function}(state_dict): keys must be strings. Received {key!r}.")
        if isinstance(value, dict):
            yield from _values(function, value, f"{prefix}{key}.")
        elif is_value(value):
            yield f"{prefix}{key}", value
        else:
            raise TypeError(f"{function}(state_dict): must hold Tensors. Received {type(value).__name__} for "
                            f"{prefix + key!r}. Save what is none, such as a scheduler's state, with paddle.save.")

"""The state of a divided optimizer as that of one that is not: gathered from all processes, and its parts taken out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...backend.comm import exchanges
from ...backend.comm.communicator import Communicator
from ...core.dtype import convert_dtype
from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value
from ...optimizer import Optimizer
from ..messages import of_bytes, to_bytes

_WHOLE = ("LR_Scheduler", "StructuredToParameterName@@")  # what every process has
Path = tuple[str, ...]


def gathered_state(state: dict[str, Any], group: Communicator) -> dict[str, Any]:
    """The states of all processes together; every process of the group gives its own and gets all."""
    own = dict(_values(state))
    header = [[list(path), list(value.shape), value.dtype.name] for path, value in own.items()]
    headers = exchanges.do(lambda: group.all_gather_bytes(to_bytes("state_dict", header)))
    found: dict[str, Any] = {}
    for rank, message in enumerate(headers):
        for path, shape, dtype in of_bytes(message):
            array = own[tuple(path)].numpy() if rank == group.rank else np.empty(shape, convert_dtype(dtype).dtype)
            array = exchanges.do(functools.partial(group.broadcast, array, rank))
            _put(found, tuple(path), to_tensor(array, dtype))
    return found | {key: value for key, value in state.items()
                    if key in _WHOLE or not (is_value(value) or isinstance(value, dict))}  # counts of steps


def own_state(optimizer: Optimizer, state: dict[str, Any], is_own: Callable[[str], bool]) -> dict[str, Any]:
    """What of a whole state is about parameters of this process, by their names."""
    if not isinstance(state, dict):
        raise TypeError(f"set_state_dict(state_dict): must be a dict. Received {type(state).__name__}.")
    found = {key: state[key] for key in _WHOLE if key in state}
    if "master_weights" in state:
        found["master_weights"] = {name: value for name, value in state["master_weights"].items() if is_own(name)}
    for key, value in state.items():
        place = optimizer._place_of(key)  # of what is nobody's the optimizer itself says so
        if key not in found and (place is None or is_own(place[0])):
            found[key] = value
    return found


def _values(state: dict[str, Any], within: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The Tensors in a state by where they stand; what every process has is left out."""
    for key, value in state.items():
        if isinstance(value, dict) and key not in _WHOLE:
            yield from _values(value, (*within, key))
        elif is_value(value):
            yield (*within, key), value


def _put(state: dict[str, Any], path: Path, value: Any) -> None:
    for key in path[:-1]:
        state = state.setdefault(key, {})
    state[path[-1]] = value

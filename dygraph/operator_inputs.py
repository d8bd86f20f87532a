"""What the eager trace asks of an operator's inputs: arrays, edges, where to compute, and what was wrong with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import backend
from ..core.dtype import promote
from ..core.errors import PlaceMismatchError
from ..core.place import Place, expected_place
from ..ops.core.accounts import account
from ..ops.core.operator import Operator
from ..ops.core.spec import spec_of
from ..ops.core.trace import Trace, state
from ..ops.math.casting import cast
from .value import EagerValue


def namespace(arrays: list, inputs: tuple) -> Any:
    """NumPy or CuPy, by the arrays of the inputs; where there are none, by the place in use.

    Where some are on a device, those of the host come there, in the list, as in Paddle; PlaceMismatchError where one of
    these asks for a gradient, which would be the device's.
    """
    if _NOTHING.issuperset(map(type, arrays)):
        return expected_namespace()
    try:
        return backend.namespace_of(arrays)
    except PlaceMismatchError:
        if state.grad_enabled and any(_asks_on_host(value) for value in inputs):
            raise
        backend.bring_together(arrays)
        return backend.namespace_of(arrays)


def _asks_on_host(value: Any) -> bool:
    """Whether an input, or one of a list, is on the host and asks for a gradient."""
    if isinstance(value, (list, tuple)):
        return any(map(_asks_on_host, value))
    return value is not None and value._edge is not None and isinstance(value._array, np.ndarray)


_NOTHING = {type(None)}
_host_place: list[Place | None] = [None]  # the latest place that was found to be NumPy's


def expected_namespace() -> Any:
    """The namespace of the place in use."""
    place = expected_place()
    if place is _host_place[0]:
        return np
    found = backend.namespace_at(place)
    if found is np:
        _host_place[0] = place
    return found


def array_of(op: Operator, slot: Any, value: Any) -> Any:
    """The array of a Tensor that is given for a slot; TypeError for anything else."""
    if isinstance(value, EagerValue):
        return value._array
    if value is None and (slot.optional or slot.offsets_of):
        return slot.nothing
    raise TypeError(
        f"{op.type}: the input {slot.name} must be a Tensor. Received {type(value).__name__}"
        f"{_variable_hint(value)}. Make one with paddle.to_tensor(...)."
    )


def _variable_hint(value: Any) -> str:
    return " of a static Program, which has no value yet" if getattr(type(value), "_is_proa_value", False) else ""


def own_trace_of(inputs: tuple) -> Trace | None:
    """What appends to the Program of the first variable among the inputs; None where there is none."""
    for slot in inputs:
        for value in slot if isinstance(slot, (list, tuple)) else (slot,):
            own = getattr(value, "own_trace", None)
            if own is not None:
                return own()
    return None


def slot_arrays(op: Operator, inputs: tuple) -> list:
    """The arrays of all inputs, a list of them for a slot of many."""
    arrays: list[Any] = []
    for slot, value in zip(op.inputs, inputs, strict=False):
        if slot.many and value is not None:
            try:
                arrays.append([item._array for item in value])
            except AttributeError:
                arrays.append([array_of(op, slot, item) for item in value])
        else:
            arrays.append(array_of(op, slot, value))
    return arrays


def slot_edges(inputs: tuple) -> list:
    """Where the gradient of each input goes on."""
    edges: list[Any] = []
    for value in inputs:
        if value is None:
            edges.append(None)
        elif isinstance(value, (list, tuple)):
            items = [item._edge for item in value]
            edges.append(items if any(items) else None)
        else:
            edges.append(value._edge)
    return edges


def promoted(op: Operator, inputs: tuple) -> tuple[tuple, list]:
    """The two operands, and their arrays, in the dtype that both promote to; TypeError where one is missing."""
    slot_arrays(op, inputs)
    x, y = inputs[0], inputs[1]
    dtype = promote(x.dtype, y.dtype)
    inputs = (x if x.dtype is dtype else cast(x, dtype), y if y.dtype is dtype else cast(y, dtype), *inputs[2:])
    return inputs, [None if v is None else v._array for v in inputs]


def failed(op: Operator, inputs: tuple, attrs: dict[str, Any], error: Exception) -> None:
    """Raises the operator's own account of what is wrong with its inputs, or what `accounts.py` makes of the error."""
    specs = tuple(map(spec_of, slot_arrays(op, inputs)))  # raises where an input is missing
    try:
        op.infer_specs(specs, attrs)
    except (ValueError, TypeError, LookupError) as explained:
        raise explained from error
    told = account(op, specs, attrs, error)
    if told is not None:
        raise told from error

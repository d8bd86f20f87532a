"""How a tensor of this face prints."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import backend
from ..ops.core.backward import edge_node

_options: dict[str, Any] = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Sets how tensors print: digits, from how many elements they are summarized, how many stay at each edge."""
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"set_printoptions(profile): must be one of {', '.join(_PROFILES)}. Received {profile!r}.")
        _options.update(_PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})
    _options["sci_mode"] = sci_mode


def _float_format(array: np.ndarray) -> Any:
    """The text of one element: all have the same form."""
    finite = np.abs(array[np.isfinite(array) & (array != 0)].astype(np.float64))
    digits, scientific = _options["precision"], _options["sci_mode"]
    if finite.size and (finite == np.floor(finite)).all() and not scientific and finite.max() < 1e8:
        return lambda x: f"{x:.0f}." if np.isfinite(x) else str(float(x))
    if scientific is None:
        scientific = bool(finite.size and (finite.max() / finite.min() > 1000 or finite.max() > 1e8
                                           or finite.min() < 1e-4))
    if scientific:
        return lambda x: f"{x:.{digits}e}"
    return lambda x: f"{x:.{digits}f}" if finite.size else f"{x:.0f}."


def format_array(array: np.ndarray, indent: int) -> str:
    """The elements, nested in brackets, of one width, behind `indent` spaces."""
    if array.dtype.itemsize == 2 and array.dtype.kind not in "iu":
        array = array.astype(np.float32)
    one = _float_format(array) if array.dtype.kind == "f" else str
    if array.ndim == 0:
        return str(one(array[()]))
    if array.size == 0:
        return "[]"
    shown = array if array.size <= _options["threshold"] else _edges(array)
    width = max(len(one(value)) for value in shown.reshape(-1))
    threshold = _options["threshold"]
    return np.array2string(array, separator=", ", formatter={"all": lambda value: one(value).rjust(width)},
                           threshold=array.size + 1 if threshold == math.inf else int(threshold),
                           edgeitems=_options["edgeitems"], max_line_width=_options["linewidth"], prefix=" " * indent)


def _edges(array: np.ndarray) -> np.ndarray:
    edge = _options["edgeitems"]
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(-edge, 0)], axis=axis)
    return array


def format_tensor(tensor: Any) -> str:
    """The text of `print(tensor)`."""
    array = backend.to_numpy(tensor._array)
    parts = [format_array(array, 7)]
    if array.size == 0 and array.ndim != 1:
        parts.append(f"size=({', '.join(map(str, array.shape))})")
    if tensor.is_cuda:
        parts.append(f"device='{tensor.device}'")
    parts.append(f"dtype=oneflow.{tensor.dtype.name}")
    if not tensor.is_leaf:
        node = edge_node(tensor._edge)
        parts.append(f"grad_fn=<{getattr(getattr(node, 'op', None), 'type', type(node).__name__)}_backward>")
    elif tensor.requires_grad:
        parts.append("requires_grad=True")
    return f"tensor({', '.join(parts)})"

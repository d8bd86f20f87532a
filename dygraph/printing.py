"""How a Tensor prints, and `set_printoptions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend

if TYPE_CHECKING:
    from .tensor import Tensor

_options: dict[str, Any] = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def set_printoptions(precision: int | None = None, threshold: int | None = None, edgeitems: int | None = None,
                     sci_mode: bool | None = None, linewidth: int | None = None) -> None:
    """Sets how tensors print: digits, from how many elements they are summarized, how many stay at each edge."""
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "sci_mode": sci_mode,
             "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})


def _use_scientific(array: np.ndarray) -> bool:
    if _options["sci_mode"] is not None:
        return bool(_options["sci_mode"])
    finite = np.abs(array[np.isfinite(array) & (array != 0)]).astype(np.float64)
    if finite.size == 0:
        return False
    return bool(finite.max() / finite.min() >= 1000 or finite.max() >= 1e8 or finite.min() < 1e-4)


def _element_format(array: np.ndarray) -> dict[str, Any]:
    digits = _options["precision"]
    style = "e" if array.dtype.kind == "f" and _use_scientific(array) else "f"
    return {
        "float_kind": lambda v: f"{v:.{digits}{style}}",
        "complex_kind": lambda v: f"({v.real:.{digits}f}{v.imag:+.{digits}f}j)",
        "bool": lambda v: f"{'True' if v else 'False':>5}" if array.size > 1 and not array.all() else str(bool(v)),
    }


def format_array(array: np.ndarray, indent: int) -> str:
    """The elements, nested in brackets and aligned behind `indent` spaces."""
    if array.dtype.name == "bfloat16":
        array = array.astype(np.float32)
    if array.size == 0:
        return "[]" if array.ndim <= 1 else str(array.tolist())
    text = np.array2string(
        array, separator=", ", formatter=_element_format(array), threshold=_options["threshold"],
        edgeitems=_options["edgeitems"], max_line_width=_options["linewidth"], prefix=" " * indent)
    return text


def format_tensor(tensor: Tensor) -> str:
    """The text of `print(tensor)`: shape, dtype, place, stop_gradient and the elements."""
    head = (f"Tensor(shape={tensor.shape}, dtype={tensor.dtype.name}, place={tensor.place}, "
            f"stop_gradient={tensor.stop_gradient},\n       ")
    return f"{head}{format_array(backend.to_numpy(tensor._array), 7)})"

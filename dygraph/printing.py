"""How a Tensor prints, and `set_printoptions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend

if TYPE_CHECKING:
    from .value import EagerValue

_options: dict[str, Any] = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def set_printoptions(precision: int | None = None, threshold: int | None = None, edgeitems: int | None = None,
                     sci_mode: bool | None = None, linewidth: int | None = None) -> None:
    """Sets how tensors print: digits, from how many elements they are summarized, how many stay at each edge.

    >>> import proa as paddle
    >>> paddle.set_printoptions(precision=2)
    >>> print(paddle.to_tensor([1 / 3]))
    Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
           [0.33])
    >>> paddle.set_printoptions(precision=8)
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "sci_mode": sci_mode,
             "linewidth": linewidth}
    _options.update({name: value for name, value in given.items() if value is not None})


def _float_text(value: Any) -> str:
    digits = _options["precision"]
    if not np.isfinite(value):
        return str(float(value))
    if _options["sci_mode"]:
        return f"{value:.{digits}e}"
    return f"{value:.0f}." if value == np.floor(value) else f"{value:.{digits}f}"


def _text(value: Any) -> str:
    if isinstance(value, np.floating):
        return _float_text(value)
    if isinstance(value, np.complexfloating):
        return str(complex(value))
    return str(value)


def _edges(array: np.ndarray) -> np.ndarray:
    """The elements at the edges of an array, the only ones of a large array that are printed."""
    edge = _options["edgeitems"]
    for axis, size in enumerate(array.shape):
        if size > 2 * edge:
            array = np.take(array, [*range(edge), *range(-edge, 0)], axis=axis)
    return array


def format_array(array: np.ndarray, indent: int) -> str:
    """The elements, nested in brackets, behind `indent` spaces.

    How wide they are, and whether some are negative, the ones at the edges say, of small arrays too. Where some are,
    the others begin with a space, unless they are as wide as that.
    """
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        array = array.astype(np.float32)
    if array.ndim == 0:
        return _text(array[()])
    if array.size == 0:
        return str(array.tolist()).replace("], [", "],\n" + " " * (indent + 1) + "[")
    edges = _edges(array).reshape(-1)
    with np.errstate(invalid="ignore"):  # complex NaN
        has_negative = array.dtype.kind in "ifc" and bool((edges < 0).any())
    width = max(len(_text(value)) for value in edges)

    def padded(value: Any) -> str:
        text = _text(value)
        is_shorter = has_negative and len(text) < width and not value < 0
        return f"{' ' if is_shorter else ''}{text}".ljust(width)

    return _nested(array, indent, width, padded, array.size > _options["threshold"])


def _nested(array: np.ndarray, indent: int, width: int, padded: Callable[[Any], str], by_edges: bool) -> str:
    """As many elements a line as fit, each with what separates it from the next; `...` counts as one."""
    edge = _options["edgeitems"]
    parts: list[Any] = list(array)
    left_out = by_edges and len(parts) > 2 * edge
    if left_out:
        parts = parts[:edge] + parts[-edge:]
    texts = [padded(part) for part in parts] if array.ndim == 1 else [
        _nested(part, indent + 1, width, padded, by_edges) for part in parts]
    if left_out:
        texts.insert(edge, "...")
    begin = " " * (indent + 1)
    if array.ndim > 1:
        return f"[{(',' + chr(10) * (array.ndim - 1) + begin).join(texts)}]"
    most = max(1, (_options["linewidth"] - indent) // (width + 2))
    lines = [", ".join(texts[n:n + most]) for n in range(0, len(texts), most)]
    return f"[{(',' + chr(10) + begin).join(lines)}]"


def format_tensor(tensor: EagerValue) -> str:
    """The text of `print(tensor)`: shape, dtype, place, stop_gradient and the elements."""
    head = (f"Tensor(shape={tensor.shape}, dtype={tensor.dtype.name}, place={tensor.place}, "
            f"stop_gradient={tensor.stop_gradient},\n       ")
    return f"{head}{format_array(backend.to_numpy(tensor._array), 7)})"


def formatted(values: Any, spec: str) -> str:
    """Numbers in nested lists, each by a format such as '.3f', nested in brackets.

    >>> from proa.dygraph.printing import formatted
    >>> formatted([[1.0, 2.5]], ".2f")
    '[[1.00, 2.50]]'
    """
    if isinstance(values, list):
        return f"[{', '.join(formatted(value, spec) for value in values)}]"
    return format(values, spec)

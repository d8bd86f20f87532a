"""What a notebook shows of a Tensor: shape, dtype, place, and its values in tables; of a state, a line a value."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import backend
from ..core.html import escaped, faint, framed, strong, table

if TYPE_CHECKING:
    from .value import EagerValue

_EDGE, _MATRICES = 5, 3


def tensor_html(tensor: EagerValue) -> str:
    """A Tensor: a line of facts, and tables of its last two dimensions."""
    facts = [strong(type(tensor).__name__), escaped(tensor.dtype.name), escaped(list(tensor.shape)),
             faint(tensor.place), faint(f"stop_gradient={tensor.stop_gradient}")]
    return framed(f"<div>{' &nbsp; '.join(facts)}</div>", _values(backend.to_numpy(tensor._array)))


def _values(array: np.ndarray) -> str:
    if array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        array = array.astype(np.float32)
    if not array.size:
        return faint("no values")
    if array.ndim <= 2:
        return _matrix(array.reshape(1, -1) if array.ndim < 2 else array, array.ndim == 2)
    outer = array.shape[:-2]
    shown = list(itertools.islice(np.ndindex(*outer), _MATRICES))
    parts = [faint(f"[{', '.join(map(str, place))}, :, :]") + _matrix(array[place], True) for place in shown]
    left = int(np.prod(outer, dtype=object)) - len(shown)
    return "".join(parts) + (faint(f"and {left:,} more matrices") if left else "")


def _matrix(array: np.ndarray, with_rows: bool) -> str:
    rows, columns = _shown(array.shape[0]), _shown(array.shape[1])
    head = ["" if c is None else str(c) for c in columns]
    lines = [["⋮" if r is None else "…" if c is None else escaped(_text(array[r, c]), 40) for c in columns]
             for r in rows]
    if with_rows:
        head = ["", *head]
        lines = [[faint("⋮" if r is None else r), *line] for r, line in zip(rows, lines, strict=True)]
    return table(lines, head, align="right")


def _shown(size: int) -> list[int | None]:
    """The places of a dimension that are shown: all, or those at its edges and None for what is between."""
    if size <= 2 * _EDGE + 1:
        return list(range(size))
    return [*range(_EDGE), None, *range(size - _EDGE, size)]


def _text(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, np.floating) else str(value)


def state_html(state: Mapping[str, Any], most: int = 500) -> str:
    """A state of names and values: a line each with shape, dtype, mean, deviation and range."""
    rows = [[escaped(name), *_summary(value)] for name, value in itertools.islice(state.items(), most)]
    left = len(state) - len(rows)
    return framed(table(rows, ["name", "shape", "dtype", "mean", "deviation", "least", "most"]),
                  faint(f"and {left:,} more values") if left else "")


def _summary(value: Any) -> list[str]:
    if not hasattr(value, "shape"):
        return [faint(type(value).__name__), "", escaped(value, 40), "", "", ""]
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    facts = [escaped(list(array.shape)), escaped(array.dtype.name)]
    if not array.size or array.dtype.kind not in "fiub":
        return [*facts, "", "", "", ""]
    numbers = array.astype(np.float64)
    return [*facts, *(f"{f(numbers):.4g}" for f in (np.mean, np.std, np.min, np.max))]

"""The operator that stands, in compiled plans, for products of one value with several frozen weights.

`fused_linears`: X @ Y + Bias for each Y and Bias, as for queries, keys and values. It never gets into a file. oneDNN
computes all in one product with the weights side by side, packed at the third use; the results lie in it as columns.
Where it declines, on other devices, and with weights in panels (`ops/core/panels.py`), which gain nothing by it, the
products are computed one by one.
"""

import functools
import itertools
import math
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backend import onednn, products
from ...backend.engines import ONEDNN
from ...backend.kernels.row_product import MOST_ROWS
from ...ops.core.kernels import by
from ...ops.core.operator import operator
from ...ops.core.panels import PANELS
from ...ops.core.spec import Spec
from .early_linear import early_linear
from .epilogues import rows_of
from .frozen_weight import FrozenWeight, array_of, lent_array
from .packed_panels import Panels

_HOT = 3


class _Use(NamedTuple):
    arrays: list[weakref.ref[Any]]  # weak: an update need not leave the weights' memory alone
    times: int
    packed: Any
    bias: Any


class Joined:
    """The packed form of the weights that an operation was last given, side by side; new weights are packed anew."""

    __slots__ = ("_last", "panels")

    def __init__(self) -> None:
        self._last = _Use([], 0, None, None)  # replaced as a whole: several threads may run at once
        self.panels: dict[int, Panels] = {}  # of each weight, by its place

    def __reduce__(self) -> tuple:
        return Joined, ()

    def of(self, weights: Sequence[Any], biases: Sequence[np.ndarray], rows: int) -> tuple[Any, Any]:
        """The weights, packed for products with so many rows, and the bias; None twice before the third use."""
        last, arrays = self._last, [*weights, *biases]
        if not _are(last.arrays, arrays):
            last = _Use(list(map(weakref.ref, arrays)), 0, None, None)
        if last.packed is None or getattr(last.packed, "misfits", 0) >= _HOT:
            last = last._replace(times=last.times + 1)
            if last.times >= _HOT or all(type(weight) is FrozenWeight for weight in weights):
                last = last._replace(packed=_packed(weights, rows), bias=np.concatenate(biases) if biases else None)
            self._last = last
        return last.packed, last.bias


def _are(held: Sequence[weakref.ref[Any]], arrays: Sequence[Any]) -> bool:
    """Whether these were held."""
    return len(held) == len(arrays) and all(ref() is array for ref, array in zip(held, arrays, strict=True))


def _joined(weights: Sequence[Any]) -> np.ndarray:
    """The weights side by side."""
    joined = np.empty((weights[0].shape[0], sum(weight.shape[1] for weight in weights)), weights[0].dtype)
    for weight, (start, end) in zip(weights, _places(weights), strict=True):
        with lent_array(weight) as array:
            joined[:, start:end] = array
    return joined


def _packed(weights: Sequence[Any], rows: int) -> Any:
    packed = onednn.pack_matrix(_joined(weights), rows)
    if packed is not NotImplemented:
        packed.release()  # the copy of the weights can go
        _release(weights, packed)
    return packed


def _release(weights: Sequence[Any], packed: Any) -> None:
    """Lets the arrays of frozen weights go, which are in what was packed."""
    for weight, (start, end) in zip(weights, _places(weights), strict=True):
        if type(weight) is FrozenWeight:
            weight.release(functools.partial(_unpacked, packed, start, end))


def _unpacked(packed: Any, start: int, end: int) -> np.ndarray:
    """Columns of what was packed."""
    return np.ascontiguousarray(packed.unpacked()[:, start:end])


def _places(weights: Sequence[Any]) -> list[tuple[int, int]]:
    """The first and the last column, exclusive, of each weight where they lie side by side."""
    ends = list(itertools.accumulate(weight.shape[1] for weight in weights))
    return list(zip([0, *ends], ends, strict=False))


def _linears(xp, x, y, bias=None, *, joined: Any):
    results = [products.matmul(xp, x, array_of(weight)) for weight in y]
    return results if not bias else [result + row for result, row in zip(results, bias, strict=True)]


def _are_large(x, y, bias=None, **_):
    return rows_of(x) * min(weight.size for weight in y) > onednn.LARGE


def _linears_by_panels(x, y, bias=None, *, joined):
    rows, results = np.ascontiguousarray(x), []
    if rows_of(x) <= MOST_ROWS or x.dtype != np.float32:
        return NotImplemented
    for n, (weight, row) in enumerate(zip(y, bias or [None] * len(y), strict=True)):
        call = joined.panels.setdefault(n, Panels()).of(weight, None, row)
        results.append(None if call is None else call(rows, weight, row, None))
    return NotImplemented if any(result is None for result in results) else results


def _linears_by_onednn(x, y, bias=None, *, joined):
    arrays, rows = [x, *y, *(bias or ())], rows_of(x)
    if not onednn.is_ready() or any(a.dtype != np.float32 for a in arrays):
        return NotImplemented
    packed, row = joined.of(y, bias or (), rows)
    whole = NotImplemented if packed is None or packed is NotImplemented else onednn.linear(x, packed, None, row)
    if whole is not NotImplemented:
        return _columns(whole, y)
    results = [_linear(x, array_of(weight), None if not bias else bias[n]) for n, weight in enumerate(y)]
    return NotImplemented if any(result is NotImplemented for result in results) else results


def _linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> Any:
    result = early_linear(x, weight, bias, None, "")
    return onednn.linear(x, weight, None, bias) if result is NotImplemented else result


def _columns(whole: np.ndarray, weights: Sequence[Any]) -> list[np.ndarray]:
    return [whole[..., start:end] for start, end in _places(weights)]


fused_linears_op = operator(
    "fused_linears", "X, Y*, Bias* -> Out*", kernel=_linears, engines=[
        by(PANELS, _linears_by_panels, when=_are_large), by(ONEDNN, _linears_by_onednn, when=_are_large)],
    infer=lambda x, y, bias=None, *, joined=None: ([Spec((*x.shape[:-1], w.shape[-1]), x.dtype) for w in y],),
    cost=lambda inputs, outputs, attrs: sum(2 * math.prod(shape) * inputs[0][-1] for shape in outputs[0]))

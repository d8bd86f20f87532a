"""Convolutions and products with frozen weights by code in C that takes any sizes (`ops/core/_packed.c`).

oneDNN makes code for each size of the other operand, half a millisecond a convolution and more for a product, in each
process; and its products of a hundred rows wait for weights that come from memory. These kernels are there at once, and
ask for the weights that they read next while they multiply. They are in use where the processor has fused vectors.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...backend import engines
from ...backend.loops.kernel import is_at_once
from ...backend.memory import keep_freed, usual_pages
from ...backend.threads import openmp, place_of_count
from ...core.forks import unforked
from ...ops.core import native
from .frozen_weight import FrozenWeight

INSIDE = {"": 0, "relu": 1, "hard_swish": 2}
"""What may follow in the same pass, as `_panels.h` counts it."""

PANELS = "panels"
_HOT = 3  # uses of a matrix that lies otherwise, from which on it is packed
_NOTHING = (lambda: None, None, None, None, 0)  # the weight, by a weak reference, scale, bias, what was made, uses
_OF_MATRIX = (1, 1), (0, 0), (0, 0), (1, 1), False
# strides, padding before and behind, dilations, whether each channel has a filter of its own


def _is_there() -> bool:
    return native.module is not None and native.module.has_fast_panels()


engines.add(PANELS, is_ready=_is_there)


@functools.cache
def _team() -> tuple[int, ...]:
    """The addresses of OpenMP's functions that share work among threads; zeros where there are none."""
    runtime = openmp()
    names = "GOMP_parallel", "omp_get_thread_num", "omp_get_num_threads"
    if runtime is None:
        return (0,) * len(names)
    return tuple([ctypes.cast(getattr(runtime, name), ctypes.c_void_p).value or 0 for name in names])


def side_by_side(images: np.ndarray) -> np.ndarray:
    """Images with their channels side by side, one behind the other."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def _room(size: int) -> np.ndarray:
    return np.empty(size, np.uint8)


def pack(array: np.ndarray, factors: Any, bias: Any, known: tuple, windows: tuple = _OF_MATRIX,
         activation: str = "") -> Any:
    """What `pack_weight` gives for a filter or a matrix, in memory that stays; None for what it does not take."""
    assert native.module is not None
    array = np.ascontiguousarray(array)
    with unforked(), usual_pages():
        return native.module.pack_weight(array, factors, bias, _room, known, *windows, INSIDE[activation],
                                         place_of_count(), _team())


class Panels:
    """The weight, scale and bias that an operation was last given, packed; new ones are packed anew.

    A FrozenWeight's array is released. A matrix that others hold is packed at its third use: until then multiplying it
    as it lies takes less than bringing it into order.
    """

    __slots__ = ("_last", "_line", "_line_for")

    def __init__(self) -> None:
        self._line: Any = None  # what lines of plans call, where the compiled form is there
        self._line_for = -1  # the engines' generation
        self._last: Any = _NOTHING  # replaced as a whole: several threads may run at once

    def of(self, weight: Any, scale: Any, bias: Any, windows: tuple = _OF_MATRIX, activation: str = "") -> Any:
        """A function of x, this weight, scale (not for a matrix), bias and a residual, as `pack` has it, or None.

        It gives None for operands that lie otherwise than it wants them.
        """
        last_weight, last_scale, last_bias, call, uses = self._last
        is_known = last_weight() is weight and last_scale is scale and last_bias is bias
        if is_known and uses >= _HOT:
            return call
        is_frozen = type(weight) is FrozenWeight
        uses = uses + 1 if is_known else 1
        if not is_frozen and weight.ndim == 2 and uses < _HOT and not is_at_once():
            self._last = weakref.ref(weight), scale, bias, None, uses
            return None
        keep_freed()
        held = weakref.ref(weight)  # an update need not leave the weight's memory alone
        known = weight if is_frozen else held, scale, bias
        if is_frozen:
            with weight.lent(scale) as (array, left):
                call = pack(array, left, bias, known, windows, activation)
            if call is not None:
                weight.release(call.unpacked, scale is not None)
        else:
            call = pack(weight, scale, bias, known, windows, activation)
        self._last = held, scale, bias, call, _HOT
        if self._line is not None:
            self._line.forget()
            if call is not None:
                self._line.take(call)
        return call

    def line(self, otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
        """What a line of a plan calls: `otherwise`, until a weight has been packed; None without the compiled form.

        It is one for all who ask, until engines change.
        """
        if native.module is None:
            return None
        if self._line is None or self._line_for != engines.generation.count:
            self._line = native.module.line_of_routines(otherwise, place_of_count())
            self._line_for = engines.generation.count
            self._last = _NOTHING
        return self._line

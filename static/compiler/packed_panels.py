"""Weights that stay, in panels (`ops/core/panels.py`): what an operation of a plan was given is packed and kept."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from ...backend import engines
from ...backend.memory import keep_freed
from ...backend.threads import place_of_count
from ...ops.core import native
from ...ops.core.panels import MATRIX, Windows, convolve, multiply, pack_to_keep
from .frozen_weight import FrozenWeight

_HOT = 3  # uses of a weight that others hold, from which on it is packed
_NOTHING = (lambda: None, None, None, None, 0)  # the weight, by a weak reference, scale, bias, what was made, uses


class Panels:
    """The weight, scale and bias that an operation was last given, packed; new ones are packed anew.

    A FrozenWeight's array is released. A weight that others hold is kept in order from its third use on; until then it
    is brought into order by the pass that needs it, which gives the same bits: memory for it would cost more.
    """

    __slots__ = ("_last", "_line", "_line_for")

    def __init__(self) -> None:
        self._line: Any = None  # what lines of plans call, where the compiled form is there
        self._line_for = -1  # the engines' generation
        self._last: Any = _NOTHING  # replaced as a whole: several threads may run at once

    def of(self, weight: Any, scale: Any, bias: Any, kind: int = MATRIX, windows: Windows | None = None,
           activation: str = "") -> Any:
        """A function of x, this weight, scale (not for a matrix), bias and a residual, as `pack` has it, or None.

        It gives None for operands that lie otherwise than it wants them.
        """
        last_weight, last_scale, last_bias, call, uses = self._last
        is_known = last_weight() is weight and last_scale is scale and last_bias is bias
        if is_known and uses >= _HOT:
            return call
        is_frozen = type(weight) is FrozenWeight
        uses = uses + 1 if is_known else 1
        rest = kind, windows or Windows(), activation
        keep_freed()
        if not is_frozen and uses < _HOT:
            self._last = weakref.ref(weight), scale, bias, None, uses
            return (functools.partial(multiply, activation=activation) if kind == MATRIX
                    else functools.partial(convolve, kind=kind, windows=rest[1], activation=activation))
        held = weakref.ref(weight)  # an update need not leave the weight's memory alone
        known = weight if is_frozen else held, scale, bias
        if is_frozen:
            with weight.lent(scale) as (array, left):
                call = pack_to_keep(array, left, bias, known, *rest)
            if call is not None:
                weight.release(call.unpacked, scale is not None)
        else:
            call = pack_to_keep(weight, scale, bias, known, *rest)
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

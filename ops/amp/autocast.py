"""Mixed precision: the trace around the one in charge that casts what operators are applied to.

A `Precision` says which operators compute in 16 bits and which in float32. The casts are operators like others: eager
code records them, Programs hold them, and gradients flow back through them into the dtype that a value had.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ...core.dtype import DType, convert_dtype, float32
from ...core.param_attr import ParamAttr
from ..core.native import apply_under
from ..core.operator import Operator, declared_count
from ..core.trace import Trace, state, using
from ..core.trace_around import TraceAround
from ..math.casting import cast
from .lists import black_list, white_list

LEVELS = ("O0", "OD", "O1", "O2")


class Precision(NamedTuple):
    """What decides the dtype in which an operator computes.

    `white` operators compute in `dtype`, `black` ones in float32; others in the wider one of their inputs, or in
    float32 (level OD), or, at level O2 without `promotes`, in `dtype`.
    """

    dtype: DType
    level: str
    white: frozenset[str]
    black: frozenset[str]
    promotes: bool = True

    def dtype_for(self, op: str, dtypes: Iterable[DType]) -> DType:
        """The dtype for an operator whose floating inputs (of at most 32 bits) have these dtypes."""
        if op in self.black:
            return float32
        if op in self.white or self.level == "O2" and not self.promotes:
            return self.dtype
        return float32 if self.level == "OD" or float32 in dtypes else self.dtype


def precision(dtype: str, level: str, custom_white: frozenset[str], custom_black: frozenset[str],
              promotes: bool = True) -> Precision:
    """The Precision of a level, its lists changed by custom ones; one object for equal ones."""
    return _precision(dtype, level, custom_white, custom_black, promotes, declared_count())


@functools.lru_cache(maxsize=64)
def _precision(dtype: str, level: str, custom_white: frozenset[str], custom_black: frozenset[str], promotes: bool,
               declared: int) -> Precision:
    white = (white_list(dtype, level) | custom_white) - custom_black
    black = (black_list(dtype, level) - custom_white) | custom_black
    found = Precision(convert_dtype(dtype), level, white, black, promotes)
    return _known.setdefault(found, found)


_known: dict[Precision, Precision] = {}


class AutocastTrace(TraceAround):
    """Casts the inputs of operators as its Precision says (None: not at all); the inner trace does the rest."""

    def __init__(self, inner: Trace, precision: Precision | None):
        super().__init__(inner)
        self._precision = precision

    @property
    def precision(self) -> Precision | None:
        """What decides the dtypes in which operators compute."""
        return self._precision

    def bare(self) -> Trace:
        """The same around the trace that does the work."""
        inner = self.inner.bare()
        return self if inner is self.inner else AutocastTrace(inner, self._precision)

    def uncast(self) -> Trace:
        """The trace inside."""
        return self.inner

    def watched(self, make: Callable[[Trace], Trace]) -> Trace:
        """The same around what `make` puts around the trace inside."""
        return AutocastTrace(make(self.inner), self._precision)

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies the operator to inputs of the dtype that it is to compute in."""
        precision = self._precision
        if precision is None or op.precision == "keep":
            return apply_under(self.inner, op, inputs, attrs)
        if op.composed is not None:  # each operator of which it is composed is looked at
            results = op.composed(*inputs, **attrs)
            if results is not NotImplemented:
                return results
        return apply_under(self.inner, op, _as_wanted(op, inputs, precision), attrs)

    @contextlib.contextmanager
    def _paused(self) -> Iterator[None]:
        old, self._precision = self._precision, None
        try:
            yield
        finally:
            self._precision = old

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """A new parameter, whose initializer computes in its own dtypes."""
        with self._paused():
            return self.inner.parameter(shape, dtype, attr, initializer)

    @contextlib.contextmanager
    def updating(self) -> Iterator[None]:
        """As the inner trace has it; updates compute in their own dtypes."""
        with self._paused(), self.inner.updating():
            yield


def _as_wanted(op: Operator, inputs: tuple, precision: Precision) -> tuple:
    changed = {position for _, position in op.aliases}  # takes a new value, so it must stay itself
    positions = (0,) if op.follows_first else [n for n in range(len(inputs)) if n not in changed]
    dtypes = [v.dtype for n in positions for v in _each(inputs[n]) if _may_change(v)]
    if not dtypes:
        return inputs
    wanted = precision.dtype_for(op.type, dtypes)
    if all([dtype is wanted for dtype in dtypes]):
        return inputs
    return tuple([_cast_slot(value, wanted) if n in positions else value for n, value in enumerate(inputs)])


def _each(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else () if value is None else (value,)


def _may_change(value: Any) -> bool:
    if getattr(value, "kind", "tensor") != "tensor":
        return False
    dtype = value.dtype
    return dtype.is_floating and dtype.itemsize <= 4


def _cast_slot(value: Any, wanted: DType) -> Any:
    if isinstance(value, (list, tuple)):
        return [_cast_slot(item, wanted) for item in value]
    if value is None or not _may_change(value) or value.dtype is wanted:
        return value
    return cast(value, wanted)


@contextlib.contextmanager
def autocast(precision: Precision | None) -> Iterator[None]:
    """Within the block this Precision decides (None: operators compute in the dtypes of their inputs)."""
    base = state.trace.bare().uncast()
    around = base.find(AutocastTrace)
    if around is not None:  # another trace watches what this one casts: it goes on doing so
        old, around._precision = around._precision, precision
        try:
            yield
        finally:
            around._precision = old
    elif precision is None and base is state.trace:
        yield
    else:
        with using(AutocastTrace(base, precision)):
            yield


def with_same_precision(trace: Trace) -> Trace:
    """`trace`, or a trace around it that casts as the one in charge does."""
    found = state.trace.precision
    return trace if found is None else AutocastTrace(trace, found)

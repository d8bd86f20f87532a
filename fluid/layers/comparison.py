"""Comparisons, which may be asked for in a variable that is there: less_than, equal and the others, is_empty."""

from __future__ import annotations

from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face


def _told(type: str, *inputs: Any, cond: Any) -> Any:
    """The result of a question, in `cond` where that is given; no gradient flows through it."""
    made = LayerHelper(type).apply(type, *inputs, out=cond)
    made.stop_gradient = True
    return made


@face
def less_than(x: Any, y: Any, force_cpu: bool | None = None, cond: Any = None) -> Any:
    """Whether x < y, element by element; written to `cond` where that is given, as a loop's condition is.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     i = fluid.layers.fill_constant([1], "int64", 0)
    ...     going = fluid.layers.less_than(i, fluid.layers.fill_constant([1], "int64", 3))
    ...     fluid.layers.less_than(i, i, cond=going) is going
    True
    """
    return _told("less_than", x, y, cond=cond)


@face
def less_equal(x: Any, y: Any, cond: Any = None) -> Any:
    """Whether x <= y, element by element; written to `cond` where that is given."""
    return _told("less_equal", x, y, cond=cond)


@face
def greater_than(x: Any, y: Any, cond: Any = None) -> Any:
    """Whether x > y, element by element; written to `cond` where that is given."""
    return _told("greater_than", x, y, cond=cond)


@face
def greater_equal(x: Any, y: Any, cond: Any = None) -> Any:
    """Whether x >= y, element by element; written to `cond` where that is given."""
    return _told("greater_equal", x, y, cond=cond)


@face
def equal(x: Any, y: Any, cond: Any = None) -> Any:
    """Whether x is y, element by element; written to `cond` where that is given."""
    return _told("equal", x, y, cond=cond)


@face
def not_equal(x: Any, y: Any, cond: Any = None) -> Any:
    """Whether x is not y, element by element; written to `cond` where that is given."""
    return _told("not_equal", x, y, cond=cond)


@face
def is_empty(x: Any, cond: Any = None) -> Any:
    """Whether x has no element; written to `cond` where that is given."""
    return _told("is_empty", x, cond=cond)


__all__ = ["equal", "greater_equal", "greater_than", "is_empty", "less_equal", "less_than", "not_equal"]

"""Axes and counts that only a run can tell: a variable of a Program that is fed, or computed of what is fed.

PaddlePaddle keeps such a variable in the place of an attribute (`reduce_sum` with `dim` = a variable's name). Here an
operator of its own takes it as an input, in a slot that its signature marks with `@`, and files name the operator that
it stands for. Ranks follow from how many axes there are, which must be known while the Program is built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ..core.infer import product
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply, current_trace
from .full import full, is_value


def only_a_run_tells(value: Any) -> bool:
    """True for a variable of a Program whose value is not known while that is built."""
    return is_value(value) and not hasattr(value, "_array") and current_trace().known_value(value) is None


def has_negative(value: Any) -> bool:
    """True where values are here, or known while a Program is built, and one of them is below 0."""
    known = value._array if hasattr(value, "_array") else current_trace().known_value(value)
    return known is not None and bool((known < 0).any())


def fed_values(axis: Any) -> list | None:
    """An axis, or several, as values, where only a run can tell one of them; None where all are known.

    >>> from proa.ops.array.fed_axes import fed_values
    >>> fed_values(1), fed_values([0, -1])
    (None, None)
    """
    if only_a_run_tells(axis):
        return [axis]
    if isinstance(axis, (list, tuple)) and any(map(only_a_run_tells, axis)):
        return [n if is_value(n) else full([1], int(n), "int64") for n in axis]
    return None


def numbers_in(values: Sequence[Any]) -> list[int]:
    """The integers in arrays, one array behind the other."""
    return [int(n) for array in values for n in host_values(array.reshape(-1))]


def one_number(what: str, value: Spec) -> None:
    """ValueError unless arrays of this spec hold one element, as far as that is known."""
    if product([size for size in value.shape if size >= 0]) != 1:
        raise ValueError(f"{what}: must be one number. Received a tensor of shape {list(value.shape)}.")


def count_in(what: str, values: Sequence[Spec]) -> int:
    """How many integers arrays of these specs hold; ValueError where that is not known. `what` names the function."""
    counts = [product(spec.shape) for spec in values]
    if min(counts) < 0:
        raise ValueError(f"{what}: the number of axes must be known, for the result's rank follows from it. Received a "
                         f"tensor of shape {list(values[counts.index(min(counts))].shape)}.")
    return sum(counts)


def without_some(what: str, x: Spec, axes: Sequence[Spec], keep: bool) -> tuple[int, ...]:
    """What is known of the shape of x without dimensions that only a run can tell, or with these of size 1."""
    count = 0 if keep else count_in(what, axes)
    if count > x.rank:
        raise ValueError(f"{what}: there are {count} axes. Received x.shape={list(x.shape)}.")
    return (-1,) * (x.rank - count)


def _order(axes: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    last = [axis % rank for axis in axes]
    return [n for n in range(rank) if n not in last], last


def _axes_last(xp, x, axes):
    rest, last = _order(numbers_in(axes), x.ndim)
    return x.transpose((*rest, *last)).reshape((*(x.shape[n] for n in rest), product([x.shape[n] for n in last])))


def _axes_back(xp, g, axes, like=None, *, shape: list[int] = ()):
    shape = tuple(shape) if like is None else like.shape
    order = [n for part in _order(numbers_in(axes), len(shape)) for n in part]
    return g.reshape([shape[n] for n in order]).transpose([order.index(n) for n in range(len(shape))])


axes_last_op = operator(
    "axes_last", "X, Axes* -> Out~X", kernel=_axes_last,
    infer=lambda x, axes: Spec((*without_some("axes_last", x, axes, False), -1), x.dtype),
    grad={"X": lambda g, Axes, X_shape: axes_back(g, Axes, X_shape)}, moves=True, only_here=True)
"""The dimensions that are named moved behind the others, and made one."""

axes_back_op = operator(
    "axes_back", "X, Axes*, Like? -> Out~X", kernel=_axes_back,
    infer=lambda g, axes, like=None, *, shape=(): Spec(tuple(shape if like is None else like.shape), g.dtype),
    grad={"X": lambda g, Axes: apply(axes_last_op, g, Axes)}, moves=True, only_here=True)


def axes_back(g: Any, axes: Sequence[Any], shape: Any) -> Any:
    """What `axes_last` has moved put back where it was, in a value of this shape (a handle)."""
    known = type(shape) is tuple
    return apply(axes_back_op, g, axes, None if known else shape, shape=list(shape) if known else [])

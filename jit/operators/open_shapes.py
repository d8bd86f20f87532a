"""Shapes and numbers of dimensions of values that have more dimensions on one way than on another.

Only a run knows how many sizes there are. Knows what is symbolic, nothing else of staging.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ...ops.array.assign import rank
from ...ops.array.unflatten import atleast_1d, atleast_2d, atleast_3d
from ..errors import ConversionError, here
from . import staging


class OpenShape(list):
    """The shape of such a value: as many sizes as the way with most dimensions has, counted from either end."""

    def __init__(self, of: Any):
        super().__init__(staging.sizes(of))
        self.of = of

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise _refusal(self.of, "a part of its shape is taken")
        return staging.size_from_end(self.of, index) if index < 0 else super().__getitem__(index)

    def __eq__(self, other: object) -> bool:
        raise _refusal(self.of, "its shape is compared")

    def __ne__(self, other: object) -> bool:
        return self == other

    __hash__ = None


def _refusal(value: Any, what: str) -> ConversionError:
    return ConversionError(
        here(), f"a tensor decides how many dimensions `{value.name}` has, and {what}: how many sizes there are is "
        "known only when the Program runs.", "Ask for single sizes (`x.shape[-1]`), for `x.ndim`, or paddle.shape(x).")


def shape_of(value: Any) -> list[Any]:
    """`x.shape` of a symbolic tensor, as a list."""
    return OpenShape(value) if staging.has_open_rank(value) else staging.sizes(value)


def rank_(input: Any) -> Any:
    """`paddle.rank(x)`, a 0-d int32 tensor."""
    if staging.is_symbolic(input) and staging.has_open_rank(input):
        return staging.cast(staging.own(staging.rank(input)), "int32")
    return rank(input)


def _at_least(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*inputs: Any, **options: Any) -> Any:
        open_one = next((x for x in inputs if staging.is_symbolic(x) and staging.has_open_rank(x)), None)
        if open_one is not None:
            raise _refusal(open_one, f"`{function.__name__}` adds what is missing")
        return function(*inputs, **options)

    return call


AT_LEAST = {id(function): _at_least(function) for function in (atleast_1d, atleast_2d, atleast_3d)}
"""`paddle.atleast_2d(x)` and its like, by the ids of the functions."""

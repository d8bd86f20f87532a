"""Operators that stand in files alone, and what they are made of: `fc` is a product, a sum and an activation.

PaddlePaddle's own passes fuse what a user wrote into operators for one engine, and some functions that are an operator
there apply several here. Such an operator has no kernel, shapes or gradient of its own: its decomposition applies
operators that have. Whoever reads a file puts these in its place, so that all that is known of them holds: gradients,
compilation, other files.

    @decomposition("fusion_squared_mat_sub", "X, Y -> SquaredX?, SquaredY?, SquaredXY?, Out")
    def _squares_apart(x, y, *, scalar: float = 1.0):
        ...

The function takes the inputs by position (None for one that is not there, a list for a repeated one) and the attributes
by keyword, and gives the results in the order of the signature. None stands for a result that nobody reads: one marked
`?`. Attributes that it does not name say nothing to it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ...core.lazy import require
from .operator import is_declared, is_without_declaration
from .signature import Slot, parse_signature

_F = TypeVar("_F", bound=Callable[..., Any])


class Decomposition(NamedTuple):
    """An operator of files: its slots, and the function that applies what it is made of."""

    type: str
    inputs: tuple[Slot, ...]
    outputs: tuple[Slot, ...]
    function: Callable[..., Any]
    attributes: frozenset[str]

    def __call__(self, inputs: list[Any], attrs: dict[str, Any]) -> tuple:
        """The results, by slot."""
        made = self.function(*inputs, **{name: value for name, value in attrs.items() if name in self.attributes})
        return made if isinstance(made, tuple) else (made,)


_registry: dict[str, Decomposition] = {}


def decomposition(type: str, signature: str) -> Callable[[_F], _F]:
    """Declares what an operator of files is made of; a type is declared once (ValueError)."""
    def declare(function: _F) -> _F:
        if type in _registry:
            raise ValueError(f"The decomposition of {type!r} is declared twice.")
        inputs, outputs = parse_signature(signature)
        named = frozenset(p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY)
        _registry[type] = Decomposition(type, inputs, outputs, function, named)
        return function

    return declare


def find_decomposition(type: str) -> Decomposition | None:
    """What an operator is made of that is not declared; None for one that is, and for one that nobody knows.

    Families are imported for the last alone, not for what stands in every file (`feed`, `fetch`).
    """
    if is_without_declaration(type) or is_declared(type):
        return None
    require("operators")
    return _registry.get(type)


def all_decompositions() -> tuple[Decomposition, ...]:
    """Every one, by type."""
    require("operators")
    return tuple(_registry[type] for type in sorted(_registry))

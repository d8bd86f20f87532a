"""What an expression of the language is while it is compiled: a number, a literal, an array or several of them."""

from __future__ import annotations

from typing import Any, NamedTuple


class Value(NamedTuple):
    """A number in a register: its LLVM value and its type (see `types.py`)."""

    llvm: Any
    type: str


class Literal(NamedTuple):
    """A number written in the source: it takes the type of what it meets."""

    number: float | int


class Array(NamedTuple):
    """A pointer to elements of a type."""

    pointer: Any
    type: str

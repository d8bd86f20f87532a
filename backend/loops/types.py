"""The element types of generated loops and how two combine; what an expression is while it is compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

REAL = ("f32", "f64")
INTEGERS = ("i1", "i8", "u8", "i16", "i32", "i64")
OF_DTYPE = {
    "float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8",
    "bool": "b8",
}
"""The type of an array's elements by its dtype; `b8` is a truth value in memory, `i1` one in a register."""

OF_ARRAY = {np.dtype(name): f"{kind}*" for name, kind in OF_DTYPE.items()}
"""The type of an array by its dtype itself, whose `name` takes NumPy microseconds to make."""

_RANK = {name: rank for rank, name in enumerate((*INTEGERS, *REAL))}


def llvm_type(name: str) -> Any:
    """The LLVM type of values of this type."""
    from llvmlite import ir

    if name == "f32":
        return ir.FloatType()
    if name == "f64":
        return ir.DoubleType()
    return ir.IntType({"i1": 1, "b8": 8, "i8": 8, "u8": 8, "i16": 16, "i32": 32, "i64": 64}[name])


def combined(a: str, b: str) -> str:
    """The type of an arithmetic result: the wider of two, a float where one is a float."""
    return a if _RANK[a] >= _RANK[b] else b


def is_real(name: str) -> bool:
    """Whether values of this type are floating-point numbers."""
    return name in REAL


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

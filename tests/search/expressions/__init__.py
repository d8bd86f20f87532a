"""Expressions of generated programs: operators on values in scope, by family.

Values stay within some ten around zero and away from poles, so that rounding stays small.
"""

from . import (
    arithmetic,
    dtypes,
    edges,
    families,
    indexing,
    integers,
    layers,
    matrices,
    modules,
    numbers,
    open_sizes,
    products,
    reductions,
    scatters,
    shapes,
)
from .choice import expression
from .same_shape import is_number, operand, same_shape, unary

__all__ = ["expression", "is_number", "operand", "same_shape", "unary"]

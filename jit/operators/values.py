"""Values on their way through staged branches and loops: which of their leaves are staged, which stay Python.

A leaf is staged when it is a tensor or a number; everything else (None, strings, objects) must be the same whichever
way the program goes. Knows nested structures; does no staging.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...core import nest
from . import staging
from .undefined import Undefined

NUMBERS = (bool, int, float)
_NESTED = (list, tuple, dict)


def is_staged(leaf: Any) -> bool:
    """Whether a leaf becomes a result of a branch or a variable of a loop."""
    return type(leaf) in NUMBERS or staging.is_tensor(leaf)


def staged_leaves(value: Any) -> list[Any]:
    """The leaves of a value that are staged; none, if it is missing."""
    return [] if type(value) is Undefined else [leaf for leaf in nest.leaves(value) if is_staged(leaf)]


def same(a: Any, b: Any) -> bool:
    """Whether two leaves are one value as Python sees it; tensors only if they are one object."""
    plain = (*NUMBERS, str, bytes)
    return a is b or (type(a) is type(b) and type(a) in plain and repr(a) == repr(b))


def same_structure(a: Any, b: Any) -> bool:
    """Whether two values have the same nesting of lists, tuples and dicts."""
    if isinstance(a, dict) and isinstance(b, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(same_structure(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same_structure, a, b))
    return not isinstance(a, _NESTED) and not isinstance(b, _NESTED)


def agree(a: Any, b: Any) -> bool:
    """Whether two values can be one result: same nesting, and every leaf staged in both or the same in both."""
    if not same_structure(a, b):
        return False
    pairs = zip(nest.leaves(a), nest.leaves(b), strict=True)
    return all(same(x, y) or (is_staged(x) and is_staged(y)) for x, y in pairs)


def merged(a: Any, b: Any, results: Iterator[Any]) -> Any:
    """The value after either way was taken; takes a result for every staged leaf, and uses it where the ways differ."""
    def leaf(x: Any, y: Any) -> Any:
        result = next(results) if is_staged(x) else x
        return x if same(x, y) else result

    return nest.map_structure(leaf, a, b)


def described(value: Any) -> str:
    """A value's type, for errors."""
    if isinstance(value, _NESTED):
        return f"{type(value).__name__} of {len(value)}"
    if staging.is_tensor(value):
        return f"{type(value).__name__} of shape {list(value.shape)}, dtype {getattr(value.dtype, 'name', value.dtype)}"
    return "None" if value is None else f"{type(value).__name__} ({value!r:.40})"

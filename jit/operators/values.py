"""Values on their way through staged branches and loops: which of their leaves are staged, which stay Python.

A leaf is staged when it is a tensor or a number; everything else (None, strings, objects) must be the same whichever
way the program goes. Knows nested structures; does no staging.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core import nest
from . import staging
from .partial import Partial, partial
from .undefined import Undefined

NUMBERS = (bool, int, float)
_NUMPYS = (np.bool_, np.integer, np.floating)
NESTED = (list, tuple, dict)


def is_staged(leaf: Any) -> bool:
    """Whether a leaf becomes a result of a branch or a variable of a loop."""
    if type(leaf) in NUMBERS or isinstance(leaf, _NUMPYS):
        return True
    return not isinstance(leaf, Undefined) and staging.is_tensor(leaf)


def staged_leaves(value: Any) -> list[Any]:
    """The leaves of a value that are staged; none, if it is missing."""
    found: list[Any] = []
    for leaf in nest.leaves(value):
        if type(leaf) is Partial:
            found += [leaf._flag, *staged_leaves(leaf._content)]
        elif is_staged(leaf):
            found.append(leaf)
    return found


def staged_paths(value: Any, path: tuple = ()) -> list[tuple]:
    """Where the staged leaves of a value are inside it: indices and keys, from the outermost on; () for itself."""
    if isinstance(value, NESTED):
        return [found for key, part in nest.parts(value) for found in staged_paths(part, (*path, key))]
    if type(value) is Partial:
        return [(*path, FLAG), *staged_paths(value._content, (*path, CONTENT))]
    return [path] if is_staged(value) else []


FLAG, CONTENT = "flag of what may be missing", "what may be missing"


def filled(value: Any, given: Iterator[Any]) -> Any:
    """A value with the next of the given ones in place of each staged leaf."""
    def leaf(old: Any) -> Any:
        if type(old) is Partial:
            flag = next(given)
            return Partial(old._name, old._reason, filled(old._content, given), flag, old._optional)
        return next(given) if is_staged(old) else old

    return nest.map_structure(leaf, value)


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
    return not isinstance(a, NESTED) and not isinstance(b, NESTED)


def is_one(a: Any, b: Any) -> bool:
    """Whether two values are one: nested alike, with the same leaves."""
    return same_structure(a, b) and all(map(same, nest.leaves(a), nest.leaves(b)))


def agree(a: Any, b: Any) -> bool:
    """Whether two values can be one result: same nesting, and every leaf staged in both or the same in both."""
    if not same_structure(a, b):
        return False
    pairs = zip(nest.leaves(a), nest.leaves(b), strict=True)
    return all(same(x, y) or (is_staged(x) and is_staged(y)) or _partials_agree(x, y) for x, y in pairs)


def _partials_agree(x: Any, y: Any) -> bool:
    return type(x) is type(y) is Partial and agree(x._content, y._content)


def merged(a: Any, b: Any, results: Iterator[Any], note: Callable[[Any, Any, Any], Any] = lambda result, *_: result
           ) -> Any:
    """The value after either way was taken; takes a result for every staged leaf, and uses it where the ways differ.

    `note` is told of each result that is used, with its values after either way, and gives what stands for it.
    """
    def leaf(x: Any, y: Any) -> Any:
        if type(x) is Partial:
            flag = leaf(x._flag, y._flag)
            content = merged(x._content, y._content, results, note)
            return partial(x._name, x._reason or y._reason, content, flag, x._optional and y._optional)
        result = next(results) if is_staged(x) else x
        if same(x, y):
            return x
        return note(result, x, y)

    return nest.map_structure(leaf, a, b)


def disagreement(name: str, a: Any, b: Any) -> tuple[str, Any, Any]:
    """Which part of two values that do not agree is to blame: what it is called, and the two of it."""
    if isinstance(a, NESTED) and type(a) is type(b) and len(a) == len(b) and name.isidentifier():
        return _part_to_blame(name, a, b)
    return name, a, b


def _part_to_blame(name: str, a: Any, b: Any) -> tuple[str, Any, Any]:
    if isinstance(a, NESTED) and type(a) is type(b) and len(a) == len(b):
        for (key, x), (other, y) in zip(nest.parts(a), nest.parts(b), strict=True):
            if key == other and not agree(x, y):
                return _part_to_blame(f"{name}[{key!r}]", x, y)
    return name, a, b


def described(value: Any) -> str:
    """A value's type, for errors."""
    if isinstance(value, NESTED):
        is_of_nested = type(value) is list and any(isinstance(item, NESTED) for item in value)
        items = f" ({', '.join(map(described, value[:4]))})" if is_of_nested else ""
        return f"{type(value).__name__} of {len(value)}{items}"
    if staging.is_tensor(value):
        return f"{type(value).__name__} of shape {list(value.shape)}, dtype {getattr(value.dtype, 'name', value.dtype)}"
    if staging.is_list(value):
        return "a list whose length only the program knows"
    kind, shown = type(value).__name__, f"{value!r:.40}"
    return "None" if value is None else shown if shown.startswith(kind) else f"{kind} ({shown})"

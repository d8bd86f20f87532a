"""Nested lists, tuples and dicts, as `paddle.utils` offers them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core import nest

__all__ = ["assert_same_structure", "flatten", "is_sequence", "map_structure", "pack_sequence_as"]


def is_sequence(seq: Any) -> bool:
    """Whether a value is a dict, a list or a tuple, and no leaf of a structure.

    >>> import proa as paddle
    >>> paddle.utils.is_sequence([1]), paddle.utils.is_sequence("text")
    (True, False)
    """
    return isinstance(seq, (dict, list, tuple))


def flatten(nest: Any) -> list[Any]:
    """The leaves of a structure, depth first; those of a dict in the order of its sorted keys.

    >>> import proa as paddle
    >>> paddle.utils.flatten({"b": [1, (2,)], "a": 3})
    [3, 1, 2]
    """
    return _flatten(nest)


def map_structure(func: Callable[..., Any], *structure: Any) -> Any:
    """A structure like the first one, of `func(leaf, …)`; ValueError for structures that differ.

    >>> import proa as paddle
    >>> paddle.utils.map_structure(lambda x, y: x + y, {"a": [1, 2]}, {"a": [10, 20]})
    {'a': [11, 22]}
    """
    if not structure:
        raise ValueError("map_structure(structure): needs at least one structure. Received none.")
    return nest.map_structure(func, *structure)


def pack_sequence_as(structure: Any, flat_sequence: Sequence[Any]) -> Any:
    """A structure like the given one that holds the items of a flat sequence: the inverse of `flatten`.

    Raises ValueError where there are more or fewer items than leaves.

    >>> import proa as paddle
    >>> paddle.utils.pack_sequence_as({"b": 0, "a": (0, 0)}, [1, 2, 3])
    {'b': 3, 'a': (1, 2)}
    """
    items, count = list(flat_sequence), len(_flatten(structure))
    if len(items) != count:
        raise ValueError(f"pack_sequence_as(flat_sequence): the structure has {count} leaves. "
                         f"Received {len(items)} items.")
    return nest.pack(structure, items)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises ValueError where two structures differ, and with `check_types` TypeError where their containers do."""
    nest.map_structure(lambda *_: None, nest1, nest2)
    if check_types:
        _check_types(nest1, nest2)


def _check_types(one: Any, other: Any) -> None:
    if not is_sequence(one):
        return
    if type(one) is not type(other):
        raise TypeError(f"assert_same_structure(nest1, nest2): containers differ. Received {type(one).__name__} and "
                        f"{type(other).__name__}.")
    keys = one if isinstance(one, dict) else range(len(one))
    for key in keys:
        _check_types(one[key], other[key])


_flatten = nest.flatten  # by a name that the argument of the public one does not hide

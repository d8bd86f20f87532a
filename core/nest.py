"""Nested structures of lists, tuples, named tuples and dicts: taking the leaves out and putting others in.

Used for the inputs and outputs of functions, batches of data and loop variables. Dict keys are visited in sorted
order when they can be sorted, otherwise as they come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any


def _keys(mapping: dict) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        return list(mapping)


def _children(structure: Any) -> list | None:
    if isinstance(structure, dict):
        return [structure[k] for k in _keys(structure)]
    if isinstance(structure, (list, tuple)):
        return list(structure)
    return None


def parts(structure: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a list, tuple or dict, each with its index or key, in the order of `leaves`.

    >>> from proa.core import nest
    >>> list(nest.parts({"b": [1], "a": 3})), list(nest.parts((5,)))
    ([('a', 3), ('b', [1])], [(0, 5)])
    """
    keys = _keys(structure) if isinstance(structure, dict) else range(len(structure))
    return zip(keys, _children(structure) or (), strict=True)


def leaves(structure: Any) -> Iterator[Any]:
    """The leaves, depth first; everything that is not a list, tuple or dict is a leaf.

    >>> from proa.core import nest
    >>> list(nest.leaves({"b": [1, (2,)], "a": 3}))
    [3, 1, 2]
    """
    children = _children(structure)
    if children is None:
        yield structure
    else:
        for child in children:
            yield from leaves(child)


def leaf_names(structure: Any, name: str) -> Iterator[str]:
    """What the leaves are called in a structure of that name: by their key in a dict, by number in a list or tuple.

    >>> from proa.core import nest
    >>> list(nest.leaf_names([1, (2, 3), {"mask": 4}], "inputs"))
    ['inputs_0', 'inputs_1_0', 'inputs_1_1', 'mask']
    """
    children = _children(structure)
    if children is None:
        yield name
        return
    keys = _keys(structure) if isinstance(structure, dict) else range(len(children))
    for key, child in zip(keys, children, strict=True):
        yield from leaf_names(child, key if isinstance(key, str) else f"{name}_{key}")


def flatten(structure: Any) -> list:
    """The leaves as a list."""
    return list(leaves(structure))


def _rebuild(like: Any, children: list) -> Any:
    if isinstance(like, dict):
        filled = dict(zip(_keys(like), children, strict=True))
        return alike(like, {k: filled[k] for k in like})
    return alike(like, children)


def alike(like: Any, children: Any) -> Any:
    """A list, tuple or dict of the class of another one, holding these: the items, or a dict of the entries.

    >>> from collections import defaultdict
    >>> from proa.core import nest
    >>> nest.alike((1, 2), [3]), nest.alike(defaultdict(list), {"a": 1})["b"]
    ((3,), [])
    """
    if isinstance(like, defaultdict):
        return type(like)(like.default_factory, children)
    if type(like) is dict:
        return dict(children)
    if hasattr(like, "_fields"):
        return type(like)(*children)
    return type(like)(children)


def map_structure(function: Callable[..., Any], structure: Any, *others: Any) -> Any:
    """The same structure with each leaf replaced by `function(leaf, …)`; `others` have the same structure.

    >>> from proa.core import nest
    >>> nest.map_structure(lambda v: v + 1, {"a": [1, 2]})
    {'a': [2, 3]}
    """
    children = _children(structure)
    if children is None:
        return function(structure, *others)
    parts = [_children(o) for o in others]
    for part, other in zip(parts, others, strict=True):
        if part is None or len(part) != len(children):
            raise ValueError(f"The structures differ: {structure!r} and {other!r}.")
    return _rebuild(structure, [map_structure(function, *args) for args in zip(children, *parts, strict=True)])


def pack(structure: Any, flat: Iterable[Any]) -> Any:
    """The same structure holding the leaves of `flat`, in the order of `flatten`."""
    values = iter(flat)
    return map_structure(lambda _: next(values), structure)

"""Nested structures of lists, tuples, named tuples and dicts: taking the leaves out and putting others in.

Used for the inputs and outputs of functions, batches of data and loop variables. Dict keys are visited in sorted
order when they can be sorted, otherwise as they come.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
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

    Classes of the user's are not called, since what they are called with is theirs (a dataclass over a dict takes the
    entries by name): what they keep in attributes is that of the other one, and what shows an item there shows the new.

    >>> from collections import defaultdict
    >>> from proa.core import nest
    >>> nest.alike((1, 2), [3]), nest.alike(defaultdict(list), {"a": 1})["b"]
    ((3,), [])
    """
    kind = type(like)
    if kind in (dict, list, tuple):
        return kind(children)
    base = next(base for base in _BASES if isinstance(like, base))
    if kind.__new__ is not base.__new__ and not isinstance(kind.__new__, FunctionType):
        return kind(children)  # written in C, as time.struct_time
    if base is tuple:
        made = tuple.__new__(kind, children)
    else:
        made = base.__new__(kind)
        _fill(made, base, children)
    if base is defaultdict:
        made.default_factory = like.default_factory
    if kind.__dictoffset__:
        _give_attributes(made, like)
    return made


_BASES: tuple[Any, ...] = (OrderedDict, defaultdict, dict, list, tuple)
_PLAIN = (int, float, complex, str, bytes, type(None))


def _fill(made: Any, base: Any, children: Any) -> None:
    """Items or entries, by the methods of the builtin class: the user's may do other things."""
    if base is list:
        list.extend(made, children)
        return
    for key, value in children.items():
        base.__setitem__(made, key, value)


def _give_attributes(made: Any, like: Any) -> None:
    """The attributes of `like`; those that show one of its items show the one that `made` has in its place."""
    held = object.__getattribute__(like, "__dict__")
    if held is like:  # entries that are attributes
        object.__setattr__(made, "__dict__", made)
        return
    entries = isinstance(like, dict)
    pairs = ((dict.get(like, key), dict.get(made, key)) for key in made) if entries else zip(like, made, strict=False)
    new = {id(old): value for old, value in pairs if not isinstance(old, _PLAIN)}
    for name, value in held.items():
        mirrors = entries and name in made and dict.get(like, name) is value
        held_now = dict.get(made, name) if mirrors else new.get(id(value), value)
        object.__getattribute__(made, "__dict__")[name] = held_now


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

"""Lists and dicts that a staged branch or loop body changes in place: an error, for Python would change them at once.

A branch is run while the program is built, whether it will be taken or not, and a loop's body once: `out.append(x)` in
it would mean something else. Variables that are assigned are another matter (see merging.py and loop_state.py).
Knows what generated functions close over; does no staging.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ..convert.ignoring import is_ignored_module
from .undefined import Undefined

_CONTAINERS = (list, dict, set)


@contextlib.contextmanager
def no_changes_in_place(where: str, statement: str, *branches: Any) -> Iterator[None]:
    """Within the block, `branches` run; behind it, TypeError if they have changed a container made before it."""
    watched = [(name, container, _contents(container)) for b in branches for name, container in _within_reach(b)]
    yield
    for name, container, before in watched:
        after = _contents(container)
        if len(after) != len(before) or any(a is not b for a, b in zip(after, before, strict=True)):
            kind = next(each.__name__ for each in _CONTAINERS if isinstance(container, each))
            raise TypeError(
                f"{where}: a tensor decides about this {statement}, and the {kind} `{name}` is changed in place inside "
                f"it. While the program is built, that would happen once, whatever the tensor says. Make a new {kind} "
                f"and assign it (`{name} = {_EXAMPLES[kind].format(name)}`), write into a tensor made "
                "before, or decide on a Python value.")


_EXAMPLES = {"list": "{} + [value]", "dict": "{{**{}, key: value}}", "set": "{} | {{value}}"}


def _contents(container: Any) -> list[Any]:
    return [v for item in dict.items(container) for v in item] if isinstance(container, dict) else list(container)


def _within_reach(branch: Any, depth: int = 2) -> Iterator[tuple[str, Any]]:
    """The containers in variables that a branch uses, in public attributes of objects in them, in functions there."""
    function = getattr(branch, "_body", branch)  # a branch may be marked
    function = function.__func__ if isinstance(function, MethodType) else function
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, _CONTAINERS):
            yield name, value
        elif isinstance(value, FunctionType) and depth and not is_ignored_module(value.__module__ or ""):
            yield from _within_reach(value, depth - 1)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # an empty cell
            value = cell.cell_contents
            attributes = vars(value) if not isinstance(value, Undefined) and _is_plain_object(value) else {}
            named = [(name, value), *((f"{name}.{k}", v) for k, v in list(attributes.items()) if k[:1] != "_")]
            yield from ((text, v) for text, v in named if isinstance(v, _CONTAINERS))
            if isinstance(value, FunctionType) and depth:
                yield from _within_reach(value, depth - 1)


def _is_plain_object(value: Any) -> bool:
    has_attributes = isinstance(getattr(value, "__dict__", None), dict)
    return has_attributes and not isinstance(value, (type, ModuleType, FunctionType))

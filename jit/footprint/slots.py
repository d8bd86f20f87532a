"""State that a function rebinds: an attribute, a variable of an enclosing function, an entry of a dict.

`self.hidden = cell(x, self.hidden)` gives the attribute another value in every call. While the function is traced the
attribute comes to hold a Variable; from then on each run reads the attribute's Tensors, and gives it the new ones.
Knows values and Variables; runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import AsyncGeneratorType, CoroutineType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from ...core import nest
from ...dygraph.value import EagerValue
from ...static.building.record_lists import RecordList
from ...static.building.tensor_arrays import ArrayVariable
from ...static.ir.variable import Variable
from ..errors import ConversionError
from .locations import Change, Entry, Items, Location, attributes_in_slots

_PLAIN = (bool, int, float, str, bytes)
_LAZY = (GeneratorType, CoroutineType, AsyncGeneratorType, map, filter, zip, enumerate, reversed)


class Slot(Change):
    """One such place: what it held when the function was traced, and what tracing left in it."""

    is_guarded = False  # `fits` says what may be there

    def __init__(self, location: Location, before: Any, after: Any):
        super().__init__(location, before)
        self.after = after
        self.fixed: list[EagerValue] = []  # of `before`: Tensors that must be there still

    @property
    def variables(self) -> list[Variable]:
        """What the place is given by a run, in order."""
        return [leaf for leaf in nest.leaves(self.after) if isinstance(leaf, Variable)]

    def held(self) -> Iterator[tuple[int, EagerValue]]:
        """The ids of the Tensors that the place held when the function was traced, with those that it holds instead."""
        return zip(map(id, tensor_leaves(self.before)), tensor_leaves(self.location.load()), strict=True)

    def filled(self, results: dict[str, EagerValue], held: dict[int, EagerValue]) -> Any:
        """What goes there: the results of a run, by name, and the Tensors that places `held` before it."""
        return nest.map_structure(
            lambda v: results[v.name] if isinstance(v, Variable) else held.get(id(v), v), self.after)

    def successors(self) -> list[tuple[EagerValue, Variable | EagerValue | None]]:
        """The Tensors that the place held, with what takes theirs; None where that may be of another kind."""
        before, after = nest.flatten(self.before), nest.flatten(self.after)
        if len(before) != len(after):
            after = [None] * len(before)
        return [(old, new if _may_follow(old, new) and not any(old is held for held in self.fixed) else None)
                for old, new in zip(before, after, strict=True) if isinstance(old, EagerValue)]

    @property
    def becomes_tensors(self) -> bool:
        """Whether a run leaves Tensors where there was something else: the next call is another Program."""
        before, after = nest.flatten(self.before), nest.flatten(self.after)
        return len(before) != len(after) or any(
            isinstance(new, (Variable, EagerValue)) and not isinstance(old, EagerValue)
            for old, new in zip(before, after, strict=True))

    def fits(self) -> bool:
        """Whether the place holds something of the kind that the Program was made for."""
        return _alike(self.before, self.location.load(), self.fixed)


def _may_follow(old: EagerValue, new: Any) -> bool:
    if not isinstance(new, (Variable, EagerValue)) or new.dtype is not old.dtype or len(new.shape) != len(old.shape):
        return False
    return all(a in (-1, b) for a, b in zip(new.shape, old.shape, strict=True))


def _alike(before: Any, now: Any, fixed: list[EagerValue]) -> bool:
    if isinstance(before, dict):
        return type(before) is type(now) and before.keys() == now.keys() and all(
            _alike(value, now[key], fixed) for key, value in before.items())
    if isinstance(before, (list, tuple)):
        return type(before) is type(now) and len(before) == len(now) and all(
            _alike(a, b, fixed) for a, b in zip(before, now, strict=True))
    if isinstance(before, EagerValue):
        if any(before is held for held in fixed):
            return before is now
        return isinstance(now, EagerValue) and before._array.shape == now._array.shape and (
            before._array.dtype == now._array.dtype)
    return before is now or (type(before) is type(now) and isinstance(before, _PLAIN) and before == now)


def tensor_leaves(value: Any) -> list[EagerValue]:
    """The Tensors in a nested structure."""
    return [leaf for leaf in nest.leaves(value) if isinstance(leaf, EagerValue)]


def slots_of(entries: Iterable[tuple[Entry, Any, Any]], items: Iterable[tuple[Items, Any]], where: str) -> list[Slot]:
    """The entries that have come to hold Variables, of those that were changed: each with its values before and now.

    ConversionError for one that no run can fill, and where changed lists or sets (`items`) hold Variables.
    """
    for location, _ in items:
        if any(map(holds_variable, location.container)):
            raise _kept(where, f"the {type(location.container).__name__} `{location.shown}`",
                        "Return what is to be collected.")
    slots = []
    changes = list(entries)
    replaced = {id(tensor) for _, before, _ in changes for tensor in tensor_leaves(before)}
    for entry, before, now in changes:
        name = entry.shown
        if isinstance(entry.key, tuple) and holds_variable(entry.key):
            raise _kept(where, f"`{name.partition('[')[0]}`", "Use a key that Python knows, such as a known size.")
        moves = any(id(tensor) in replaced for tensor in tensor_leaves(now))  # `self.last, self.now = self.now, x * 2`
        if not moves and not holds_variable(now):
            continue
        if any(holds_variable(leaf) and not isinstance(leaf, Variable) for leaf in nest.leaves(now)):
            raise _kept(where, f"the {type(now).__name__} in `{name}`", "Keep the tensor itself there.")
        if any(isinstance(leaf, Variable) and leaf.block.find_var(leaf.name) is not None
               and not leaf.program.global_block().has_var(leaf.name) for leaf in nest.leaves(now)):
            raise ConversionError(
                where, f"a function that static.nn's `cond`, `case`, `switch_case` or `while_loop` calls gives "
                f"`{name}` another value, which is one of the branch or loop alone.",
                "Write it as an `if` or `while` statement.")
        slots.append(Slot(entry, before, now))
    return slots


def check_result(result: Any, where: str) -> None:
    """ConversionError where a function returns something that holds Variables and is no list, tuple or dict."""
    for holder, name in _beside_items(result):
        raise ConversionError(
            where, f"it returns a {type(holder).__name__} whose attribute `{name}` holds a tensor that is none of its "
            "items: what it is is not known while the Program is built.", "Make it an item, or return it beside.")
    for leaf in nest.leaves(result):
        if isinstance(leaf, RecordList):
            raise ConversionError(where, "it returns a list whose length is known only when the program runs.",
                                  "Return its parts joined: paddle.stack([key for key, value in list]).")
        if isinstance(leaf, ArrayVariable):
            raise ConversionError(where, "it returns a list whose length is known only when the program runs.",
                                  "Return its items joined: paddle.stack(list) or paddle.concat(list).")
        if not isinstance(leaf, Variable) and holds_variable(leaf):
            raise ConversionError(
                where, f"it returns a {type(leaf).__name__} that holds tensors, or makes them later: what they are is "
                "not known while the Program is built.", "Return tensors, and lists, tuples and dicts of these.")


def _beside_items(structure: Any) -> Iterator[tuple[Any, str]]:
    """The lists, tuples and dicts of a result that keep a Variable in an attribute alone, each with its name."""
    if not isinstance(structure, (list, tuple, dict)):
        return
    items = [item for _, item in nest.parts(structure)]
    if type(structure).__dictoffset__:
        for name, value in object.__getattribute__(structure, "__dict__").items():
            if not any(value is item for item in items) and holds_variable(value):
                yield structure, name
    for item in items:
        yield from _beside_items(item)


def check_kinds(variables: list[Variable], where: str) -> None:
    """ConversionError for a value that leaves a function as a truth value on some ways, and a number on others."""
    for variable in variables:
        at = variable.program.mixed.get(variable.name)
        if at is not None:
            raise ConversionError(
                where, "it returns or keeps what is a truth value on some ways and a number on others, and a tensor "
                f"decides that (at {at}): which of both would be known only when the Program runs.",
                "Make it one of both: `int(a)` or `bool(a)`.")


def held_by(arguments: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    """The lists and dicts in arguments, with what they are called and what they hold."""
    found: list[tuple[str, Any, Any]] = []
    pending = list(arguments.items())
    while pending:
        name, value = pending.pop()
        if isinstance(value, (dict, list)):
            found.append((name, value, dict(value) if isinstance(value, dict) else list(value)))
        if isinstance(value, (dict, list, tuple)):
            pending += [(name, item) for item in (value.values() if isinstance(value, dict) else value)]
    return found


def check_arguments(before: list[tuple[str, Any, Any]], where: str) -> None:
    """ConversionError where a function has changed a list or dict that it was given: the caller's would not change."""
    for name, container, held in before:
        now = list(container.items()) if isinstance(container, dict) else container
        old = list(held.items()) if isinstance(held, dict) else held
        if len(now) != len(old) or not all(map(_same_item, now, old)):
            kind = type(container).__name__
            raise ConversionError(where, f"the {kind} in the argument `{name}` is changed in place: in a run of the "
                                  "Program the caller's would stay as it is.",
                                  f"Copy it first, `{name} = {kind}({name})`, and return what has changed.")


def _same_item(now: Any, old: Any) -> bool:
    pairs = zip(now, old, strict=True) if isinstance(now, tuple) and isinstance(old, tuple) else [(now, old)]
    return now is old or all(a is b or isinstance(a, _PLAIN) and type(a) is type(b) and a == b for a, b in pairs)


def _kept(where: str, what: str, way_out: str) -> ConversionError:
    return ConversionError(where, f"{what} outlives the call and was given a tensor inside it: only in the call in "
                           "which the Program is built would that happen.", way_out)


def holds_variable(value: Any) -> bool:
    """Whether a value is a Variable, holds one at any depth, or is a generator, which may."""
    seen: set[int] = set()
    pending = [value]
    while pending and len(seen) < 2000:
        item = pending.pop()
        if isinstance(item, (Variable, *_LAZY)) or hasattr(type(item), "stands_for_a_value"):
            return True
        if isinstance(item, (*_PLAIN, type, ModuleType, EagerValue)) or item is None or id(item) in seen:
            continue
        seen.add(id(item))
        if hasattr(type(item), "dygraph_function"):  # a StaticFunction: its Variables are of its own Programs
            continue
        pending += _inside(item)
    return False


def _inside(item: Any) -> list[Any]:
    if isinstance(item, dict):
        return list(item.values())
    if isinstance(item, (list, tuple, set, frozenset)):
        return list(item)
    if isinstance(item, MethodType):
        return [item.__self__]
    if isinstance(item, FunctionType):
        return [cell.cell_contents for cell in item.__closure__ or () if _is_filled(cell)]
    inside = getattr(item, "__dict__", None)
    return [*(inside.values() if isinstance(inside, dict) else ()), *attributes_in_slots(item).values()]


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading it is the test
    except ValueError:
        return False
    return True

"""The footprint of a converted function: the places (locations) beside its arguments that it reads, rebinds, changes.

A `Location` is such a place, which outlives the call: an attribute, a variable of an enclosing function, a global, an
entry of a dict, the items of a list. A Program of the function holds as long as its `Guard`s do: what was read is what
it was. A run carries out its `Change`s, which tracing has undone. What is noted where is the business of those that
note it (`value_guards.py`, `slots.py`, `effects.py`, `dependencies.py`); they meet here. Knows Python values only.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from types import MemberDescriptorType
from typing import Any

from .numbers_in_memory import numbers_in, write_numbers

ABSENT: Any = type("ABSENT", (), {"__repr__": lambda self: "nothing", "__slots__": ()})()
BARE = frozenset((str, bytes, int, float, complex, bool, type(None)))
"""Types of values that nothing can be reached through: most of what layers hold."""
Identity = tuple[int, Any]


def entries_of(mapping: Any) -> dict[Any, Any]:
    """What a mapping holds: of a dict the values themselves, which its class may hand out as something else."""
    return dict(dict.items(mapping)) if isinstance(mapping, dict) else dict(mapping)


def value_of(mapping: Any, key: Any) -> Any:
    """The value that a mapping holds under a key, or ABSENT."""
    return dict.get(mapping, key, ABSENT) if isinstance(mapping, dict) else mapping.get(key, ABSENT)


def set_value(mapping: Any, key: Any, value: Any) -> None:
    """Makes a mapping hold a value under a key, or nothing for ABSENT, whatever its class makes of assignments."""
    kind: Any = next((kind for kind in (OrderedDict, dict) if isinstance(mapping, kind)), type(mapping))
    if value is not ABSENT:
        kind.__setitem__(mapping, key, value)
    elif value_of(mapping, key) is not ABSENT:
        kind.__delitem__(mapping, key)


def attributes_in_slots(value: Any) -> dict[str, Any]:
    """What the `__slots__` of an object hold, by name, but for slots that a subclass has something else in place of."""
    kind = type(value)
    names = [name for base in kind.__mro__ for name in _names_of_slots(base)]
    slots = [name for name in names if isinstance(getattr(kind, name, None), MemberDescriptorType)]
    return {name: getattr(value, name) for name in slots if hasattr(value, name)}


def _names_of_slots(kind: type) -> list[str]:
    slots = vars(kind).get("__slots__", ())
    private = f"_{kind.__name__.lstrip('_')}"  # Python puts it before `__name`
    names = [slots] if isinstance(slots, str) else slots
    return [private + name if name.startswith("__") and not name.endswith("__") else name for name in names]


class Location:
    """A place that outlives a call. `shown` is what the user's code calls it, `identity` tells it from all others."""

    __slots__ = ("shown", "identity")

    def __init__(self, shown: str, identity: Identity):
        self.shown, self.identity = shown, identity

    @property
    def lasting_identity(self) -> Identity:
        """What tells it from others whichever trace has noted it."""
        return self.identity

    def load(self) -> Any:
        """What is there now."""
        raise NotImplementedError

    def store(self, value: Any) -> None:
        """Puts something there."""
        raise NotImplementedError


class Entry(Location):
    """An entry of a mapping, or the lack of one."""

    __slots__ = ("mapping", "key")

    def __init__(self, mapping: Any, key: Any, shown: str):
        super().__init__(shown, (id(mapping), key))
        self.mapping, self.key = mapping, key

    def load(self) -> Any:
        """The value, or ABSENT."""
        return value_of(self.mapping, self.key)

    def store(self, value: Any) -> None:
        """Gives the entry a value; takes it away for ABSENT."""
        set_value(self.mapping, self.key, value)

    @property
    def lasting_identity(self) -> Identity:
        """As `identity`; but each trace makes mappings of its own of the variables of functions and modules."""
        return getattr(self.mapping, "identity", id(self.mapping)), self.key


class Items(Location):
    """The items of a list or set; those of another container, such as a tuple, are only looked at."""

    __slots__ = ("container",)

    def __init__(self, container: Any, shown: str):
        super().__init__(shown, items_identity(container))
        self.container = container

    def load(self) -> list[Any]:
        """The items."""
        return list(self.container)

    def store(self, value: Iterable[Any]) -> None:
        """Gives the list or set other items."""
        items = list(value)
        self.container.clear()
        self.container.update(items) if isinstance(self.container, set) else self.container.extend(items)


class Numbers(Items):
    """The elements of an array, or other numbers in memory."""

    __slots__ = ()

    def load(self) -> Any:
        """A copy of them."""
        return numbers_in(self.container)

    def store(self, value: Any) -> None:
        """Writes others."""
        write_numbers(self.container, value)


class Keys(Location):
    """The keys of a dict, in their order."""

    __slots__ = ("container",)

    def __init__(self, container: dict, shown: str):
        super().__init__(shown, (id(container), Keys))
        self.container = container

    def load(self) -> list[Any]:
        """The keys."""
        return list(dict.keys(self.container))


def items_identity(container: Any) -> Identity:
    """The identity of the items of a container."""
    return id(container), ABSENT


class Guard:
    """Something that a Program relies on: that a location holds what it held when the function was traced."""

    __slots__ = ("location",)

    value: Any = ABSENT  # what an entry held

    def __init__(self, location: Location):
        self.location = location

    @property
    def shown(self) -> str:
        """What the user's code calls the place."""
        return self.location.shown

    def holds(self) -> bool:
        """Whether it is as it was."""
        raise NotImplementedError


class Change:
    """Something that a function does to a location, which each run of its Program does again.

    `is_guarded`: the location must hold, before a run, what it held when the function was traced, if that was read. It
    need not where a run does to the value that it finds what the function did to its own, or looks itself whether that
    will do.
    """

    is_guarded = True

    def __init__(self, location: Location, before: Any):
        self.location, self.before = location, before

    @property
    def shown(self) -> str:
        """What the user's code calls the place."""
        return self.location.shown

    def undo(self) -> None:
        """Puts back what was there before the function was traced."""
        self.location.store(self.before)

"""What a function does to Python values, done again at each run of its Program.

`self.steps += 1`, `self.last_shape = x.shape`, `self.started = True`: while the function is traced it happens once.
The Program holds only as long as the values that were read are what they were, so that a run may give the same.
Knows values; knows nothing of tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from ...core import nest
from .locations import Change, Entry, Identity, Items, Numbers

Steps = list[tuple[Callable[[Any, Any], Any], Any]]


class Readings(Protocol):
    """What is to be known of what was read, to tell which changes a run can make."""

    def replays(self, entry: Entry, before: Any, now: Any) -> Steps | None:
        """The operations that make `now` of a counter, where nothing else has read it."""

    def only_grows(self, items: Any) -> bool:
        """Whether a list was appended to and nothing else has looked at it."""

    def is_watched(self, container: Any) -> bool:
        """Whether a run can rely on the contents of a list or set."""


class Effect(Change):
    """A change of a Python value; calling it makes it again."""

    def __call__(self) -> None:
        """Makes the change."""
        raise NotImplementedError


class EntryEffect(Effect):
    """An entry of a mapping that is given a value."""

    def __init__(self, location: Entry, before: Any, after: Any):
        super().__init__(location, before)
        self._after = after

    def __call__(self) -> None:
        """Gives it the value."""
        self.location.store(_fresh(self._after))


class CountEffect(Effect):
    """An entry of a mapping that is counted on, from whatever it holds."""

    is_guarded = False

    def __init__(self, location: Entry, before: Any, steps: Steps):
        super().__init__(location, before)
        self._steps = steps

    def __call__(self) -> None:
        """Counts on."""
        value = self.location.load()
        for operation, operand in self._steps:
            value = operation(value, operand)
        self.location.store(value)


class ItemsEffect(Effect):
    """A list or set that comes to hold other items."""

    def __init__(self, location: Items, before: list[Any]):
        super().__init__(location, before)
        self._after = location.load()

    def __call__(self) -> None:
        """Gives it these items."""
        self.location.store(map(_fresh, self._after))


class NumbersEffect(Effect):
    """An array that comes to hold other numbers."""

    def __init__(self, location: Numbers, before: Any):
        super().__init__(location, before)
        self._after = location.load()

    def __call__(self) -> None:
        """Writes them."""
        self.location.store(self._after)


class GrowingEffect(Effect):
    """A list that is given more in each run."""

    is_guarded = False

    def __init__(self, location: Items, before: list[Any]):
        super().__init__(location, before)
        self._list, self._more = location.container, location.load()[len(before):]

    def __call__(self) -> None:
        """Appends to it."""
        self._list.extend(map(_fresh, self._more))


def _fresh(value: Any) -> Any:
    """A value whose lists and dicts are nobody else's."""
    return nest.map_structure(lambda leaf: leaf, value) if type(value) in (list, dict, tuple) else value


def effects_of(entries: Iterable[tuple[Entry, Any, Any]], items: Iterable[tuple[Items, list[Any]]], reads: Readings,
               filled: set[Identity]) -> list[Effect]:
    """What the trace has done to Python values: entries and items that were changed, with what they held before.

    `filled`: entries that runs fill otherwise.
    """
    effects: list[Effect] = []
    for entry, before, now in entries:
        if entry.identity not in filled and not (isinstance(entry.key, str) and entry.key.startswith("_static_")):
            steps = reads.replays(entry, before, now)
            effects.append(EntryEffect(entry, before, now) if steps is None else CountEffect(entry, before, steps))
    for location, held in items:
        if reads.only_grows(location.container):
            effects.append(GrowingEffect(location, held))
        elif reads.is_watched(location.container):
            effects.append(NumbersEffect(location, held) if isinstance(location, Numbers) else
                           ItemsEffect(location, held))
    return effects

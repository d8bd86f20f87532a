"""What a function does to Python values, done again at each run of its Program.

`self.steps += 1`, `self.last_shape = x.shape`, `self.started = True`: while the function is traced it happens once.
The Program holds only as long as the values that were read are what they were, so that a run may give the same.
Knows values; knows nothing of tensors.
"""

from __future__ import annotations

from typing import Any

from ...core import nest
from .reads import Counted, Reads
from .slots import Slot
from .surroundings import ABSENT, Surroundings


class Effect:
    """An entry of a mapping that is given a value, or counted on."""

    def __init__(self, mapping: Any, key: Any, shown: str, before: Any, after: Any, steps: Counted | None):
        self.mapping, self.key, self.shown, self.before = mapping, key, shown, before
        self._after, self.steps, self.grows, self.container = after, steps, False, ABSENT

    def undo(self) -> None:
        """Puts back what was there before the function was traced."""
        self._put(self.before)

    def __call__(self) -> None:
        """Does it."""
        if self.steps is None:
            self._put(_fresh(self._after))
            return
        value = self.mapping[self.key]
        for operation, operand in self.steps:
            value = operation(value, operand)
        self.mapping[self.key] = value

    def _put(self, value: Any) -> None:
        if value is ABSENT:
            self.mapping.pop(self.key, None)
        else:
            self.mapping[self.key] = value


class ItemsEffect:
    """A list or set that comes to hold other items; one that `grows` is given more in each run."""

    steps = None
    mapping = key = None

    def __init__(self, container: Any, shown: str, before: list[Any], grows: bool):
        self.container, self.shown, self.grows = container, shown, grows
        self._before, self._after = before, list(container)

    def undo(self) -> None:
        """Puts back the items it had before the function was traced."""
        self._put(self._before)

    def __call__(self) -> None:
        """Does it."""
        more = [_fresh(item) for item in self._after[len(self._before) if self.grows else 0:]]
        self.container.extend(more) if self.grows else self._put(more)

    def _put(self, items: list[Any]) -> None:
        self.container.clear()
        self.container.update(items) if isinstance(self.container, set) else self.container.extend(items)


def _fresh(value: Any) -> Any:
    """A value whose lists and dicts are nobody else's."""
    return nest.map_structure(lambda leaf: leaf, value) if type(value) in (list, dict, tuple) else value


def effects_of(surroundings: Surroundings, reads: Reads, slots: list[Slot]) -> list[Any]:
    """What the trace has done to Python values within reach, beside filling the slots."""
    effects: list[Any] = []
    filled = {(id(slot.mapping), slot.key) for slot in slots}
    for mapping, key, shown, before, now in surroundings.changes():
        if (id(mapping), key) not in filled and not (isinstance(key, str) and key.startswith("_static_")):
            steps = None if ABSENT in (before, now) else reads.replays(mapping, key, before, now)
            effects.append(Effect(mapping, key, shown, before, now, steps))
    for container, shown, before in surroundings.changed_sequences():
        grows = reads.only_grows(container)
        if grows or reads.is_watched(container):
            effects.append(ItemsEffect(container, shown, before, grows))
    return effects

"""A weak mapping by identity (`id`): it keeps none of its keys alive and does not ask whether they are equal.

Code objects compare by content: two files may hold equal ones, and each must get its own entry. Knows nothing of
what it keeps.
"""

from __future__ import annotations

import weakref
from typing import Any


class IdentityCache:
    """Values by the identity of an object; an entry goes when its object goes."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref, Any]] = {}

    def get(self, key: Any) -> Any:
        """The value, or None."""
        found = self._entries.get(id(key))
        return found[1] if found is not None and found[0]() is key else None

    def put(self, key: Any, value: Any) -> None:
        """Keeps a value."""
        number = id(key)
        self._entries[number] = (weakref.ref(key, lambda _: self._entries.pop(number, None)), value)

    def __len__(self) -> int:
        return len(self._entries)

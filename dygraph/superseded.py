"""Arrays that operations in place have replaced while something needs them as they were."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .value import EagerValue

superseded: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""Arrays that were a value of eager code when something saved them, and no longer are; by id."""


class _Superseded(weakref.KeyedRef[int, Any]):
    """A reference of `superseded`, which knows whose value the array was, and in which version."""

    __slots__ = ("value", "version")

    value: weakref.ref[EagerValue]
    version: int


def versions_of(array: Any) -> str:
    """What a message says of the versions of the value that a superseded array was: that it has, that it had then.

    In PaddlePaddle's terms; empty where no operation in place has counted.
    """
    reference: Any = superseded.data[id(array)]  # type: ignore[attr-defined]
    value = reference.value()
    now = None if value is None else value._version
    if now is None or now == reference.version:
        return ""
    return f" (received tensor_version:{now} != wrapper_version_snapshot:{reference.version})"


def supersede(array: Any, value: EagerValue) -> None:
    """Notes that an array, which something has saved, is no longer that of a value."""
    kept: Any = superseded
    reference = _Superseded(array, kept._remove, id(array))
    reference.value, reference.version = weakref.ref(value), value._version
    kept.data[id(array)] = reference


def allow(values: Iterable[Any]) -> None:
    """Lets what was computed of these values have its gradient, although a step has changed them since."""
    if superseded:
        kept: Any = superseded
        ids = set(map(id, values))
        for key, reference in list(kept.data.items()):
            if id(reference.value()) in ids:
                kept.pop(key, None)

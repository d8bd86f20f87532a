"""The count of what may have changed in any Layer, by which plans and guards know when to look again."""

from collections import OrderedDict
from typing import Any

from ...core.dtype import told_of_default

mode_changes = [0]
"""Counts the times that a layer's mode, its functions, its hooks, which sublayers it has, a setting of one of this
package's layers, or the default dtype may have changed: what depends on these and was worked out earlier holds while
the count stands still.
"""


def _count() -> None:
    mode_changes[0] += 1


told_of_default.append(_count)


class Counted(OrderedDict[Any, Any]):
    """Sublayers by name, or hooks by number; a change is counted."""

    def __setitem__(self, key: Any, value: Any) -> None:
        mode_changes[0] += 1
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        mode_changes[0] += 1
        super().__delitem__(key)

    def pop(self, *args: Any) -> Any:
        """As of a dict."""
        mode_changes[0] += 1
        return super().pop(*args)

    def popitem(self, last: bool = True) -> Any:
        """As of a dict."""
        mode_changes[0] += 1
        return super().popitem(last)

    def move_to_end(self, key: Any, last: bool = True) -> None:
        """As of a dict."""
        mode_changes[0] += 1
        super().move_to_end(key, last)

    def clear(self) -> None:
        """As of a dict."""
        mode_changes[0] += 1
        super().clear()

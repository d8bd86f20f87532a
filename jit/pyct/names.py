"""Names for generated code that meet no name of the user's.

Knows identifiers only.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast


def identifiers(tree: gast.AST) -> set[str]:
    """Every identifier that stands anywhere in the tree, in whatever role."""
    found: set[str] = set()
    for node in gast.walk(tree):
        for _, value in gast.iter_fields(node):
            values = value if isinstance(value, list) else [value]
            found.update(v for v in values if isinstance(v, str))
    return found


class Namer:
    """Hands out names that are not taken, and remembers what it gave."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def new(self, stem: str) -> str:
        """`stem`, or `stem_1`, `stem_2`… when it is taken."""
        name, count = stem, 0
        while name in self._taken:
            count += 1
            name = f"{stem}_{count}"
        self._taken.add(name)
        return name

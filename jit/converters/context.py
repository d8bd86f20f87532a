"""What the converters of one function share: fresh names, and the names of the functions they make.

Converters know pyct alone. The code they generate reaches its meaning through one name, `__proa__`, which is given
to it when it is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..pyct.templates import Namer

OPERATORS = "__proa__"


@dataclass
class Context:
    """The state of one conversion."""

    namer: Namer
    class_name: str | None = None
    tests: set[str] = field(default_factory=set)  # generated functions that say whether a loop goes on
    changed: set[str] = field(default_factory=set)  # names of what the function changes in place, lists perhaps
    helpers: dict[str, str] = field(default_factory=dict)  # generated inner function -> the user's function it is of

    def helper(self, stem: str, owner: str) -> str:
        """A fresh name for a generated inner function."""
        name = self.namer.new(stem)
        self.helpers[name] = owner
        return name

"""The code of a plan, as files hold it: the source's lines, what they call, and the kernels that are chosen for them.

A line calls what computes its operator whatever the arrays are, `v2 = k0(xp, v1, axis=1)`. Where shapes and dtypes are
known, one answer is chosen for them once (`Operator.select`), and `bound_lines` has it in the call's place: a function
of NumPy, or an engine's kernel with what computes when that declines.

Knows nothing of Programs: a plan that comes from the disk runs without what compiles them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...backend.engines import CPU
from ...ops.core.kernels import Selection
from ...ops.core.operator import Operator

if TYPE_CHECKING:
    from .limited import Limited


class Call(NamedTuple):
    """A line that computes an operation: what `Operator.select` asks, and the texts that the line is made of."""

    operator: Operator
    specs: tuple[Any, ...]
    attrs: dict[str, Any]
    targets: str
    inputs: str
    given: str
    limited: str = ""  # what the kernel is called by, where memory is counted

    def chosen(self, place: str) -> Selection:
        """The kernel that is chosen for the specs."""
        if self.limited:
            return Selection((), None, self.operator.kernel_for(np if place == CPU else None))
        return self.operator.select(self.specs, self.attrs, place)

    def bound(self, chosen: Selection, bind: Callable[[str, Any], str]) -> str:
        """The statement with the kernel that is chosen for the specs, to which `bind` gives a name."""
        if self.limited:
            kernel = bind("k", chosen.kernel)
            return f"{self.targets} = {self.limited}({kernel}, xp{', ' * bool(self.inputs)}{self.inputs}{self.given})"
        if chosen.function is not None:
            text = f"{bind('f', chosen.function)}({self.inputs})"
        else:
            text = f"{bind('k', chosen.kernel)}(xp{', ' * bool(self.inputs)}{self.inputs}{self.given})"
        given = self.given if self.inputs else self.given.removeprefix(", ")
        for kernel, line in zip(reversed(chosen.engines), reversed(chosen.lines), strict=True):
            call = f"{bind('e', kernel)}({self.inputs}{given})" if line is None else f"{bind('e', line)}({self.inputs})"
            text = f"(r if (r := {call}) is not NotImplemented else {text})"
        return f"{self.targets} = {text}" + ("; r = None" if chosen.engines else "")


class Code(NamedTuple):
    """The lines of a plan, and all that a run needs: it knows nothing of the Program, so that files may hold it."""

    lines: list[str]
    calls_at: dict[int, Call]  # by line number
    bindings: dict[str, Any]
    frozen: list[str]  # the inputs that `prepare` takes
    limited: Limited | None = None  # where a run may take so much, and no more

    def chosen(self, place: str) -> dict[int, Selection]:
        """The kernels that are chosen at a place, by line number: once for all forms in which the code is run."""
        return {number: call.chosen(place) for number, call in self.calls_at.items()}

    def bound_lines(self, chosen: Mapping[int, Selection]) -> tuple[list[str], dict[str, Any]]:
        """The lines with the chosen kernels in their calls, and what their global names stand for."""
        names: dict[int, str] = {}
        bindings = {name: value for name, value in self.bindings.items() if not isinstance(value, Operator)}

        def bind(prefix: str, value: Any) -> str:
            if id(value) not in names:
                names[id(value)] = f"{prefix}_{len(names)}"
                bindings[names[id(value)]] = value
            return names[id(value)]

        lines = list(self.lines)
        for number, call in self.calls_at.items():
            text = lines[number - 1]
            lines[number - 1] = text[:len(text) - len(text.lstrip())] + call.bound(chosen[number], bind)
        return lines, bindings


def own(value: Any) -> Any:
    """A value that leaves the plan twice, or as it came: an array object of its own, as `backend/aliasing.py` asks."""
    return value.view() if hasattr(value, "view") else value

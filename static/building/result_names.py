"""Names of results in a Program that is written by hand or traced: see `ops/core/result_names.py`.

The function that applies an operator is looked for on Python's stack: the nearest of this package's functions that has
a rule of its own or an argument `name`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType, FrameType

from ...core.errors import is_inside
from ...ops.core.operator import Operator
from ...ops.core.result_names import BY_CODE, ResultNames
from ...ops.core.trace import drawing

_PLAIN = ResultNames()


class Calls:
    """The functions that are being called and have drawn a name for all that they apply."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[CodeType, str]] = {}  # by the ids of frames: held, they would keep their values

    def note(self, name: str) -> None:
        """Gives the function that has called `drawing` a name."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code is not drawing.__code__:
            frame = frame.f_back
        if frame is not None and frame.f_back is not None:
            self._names[id(frame.f_back)] = frame.f_back.f_code, name

    def _name_of(self, frame: FrameType) -> str | None:
        code, name = self._names.get(id(frame), (None, None))
        return name if code is frame.f_code else None

    def applying(self) -> tuple[ResultNames, str | None]:
        """The rule of the function whose results are being made, and the name that it was given or has drawn."""
        frame: FrameType | None = sys._getframe(2)
        found: tuple[ResultNames, str | None] | None = None
        while frame is not None and is_inside(frame):
            rule = BY_CODE.get(frame.f_code)
            if rule is not None and rule.overall:
                return rule, None
            if found is None:
                name = self._name_of(frame)
                if name is not None or rule is not None or _takes_name(frame.f_code):
                    found = rule or _PLAIN, name or _given_name(frame)
            frame = frame.f_back
        return found or (_PLAIN, None)


def _takes_name(code: CodeType) -> bool:
    return "name" in code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _given_name(frame: FrameType) -> str | None:
    """The name that a function is given, by its argument or by the layer that calls it."""
    if not _takes_name(frame.f_code):
        return None
    name = frame.f_locals.get("name")
    caller = frame.f_back
    if name is None and caller is not None and caller.f_code.co_name == "forward" and is_inside(caller):
        layer = getattr(caller.f_locals.get("self"), "__dict__", {})
        name = layer.get("_name", layer.get("name"))
    return name if isinstance(name, str) and name else None


def namer(op: Operator, inputs: tuple, calls: Calls, draw: Callable[[str], str],
          is_taken: Callable[[str], bool]) -> Callable[[str], str]:
    """What names the results of one application, slot by slot; `draw(key)` gives the next name that begins so."""
    rule, name = calls.applying()
    if rule.only and op not in rule.only:
        rule = _PLAIN
    key = rule.key or op.type
    if "{" in key:
        key = key.format(input=inputs[0].name, op=op.type)
    fresh = _bare(name, key, draw, is_taken) if rule.bare else _numbered(name, key, rule.draws, draw)
    reserved = {slot: fresh() for slot in rule.first if any(s.name == slot for s in op.outputs)}
    return lambda slot: reserved.pop(slot, None) or fresh()


def _bare(name: str | None, key: str, draw: Callable[[str], str], is_taken: Callable[[str], bool]) -> Callable[[], str]:
    given = [name] if name and not is_taken(name) else []
    return lambda: given.pop() if given else draw(name or key)


def _numbered(name: str | None, key: str, draws: int, draw: Callable[[str], str]) -> Callable[[], str]:
    if name is None and not draws:
        name = key
    for _ in range(draws if name is None else 0):
        name = draw(key)
    return lambda: draw(f"{name}.tmp")

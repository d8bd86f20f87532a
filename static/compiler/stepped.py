"""Runs the code of a plan line by line, without Python's compiler: what a run is until there have been enough of them.

Python takes some 60 microseconds to compile a line of a plan, and one to do here what the line says. The kernels are
those that the lines would be bound to, so that results are the same in every bit, and values are let go where the
lines let them go. Code with loops or branches, or which counts what it takes, is compiled at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...ops.core.kernels import Selection
from .code import Call, Code

_INDENT = "    "
_RETURN = _INDENT + "return ("
_LET_GO = " = None"


Step = tuple[int, list[tuple[Callable[..., Any], Mapping[str, Any]]], Callable[..., Any] | None, Callable[..., Any],
             Mapping[str, Any], list[Any], bool, Any, list[str]]
"""A line that computes: its number, counted from 1; kernels to be asked first, with their attributes; a function of the
inputs that computes it otherwise, or else a kernel, and its attributes; the inputs, locals and lists of these, and
whether there are lists; a local that it assigns, or a list of such targets; the locals that nothing reads behind it.
"""


class Stepped:
    """A function of a plan: called as the function that its lines define."""

    def __init__(self, arguments: list[str]):
        self.arguments = arguments
        self.steps: list[Step] = []
        self.results: list[tuple[str, Callable[[Any], Any] | None]] = []

    def __call__(self, xp: Any, *arrays: Any) -> tuple:
        """The results. `line` and `values` are what a failure is told by (`where`)."""
        values: dict[str, Any] = {"None": None, **dict(zip(self.arguments, arrays, strict=True))}
        del arrays
        given: Any
        for line, asked, function, kernel, attrs, inputs, has_lists, targets, gone in self.steps:  # noqa: B007 - told
            if has_lists:
                given = [values[name] if type(name) is str else [values[each] for each in name] for name in inputs]
            else:
                given = [values[name] for name in inputs]
            for ask, options in asked:
                found = ask(*given, **options)
                if found is not NotImplemented:
                    break
            else:
                found = kernel(xp, *given, **attrs) if function is None else function(*given)
            if type(targets) is str:
                values[targets] = found
            else:
                _assign(values, targets, found)
            given = found = None
            for name in gone:
                values[name] = None
        return tuple([values[name] if shown is None else shown(values[name]) for name, shown in self.results])


def _assign(values: dict[str, Any], targets: Any, found: Any) -> None:
    """Assigns what a kernel gives to a local, or part by part to several."""
    if type(targets) is str:
        values[targets] = found
    else:
        for target, value in zip(targets, found, strict=True):
            _assign(values, target, value)


def where(frame: Any) -> tuple[int, dict[str, Any]] | None:
    """The line that a frame of `Stepped` runs, and the values of its locals; None for another frame."""
    if frame.f_code is not Stepped.__call__.__code__:
        return None
    return frame.f_locals.get("line", 0), frame.f_locals.get("values", {})


def stepped(code: Code, chosen: Mapping[int, Selection]) -> dict[str, Stepped] | None:
    """The functions of a plan's code by name, over the kernels that are chosen by line; None where it needs Python."""
    if code.limited is not None:
        return None
    functions: dict[str, Stepped] = {}
    for number, line in enumerate(code.lines, 1):
        call = code.calls_at.get(number)
        if line.startswith("def "):
            name, _, arguments = line[len("def "):].removesuffix("):").partition("(")
            current = functions[name] = Stepped(arguments.split(", ")[1:])
        elif not line:
            continue
        elif line.startswith(_INDENT * 2):
            return None
        elif call is not None:
            current.steps.append(_step(number, call, chosen[number]))
        elif line.startswith(_RETURN):
            current.results = [_result(code, text) for text in line[len(_RETURN):-1].split(", ") if text]
        elif line.endswith(_LET_GO) and current.steps:
            current.steps[-1][-1].extend(line.strip().split(" = ")[:-1])
        else:
            return None
    return functions


def _step(number: int, call: Call, chosen: Selection) -> Step:
    lines = chosen.lines or (None,) * len(chosen.engines)
    asked: list[tuple[Callable[..., Any], Mapping[str, Any]]] = [
        (kernel, call.attrs) if line is None else (line, {})
        for kernel, line in zip(chosen.engines, lines, strict=True)]
    targets = _nested(call.targets)
    return (number, asked, chosen.function, chosen.kernel, call.attrs, _nested(call.inputs), "[" in call.inputs,
            targets[0] if len(targets) == 1 else targets, [])


def _nested(text: str) -> list[Any]:
    """`v1, [v2, v3]` as a list of names and of lists of names."""
    if "[" not in text:
        return text.split(", ") if text else []
    found: list[Any] = []
    for part in text.replace("[", "\0[").replace("]", "\0").split("\0"):
        if part.startswith("["):
            found.append(part[1:].split(", ") if len(part) > 1 else [])
        else:
            found += [name for name in part.split(", ") if name]
    return found


def _result(code: Code, text: str) -> tuple[str, Callable[[Any], Any] | None]:
    """A result's local, and what makes it a value of its own where the line has that."""
    text = text.removesuffix(",")
    if not text.endswith(")"):
        return text, None
    shown, _, name = text[:-1].partition("(")
    return name, code.bindings[shown]

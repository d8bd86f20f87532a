"""Segments: runs of neighbouring lines of a plan that become one call of machine code each.

A line of a plan is a call or two of Python, an allocation, and then a microsecond's work where values are small. A
segment is a tape (`backend/loops/tape.py`) of what its lines compute, with the values in between in memory of its own;
what other lines read comes out as arrays. Where it cannot run, because what it is given is not what the Program said,
or a step stopped, its lines run as they stand, with their errors at their places:

    s = s_1(v0, v1)
    if s is None:
        v2 = k_0(xp, v0, v1)
        v3 = f_1(v2)
    else:
        (v3,) = s
    v1 = s = None

Segments are made of the lines alone when a plan has run often enough (`Plan`), so that nothing is prepared for a
Program that runs seldom. Which lines, each is tried: an operator whose sizes are known and small, and which gives its
steps (`ops/core/taped.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...backend.loops.tape import LARGEST, Declined, Run, Tape, Value
from ...ops.core.spec import Spec
from ...ops.core.taped import taped
from .code import Call, Code

_LEAST = 2  # lines that compute, and steps: fewer run as fast as they are
_LARGEST = 1 << 11  # steps
_LOCAL = re.compile(r"\bv\d+\b")
_DELETED = re.compile(r"(\s*)((?:v\d+ = )+)None")
_OF_NUMPY = (np.ndarray, np.generic)
_FAILURES = (ValueError, TypeError, IndexError, AttributeError, ArithmeticError)
_REFUSALS = 16  # calls that a segment cannot do, after which it is not asked again


class Segmented(NamedTuple):
    """Lines with segments, what their new names stand for, and by line which one it was."""

    lines: list[str]
    bindings: dict[str, Any]
    origins: list[int]


class Segment:
    """A tape as the lines of a plan call it."""

    __slots__ = "run", "refused"

    def __init__(self, run: Run):
        self.run: Run | None = run
        self.refused = 0

    def __call__(self, *arrays: Any) -> list[np.ndarray] | None:
        """The arrays that other lines read; None where the lines have to be run."""
        run = self.run
        if run is None:
            return None
        results = run(arrays)
        return self._in_order(run, arrays) if results is None else results

    def _in_order(self, run: Run, arrays: Sequence[Any]) -> list[np.ndarray] | None:
        """The same with what does not lie in order copied, and NumPy's numbers as arrays."""
        results = None
        if all(isinstance(a, _OF_NUMPY) and (a.size <= LARGEST or a.flags.c_contiguous) for a in arrays):
            results = run([np.asarray(array, order="C") for array in arrays])
        if results is None:
            self.refused += 1
            if self.refused >= _REFUSALS:
                self.run = None
        return results


def with_segments(code: Code, lines: Sequence[str]) -> Segmented | None:
    """The lines of a plan's code with segments; None where there are none to be had."""
    found = _Segmentation(code, lines)
    return found.segmented() if found.segments else None


class _Open:
    """A segment that lines are being added to."""

    def __init__(self, first: int, indent: str):
        self.first, self.last, self.indent = first, first, indent  # by index
        self.tape = Tape()
        self.values: dict[str, Value] = {}  # by local
        self.given: list[str] = []
        self.deleted: list[str] = []
        self.lines = 0  # that compute


class _Done(NamedTuple):
    first: int
    last: int
    indent: str
    segment: Segment
    given: list[str]
    results: list[str]
    deleted: list[str]


class _Segmentation:
    def __init__(self, code: Code, lines: Sequence[str]):
        self.code, self.lines = code, list(lines)
        self.mentioned: dict[str, list[int]] = {}  # by local: the lines that name it
        for index, line in enumerate(code.lines):
            for name in set(_LOCAL.findall(line)):
                self.mentioned.setdefault(name, []).append(index)
        self.segments: list[_Done] = []
        self.open: _Open | None = None
        begin = next(index for index, line in enumerate(code.lines) if line.startswith("def run("))
        for index in range(begin + 1, len(code.lines)):
            self._line(index)
        self._close()

    def _line(self, index: int) -> None:
        line = self.code.lines[index]
        indent = line[:len(line) - len(line.lstrip())]
        call = self.code.calls_at.get(index + 1)
        if self.open is not None and (self.open.indent != indent or len(self.open.tape) > _LARGEST):
            self._close()
        deleted = _DELETED.fullmatch(line)
        if deleted is not None:
            if self.open is not None:
                self.open.deleted += _LOCAL.findall(deleted[2])
        elif call is None or call.limited:
            self._close()
        elif not self._takes(call, index, indent):
            self._close()
            self._takes(call, index, indent)

    def _takes(self, call: Call, index: int, indent: str) -> bool:
        """Adds a call to the open segment, or to a new one."""
        current = self.open or _Open(index, indent)
        given = len(current.given)
        known = dict(current.values)
        try:
            with current.tape.attempt():
                inputs = self._inputs(current, call)
                results = taped(current.tape, call.operator, inputs, call.attrs)
                self._name(current, call, results)
        except (Declined, *_FAILURES):  # of what fails the line itself tells, when it runs
            del current.given[given:]
            current.values = known
            return False
        current.last = index
        current.lines += 1
        self.open = current
        return True

    def _inputs(self, current: _Open, call: Call) -> list[Any]:
        names = iter(_LOCAL.findall(call.inputs))
        inputs: list[Any] = []
        for slot, spec in zip(call.operator.inputs, call.specs, strict=True):
            if slot.offsets_of:
                raise Declined
            if spec is None:
                inputs.append(None)
            elif type(spec) is list:
                inputs.append([self._value(current, next(names), each) for each in spec])
            else:
                inputs.append(self._value(current, next(names), spec))
        return inputs

    def _value(self, current: _Open, local: str, spec: Any) -> Value:
        found = current.values.get(local)
        if found is None:
            if type(spec) is not Spec or not spec.is_known or spec.dtype is None:
                raise Declined
            found = current.values[local] = current.tape.give(spec.shape, spec.dtype.dtype)
            current.given.append(local)
        return found

    def _name(self, current: _Open, call: Call, results: list[Any]) -> None:
        """Gives the results to the locals that the line assigns."""
        flat: list[Value] = []
        for slot, result in zip(call.operator.results, results, strict=True):
            flat += result if slot.many else [result]
        targets = re.findall(r"\bv\d+\b|\b_\b", call.targets)
        if len(targets) != len(flat):
            raise Declined
        for target, value in zip(targets, flat, strict=True):
            if target != "_":
                if target in current.values:  # a loop's value, which was another before
                    raise Declined
                current.values[target] = value

    def _close(self) -> None:
        current, self.open = self.open, None
        if current is None or min(current.lines, len(current.tape)) < _LEAST:
            return
        inside = range(current.first, current.last + 1)
        given = set(current.given)
        results = [name for name in current.values if name not in given
                   and any(index not in inside and not _DELETED.fullmatch(self.code.lines[index])
                           for index in self.mentioned[name])]
        try:
            run = current.tape.finished([current.values[name] for name in results])
        except Declined:
            return
        deleted = [name for index in inside if (found := _DELETED.fullmatch(self.code.lines[index]))
                   for name in _LOCAL.findall(found[2]) if name in given]
        self.segments.append(_Done(current.first, current.last, current.indent, Segment(run), current.given, results,
                                   deleted))

    def segmented(self) -> Segmented:
        """The lines with the segments in them."""
        lines: list[str] = []
        origins: list[int] = []
        bindings: dict[str, Any] = {}

        def add(text: str, origin: int) -> None:
            lines.append(text)
            origins.append(origin)

        index = 0
        for number, done in enumerate(self.segments):
            while index < done.first:
                add(self.lines[index], index)
                index += 1
            name = f"s_{number}"
            bindings[name] = done.segment
            add(f"{done.indent}s = {name}({', '.join(done.given)})", index)
            add(f"{done.indent}if s is None:", index)
            while index <= done.last:
                add(f"    {self.lines[index]}", index)
                index += 1
            if done.results:
                add(f"{done.indent}else:", done.first)
                add(f"{done.indent}    {', '.join(done.results)}, = s", done.first)
            add(f"{done.indent}{' = '.join([*done.deleted, 's'])} = None", done.last)
        for rest in range(index, len(self.lines)):
            add(self.lines[rest], rest)
        return Segmented(lines, bindings, origins)

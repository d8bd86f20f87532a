"""Runs a generated function as it is written and converted, and says what differs."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import proa as paddle
from proa.core.errors import ModifiedInPlaceError

from ..comparing import of_arrays
from ..loading import Module

CALLS = [(1, 2, True), (2, 2, True), (3, 2, True), (4, 2, True), (5, 1, False), (6, 1, False)]
LARGE = 1e5
HELD = "search.functions.held"
OBJECTS = ("Box", "Slim", "Data")
VIEWS = (".detach()", ".reshape(", ".flatten()", ".unsqueeze(", "[0:2]", "[1:]", "[1]", "[::2]", ".values()", "_half(")
Result = list[tuple[str, Any]]


class Run:
    """One way of calling a function, for a sequence of calls: what each gives, and what it leaves behind."""

    def __init__(self, source: str, name: str, way: Callable[[Any], Any], gradients: bool):
        sys.modules.pop(HELD, None)  # a run has classes and functions of its own
        self.module = Module(source, name)
        self.names = self.module.names
        self.function = way(self.module.f)
        self.gradients = gradients

    def call(self, seed: int, k: int, flag: bool) -> Result:
        rng = np.random.default_rng(seed)
        x, y = (paddle.to_tensor((rng.uniform(-1, 1, 3) + s).astype("float32"), stop_gradient=not self.gradients)
                for s in rng.uniform(-1, 1, 2))
        given = (x * 1, y * 1) if self.names.get("COMPUTED") else (x, y)
        result = self.function(*given, k, flag)
        self.names.get("after", _nothing)(*given, [v for _, v in flat(result, "") if is_float(v)])
        found = list(flat(result, "result")) + list(flat(self.module.G, "G"))
        if self.gradients:
            found += _gradients(found, x, y)
        with paddle.no_grad():
            found = [(at, value.numpy().copy() if isinstance(value, paddle.Tensor) else value) for at, value in found]
            self.module.G.t = self.module.G.t.detach()
            self.module.G.l = [t.detach() for t in self.module.G.l]
        return [*found, ("x", given[0].numpy()), ("y", given[1].numpy())]


def flat(value: Any, at: str) -> Any:
    """The leaves of a result, each with where it is."""
    if isinstance(value, (list, tuple)):
        yield f"len({at})", len(value)
        for n, each in enumerate(value):
            yield from flat(each, f"{at}[{n}]")
    elif isinstance(value, dict):
        yield f"keys of {at}", ",".join(map(str, value))
        for key, each in value.items():
            yield from flat(each, f"{at}[{key!r}]")
    elif type(value).__name__ in OBJECTS:
        for name in ("t", "n", "l"):
            yield from flat(getattr(value, name), f"{at}.{name}")
    else:
        yield at, value


def _nothing(*_: Any) -> None:
    """What a caller does afterwards where the source does not say."""


def is_float(value: Any) -> bool:
    return isinstance(value, paddle.Tensor) and value.dtype == paddle.float32


def _gradients(found: Result, x: Any, y: Any) -> Result:
    tensors = [v for _, v in found if is_float(v)]
    terms = [(t * (1 + 0.5 * n)).sum() for n, t in enumerate(tensors) if not t.stop_gradient]
    given = [None, None]
    if terms:
        loss = sum(terms[1:], terms[0])
        given = paddle.grad([loss], [x, y], allow_unused=True)
    return [(f"gradient of {name}", np.zeros(3, "float32") if g is None else g)
            for name, g in zip("xy", given, strict=True)]


def difference(found: Result, wanted: Result) -> str | None:
    """The first thing that differs."""
    if [at for at, _ in found] != [at for at, _ in wanted]:
        more = next((pair for pair in zip(found, wanted, strict=False) if pair[0][0] != pair[1][0]), None)
        return f"the structure: {more or (len(found), len(wanted))}"
    for (at, a), (_, b) in zip(found, wanted, strict=True):
        text = _of_leaves(a, b)
        if text:
            return f"{at}: {text}"
    return None


def _of_leaves(a: Any, b: Any) -> str | None:
    if any(v is None or isinstance(v, str) for v in (a, b)):
        return None if type(a) is type(b) and a == b else f"{a!r} instead of {b!r}"
    if type(a).__name__ == "Variable":
        return "a Variable of a Program"
    a, b = np.asarray(a), np.asarray(b)
    if b.shape == () and b.dtype.kind in "bif":  # a number may have become a tensor
        a = a.astype(b.dtype) if a.size == 1 else a
        a = a.reshape([]) if a.size == 1 else a
    return of_arrays(a, b, 1e-3)


def is_usable(result: Result) -> bool:
    """Whether its numbers are such that rounding does not decide."""
    arrays = [np.asarray(v) for _, v in result if v is not None and not isinstance(v, str)]
    return all(np.isfinite(a).all() and np.abs(a).max(initial=0) < LARGE for a in arrays)


def plain(source: str, name: str) -> tuple[list[tuple], list[Result], bool]:
    """The calls that can be made of the function as it is written, what each gives, and whether with gradients."""
    for gradients in (True, False):
        calls = list(CALLS)
        results: list[Result] = []
        while len(calls) > 1 and len(results) < len(calls):
            run, results = Run(source, name, lambda f: f, gradients), []
            for call in calls:
                try:
                    results.append(run.call(*call))
                    fails = not is_usable(results[-1])
                except Exception:
                    fails = True
                if fails:  # from the start without it: what a call gives may hang on those before it
                    calls.remove(call)
                    results.clear()
                    break
        if len(calls) > 1:
            return calls, results, gradients
    return [], [], False


def with_open_sizes(f: Any) -> Any:
    """`f` converted for tensors of any size."""
    made: dict[tuple, Any] = {}

    def call(x: Any, y: Any, k: int, flag: bool) -> Any:
        if (k, flag) not in made:
            specs = [paddle.static.InputSpec([None], "float32", name) for name in "xy"]
            made[k, flag] = paddle.jit.to_static(lambda x, y: f(x, y, k, flag), input_spec=specs, full_graph=True)
        return made[k, flag](x, y)

    return call


WAYS = {
    "full_graph": lambda f: paddle.jit.to_static(f, full_graph=True),
    "default": lambda f: paddle.jit.to_static(f),
    "open sizes": with_open_sizes,
}


def checked(source: str, name: str, counts: Counter, every: bool = True) -> dict[str, str] | None:
    """What differs; None where the function cannot be run as it is written.

    Without `every`, by default only what cannot be converted as a whole.
    """
    with warnings.catch_warnings(), paddle.utils.unique_name.guard():
        warnings.simplefilter("ignore")
        calls, wanted, gradients = plain(source, name)
        if not calls:
            counts["not run"] += 1
            return None
        for way, convert in WAYS.items():
            if not every and (way == "open sizes" or way == "default" and counts["agree, full_graph"]):
                break
            found = _in_a_way(source, name, way, convert, calls, wanted, gradients, counts)
            if found:
                counts["findings"] += 1
                return found
    return None


def _in_a_way(source: str, name: str, way: str, convert: Any, calls: list[tuple], wanted: list[Result],
              gradients: bool, counts: Counter) -> dict[str, str] | None:
    run = Run(source, name, convert, gradients)
    for call, expected in zip(calls, wanted, strict=True):
        try:
            found = run.call(*call)
        except Exception as error:
            if isinstance(error, ModifiedInPlaceError) and source != without_after(source):  # open sizes keep more
                counts[f"refused afterwards, {way}"] += 1
                return _without_after(source, name, way, convert, counts)
            if way != "default" and is_in_words(error):
                counts[f"refused, {way}"] += 1
                counts[f"refused, {way}: {signature(error)}"] += 1
                return None
            detail = "".join(traceback.format_exception(error)[-6:])
            return {"way": way, "kind": f"{type(error).__name__}: {signature(error)}", "detail": f"{call}: {detail}"}
        text = difference(found, expected)
        if text and may_be_own(source):
            counts[f"own results, {way}"] += 1
            return _without_after(source, name, way, convert, counts)
        if text:
            return {"way": way, "kind": "numbers", "detail": f"{call}: {text}"}
    counts["agree, " + way] += 1
    return None


def _without_after(source: str, name: str, way: str, convert: Any, counts: Counter) -> dict[str, str] | None:
    alone = without_after(source)
    return _in_a_way(alone, name, way, convert, *plain(alone, name), counts)


def may_be_own(source: str) -> bool:
    """Whether results that are one tensor, or share memory, eagerly may be values of their own, converted.

    So it is where a loop, or an `if` in another, decides whether they are one, and of a view that a branch takes; the
    caller then sees what it does in place in one of them.
    """
    function = source.partition("def f(")[2].partition("def after(")[0]
    loops = re.search(r"^ *(for|while|elif) |^ {12}|a(ny|ll)\(", function, re.MULTILINE)
    views = re.search(rf"^ {{8}}.*({'|'.join(map(re.escape, VIEWS))})", function, re.MULTILINE)
    return source != without_after(source) and bool(loops or views)


def without_after(source: str) -> str:
    """The source where the caller does nothing afterwards."""
    before, begin, _ = source.partition("def after(x, y, given):\n")
    return before + begin + "    return None\n" if begin else source


def is_in_words(error: Exception) -> bool:
    """Whether an error says where in the user's code it is, and what."""
    if any("Program is built" in note for note in getattr(error, "__notes__", ())) and "__" not in str(error):
        return True  # an error of the function's own, in a branch that no call takes
    return bool(re.search(r'File "[^"]*", line \d+|\.py:\d+', str(error))) and "defect in proa" not in str(error)


def signature(error: Exception) -> str:
    """An error without its names and numbers."""
    text = re.sub(r'File "[^"]*", line \d+, in \w+: ', "", str(error))
    return re.sub(r"\d+", "#", re.sub(r"`[^`]*`", "`…`", text))[:90]

"""Runs a generated Program in every way, and says where two of them tell different numbers."""

from __future__ import annotations

import re
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from proa import static
from proa.core.flags import flags_guard

from ..oracle import Oracle, OracleError
from ..stages import dtype_of_numbers, time_limit
from ..trainings.running import Told, as_it_is, by_a_peer, difference, is_usable, shaped, told

CONTROL = re.compile(r"static\.nn\.(cond|case|switch_case|while_loop)\(|create_array")
DECAY = re.compile("weight_decay|Lamb|L2Decay")
GRADIENTS = re.compile(r"static\.(gradients|append_backward)\(|rule\.(minimize|backward)\(")


def is_otherwise_there(source: str) -> bool:
    """Whether PaddlePaddle gives other numbers (docs/differences.md).

    Zeros, which decay makes steps of, for parameters that only branches and loops have which a run does not need; other
    gradients of branches that another call of `gradients` was made of; clones for evaluation that go on training
    where `gradients` made the gradients; averages that a run which is pruned does not count;
    slopes of `expand_as` where sizes are open.
    """
    if "None" in source.partition("ids = ")[0].rpartition("static.data")[2] and "expand_as" in source:
        return True
    branches = CONTROL.search(source) is not None
    return (branches and (DECAY.search(source) is not None or len(GRADIENTS.findall(source)) > 1)
            or "zip(wanted" in source and "behind = main.clone(for_test=True)" in source
            or "ExponentialMoving" in source and "use_prune" in source)


def made_once(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A Program for each Program, made again when it has grown."""
    made: WeakKeyDictionary[Any, tuple[int, Any]] = WeakKeyDictionary()

    def way(program: Any) -> Any:
        count = sum(len(block.ops) for block in program.blocks)
        if program not in made or made[program][0] != count:
            made[program] = count, make(program)
        return made[program][1]

    return way


def parsed(program: Any) -> Any:
    """The Program that its message says."""
    return static.Program.parse_from_string(program.desc.serialize_to_string())


WAYS: dict[str, Callable[[], Callable[[Any], Any]]] = {
    "compiled": lambda: as_it_is,
    "cloned": lambda: made_once(lambda program: program.clone()),
    "parsed": lambda: made_once(parsed),
}


def means_otherwise(way: str, source: str) -> bool:
    """Whether a Program that went through a message cannot be the same: Python's functions, a schedule."""
    return way == "parsed" and ("py_func" in source or "rate.step" in source)


def checked(source: str, counts: Counter[str], oracle: Oracle | None = None,
            ways: Sequence[str] = ()) -> dict[str, str] | None:
    """What differs: in which way, what kind, and the details; None where nothing does, or it cannot be run."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), time_limit(60):
        warnings.simplefilter("ignore")
        found = _checked(source, counts, oracle, "float32", ways)
        if found is not None and found["kind"] == "numbers":
            exact = _checked(source, Counter(), oracle, "float64", [found["way"]])
            if exact is None or exact["kind"] != "numbers":
                counts["rounding"] += 1
                return None
        counts["findings"] += found is not None
        return found


#: What is no derivative, on purpose, or not of one number.
_NO_DERIVATIVE = re.compile(r"detach|stop_gradient = True|state|assign\([^()]*\* 0\.5, |trainable=False|py_func")


def _slopes(source: str, counts: Counter[str]) -> dict[str, str] | None:
    """Gradients against differences, in float64."""
    if "exact = " not in source or _NO_DERIVATIVE.search(source):
        return None
    with dtype_of_numbers("float64"):
        found = told(source, as_it_is)
    for key, slope in found.items():
        if key.startswith("slope of "):
            up, down = found[key.replace("slope of ", "difference of ")]
            if abs(up - down) > 1e-2:  # a corner
                continue
            if abs(slope - (up + down) / 2) > 1e-5 * max(1.0, abs(slope)):
                return {"way": "slopes", "kind": "slope", "detail": f"{key}: {slope}, by differences {up}, {down}"}
            counts["agree, slopes"] += 1
    return None


def _failed(error: Exception) -> str:
    return f"{type(error).__name__}: {error}\n" + "".join(traceback.format_tb(error.__traceback__)[-3:])


def _checked(source: str, counts: Counter[str], oracle: Oracle | None, dtype: str,
             ways: Sequence[str]) -> dict[str, str] | None:
    wrong, expected = "", {}
    with dtype_of_numbers(dtype):
        try:
            expected = told(source, as_it_is)
        except Exception as error:
            wrong = _failed(error)
        if oracle is not None and (not ways or "peer" in ways) and not is_otherwise_there(source):
            text = _by_the_oracle(source, counts, oracle, dtype, wrong, expected)
            if text:
                return text
        if wrong:
            counts["not run"] += 1
            counts["not run: " + wrong.partition("\n")[0][:90]] += 1
            return None
        if not is_usable(expected):
            counts["large"] += 1
            return None
        for way, make in WAYS.items():
            if ways and way not in ways or means_otherwise(way, source):
                continue
            try:
                with flags_guard({"FLAGS_cpu_engines": "loops"} if way == "compiled" else {}):
                    found = told(source, make())
            except Exception as error:
                said = re.sub("[0-9]+", "#", str(error))[:60]
                return {"way": way, "kind": f"{type(error).__name__}: {said}", "detail": _failed(error)}
            text = difference(found, expected)
            if text:
                return {"way": way, "kind": "numbers", "detail": text}
            counts["agree, " + way] += 1
    return _slopes(source, counts) if not ways or "slopes" in ways else None


def _by_the_oracle(source: str, counts: Counter[str], oracle: Oracle, dtype: str, wrong: str,
                   expected: Told) -> dict[str, str] | None:
    try:
        by_peer = by_a_peer(oracle, source, dtype)
    except OracleError as error:
        if not wrong:
            counts["peer fails"] += 1
            counts[f"peer fails: {str(error)[-160:]}"] += 1
        return None
    if wrong:
        return {"way": "peer", "kind": "error here: " + re.sub("[0-9]+", "#", wrong.partition("\n")[0][:60]),
                "detail": wrong}
    text = difference(shaped(_computed(by_peer, expected), expected), expected) if is_usable(expected) else None
    if text:
        return {"way": "peer", "kind": "numbers", "detail": text}
    counts["agree, peer"] += 1
    return None


def _computed(by_peer: Told, expected: Told) -> Told:
    """Without what PaddlePaddle did not compute, and gives None for: gradients of branches that a run did not take."""
    return {key: expected[key] if array.shape == () and expected.get(key, array).shape else array
            for key, array in by_peer.items()}

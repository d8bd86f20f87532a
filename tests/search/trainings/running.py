"""Runs a generated training in every way, and says where two of them tell different numbers."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import proa as paddle
from proa.core.flags import flags_guard

from .. import comparing
from ..loading import Module
from ..oracle import Oracle, OracleError
from ..stages import REFUSALS, dtype_of_numbers, time_limit

LARGE = 1e4
#: What is refused, with a reason, beside what `stages` names.
ALSO_REFUSED = ["is made while a function is being converted"]
#: What docs/differences.md names of PaddlePaddle: recomputation of what wants no gradient, LookAhead's state, decay,
#: sparse gradients, normalization with one frozen parameter; nor does its GradScaler scale without a GPU.
OTHERWISE_THERE = re.compile(
    r"recompute\(|LookAhead|rescale_grad|L1Decay|init_loss_scaling|sparse=True|BatchNorm.*trainable"
    r"|(?s:BatchNorm.*stop_gradient = not)")
Told = dict[str, np.ndarray]


def told(source: str, way: Callable[[Any], Any], seed: int = 1) -> Told:
    """The numbers that a training tells, by their names and in turn."""
    module = Module(source, "training")
    found: Told = {}
    counts: Counter[str] = Counter()

    def record(name: str, value: Any) -> None:
        array = np.zeros([]) if value is None else np.array(value)
        found[f"{name}, {counts[name]}"] = array
        counts[name] += 1

    try:
        paddle.seed(seed)
        with paddle.utils.unique_name.guard():
            module.f(record, way)
    finally:
        module.close()
    return found


def converted(net: Any) -> Any:
    return paddle.jit.to_static(net)


def converted_whole(net: Any) -> Any:
    return paddle.jit.to_static(net, full_graph=True)


def as_it_is(net: Any) -> Any:
    return net


WAYS = {"compiled": as_it_is, "converted": converted, "full_graph": converted_whole}


def is_otherwise_there(source: str) -> bool:
    """Whether PaddlePaddle gives other numbers: of groups, too, whose settings count in optimizers that follow."""
    text = source.partition("INPUTS")[2]
    groups = re.search("['\"]params['\"]", text) is not None and len(re.findall(r"= made_", text)) > 1
    return groups or OTHERWISE_THERE.search(text) is not None


def is_usable(found: Told) -> bool:
    """Whether its numbers are such that rounding does not decide."""
    return all(a.dtype.kind != "f" or np.isfinite(a).all() and np.abs(a).max(initial=0) < LARGE
               for a in found.values())


def draws(source: str) -> bool:
    """Whether what it tells depends on random numbers, as PaddlePaddle has others."""
    found = [told(source, as_it_is, seed) for seed in (1, 2)]
    return comparing.difference(*found, "float32") is not None


def by_a_peer(oracle: Oracle, source: str, dtype: str) -> Told:
    """What PaddlePaddle tells. Raises OracleError."""
    folder = Path(tempfile.mkdtemp(prefix="search"))
    try:
        (folder / "training.py").write_text(source, "utf-8")
        (folder / "given.json").write_text(json.dumps({"dtype": dtype}), "utf-8")
        return oracle.ask(str(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def checked(source: str, counts: Counter[str], oracle: Oracle | None = None, ways: Sequence[str] = (),
            every: Mapping[str, Callable[[Any], Any]] = WAYS, otherwise: Callable[[str], bool] = is_otherwise_there,
            refused: Sequence[str] = ()) -> dict[str, str] | None:
    """What differs: in which way, what kind, and the details; None where nothing does, or it cannot be run.

    `ways` of `every` way there is; `otherwise` says what PaddlePaddle is not asked, `refused` what may be refused too.
    """
    peer = None if otherwise(source) or ways and "peer" not in ways else oracle
    chosen = {name: way for name, way in every.items() if not ways or name in ways}
    with warnings.catch_warnings(), np.errstate(all="ignore"), time_limit(60):
        warnings.simplefilter("ignore")
        found = _checked(source, counts, peer, "float32", chosen, refused)
        if found is not None and found["kind"] == "numbers":
            again = {name: way for name, way in chosen.items() if name == found["way"]}
            exact = _checked(source, Counter(), None if again else peer, "float64", again, refused)
            if exact is None or exact["kind"] != "numbers":
                counts["rounding"] += 1
                return None
        counts["findings"] += found is not None
        return found


def _checked(source: str, counts: Counter[str], oracle: Oracle | None, dtype: str,
             ways: Mapping[str, Callable[[Any], Any]], refused: Sequence[str]) -> dict[str, str] | None:
    wrong = ""
    with dtype_of_numbers(dtype):
        try:
            expected = told(source, as_it_is)
        except Exception as error:
            wrong = f"{type(error).__name__}: {error}\n" + "".join(traceback.format_tb(error.__traceback__)[-3:])
        if oracle is not None:
            try:
                by_peer = by_a_peer(oracle, source, dtype)
            except OracleError as error:
                if not wrong:
                    counts["peer fails"] += 1
                    counts[f"peer fails: {str(error)[-160:]}"] += 1
            else:
                if wrong:
                    return {"way": "peer", "kind": "error here: " + wrong.partition("\n")[0][:60], "detail": wrong}
                text = difference(shaped(by_peer, expected), expected) if is_usable(expected) else None
                if text:
                    return {"way": "peer", "kind": "numbers", "detail": text}
                counts["agree, peer"] += 1
        if wrong:
            counts["not run"] += 1
            counts["not run: " + wrong.partition("\n")[0][:90]] += 1
            return None
        if not is_usable(expected):
            counts["large"] += 1
            return None
        for way, convert in ways.items():
            flags = {"FLAGS_cpu_engines": "loops"} if way == "compiled" else {}
            try:
                with flags_guard(flags):
                    found = told(source, convert)
            except Exception as error:
                said = str(error)
                if any(re.search(pattern, said) for pattern in [*REFUSALS, *ALSO_REFUSED, *refused]):
                    counts["refused"] += 1
                    continue
                detail = said + "\n" + "".join(traceback.format_tb(error.__traceback__)[-4:])
                kind = f"{type(error).__name__}: {re.sub('[0-9]+', '#', said)[:60]}"
                return {"way": way, "kind": kind, "detail": detail}
            text = difference(found, expected)
            if text:
                return {"way": way, "kind": "numbers", "detail": text}
            counts["agree, " + way] += 1
    return None


def difference(found: Told, expected: Told) -> str | None:
    """The first thing that differs; no closer in float64, where rules make steps of rounding, too."""
    return comparing.difference(found, expected, "float32")


def shaped(found: Told, expected: Told) -> Told:
    """Numbers as what is expected has them: PaddlePaddle gives a shape of [1] here and there."""
    return {key: a.reshape(()) if a.shape == (1,) and key in expected and expected[key].shape == () else a
            for key, a in found.items()}

"""The same rows as other sequences: lod_reset, which lod_append applies too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ..core.operator import Ints, operator
from ..core.spec import Spec
from .offsets import checked, copies, offset_specs


def _reset(xp, x, y, lod, y_lod, *, target_lod: Ints = (), append: bool = False):
    made = copies(y_lod) or [_last_level(xp, y, target_lod)]
    checked("lod_reset(x, y or target_lod)", made[-1], len(x))
    if int(made[-1][0]) or bool((made[-1][1:] < made[-1][:-1]).any()):
        raise ValueError(f"lod_reset(x, y or target_lod): offsets must begin with 0 and rise. Received "
                         f"{host_values(made[-1])}.")
    return x.view(), [*copies(lod), *made] if append and not y_lod else made


def _last_level(xp: Any, y: Any, target_lod: Sequence[int]) -> Any:
    return xp.asarray(list(target_lod), "int64") if y is None else y.reshape(-1).astype("int64")


def _infer(x: Spec, y: Any, lod: Any, y_lod: Any, *, target_lod: Any = (), append: bool = False) -> Any:
    if y is None and len(target_lod) < 1:
        raise ValueError("lod_reset(y, target_lod): one of them must be given: what has the new LoD, or its offsets. "
                         f"Received y=None, target_lod={list(target_lod)}.")
    return x, offset_specs(len(y_lod) or 1 + (len(lod) if append else 0))


lod_reset_op = operator(
    "lod_reset", "X, Y?, lod^X, y_lod^Y -> Out~X, out_lod^Out", kernel=_reset, infer=_infer,
    grad={"X": lambda g: g}, moves=True, fails="values")

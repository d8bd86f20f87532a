"""The same rows as other sequences: lod_reset, lod_append (`fluid.layers.nn`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.array.full import is_value
from ..layer_helper import LayerHelper
from ..mode import face

__all__ = ["lod_append", "lod_reset"]


@face
def lod_reset(x: Any, y: Any = None, target_lod: Sequence[int] | None = None) -> Any:
    """x with the LoD of y, or with offsets: what y holds, where it has no LoD, or `target_lod`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.lod_reset(fluid.data("x", [6, 1]), target_lod=[0, 2, 6]).lod_level
    1
    """
    if y is None and target_lod is None:
        raise ValueError("lod_reset(y, target_lod): one of them must be given: what has the LoD, or its offsets. "
                         "Received None for both.")
    return _reset("lod_reset", x, y, target_lod if y is None else None, append=False)


@face
def lod_append(x: Any, level: Any) -> Any:
    """x with one more, innermost level of LoD: offsets, as a list or as what a Variable holds."""
    if not is_value(level) and not isinstance(level, Sequence):
        raise ValueError(f"lod_append(level): must be a list of offsets, or a Variable. Received {level!r}.")
    given = level if is_value(level) else None
    return _reset("lod_append", x, given, None if given is not None else level, append=True)


def _reset(layer: str, x: Any, y: Any, offsets: Sequence[int] | None, append: bool) -> Any:
    attrs: dict[str, Any] = {"target_lod": [int(n) for n in offsets]} if offsets is not None else {}
    return LayerHelper(layer).apply("lod_reset", x, y, None, None, append=append, **attrs)[0]

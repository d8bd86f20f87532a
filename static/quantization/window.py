"""range_abs_max: the largest magnitude of the last steps, as operations of a training Program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from .insertion import Insertion

_COUNTER = "@STEP_COUNTER@"  # that of fluid.layers.autoincreased_step_counter, where a Program has one already
_SAME = 1e-6  # magnitudes that are no further apart are one


class Window:
    """The magnitudes of the last `size` steps for each value of a Program, and the steps that were done."""

    def __init__(self, put: Insertion, size: int):
        self._put, self._size = put, size

    def follow(self, name: str, scale: str) -> None:
        """Lets a scale grow at once, and shrink to the largest of the window when its own step leaves it."""
        put, at = self._put, f"{scale}.window"
        kept = self._state(f"{scale}s", np.zeros(self._size, "float32"))
        self._count()
        magnitude = self._largest(self._new("abs", {"X": name}, f"{at}.magnitudes", put.block.var(name).shape), at)
        size = self._constant(f"{at}.size", self._size, "int64")
        place = self._new("elementwise_mod", {"X": _COUNTER, "Y": size}, f"{at}.place", [1], "int64")
        leaving = self._new("gather", {"X": kept, "Index": place}, f"{at}.leaving", [1])
        put.add("scatter", {"X": [kept], "Ids": [place], "Updates": [magnitude]}, {"Out": [kept]}, {"overwrite": True})
        apart = self._new("elementwise_sub", {"X": leaving, "Y": scale}, f"{at}.difference", [1])
        apart = self._new("abs", {"X": apart}, f"{at}.apart", [1])
        small = self._constant(f"{at}.same", _SAME, "float32")
        leaves = self._new("less_than", {"X": apart, "Y": small}, f"{at}.leaves", [1], "bool")
        largest = self._largest(kept, f"{at}.kept")
        stays = self._new("where", {"Condition": leaves, "X": largest, "Y": scale}, f"{at}.stays", [1])
        grows = self._new("greater_than", {"X": magnitude, "Y": scale}, f"{at}.grows", [1], "bool")
        found = self._new("where", {"Condition": grows, "X": magnitude, "Y": stays}, f"{at}.found", [1])
        put.add("assign", {"X": [found]}, {"Out": [scale]}, {})

    def _state(self, name: str, values: Any) -> str:
        known = self._put.scope.array(name)
        values = values if known is None or np.shape(known) != np.shape(values) else np.asarray(known)
        return self._put.constant(name, values, values.dtype.name)

    def _count(self) -> None:
        if not self._put.block.program.global_block().has_var(_COUNTER):
            self._state(_COUNTER, np.zeros(1, "int64"))
            self._put.add("increment", {"X": [_COUNTER]}, {"Out": [_COUNTER]}, {"step": 1.0})

    def _largest(self, name: str, at: str) -> str:
        """The largest element, of shape [1] and float32."""
        largest = self._new("reduce_max", {"X": name}, f"{at}.largest", [1], attrs={"reduce_all": True, "dim": [0]})
        return self._new("reshape", {"X": largest}, f"{at}.one", [1], attrs={"shape": [1]})

    def _constant(self, name: str, value: float, dtype: str) -> str:
        return self._new("fill_constant", {}, name, [1], dtype, {"shape": [1], "value": float(value),
                                                                   "dtype": convert_dtype(dtype)})

    def _new(self, kind: str, inputs: dict[str, str], made: str, shape: Any, dtype: str = "float32",
             attrs: dict[str, Any] | None = None) -> str:
        block = self._put.block
        if block.find_var(made) is None:
            block.new_var(name=made, shape=list(shape), dtype=dtype, persistable=False, stop_gradient=True)
        self._put.add(kind, {slot: [name] for slot, name in inputs.items()}, {"Out": [made]}, attrs or {})
        return made

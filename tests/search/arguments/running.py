"""Runs calls as they are, compiled, converted, with open sizes, saved and loaded, and in PaddlePaddle."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import proa as paddle
from proa.static import InputSpec

from ..oracle import Oracle
from ..trainings import running

#: What docs/differences.md names of PaddlePaddle.
OTHERWISE_THERE = re.compile(r"remainder|nanmean|atan2|avg_pool.*ceil_mode=True")


def _specs(given: Sequence[Any]) -> list[InputSpec]:
    """Each tensor with its first size left open."""
    return [InputSpec([None, *x.shape[1:]] if x.shape else [], x.dtype, stop_gradient=x.stop_gradient) for x in given]


def opened(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function converted for inputs of which the first size is open."""
    return lambda *given: paddle.jit.to_static(call, input_spec=_specs(given), full_graph=True)(*given)


def loaded(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that was saved and loaded."""
    def way(*given: Any) -> Any:
        with tempfile.TemporaryDirectory(prefix="search") as folder:
            path = os.path.join(folder, "call")
            paddle.jit.save(paddle.jit.to_static(call, full_graph=True), path, [
                InputSpec(x.shape, x.dtype, stop_gradient=x.stop_gradient) for x in given])
            return paddle.jit.load(path)(*given)
    return way


WAYS = {**running.WAYS, "open": opened, "loaded": loaded}
#: What needs sizes that are open here says so.
REFUSED = [r"[Dd]eclare", r"must be known", r"must know"]


def checked(source: str, counts: Counter[str], oracle: Oracle | None = None,
            ways: Sequence[str] = ()) -> dict[str, str] | None:
    """What differs, as `trainings` has it."""
    return running.checked(source, counts, oracle, ways, WAYS, lambda text: OTHERWISE_THERE.search(
        text.partition("def f(")[2]) is not None, REFUSED)

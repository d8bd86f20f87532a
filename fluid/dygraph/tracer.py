"""`fluid.dygraph.tracer`: what `_dygraph_tracer()` gives in dynamic mode of 1.x."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...framework import tracer
from ...static.ir.applied_op import apply_by_slots
from ..mode import compute
from .base import evaluating, set_training


class Tracer(tracer.Tracer):
    """Applies operators by their slots; in evaluation nothing that is computed is recorded.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x, made = fluid.dygraph.to_variable(np.ones([2], "float32")), fluid.framework._varbase_creator()
    ...     fluid.framework._dygraph_tracer().trace_op("scale", {"X": [x]}, {"Out": [made]}, {"scale": 3.0})
    ...     made.numpy().tolist()
    [3.0, 3.0]
    """

    def __init__(self) -> None:
        pass

    @property
    def _train_mode(self) -> bool:
        return not evaluating()

    @_train_mode.setter
    def _train_mode(self, training: bool) -> None:
        set_training(training)

    def train_mode(self) -> None:
        """What is computed from now on is recorded for gradients."""
        set_training(True)

    def eval_mode(self) -> None:
        """Nothing that is computed from now on is recorded, until `train_mode()`."""
        set_training(False)

    def trace_op(self, type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any],
                 stop_gradient: bool = False, inplace_map: Mapping[str, str] | None = None) -> None:
        """Applies an operator to values by slot; those of `outputs` become its results."""
        with compute():
            apply_by_slots(type, inputs, outputs, attrs, stop_gradient)


TRACER = Tracer()

__all__ = ["Tracer"]

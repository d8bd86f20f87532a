"""`FLAGS_retain_grad_for_all_tensor`: every computed Tensor keeps its gradient, as after `retain_grads()`."""

from __future__ import annotations

from typing import Any

from ..core import flags, nest
from ..ops.core.operator import Operator
from ..ops.core.trace import state
from ..ops.core.trace_around import TraceAround
from .value import EagerValue

NAME = "FLAGS_retain_grad_for_all_tensor"


class _Retaining(TraceAround):
    """Does what `inner` does, and asks for the gradients of the results."""

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies the operator."""
        results = self.inner.apply(op, inputs, attrs)
        for result in nest.leaves(results):
            if isinstance(result, EagerValue) and not result.stop_gradient:
                result._retain_gradient()
        return results


def _changed() -> None:
    """Puts the trace around the one that does the work in this thread, or takes it away."""
    found = state.trace.find(_Retaining)
    if flags.get_flag(NAME) and found is None:
        state.trace = state.trace.watched(_Retaining)
    elif found is not None and not flags.get_flag(NAME):
        state.trace = state.trace.without(found)


flags.watch(NAME, _changed)

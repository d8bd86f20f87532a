"""What `_dygraph_tracer()` gives: through it older code asks whether gradients are recorded, and applies operators."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ops.core.trace import state
from ..static.ir.applied_op import apply_by_slots


class Tracer:
    """The eager mode of the thread that asks."""

    def __init__(self) -> None:
        self._train_mode = True

    @property
    def _has_grad(self) -> bool:
        return state.grad_enabled

    @_has_grad.setter
    def _has_grad(self, enabled: bool) -> None:
        state.grad_enabled = bool(enabled)

    def train_mode(self) -> None:
        """Notes that layers train; gradients are recorded in either mode."""
        self._train_mode = True

    def eval_mode(self) -> None:
        """Notes that layers are evaluated."""
        self._train_mode = False

    def trace_op(self, type: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any], attrs: Mapping[str, Any],
                 stop_gradient: bool = False, inplace_map: Mapping[str, str] | None = None) -> None:
        """Applies an operator to Tensors by slot; those of `outputs` become its results."""
        apply_by_slots(type, inputs, outputs, attrs, stop_gradient)

    def _get_kernel_signature(self, op_type: str, *_: Any) -> Any:
        """RuntimeError: an operator is one function here, of all its slots and attributes by name."""
        raise RuntimeError(f"_get_kernel_signature({op_type!r}): an operator has no kernels with signatures of their "
                           "own here. Apply it by its slots, with trace_op or append_op.")


TRACER = Tracer()

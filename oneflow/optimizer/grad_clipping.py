"""Clipping of gradients: `grad_clipping` of an optimizer."""

from __future__ import annotations

from typing import Any

from ...nn import ClipGradByGlobalNorm


class by_global_norm:
    """Makes the norm of all gradients that an optimizer uses, taken together, `clip_norm` where it is larger.

    g ← g · clip_norm / max(norm, clip_norm), with norm = √Σg². It comes behind the gradients of regularizers.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.grad_clipping.by_global_norm(1.0).clip_norm
    1.0
    """

    def __init__(self, clip_norm: float):
        if not isinstance(clip_norm, (int, float)) or not clip_norm > 0:
            raise ValueError(f"grad_clipping.by_global_norm(clip_norm): must be a number above 0. "
                             f"Received {clip_norm!r}.")
        self.clip_norm = float(clip_norm)

    def clipped(self, pairs: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
        """The variables with clipped gradients."""
        return ClipGradByGlobalNorm(self.clip_norm)(pairs)

"""`flow.losses`: what a train job of OneFlow 0.1 is trained by, in place of an optimizer's `minimize`."""

from __future__ import annotations

from typing import Any

from ..static.ir.variable import Variable
from .job.current import current

__all__ = ["add_loss"]


def add_loss(loss: Any) -> None:
    """Lets the job minimize a blob, as its `function_config.train` says."""
    job = current("losses.add_loss(loss)")
    if not isinstance(loss, Variable):
        raise TypeError(f"losses.add_loss(loss): must be a blob. Received {type(loss).__name__}.")
    job.losses.append(loss)

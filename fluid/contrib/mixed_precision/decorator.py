"""`fluid.contrib.mixed_precision.decorator`: an optimizer that trains a Program in mixed precision."""

from __future__ import annotations

from typing import Any

from ....static.amp import decorator as base
from ....static.amp.decorator import OptimizerWithMixedPrecision


def decorate(optimizer: Any, amp_lists: Any = None, init_loss_scaling: float = 2**15, incr_every_n_steps: int = 1000,
             decr_every_n_nan_or_inf: int = 2, incr_ratio: float = 2.0, decr_ratio: float = 0.8,
             use_dynamic_loss_scaling: bool = True) -> Any:
    """An optimizer whose `minimize` trains a Program in mixed precision.

    >>> import proa.fluid as fluid
    >>> rule = fluid.contrib.mixed_precision.decorate(fluid.optimizer.SGD(0.1))
    """
    return base.decorate(optimizer, amp_lists, init_loss_scaling=init_loss_scaling,
                         incr_every_n_steps=incr_every_n_steps, decr_every_n_nan_or_inf=decr_every_n_nan_or_inf,
                         incr_ratio=incr_ratio, decr_ratio=decr_ratio,
                         use_dynamic_loss_scaling=use_dynamic_loss_scaling)


__all__ = ["OptimizerWithMixedPrecision", "decorate"]

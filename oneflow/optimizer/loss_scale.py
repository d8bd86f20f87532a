"""Scaling of losses, so that small gradients do not vanish in 16 bits: `loss_scale_policy` of an optimizer.

Gradients begin with the scale and are divided by it before anything else is done to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import float32, int64
from ...ops.array.creation import full_like
from ...ops.array.full import full
from ...ops.array.where import where
from ...ops.core.trace import current_trace
from ...ops.math.casting import cast
from ...ops.math.comparison import greater_equal, logical_and
from ...ops.math.elementwise import maximum, minimum
from ...ops.math.numbers import isfinite
from ...ops.math.reduce import all as all_of

_LARGEST = float(np.finfo("float32").max)


class LossScalePolicy:
    """Base of the policies."""

    def prepare(self, job_name: str) -> Any:
        """The scale that gradients begin with: a number, or a value of one element of float32."""
        raise NotImplementedError

    def unscaled(self, gradient: Any, scale: Any) -> Any:
        """A gradient without the scale that it began with."""
        raise NotImplementedError

    def usable(self, gradients: list[Any]) -> Any:
        """Whether to update by these gradients, a bool of one element; None: always."""
        return None

    def follow(self, job_name: str, usable: Any) -> None:
        """Lets the scale follow what `usable` has found."""


class StaticLossScalePolicy(LossScalePolicy):
    """`flow.optimizer.loss_scale.static_loss_scale`: one scale for all steps.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.loss_scale.static_loss_scale(1024.0).loss_scale_factor
    1024.0
    """

    def __init__(self, loss_scale_factor: float):
        if not isinstance(loss_scale_factor, (int, float)) or not loss_scale_factor > 0:
            raise ValueError("loss_scale.static_loss_scale(loss_scale_factor): must be a number above 0. "
                             f"Received {loss_scale_factor!r}.")
        self.loss_scale_factor = float(loss_scale_factor)

    def prepare(self, job_name: str) -> Any:
        """The number."""
        return self.loss_scale_factor

    def unscaled(self, gradient: Any, scale: Any) -> Any:
        """The gradient over the number."""
        return gradient if scale == 1.0 else gradient * (1.0 / scale)


class DynamicLossScalePolicy(LossScalePolicy):
    """`flow.optimizer.loss_scale.dynamic_loss_scale`: a scale as large as gradients allow.

    Where a gradient is not finite nothing is updated, the train step does not count, and the scale is divided by
    `multiplier`; after `increment_period` steps without that it is multiplied. It is between 1 and float32's largest.
    The scale and the number of good steps are variables, `System-Train-DynamicLossScale-JOB-LossScale` and
    `-GoodStepCounter`.

    >>> import proa.oneflow as flow
    >>> flow.optimizer.loss_scale.dynamic_loss_scale(increment_period=1000).multiplier
    2.0
    """

    def __init__(self, initial_loss_scale: float = 2**30, increment_period: int = 2000, multiplier: float = 2.0):
        for name, value, least in (("initial_loss_scale", initial_loss_scale, 1),
                                   ("increment_period", increment_period, 1), ("multiplier", multiplier, 1)):
            if not isinstance(value, (int, float)) or value < least:
                raise ValueError(f"loss_scale.dynamic_loss_scale({name}): must be a number, {least} or more. "
                                 f"Received {value!r}.")
        self.initial_loss_scale, self.multiplier = float(initial_loss_scale), float(multiplier)
        self.increment_period = int(increment_period)

    def _state(self, job_name: str) -> tuple[Any, Any]:
        name = f"System-Train-DynamicLossScale-{job_name}"
        trace = current_trace()
        return (trace.persistent((1,), float32, self.initial_loss_scale, f"{name}-LossScale"),
                trace.persistent((1,), int64, 0, f"{name}-GoodStepCounter"))

    def prepare(self, job_name: str) -> Any:
        """The variable that holds the scale."""
        return self._state(job_name)[0]

    def unscaled(self, gradient: Any, scale: Any) -> Any:
        """The gradient over the scale."""
        return gradient * cast(1.0 / scale, gradient.dtype)

    def usable(self, gradients: list[Any]) -> Any:
        """Whether all elements of all are finite."""
        found: Any = None
        for gradient in gradients:
            finite = all_of(isfinite(gradient)).reshape([1])
            found = finite if found is None else logical_and(found, finite)
        return found

    def follow(self, job_name: str, usable: Any) -> None:
        """Appends the new scale and the new number of good steps."""
        scale, count = self._state(job_name)
        counted = count + 1
        grows = greater_equal(counted, full([1], self.increment_period, int64))
        raised = where(grows, minimum(scale * self.multiplier, full([1], _LARGEST, float32)), scale)
        lowered = maximum(scale / self.multiplier, full([1], 1.0, float32))
        none = full_like(count, 0)
        new_scale, new_count = where(usable, raised, lowered), where(logical_and(usable, ~grows), counted, none)
        current_trace().store(scale, new_scale)
        current_trace().store(count, new_count)


static_loss_scale = StaticLossScalePolicy
dynamic_loss_scale = DynamicLossScalePolicy

"""Learning rates: how they follow the train step. `lr_scheduler` of an optimizer.

A schedule is a function on values: of the train step it gives operators that compute the rate, which in a job belong to
its Program; so a rate needs no state but the step, which snapshots hold. It is computed in float64 of the base as
float32 holds it, and given as float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import float32, float64
from ...ops.array.creation import to_tensor
from ...ops.array.full import full, is_value
from ...ops.array.where import where
from ...ops.math.casting import cast
from ...ops.math.comparison import less_equal, less_than
from ...ops.math.elementwise import maximum, minimum
from ...ops.math.elementwise import pow as power_of
from ...ops.math.unary import ceil, cos, exp, floor
from .warmup import Warmup


class LrScheduler:
    """Base of the schedules: a learning rate that a `warmup` goes before.

    `base_lr`: the rate that a schedule changes. `lr_lbn`: the name of a blob that is the rate, instead of all else.
    """

    def __init__(self, base_lr: float | None = None, lr_lbn: str | None = None, warmup: Warmup | None = None):
        kind = type(self).__name__
        if lr_lbn is None and (not isinstance(base_lr, (int, float)) or isinstance(base_lr, bool)):
            raise TypeError(f"{kind}(base_lr): must be a number. Received {base_lr!r}.")
        if warmup is not None and not isinstance(warmup, Warmup):
            raise TypeError(f"{kind}(warmup): must be flow.optimizer.warmup.constant(…) or linear(…). "
                            f"Received {warmup!r}.")
        self.base_lr, self.lr_lbn, self.warmup = base_lr, lr_lbn, warmup

    def rate(self, step: Any) -> Any:
        """The learning rate, one element of float32, at a train step (one element of int64), by operators."""
        base = float(np.float32(self.base_lr))
        exact = cast(step, float64)
        rate = self._decayed(base, exact)
        if self.warmup is not None and self.warmup.steps:
            rate = _chosen(less_than(step, _as_step(self.warmup.steps)), self.warmup.rate(base, exact), rate)
        return cast(rate, float32) if is_value(rate) else full([1], rate, float32)

    def at(self, step: int) -> float:
        """The learning rate at a train step, computed at once.

        >>> import proa.oneflow as flow
        >>> flow.optimizer.CosineScheduler(0.5, steps=4).at(2)
        0.25
        """
        return float(self.rate(to_tensor([step], "int64")))

    def _decayed(self, base: float, step: Any) -> Any:
        """The learning rate behind the warmup, at a step of float64; a number where it is a constant."""
        raise NotImplementedError

    def __repr__(self) -> str:
        settings = {name: value for name, value in vars(self).items() if value is not None}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in settings.items())})"


def _as_step(number: int) -> Any:
    return full([1], number, "int64")


def _chosen(condition: Any, chosen: Any, other: Any) -> Any:
    """One of two values or numbers."""
    return where(condition, _value(chosen), _value(other))


def _value(rate: Any) -> Any:
    return rate if is_value(rate) else full([1], rate, float64)


def _by_boundaries(boundaries: Sequence[int], values: Sequence[float], step: Any) -> Any:
    """The first value up to its boundary, which is still its own; then the next."""
    rate: Any = values[-1]
    for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
        rate = _chosen(less_equal(step, full([1], boundary, float64)), value, rate)
    return rate


def _positive(kind: str, steps: Any) -> int:
    if not isinstance(steps, (int, np.integer)) or isinstance(steps, bool) or steps <= 0:
        raise ValueError(f"{kind}(steps): must be a number of train steps, 1 or more. Received {steps!r}.")
    return int(steps)


class CosineScheduler(LrScheduler):
    """base · ((1 - α) · (1 + cos(π · min(step, steps) / steps)) / 2 + α), with α = `alpha`.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.CosineScheduler(1.0, steps=10, alpha=0.1)
    >>> [round(schedule.at(step), 3) for step in (0, 5, 10, 20)]
    [1.0, 0.55, 0.1, 0.1]
    """

    def __init__(self, base_lr: float, steps: int, alpha: float = 0.0, warmup: Warmup | None = None):
        super().__init__(base_lr, warmup=warmup)
        self.steps, self.alpha = _positive("CosineScheduler", steps), alpha

    def _decayed(self, base: float, step: Any) -> Any:
        cosine = 0.5 * (1.0 + cos(minimum(step, _value(self.steps)) * math.pi / self.steps))
        return base * ((1.0 - self.alpha) * cosine + self.alpha)


class CustomScheduler(LrScheduler):
    """The learning rate is a blob of the job, of one element, named by its `logical_blob_name`."""

    def __init__(self, lbn: str):
        if not isinstance(lbn, str):
            raise TypeError("CustomScheduler(lbn): must be the logical_blob_name of a blob of the job. "
                            f"Received {lbn!r}.")
        super().__init__(lr_lbn=lbn)


class PiecewiseConstantScheduler(LrScheduler):
    """values[0] up to and with step boundaries[0], then values[1], …: one value more than boundaries.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.PiecewiseConstantScheduler([2, 4], [0.5, 0.25, 0.125])
    >>> [schedule.at(step) for step in range(6)]
    [0.5, 0.5, 0.5, 0.25, 0.25, 0.125]
    """

    def __init__(self, boundaries: Sequence[int], values: Sequence[float], warmup: Warmup | None = None):
        if len(boundaries) + 1 != len(values):
            raise ValueError("PiecewiseConstantScheduler(boundaries, values): there is one value more than boundaries. "
                             f"Received {len(boundaries)} boundaries and {len(values)} values.")
        super().__init__(values[0], warmup=warmup)
        self.boundaries, self.values = list(boundaries), [float(value) for value in values]

    def _decayed(self, base: float, step: Any) -> Any:
        return _by_boundaries(self.boundaries, self.values, step)


class PiecewiseScalingScheduler(LrScheduler):
    """base up to and with step boundaries[0], then base · scale[0], …; one number is the scale behind each boundary.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.PiecewiseScalingScheduler(1.0, [1, 2], [0.5, 0.25])
    >>> [schedule.at(step) for step in range(4)]
    [1.0, 1.0, 0.5, 0.25]
    """

    def __init__(self, base_lr: float, boundaries: Sequence[int], scale: float | Sequence[float],
                 warmup: Warmup | None = None):
        super().__init__(base_lr, warmup=warmup)
        scales = list(scale) if isinstance(scale, Sequence) else [scale] * len(boundaries)
        if len(scales) != len(boundaries):
            raise ValueError("PiecewiseScalingScheduler(boundaries, scale): there is one scale for each boundary. "
                             f"Received {len(boundaries)} boundaries and {len(scales)} scales.")
        self.boundaries, self.scales = list(boundaries), [1.0, *map(float, scales)]

    def _decayed(self, base: float, step: Any) -> Any:
        return _by_boundaries(self.boundaries, [scale * base for scale in self.scales], step)


class PolynomialScheduler(LrScheduler):
    """(base - end) · (1 - min(step, steps) / steps) ^ power + end, with end = `end_learning_rate`.

    With `cycle` the number of steps is the next multiple of `steps` instead, so that the rate begins anew.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.PolynomialScheduler(1.0, steps=4, end_learning_rate=0.0, power=2.0)
    >>> [schedule.at(step) for step in (0, 2, 4, 8)]
    [1.0, 0.25, 0.0, 0.0]
    """

    def __init__(self, base_lr: float, steps: int, end_learning_rate: float = 0.0001, power: float = 1.0,
                 cycle: bool = False, warmup: Warmup | None = None):
        super().__init__(base_lr, warmup=warmup)
        self.steps, self.end_learning_rate = _positive(type(self).__name__, steps), end_learning_rate
        self.power, self.cycle = power, cycle

    def _decayed(self, base: float, step: Any) -> Any:
        if self.cycle:
            step = maximum(step, _value(1.0))
            share = 1.0 - step / (self.steps * ceil(step / self.steps))
        else:
            share = 1.0 - minimum(step, _value(self.steps)) / self.steps
        if self.power != 1.0:
            share = power_of(share, self.power)
        return (base - self.end_learning_rate) * share + self.end_learning_rate


class PolynomialSchduler(PolynomialScheduler):
    """`PolynomialScheduler`, as OneFlow's first versions wrote it."""


class LinearCosineScheduler(LrScheduler):
    """base · ((α + 1 - t) · (1 + cos(2π · `num_periods` · t)) / 2 + β), where t = min(step, steps) / steps.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.LinearCosineScheduler(1.0, steps=4, beta=0.0)
    >>> [round(schedule.at(step), 4) for step in (0, 2, 4)]
    [1.0, 0.25, 0.0]
    """

    def __init__(self, base_lr: float, steps: int, num_periods: float = 0.5, alpha: float = 0.0, beta: float = 0.001,
                 warmup: Warmup | None = None):
        super().__init__(base_lr, warmup=warmup)
        self.steps = _positive("LinearCosineScheduler", steps)
        self.num_periods, self.alpha, self.beta = num_periods, alpha, beta

    def _decayed(self, base: float, step: Any) -> Any:
        step = minimum(step, _value(self.steps))
        cosine = 0.5 * (1.0 + cos(step * (2.0 * math.pi * self.num_periods) / self.steps))
        return base * ((self.alpha + (self.steps - step) / self.steps) * cosine + self.beta)


class _Decay(LrScheduler):
    """A rate that decays by step / steps, of which `staircase` takes the whole number."""

    def __init__(self, base_lr: float, steps: int, decay_rate: float, staircase: bool = False,
                 warmup: Warmup | None = None):
        super().__init__(base_lr, warmup=warmup)
        self.steps, self.decay_rate = _positive(type(self).__name__, steps), decay_rate
        self.staircase = staircase

    def _share(self, step: Any) -> Any:
        share = step / self.steps
        return floor(share) if self.staircase else share


class ExponentialScheduler(_Decay):
    """base · decay_rate ^ (step / steps).

    >>> import proa.oneflow as flow
    >>> flow.optimizer.ExponentialScheduler(1.0, steps=2, decay_rate=0.5).at(4)
    0.25
    """

    def _decayed(self, base: float, step: Any) -> Any:
        return base * power_of(_value(self.decay_rate), self._share(step))


class InverseTimeScheduler(_Decay):
    """base / (1 + decay_rate · step / steps).

    >>> import proa.oneflow as flow
    >>> flow.optimizer.InverseTimeScheduler(1.0, steps=2, decay_rate=0.5).at(4)
    0.5
    """

    def _decayed(self, base: float, step: Any) -> Any:
        return base / (1.0 + self.decay_rate * self._share(step))


class NaturalExpScheduler(_Decay):
    """base · exp(-decay_rate · step / steps).

    >>> import proa.oneflow as flow
    >>> round(flow.optimizer.NaturalExpScheduler(1.0, steps=2, decay_rate=0.5).at(4), 6)
    0.367879
    """

    def _decayed(self, base: float, step: Any) -> Any:
        return base * exp(-self.decay_rate * self._share(step))

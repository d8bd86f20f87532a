"""Warming up: learning rates of the first train steps, which take the place of the schedule's."""

from __future__ import annotations

from typing import Any


class Warmup:
    """The learning rate of the first `steps` train steps, from the schedule's base; the schedule itself knows nothing
    of them: it counts from step 0 on.
    """

    def __init__(self, steps: int, multiplier: float, what: str):
        kind = type(self).__name__
        if not isinstance(steps, int) or isinstance(steps, bool) or steps < 0:
            raise ValueError(f"warmup.{kind}(steps): must be a number of train steps, 0 or more. Received {steps!r}.")
        if not isinstance(multiplier, (int, float)) or not self._least <= multiplier < 1:
            raise ValueError(f"warmup.{kind}({what}): must be at least {self._least} and less than 1. "
                             f"Received {multiplier!r}.")
        self.steps = steps

    _least = 0.0

    def rate(self, base: float, step: Any) -> Any:
        """The learning rate at a train step (of float64) in these first steps; a number or a value."""
        raise NotImplementedError


class constant(Warmup):
    """base · multiplier in the first `steps` train steps; `multiplier` is between 0 and 1.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.PiecewiseConstantScheduler([], [0.5], warmup=flow.optimizer.warmup.constant(2, 0.1))
    >>> [round(schedule.at(step), 4) for step in range(4)]
    [0.05, 0.05, 0.5, 0.5]
    """

    _least = 1e-30

    def __init__(self, steps: int, multiplier: float):
        super().__init__(steps, multiplier, "multiplier")
        self.multiplier = multiplier

    def rate(self, base: float, step: Any) -> Any:
        """base · multiplier."""
        return base * self.multiplier


class linear(Warmup):
    """base · (start + (1 - start) · step / steps) in the first `steps` train steps, with start = `start_multiplier`.

    >>> import proa.oneflow as flow
    >>> schedule = flow.optimizer.PiecewiseConstantScheduler([], [0.5], warmup=flow.optimizer.warmup.linear(4, 0.2))
    >>> [round(schedule.at(step), 4) for step in range(5)]
    [0.1, 0.2, 0.3, 0.4, 0.5]
    """

    def __init__(self, steps: int, start_multiplier: float):
        super().__init__(steps, start_multiplier, "start_multiplier")
        self.start_multiplier = start_multiplier

    def rate(self, base: float, step: Any) -> Any:
        """The rate on the line between base · start and base."""
        return base * (self.start_multiplier + (1.0 - self.start_multiplier) * (step / self.steps))

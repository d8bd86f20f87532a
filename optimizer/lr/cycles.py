"""Learning-rate schedules that rise and fall: linear, one cycle, cycles, cosine with warm restarts."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from .scheduler import LRScheduler


def _count(rule: str, label: str, value: Any, fractions: type[Exception] = TypeError) -> int:
    if not isinstance(value, int):
        raise (fractions if isinstance(value, float) else TypeError)(
            f"{rule}({label}): must be an int above 0. Received {value!r}.")
    if value <= 0:
        raise ValueError(f"{rule}({label}): must be an int above 0. Received {value!r}.")
    return value


class LinearLR(LRScheduler):
    """lr times a factor that goes evenly from start_factor to end_factor in total_steps, and stays there.

    >>> import proa as paddle
    >>> schedule = paddle.optimizer.lr.LinearLR(1.0, total_steps=2, start_factor=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(schedule()); schedule.step()
    >>> rates
    [0.5, 0.75, 1.0, 1.0]
    """

    def __init__(self, learning_rate: float, total_steps: int, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
                 last_epoch: int = -1, verbose: bool = False):
        if not 0 < start_factor <= 1:
            raise ValueError(f"LinearLR(start_factor): must lie in (0, 1]. Received {start_factor}.")
        if not 0 <= end_factor <= 1:
            raise ValueError(f"LinearLR(end_factor): must lie in [0, 1]. Received {end_factor}.")
        self.total_steps = _count("LinearLR", "total_steps", total_steps)
        self.start_factor, self.end_factor = float(start_factor), float(end_factor)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        done = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * done)


class OneCycleLR(LRScheduler):
    """Up from max/divide_factor to max in phase_pct of the steps, down to end_learning_rate in the rest.

    Smith and Topin, Super-Convergence: Very Fast Training of Neural Networks Using Large Learning Rates, 2018. With
    `three_phase` it falls to the first rate as evenly as it rose, and then to the last. `anneal_strategy`: "cos" or
    "linear". Past `total_steps`, ValueError.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.OneCycleLR(0.1, total_steps=4)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.004, 0.0812, 0.0284, 0.0001]
    """

    def __init__(self, max_learning_rate: float, total_steps: int, divide_factor: float = 25.0,
                 end_learning_rate: float = 0.0001, phase_pct: float = 0.3, anneal_strategy: str = "cos",
                 three_phase: bool = False, last_epoch: int = -1, verbose: bool = False):
        self._check_rates(max_learning_rate, end_learning_rate)
        if not 0 <= phase_pct <= 1:
            raise ValueError(f"OneCycleLR(phase_pct): must lie in [0, 1]. Received {phase_pct}.")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"OneCycleLR(anneal_strategy): 'cos' or 'linear'. Received {anneal_strategy!r}.")
        if three_phase and phase_pct >= 0.5:
            raise ValueError(f"OneCycleLR(phase_pct): below 0.5 with three_phase. Received {phase_pct}.")
        self.total_steps = _count("OneCycleLR", "total_steps", total_steps)
        self._anneal = _cosine if anneal_strategy == "cos" else _line
        first, top, last = max_learning_rate / float(divide_factor), float(max_learning_rate), float(end_learning_rate)
        rise = phase_pct * total_steps - 1
        if three_phase:
            self._phases = [(0.0, first), (rise, top), (2 * rise, first), (total_steps - 1.0, last)]
        else:
            self._phases = [(0.0, first), (rise, top), (total_steps - 1.0, last)]
        super().__init__(first, last_epoch, verbose)

    @staticmethod
    def _check_rates(largest: Any, last: Any) -> None:
        for label, rate in (("max_learning_rate", largest), ("end_learning_rate", last)):
            if not isinstance(rate, (float, int)):
                raise TypeError(f"OneCycleLR({label}): must be a number. Received {type(rate).__name__}.")
            if rate < 0:
                raise ValueError(f"OneCycleLR({label}): must be at least 0. Received {rate}.")

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"OneCycleLR: {step} steps were taken of total_steps={self.total_steps}.")
        for (begin, low), (end, high) in zip(self._phases[:-1], self._phases[1:], strict=True):
            if step <= end or end == self._phases[-1][0]:
                return self._anneal(low, high, (step - begin) / (end - begin))
        raise AssertionError("unreachable: the last phase takes every step")


def _cosine(start: float, end: float, done: float) -> float:
    return end + (start - end) / 2 * (1 + math.cos(math.pi * done))


def _line(start: float, end: float, done: float) -> float:
    return start + (end - start) * done


class CyclicLR(LRScheduler):
    """From base_learning_rate to max_learning_rate in step_size_up steps, and back in step_size_down, again and again.

    Smith, Cyclical Learning Rates for Training Neural Networks, 2017. The height of a cycle is scaled by `mode`:
    "triangular" keeps it, "triangular2" halves it each cycle, "exp_range" multiplies by exp_gamma each step; or by
    `scale_fn` of the cycle (from 1) or, with scale_mode="iterations", of the step.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.CyclicLR(0.1, 0.3, 2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.2, 0.3, 0.2]
    """

    def __init__(self, base_learning_rate: float, max_learning_rate: float, step_size_up: int,
                 step_size_down: int | None = None, mode: str = "triangular", exp_gamma: float = 1.0,
                 scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(max_learning_rate, (float, int)):
            raise TypeError(f"CyclicLR(max_learning_rate): must be a number. Received {max_learning_rate!r}.")
        for label, rate in (("base_learning_rate", base_learning_rate), ("max_learning_rate", max_learning_rate)):
            if rate < 0:
                raise ValueError(f"CyclicLR({label}): must be at least 0. Received {rate}.")
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(f"CyclicLR(mode): 'triangular', 'triangular2' or 'exp_range'. Received {mode!r}.")
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError(f"CyclicLR(scale_mode): 'cycle' or 'iterations'. Received {scale_mode!r}.")
        up = _count("CyclicLR", "step_size_up", step_size_up)
        down = up if step_size_down is None else _count("CyclicLR", "step_size_down", step_size_down)
        self.cycle_size, self.step_up_pct = float(up + down), up / (up + down)
        self.max_lr, self.amplitude = float(max_learning_rate), float(max_learning_rate) - base_learning_rate
        self.scale_mode = scale_mode if scale_fn is not None or mode != "exp_range" else "iterations"
        own: dict[str, Callable[[float], float]] = {
            "triangular": _unscaled, "triangular2": _halved, "exp_range": partial(pow, exp_gamma)}
        self.scale_fn: Callable[[float], float] = scale_fn or own[mode]
        super().__init__(base_learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        steps = self.last_epoch
        cycle = 1 + steps // self.cycle_size
        done = 1.0 + steps / self.cycle_size - cycle
        height = done / self.step_up_pct if done <= self.step_up_pct else (1 - done) / (1 - self.step_up_pct)
        return self.base_lr + self.amplitude * height * self.scale_fn(cycle if self.scale_mode == "cycle" else steps)


def _unscaled(cycle: float) -> float:
    return 1.0


def _halved(cycle: float) -> float:
    return 1 / 2 ** (cycle - 1.0)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from lr to eta_min in T_0 epochs, then again in T_0·T_mult, T_0·T_mult², …

    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.CosineAnnealingWarmRestarts(0.1, T_0=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.05, 0.1, 0.05]
    """

    def __init__(self, learning_rate: float, T_0: int, T_mult: int = 1, eta_min: float = 0, last_epoch: int = -1,
                 verbose: bool = False):
        self.T_0 = _count("CosineAnnealingWarmRestarts", "T_0", T_0, ValueError)
        self.T_mult = _count("CosineAnnealingWarmRestarts", "T_mult", T_mult, ValueError)
        self.eta_min = float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        done, length = float(self.last_epoch), self.T_0
        if self.T_mult == 1:
            done %= length
        while done >= length:
            done -= length
            length *= self.T_mult
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * done / length)) / 2

"""Schedules of learning rates: each `step()` gives the optimizer's groups the rate of the next step."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Sequence
from typing import Any

from .optimizer import Optimizer


class LRScheduler:
    """Base of the schedules: a subclass defines `get_lr(base_lr, step)`.

    >>> import proa.oneflow as flow
    >>> rule = flow.optim.SGD([flow.ones(1, requires_grad=True)], lr=1.0)
    >>> schedule = flow.optim.lr_scheduler.StepLR(rule, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(rule.param_groups[0]["lr"]); rule.step(); schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, optimizer: Optimizer, last_step: int = -1, verbose: bool = False):
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(self).__name__}(optimizer): must be an Optimizer of flow.optim. Received "
                            f"{type(optimizer).__name__}.")
        self.optimizer, self.last_step, self.verbose = optimizer, last_step, verbose
        self._begin()
        self.step()

    def _begin(self) -> None:
        for n, group in enumerate(self.optimizer.param_groups):
            if self.last_step == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(f"{type(self).__name__}(last_step): to go on, each group needs its 'initial_lr'. "
                               f"param_groups[{n}] has none.")
        self.base_lrs = [group["initial_lr"] for group in self.optimizer.param_groups]

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step, from the one that a group began with."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The rates of the groups."""
        return self._last_lr

    def step(self) -> None:
        """Gives the groups the rates of the next step."""
        self.last_step += 1
        self.update_lrs([self.get_lr(base, self.last_step) for base in self.base_lrs])

    def update_lrs(self, lrs: Sequence[float]) -> None:
        """Gives the groups rates."""
        self._last_lr = list(lrs)
        for n, (group, rate) in enumerate(zip(self.optimizer.param_groups, lrs, strict=False)):
            group["lr"] = rate
            if self.verbose:
                print(f"Last step {self.last_step} of {type(self)} adjusting learning rate of param_groups[{n}] to "
                      f"{rate:.5f}")

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler


def _check(where: str, fits: bool, rule: str, value: Any) -> None:
    if not fits:
        raise ValueError(f"{where}: must be {rule}. Received {value!r}.")


class StepLR(LRScheduler):
    """The rate times gamma after each `step_size` steps."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_step: int = -1, verbose: bool = False):
        _check("StepLR(step_size)", step_size > 0, "above 0", step_size)
        _check("StepLR(gamma)", gamma > 0, "above 0", gamma)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        return base_lr * self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    """The rate times gamma after each milestone."""

    def __init__(self, optimizer: Any, milestones: Sequence[int], gamma: float = 0.1, last_step: int = -1,
                 verbose: bool = False):
        _check("MultiStepLR(milestones)", sorted(set(milestones)) == list(milestones), "increasing", milestones)
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        return base_lr * self.gamma ** bisect.bisect_right(self.milestones, step)


class ExponentialLR(LRScheduler):
    """The rate times gamma after each step."""

    def __init__(self, optimizer: Any, gamma: float, last_step: int = -1, verbose: bool = False):
        _check("ExponentialLR(gamma)", gamma > 0, "above 0", gamma)
        self.gamma = gamma
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        return base_lr * self.gamma**step


class LambdaLR(LRScheduler):
    """The rate times what a function of the step gives, or one function for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Any, last_step: int = -1, verbose: bool = False):
        count = len(optimizer.param_groups)
        self.lr_lambdas: list[Callable[[int], float]] = (
            list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count)
        _check("LambdaLR(lr_lambda)", len(self.lr_lambdas) == count, f"one function, or {count}", lr_lambda)
        super().__init__(optimizer, last_step, verbose)

    def step(self) -> None:
        """Gives the groups the rates of the next step."""
        self.last_step += 1
        self.update_lrs([base * function(self.last_step) for function, base in zip(
            self.lr_lambdas, self.base_lrs, strict=True)])

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer and the functions."""
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


class ConstantLR(LRScheduler):
    """The rate times a factor for the first steps."""

    def __init__(self, optimizer: Any, factor: float = 1 / 3, total_iters: int = 5, last_step: int = -1,
                 verbose: bool = False):
        _check("ConstantLR(factor)", 0 <= factor <= 1, "between 0 and 1", factor)
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        return base_lr * self.factor if step < self.total_iters else base_lr


class LinearLR(LRScheduler):
    """The rate times a factor that goes from one to another within the first steps."""

    def __init__(self, optimizer: Any, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5,
                 last_step: int = -1, verbose: bool = False):
        _check("LinearLR(start_factor)", 0 <= start_factor <= 1, "between 0 and 1", start_factor)
        _check("LinearLR(end_factor)", 0 <= end_factor <= 1, "between 0 and 1", end_factor)
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        share = step / self.total_iters if step < self.total_iters else 1.0
        return base_lr * (self.start_factor + (self.end_factor - self.start_factor) * share)


class PolynomialLR(LRScheduler):
    """From the first rate to the last by a power of the share of steps that is left."""

    def __init__(self, optimizer: Any, decay_batch: int, end_learning_rate: float = 0.0001, power: float = 1.0,
                 cycle: bool = False, last_step: int = -1, verbose: bool = False):
        _check("PolynomialLR(decay_batch)", decay_batch > 0, "above 0", decay_batch)
        self.max_decay_steps, self.end_learning_rate = decay_batch, end_learning_rate
        self.power, self.cycle = power, cycle
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        total = self.max_decay_steps
        if self.cycle:
            step = step or 1
            total *= math.ceil(step / total)
        left = (1 - min(step, total) / total) ** self.power
        return (base_lr - self.end_learning_rate) * left + self.end_learning_rate


def _half_cosine(share: float) -> float:
    """1 at 0, 0 at 1."""
    return 0.5 * (1 + math.cos(math.pi * share))


class CosineDecayLR(LRScheduler):
    """The rate times half a cosine, down to `alpha`, where it stays."""

    def __init__(self, optimizer: Any, decay_steps: int, alpha: float = 0.0, last_step: int = -1,
                 verbose: bool = False):
        _check("CosineDecayLR(decay_steps)", decay_steps > 0, "above 0", decay_steps)
        self.decay_steps, self.alpha = decay_steps, alpha
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        share = min(step / self.decay_steps, 1.0)
        return base_lr * ((1 - self.alpha) * _half_cosine(share) + self.alpha)


class CosineAnnealingLR(LRScheduler):
    """A cosine between the rate and `eta_min`, half of it within `T_max` steps."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_step: int = -1, verbose: bool = False):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        return self.eta_min + (base_lr - self.eta_min) * _half_cosine(step / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine, again and again: each takes `T_mult` times the steps of the one before, the first `T_0`."""

    def __init__(self, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, decay_rate: float = 1.0,
                 restart_limit: int = 0, last_step: int = -1, verbose: bool = False):
        _check("CosineAnnealingWarmRestarts(T_0)", isinstance(T_0, int) and T_0 > 0, "an int above 0", T_0)
        _check("CosineAnnealingWarmRestarts(T_mult)", isinstance(T_mult, int) and T_mult >= 1, "an int from 1 on",
               T_mult)
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.decay_rate, self.restart_limit = decay_rate, restart_limit
        super().__init__(optimizer, last_step, verbose)

    def get_lr(self, base_lr: float, step: int) -> float:
        """The rate of a step."""
        round_, length = 0, self.T_0
        while step >= length:
            step, round_, length = step - length, round_ + 1, length * self.T_mult
        if self.restart_limit and round_ >= self.restart_limit:
            return self.eta_min
        return self.eta_min + (base_lr * self.decay_rate**round_ - self.eta_min) * _half_cosine(step / length)


class SequentialLR(LRScheduler):
    """Schedules one after the other, from milestone to milestone.

    Where `interval_rescaling` is true a schedule counts from its milestone, otherwise from the beginning.
    """

    def __init__(self, optimizer: Any, schedulers: Sequence[LRScheduler], milestones: Sequence[int],
                 interval_rescaling: Any = False, last_step: int = -1, verbose: bool = False):
        _check("SequentialLR(milestones)", len(milestones) == len(schedulers) - 1,
               "one less than there are schedules", milestones)
        _check("SequentialLR(schedulers)", all(s.optimizer is optimizer for s in schedulers),
               "of the same optimizer", schedulers)
        self.schedulers, self.milestones = list(schedulers), list(milestones)
        self.interval_rescaling = (list(interval_rescaling) if isinstance(interval_rescaling, (list, tuple))
                                   else [interval_rescaling] * len(milestones))
        super().__init__(optimizer, last_step, verbose)

    def step(self) -> None:
        """Gives the groups the rates of the next step."""
        self.last_step += 1
        at, count = bisect.bisect_right(self.milestones, self.last_step), self.last_step
        if at and self.interval_rescaling[at - 1]:
            count -= self.milestones[at - 1]
        schedule = self.schedulers[at]
        schedule.last_step = count
        self.update_lrs([schedule.get_lr(base, count) for base in self.base_lrs])

    def state_dict(self) -> dict[str, Any]:
        """All but the optimizer, that of the schedules too."""
        return {**super().state_dict(), "schedulers": [schedule.state_dict() for schedule in self.schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        self.__dict__.update({name: value for name, value in state_dict.items() if name != "schedulers"})
        for schedule, own in zip(self.schedulers, state_dict["schedulers"], strict=True):
            schedule.load_state_dict(own)


class WarmupLR(SequentialLR):
    """Small rates at first: from `warmup_factor` of the rate "linear" up to it, or "constant".

    Behind that a schedule goes on, or the rate stays. With `warmup_prefix` the schedule begins then; otherwise it has
    begun before, and the rates lead to the one that it has then.
    """

    def __init__(self, scheduler_or_optimizer: Any, warmup_factor: float = 1 / 3, warmup_iters: int = 5,
                 warmup_method: str = "linear", warmup_prefix: bool = False, last_step: int = -1,
                 verbose: bool = False):
        _check("WarmupLR(warmup_method)", warmup_method in ("linear", "constant"), "'linear' or 'constant'",
               warmup_method)
        schedule = scheduler_or_optimizer if isinstance(scheduler_or_optimizer, LRScheduler) else None
        optimizer = scheduler_or_optimizer if schedule is None else schedule.optimizer
        _check("WarmupLR(warmup_iters)", warmup_iters > 0 or schedule is not None, "above 0 without a schedule",
               warmup_iters)
        parts: list[LRScheduler] = []
        if warmup_iters > 0:
            parts.append(_warmup(optimizer, schedule, warmup_factor, warmup_iters, warmup_method, warmup_prefix,
                                 last_step))
        if schedule is not None:
            parts.append(schedule)
        self.warmup_factor, self.warmup_iters = warmup_factor, warmup_iters
        self.warmup_method, self.warmup_prefix = warmup_method, warmup_prefix
        super().__init__(optimizer, parts, [warmup_iters] * (len(parts) - 1), warmup_prefix, last_step, verbose)


WarmUpLR = WarmupLR


def _warmup(optimizer: Any, schedule: LRScheduler | None, factor: float, iters: int, method: str, prefix: bool,
            last_step: int) -> LRScheduler:
    if method == "constant":
        return ConstantLR(optimizer, factor, iters, last_step)
    end = 1.0
    if schedule is not None and not prefix:
        base = schedule.base_lrs[0]
        if any(not math.isclose(base, other) for other in schedule.base_lrs):
            raise ValueError("WarmupLR: groups of several rates cannot be led to one of a schedule. Use an optimizer "
                             "for each, or warmup_prefix=True.")
        end = schedule.get_lr(base, iters) / base
    return LinearLR(optimizer, factor, end, iters, last_step)


class ChainedScheduler(LRScheduler):
    """Schedules one upon the other: each is given the rates of the one before as those that the groups began with."""

    def __init__(self, schedulers: Sequence[LRScheduler]):
        _check("ChainedScheduler(schedulers)", len(schedulers) > 0 and all(
            s.optimizer is schedulers[0].optimizer for s in schedulers), "schedules of one optimizer", schedulers)
        self.schedulers = list(schedulers)
        super().__init__(schedulers[0].optimizer)

    def step(self) -> None:
        """Gives the groups the rates of the next step."""
        self.last_step += 1
        rates = list(self.schedulers[0].base_lrs)
        for schedule in self.schedulers:
            rates = [schedule.get_lr(rate, self.last_step) for rate in rates]
            schedule.last_step = self.last_step
        self.update_lrs(rates)

    state_dict = SequentialLR.state_dict
    load_state_dict = SequentialLR.load_state_dict


class ReduceLROnPlateau:
    """The rate times `factor` when a metric has not become better for more than `patience` steps."""

    def __init__(self, optimizer: Any, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: Any = 0,
                 eps: float = 1e-8, verbose: bool = False):
        _check("ReduceLROnPlateau(mode)", mode in ("min", "max"), "'min' or 'max'", mode)
        _check("ReduceLROnPlateau(factor)", factor < 1, "below 1", factor)
        _check("ReduceLROnPlateau(threshold_mode)", threshold_mode in ("rel", "abs"), "'rel' or 'abs'",
               threshold_mode)
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown = threshold, threshold_mode, cooldown
        count = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * count
        self.eps, self.verbose, self.last_step = eps, verbose, 0
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_steps = self.cooldown_counter = 0

    def is_better(self, a: float, best: float) -> bool:
        """Whether a metric is better than the best one, by more than the threshold."""
        sign = 1 if self.mode == "min" else -1
        margin = self.threshold * (abs(best) if self.threshold_mode == "rel" and math.isfinite(best) else
                                   0.0 if self.threshold_mode == "rel" else 1.0)
        return sign * a < sign * best - margin

    @property
    def in_cooldown(self) -> bool:
        """Whether it waits after a change."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any) -> None:
        """Is told the metric of a step."""
        current = float(metrics)
        self.last_step += 1
        if self.is_better(current, self.best):
            self.best, self.num_bad_steps = current, 0
        else:
            self.num_bad_steps += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_steps = 0
        if self.num_bad_steps > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_steps = self.cooldown, 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _reduce(self) -> None:
        for n, (group, least) in enumerate(zip(self.optimizer.param_groups, self.min_lrs, strict=True)):
            rate = max(group["lr"] * self.factor, least)
            if group["lr"] - rate > self.eps:
                group["lr"] = rate
                if self.verbose:
                    print(f"Step {self.last_step}: reducing learning rate of param_groups[{n}] to {rate:.4e}.")

    state_dict = LRScheduler.state_dict
    load_state_dict = LRScheduler.load_state_dict

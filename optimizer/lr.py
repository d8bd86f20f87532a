"""Learning-rate schedules: each gives the rate for `last_epoch`, which `step()` counts up."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..ops.creation import is_value


class LRScheduler:
    """Base of the schedules: a subclass gives `get_lr()`, from `self.base_lr`, `self.last_epoch` and `self.last_lr`.

    >>> import proa as paddle
    >>> schedule = paddle.optimizer.lr.StepDecay(1.0, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(schedule()); schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False):
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(f"{type(self).__name__}(learning_rate): must be a number. Received {learning_rate!r}.")
        if learning_rate < 0:
            raise ValueError(f"{type(self).__name__}(learning_rate): must be at least 0. Received {learning_rate}.")
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self.step()

    def __call__(self) -> float:
        """The rate of the present epoch."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes on to the next epoch, or to a given one."""
        if epoch is None:
            self.last_epoch += 1
            self.last_lr = float(self.get_lr())
        else:
            self.last_epoch = epoch
            closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
            self.last_lr = float(closed_form())
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr().")

    keys: Sequence[str] = ("last_epoch", "last_lr")

    def state_keys(self) -> None:
        """A subclass sets `self.keys` here, the names of the attributes that are its state."""

    def state_dict(self) -> dict[str, Any]:
        """The attributes named by `keys`, schedules within as dicts of their own."""
        self.state_keys()
        state = {}
        for key in self.keys:
            if key in self.__dict__:
                state[key] = self.__dict__[key]
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave; RuntimeError when something is missing."""
        self.state_keys()
        missing = [key for key in self.keys if key in self.__dict__ and key not in state_dict]
        if missing:
            raise RuntimeError(
                f"set_state_dict: {missing} of {type(self).__name__} are missing in {sorted(state_dict)}."
            )
        for key in self.keys:
            if key in state_dict:
                self.__dict__[key] = state_dict[key]

    set_dict = set_state_dict

    def __repr__(self) -> str:
        return f"{type(self).__name__}(last_epoch={self.last_epoch}, last_lr={self.last_lr})"


class NoamDecay(LRScheduler):
    """lr · d_model^−0.5 · min(epoch^−0.5, epoch · warmup_steps^−1.5).

    Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(self, d_model: int, warmup_steps: int, learning_rate: float = 1.0, last_epoch: int = -1,
                 verbose: bool = False):
        if d_model <= 0:
            raise ValueError(f"NoamDecay(d_model): must be above 0. Received {d_model}.")
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        rising = math.inf if self.last_epoch == 0 else self.last_epoch**-0.5
        return self.base_lr * self.d_model**-0.5 * min(rising, self.warmup_steps**-1.5 * self.last_epoch)


class PiecewiseDecay(LRScheduler):
    """values[i] while the epoch is below boundaries[i], and the last value from then on."""

    def __init__(self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False):
        if len(boundaries) == 0:
            raise ValueError("PiecewiseDecay(boundaries): must not be empty.")
        if len(values) <= len(boundaries):
            raise ValueError(
                f"PiecewiseDecay(values): one more than boundaries. Received {len(values)} and {len(boundaries)}."
            )
        self.boundaries, self.values = list(boundaries), list(values)
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        for boundary, value in zip(self.boundaries, self.values, strict=False):
            if self.last_epoch < boundary:
                return value
        return self.values[len(self.values) - 1]


class NaturalExpDecay(LRScheduler):
    """lr · e^(−gamma · epoch)."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        if gamma <= 0:
            raise ValueError(f"NaturalExpDecay(gamma): must be above 0. Received {gamma}.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """lr / (1 + gamma · epoch)."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From lr to end_lr over decay_steps, as (1 − epoch / decay_steps)^power; with `cycle` it starts over each time."""

    def __init__(self, learning_rate: float, decay_steps: int, end_lr: float = 0.0001, power: float = 1.0,
                 cycle: bool = False, last_epoch: int = -1, verbose: bool = False):
        if not isinstance(decay_steps, int) or decay_steps <= 0:
            raise ValueError(f"PolynomialDecay(decay_steps): must be an int above 0. Received {decay_steps!r}.")
        if power <= 0:
            raise ValueError(f"PolynomialDecay(power): must be above 0. Received {power}.")
        self.decay_steps, self.end_lr, self.power, self.cycle = decay_steps, end_lr, power, cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        else:
            epoch = min(epoch, steps)
        return (self.base_lr - self.end_lr) * (1 - epoch / steps) ** self.power + self.end_lr


class LinearWarmup(LRScheduler):
    """From start_lr to end_lr in warmup_steps, and then the given rate, or schedule, which counts from there."""

    def __init__(self, learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(learning_rate, (float, int, LRScheduler)):
            raise TypeError(f"LinearWarmup(learning_rate): a number or an LRScheduler. Received {learning_rate!r}.")
        if start_lr > end_lr:
            raise ValueError(f"LinearWarmup(start_lr): must not exceed end_lr. Received {start_lr} and {end_lr}.")
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr, self.end_lr = start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def state_dict(self) -> dict[str, Any]:
        """The state, that of a schedule within under 'LinearWarmup_LR'."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        if self.last_epoch < self.warmup_steps:
            return (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate


class ExponentialDecay(LRScheduler):
    """lr · gamma^epoch."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """lr · gamma for every milestone passed."""

    def __init__(self, learning_rate: float, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(milestones, (list, tuple)):
            raise TypeError(f"MultiStepDecay(milestones): must be a list or tuple. Received {milestones!r}.")
        if any(a >= b for a, b in zip(milestones, milestones[1:], strict=False)):
            raise ValueError(f"MultiStepDecay(milestones): must increase. Received {list(milestones)}.")
        if gamma >= 1.0:
            raise ValueError(f"MultiStepDecay(gamma): must be below 1. Received {gamma}.")
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.gamma ** sum(self.last_epoch >= m for m in self.milestones)


class StepDecay(LRScheduler):
    """lr · gamma once every step_size epochs."""

    def __init__(self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(step_size, int) or step_size <= 0:
            raise TypeError(f"StepDecay(step_size): must be an int above 0. Received {step_size!r}.")
        if gamma >= 1.0:
            raise ValueError(f"StepDecay(gamma): must be below 1. Received {gamma}.")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class LambdaDecay(LRScheduler):
    """lr · lr_lambda(epoch)."""

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1,
                 verbose: bool = False):
        if not callable(lr_lambda):
            raise TypeError(f"LambdaDecay(lr_lambda): must be callable. Received {type(lr_lambda).__name__}.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """The rate before · lr_lambda(epoch)."""

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1,
                 verbose: bool = False):
        if not callable(lr_lambda):
            raise TypeError(f"MultiplicativeDecay(lr_lambda): must be callable. Received {type(lr_lambda).__name__}.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        rate = self.base_lr
        for epoch in range(1, self.last_epoch + 1):
            rate *= self.lr_lambda(epoch)
        return rate


class ReduceOnPlateau(LRScheduler):
    """lr · factor when the metric given to `step` has not got better for more than `patience` epochs."""

    def __init__(self, learning_rate: float, mode: str = "min", factor: float = 0.1, patience: int = 10,
                 threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0,
                 epsilon: float = 1e-8, verbose: bool = False):
        if mode not in ("min", "max"):
            raise ValueError(f"ReduceOnPlateau(mode): 'min' or 'max'. Received {mode!r}.")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceOnPlateau(threshold_mode): 'rel' or 'abs'. Received {threshold_mode!r}.")
        if factor >= 1.0:
            raise ValueError(f"ReduceOnPlateau(factor): must be below 1. Received {factor}.")
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(f"ReduceOnPlateau(learning_rate): must be a number. Received {learning_rate!r}.")
        self.mode, self.factor, self.patience, self.threshold = mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.min_lr, self.epsilon = threshold_mode, cooldown, min_lr, epsilon
        self.cooldown_counter = 0
        self.best: float | None = None
        self.num_bad_epochs = 0
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch = 0
        self.verbose = verbose

    def state_keys(self) -> None:
        """What has been seen of the metric is part of the state."""
        self.keys = ("cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr")

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Takes the metric of an epoch: a number, or one element of an array or tensor."""
        if is_value(metrics) or isinstance(metrics, np.ndarray):
            if metrics.size != 1:
                raise ValueError(f"ReduceOnPlateau.step(metrics): one number. Received shape {list(metrics.shape)}.")
            metrics = metrics.item()
        elif not isinstance(metrics, (int, float, np.number)):
            raise TypeError(f"ReduceOnPlateau.step(metrics): must be a number. Received {type(metrics).__name__}.")
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(metrics, self.best):
            self.best, self.num_bad_epochs = metrics, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self._reduce()

    def _reduce(self) -> None:
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        reduced = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - reduced > self.epsilon:
            self.last_lr = reduced
            if self.verbose:
                print(f"Epoch {self.last_epoch}: ReduceOnPlateau set learning rate to {self.last_lr}.")

    def _is_better(self, current: float, best: float) -> bool:
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return current < best - margin if self.mode == "min" else current > best + margin

    def get_lr(self) -> float:
        """The rate as it is."""
        return self.last_lr


class CosineAnnealingDecay(LRScheduler):
    """Half a cosine from lr to eta_min in T_max epochs, and back (Loshchilov and Hutter, SGDR, 2017)."""

    def __init__(self, learning_rate: float, T_max: int, eta_min: float = 0, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(T_max, int) or T_max <= 0:
            raise TypeError(f"CosineAnnealingDecay(T_max): must be an int above 0. Received {T_max!r}.")
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`, from the one before."""
        if self.last_epoch == 0:
            return self.base_lr
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return self.last_lr + (self.base_lr - self.eta_min) * (1 - math.cos(math.pi / self.T_max)) / 2
        return (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / (
            1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)) * (self.last_lr - self.eta_min) + self.eta_min

    def _get_closed_form_lr(self) -> float:
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2

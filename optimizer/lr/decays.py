"""Learning-rate schedules that fall, or follow a function: each gives the rate for `last_epoch`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ...core.errors import AssertedError
from .scheduler import LRScheduler


class NoamDecay(LRScheduler):
    """lr · d_model^−0.5 · min(epoch^−0.5, epoch · warmup_steps^−1.5).

    Vaswani et al., Attention Is All You Need, 2017.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.NoamDecay(d_model=100, warmup_steps=2)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.0, 0.0354, 0.0707, 0.0577]
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
    """values[i] while the epoch is below boundaries[i], and the last value from then on.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.PiecewiseDecay([1, 3], [0.1, 0.01, 0.001])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.01, 0.01, 0.001]
    """

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
    """lr · e^(−gamma · epoch).

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.NaturalExpDecay(0.1, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.0607, 0.0368, 0.0223]
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        if gamma <= 0:
            raise AssertedError(f"NaturalExpDecay(gamma): must be above 0. Received {gamma}.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """lr / (1 + gamma · epoch).

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.InverseTimeDecay(0.1, gamma=1.0)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.05, 0.0333, 0.025]
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From lr to end_lr over decay_steps, as (1 − epoch / decay_steps)^power; with `cycle` it starts over each time.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.PolynomialDecay(0.1, decay_steps=3, end_lr=0.01)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.07, 0.04, 0.01]
    """

    def __init__(self, learning_rate: float, decay_steps: int, end_lr: float = 0.0001, power: float = 1.0,
                 cycle: bool = False, last_epoch: int = -1, verbose: bool = False):
        if not isinstance(decay_steps, int) or decay_steps <= 0:
            raise AssertedError(f"PolynomialDecay(decay_steps): must be an int above 0. Received {decay_steps!r}.")
        if power <= 0:
            raise AssertedError(f"PolynomialDecay(power): must be above 0. Received {power}.")
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
    """From start_lr to end_lr in warmup_steps, and then the given rate, or schedule, which counts from there.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.LinearWarmup(0.1, warmup_steps=2, start_lr=0.0, end_lr=0.1)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.0, 0.05, 0.1, 0.1]
    """

    def __init__(self, learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(learning_rate, (float, int, LRScheduler)):
            raise TypeError(f"LinearWarmup(learning_rate): a number or an LRScheduler. Received {learning_rate!r}.")
        if warmup_steps <= 0 or warmup_steps != int(warmup_steps):
            raise AssertedError(f"LinearWarmup(warmup_steps): must be an int above 0. Received {warmup_steps!r}.")
        if start_lr > end_lr:
            raise AssertedError(f"LinearWarmup(start_lr): must not exceed end_lr. Received {start_lr} and {end_lr}.")
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
    """lr · gamma^epoch.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.ExponentialDecay(0.1, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.05, 0.025, 0.0125]
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False):
        if not 0 < gamma < 1:
            raise AssertedError(f"ExponentialDecay(gamma): must lie between 0 and 1. Received {gamma}.")
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.gamma**self.last_epoch


class MultiStepDecay(LRScheduler):
    """lr · gamma for every milestone passed.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.MultiStepDecay(0.1, milestones=[1, 3])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.01, 0.01, 0.001]
    """

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
    """lr · gamma once every step_size epochs.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.StepDecay(0.1, step_size=2, gamma=0.1)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.1, 0.01, 0.01]
    """

    def __init__(self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(step_size, int):
            raise TypeError(f"StepDecay(step_size): must be an int above 0. Received {step_size!r}.")
        if step_size <= 0:
            raise AssertedError(f"StepDecay(step_size): must be an int above 0. Received {step_size!r}.")
        if gamma >= 1.0:
            raise ValueError(f"StepDecay(gamma): must be below 1. Received {gamma}.")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate for `self.last_epoch`."""
        return self.base_lr * self.gamma ** (self.last_epoch // self.step_size)


class LambdaDecay(LRScheduler):
    """lr · lr_lambda(epoch).

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.LambdaDecay(0.1, lambda epoch: 0.5 ** epoch)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.05, 0.025, 0.0125]
    """

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
    """The rate before · lr_lambda(epoch).

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.MultiplicativeDecay(0.1, lambda epoch: 0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.05, 0.025, 0.0125]
    """

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


class CosineAnnealingDecay(LRScheduler):
    """Half a cosine from lr to eta_min in T_max epochs, and back (Loshchilov and Hutter, SGDR, 2017).

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.CosineAnnealingDecay(0.1, T_max=3)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(round(rate(), 4))
    ...     rate.step()
    >>> rates
    [0.1, 0.075, 0.025, 0.0]
    """

    def __init__(self, learning_rate: float, T_max: int, eta_min: float = 0, last_epoch: int = -1,
                 verbose: bool = False):
        if not isinstance(T_max, int):
            raise TypeError(f"CosineAnnealingDecay(T_max): must be an int above 0. Received {T_max!r}.")
        if T_max <= 0:
            raise AssertedError(f"CosineAnnealingDecay(T_max): must be an int above 0. Received {T_max!r}.")
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

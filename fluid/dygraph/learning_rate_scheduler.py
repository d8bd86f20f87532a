"""Learning rates that change from step to step, for the optimizers of dynamic mode.

An optimizer calls the object once a step: it gives the rate of this step, and counts. Those by epochs (StepDecay,
MultiStepDecay, LambdaDecay) and ReduceLROnPlateau change when they are told.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.dtype import convert_dtype
from ...core.unique_name import generate
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace

__all__ = ["NoamDecay", "PiecewiseDecay", "NaturalExpDecay", "ExponentialDecay", "InverseTimeDecay", "PolynomialDecay",
           "CosineDecay", "LinearLrWarmup", "ReduceLROnPlateau", "StepDecay", "MultiStepDecay", "LambdaDecay"]


class LearningRateDecay:
    """Base of those that count steps: a subclass says in `step()` what the rate is at `step_num`.

    Rates are computed in float32, as Paddle computes them.

    >>> import proa.fluid as fluid
    >>> class Halves(fluid.dygraph.learning_rate_scheduler.LearningRateDecay):
    ...     def step(self):
    ...         return 0.5 ** self.step_num
    >>> with fluid.dygraph.guard():
    ...     rate = Halves()
    ...     [rate().numpy().tolist() for _ in range(3)]
    [[1.0], [0.5], [0.25]]
    """

    counts_steps = True  # `step()` gives the rate of the next one
    by_epochs = False

    def __init__(self, begin: int = 0, step: int = 1, dtype: str = "float32"):
        self.step_num, self.step_size, self.dtype = begin, step, dtype

    def __call__(self) -> Any:
        """The rate of this step, a value [1]; the next call gives that of the next one."""
        rate = self.step()
        self.step_num += self.step_size
        return rate if is_value(rate) else self.create_lr_var(rate)

    def create_lr_var(self, lr: Any) -> Any:
        """A value [1] of a number."""
        return current_trace().persistent((1,), convert_dtype(self.dtype), float(lr), generate("learning_rate"))

    def step(self) -> Any:
        """The rate at `step_num`: a number, or a value [1]."""
        raise NotImplementedError(f"{type(self).__name__} must define step().")

    # State

    def _state_keys(self) -> None:
        self.keys = ["step_num"]

    def state_dict(self) -> dict[str, Any]:
        """What changes from step to step, by name."""
        self._state_keys()
        return {key: _number(self.__dict__[key]) for key in self.keys if key in self.__dict__}

    def set_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave; RuntimeError where something is missing."""
        self._state_keys()
        missing = [key for key in self.keys if key not in state_dict]
        if missing:
            raise RuntimeError(f"{type(self).__name__}.set_dict(state_dict): lacks {missing}. It has "
                               f"{sorted(state_dict)}: was it saved with a rate of another kind?")
        self.__dict__.update({key: state_dict[key] for key in self.keys})
        if len(state_dict) > len(self.keys):
            warnings.warn(f"{type(self).__name__}.set_dict: {sorted(state_dict.keys() - set(self.keys))} say nothing "
                          "here.", stacklevel=2)

    set_state_dict = set_dict


def _number(value: Any) -> Any:
    return value.numpy().ravel()[0] if is_value(value) else value


def _float32(value: Any) -> Any:
    return np.float32(value)


class PiecewiseDecay(LearningRateDecay):
    """`values[i]` below `boundaries[i]`, and the last value behind them.

    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     rate = fluid.dygraph.PiecewiseDecay([2], [1.0, 0.5], begin=0)
    ...     [float(rate()) for _ in range(4)]
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, boundaries: Sequence[int], values: Sequence[float], begin: int, step: int = 1,
                 dtype: str = "float32"):
        super().__init__(begin, step, dtype)
        self.boundaries, self.values = boundaries, values

    def step(self) -> Any:
        """The rate."""
        passed = next((i for i, end in enumerate(self.boundaries) if self.step_num < end), len(self.values) - 1)
        return self.values[passed]


class _Decay(LearningRateDecay):
    """A rate that falls with step_num / decay_steps, which `staircase` cuts to whole numbers."""

    def __init__(self, learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False,
                 begin: int = 0, step: int = 1, dtype: str = "float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.decay_rate = learning_rate, decay_steps, decay_rate
        self.staircase = staircase

    def _passed(self) -> Any:
        passed = _float32(self.step_num / self.decay_steps)
        return np.floor(passed) if self.staircase else passed


class NaturalExpDecay(_Decay):
    """learning_rate * exp(-decay_rate * step_num / decay_steps)."""

    def step(self) -> Any:
        """The rate."""
        share = np.exp(_float32(-self.decay_rate) * self._passed())
        return self.create_lr_var(_float32(_number(self.learning_rate)) * share)


class ExponentialDecay(_Decay):
    """learning_rate * decay_rate ** (step_num / decay_steps)."""

    def step(self) -> Any:
        """The rate."""
        return self.create_lr_var(_float32(_number(self.learning_rate)) * _float32(self.decay_rate) ** self._passed())


class InverseTimeDecay(_Decay):
    """learning_rate / (1 + decay_rate * step_num / decay_steps)."""

    def step(self) -> Any:
        """The rate."""
        divisor = _float32(1) + _float32(self.decay_rate) * self._passed()
        return self.create_lr_var(_float32(_number(self.learning_rate)) / divisor)


class PolynomialDecay(LearningRateDecay):
    """(learning_rate - end_learning_rate) * (1 - step_num / decay_steps) ** power + end_learning_rate.

    The number of steps is at most `decay_steps`; with `cycle` these are as many times as long as it takes.
    """

    def __init__(self, learning_rate: Any, decay_steps: int, end_learning_rate: float = 0.0001, power: float = 1.0,
                 cycle: bool = False, begin: int = 0, step: int = 1, dtype: str = "float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps, self.end_learning_rate = learning_rate, decay_steps, end_learning_rate
        self.power, self.cycle = power, cycle

    def step(self) -> Any:
        """The rate."""
        if self.cycle:
            times = math.ceil(_float32(self.step_num / float(self.decay_steps))) if self.step_num else 1.0
            passed = _float32(self.step_num) / _float32(self.decay_steps * times)
        else:
            passed = _float32(min(self.step_num, self.decay_steps)) / _float32(self.decay_steps)
        span = _float32(_number(self.learning_rate) - self.end_learning_rate)
        left = (_float32(1) - passed) ** _float32(self.power)
        return self.create_lr_var(span * left + _float32(self.end_learning_rate))


class CosineDecay(LearningRateDecay):
    """learning_rate * 0.5 * (cos(epoch * pi / epochs) + 1), where epoch = step_num // step_each_epoch."""

    def __init__(self, learning_rate: Any, step_each_epoch: int, epochs: int, begin: int = 0, step: int = 1,
                 dtype: str = "float32"):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.step_each_epoch, self.epochs = learning_rate, step_each_epoch, epochs

    def step(self) -> Any:
        """The rate."""
        epoch = np.floor(_float32(self.step_num / self.step_each_epoch))
        turn = np.cos(epoch * _float32(math.pi) * _float32(1.0 / self.epochs))
        return self.create_lr_var(_float32(_number(self.learning_rate) * 0.5) * (turn + _float32(1)))


class NoamDecay(LearningRateDecay):
    """learning_rate * d_model ** -0.5 * min(step_num ** -0.5, step_num * warmup_steps ** -1.5).

    Vaswani et al., Attention Is All You Need, 2017.
    """

    def __init__(self, d_model: int, warmup_steps: int, begin: int = 1, step: int = 1, dtype: str = "float32",
                 learning_rate: float = 1.0):
        super().__init__(begin, step, dtype)
        self.learning_rate, self.d_model, self.warmup_steps = learning_rate, d_model, warmup_steps

    def step(self) -> Any:
        """The rate."""
        falling, rising = _float32(self.step_num ** -0.5), _float32(self.warmup_steps ** -1.5 * self.step_num)
        return self.create_lr_var(_float32(_number(self.learning_rate) * self.d_model ** -0.5) * min(falling, rising))


class LinearLrWarmup(LearningRateDecay):
    """From 0 by (end_lr - start_lr) / warmup_steps a step, and from `warmup_steps` on `learning_rate`.

    As in Paddle 1.8 the warm-up starts at 0, whatever `start_lr` is. `learning_rate` is a number or another rate, which
    counts from the beginning.
    """

    def __init__(self, learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float, begin: int = 1,
                 step: int = 1, dtype: str = "float32"):
        super().__init__(begin, step, dtype)
        if not isinstance(learning_rate, (float, int, LearningRateDecay)):
            raise TypeError("LinearLrWarmup(learning_rate): must be a number or another rate. "
                            f"Received {type(learning_rate).__name__}.")
        if end_lr <= start_lr:
            raise ValueError(f"LinearLrWarmup(end_lr): must be greater than start_lr. Received {end_lr}, {start_lr}.")
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.lr_ratio_before_warmup = (float(end_lr) - float(start_lr)) / float(warmup_steps)

    def step(self) -> Any:
        """The rate."""
        base = self.learning_rate() if isinstance(self.learning_rate, LearningRateDecay) else self.learning_rate
        return self.lr_ratio_before_warmup * self.step_num if self.step_num < self.warmup_steps else base


class ReduceLROnPlateau(LearningRateDecay):
    """Multiplied by `decay_rate` when the loss that `step(loss)` is told was no better for more than `patience` calls.

    Better is less ('min') or more ('max') than the best by `threshold`, a part of it ('rel') or an amount ('abs').
    """

    counts_steps = False

    def __init__(self, learning_rate: Any, mode: str = "min", decay_rate: float = 0.1, patience: int = 10,
                 verbose: bool = False, threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0,
                 min_lr: float = 0, eps: float = 1e-8, dtype: str = "float32"):
        super().__init__(dtype=dtype)
        self.mode, self.threshold_mode = mode.lower(), threshold_mode.lower()
        if self.mode not in ("min", "max"):
            raise ValueError(f"ReduceLROnPlateau(mode): must be 'min' or 'max'. Received {mode!r}.")
        if self.threshold_mode not in ("rel", "abs"):
            raise ValueError(f"ReduceLROnPlateau(threshold_mode): must be 'rel' or 'abs'. Received {threshold_mode!r}.")
        if decay_rate >= 1.0:
            raise ValueError(f"ReduceLROnPlateau(decay_rate): must be less than 1. Received {decay_rate}.")
        if not isinstance(learning_rate, (int, float)) and not is_value(learning_rate):
            raise TypeError("ReduceLROnPlateau(learning_rate): must be a number or a Variable. "
                            f"Received {type(learning_rate).__name__}.")
        self.learning_rate, self.decay_rate, self.patience, self.verbose = learning_rate, decay_rate, patience, verbose
        self.threshold, self.cooldown, self.min_lr, self.eps = threshold, cooldown, min_lr, eps
        self.cooldown_counter = self.num_bad_epochs = self.epoch_num = 0
        self.best_loss: Any = None

    def _state_keys(self) -> None:
        self.keys = ["cooldown_counter", "best_loss", "num_bad_epochs", "epoch_num", "learning_rate"]

    def __call__(self) -> Any:
        """The rate, a value [1]."""
        if not is_value(self.learning_rate):
            self.learning_rate = self.create_lr_var(self.learning_rate)
        return self.learning_rate

    def step(self, loss: Any) -> None:  # type: ignore[override]
        """Looks at a loss [1], and reduces the rate where it has not become better for too long."""
        if not is_value(loss) or list(loss.shape) != [1]:
            raise ValueError(f"ReduceLROnPlateau.step(loss): must be a Variable of shape [1]. Received "
                             f"{list(loss.shape) if is_value(loss) else type(loss).__name__}.")
        self.epoch_num += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        value = _number(loss)
        if self.best_loss is None or self._is_better(value, _number(self.best_loss)):
            self.best_loss, self.num_bad_epochs = loss, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs <= self.patience:
            return
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        old = _float32(_number(self.learning_rate))
        new = max(old * _float32(self.decay_rate), _float32(self.min_lr))
        if old - new > self.eps:
            if self.verbose:
                print(f"Epoch {self.epoch_num}: reducing learning rate from {old} to {new}.")
            self.learning_rate = self.create_lr_var(new)

    def _is_better(self, value: Any, best: Any) -> bool:
        margin = best * _float32(self.threshold) if self.threshold_mode == "rel" else _float32(self.threshold)
        return bool(value < best - margin if self.mode == "min" else value > best + margin)


class _EpochDecay(LearningRateDecay):
    """A rate by epochs: `epoch()` begins the next one."""

    counts_steps, by_epochs = False, True

    def __init__(self, learning_rate: float, dtype: str | None = None):
        if not isinstance(learning_rate, (float, int)):
            raise TypeError(f"{type(self).__name__}(learning_rate): must be a number. "
                            f"Received {type(learning_rate).__name__}.")
        if learning_rate < 0:
            raise ValueError(f"{type(self).__name__}(learning_rate): must not be negative. Received {learning_rate}.")
        self.base_lr, self.epoch_num, self.dtype = float(learning_rate), -1, dtype or "float32"
        self.learning_rate: Any = self.base_lr
        self.epoch()

    def _state_keys(self) -> None:
        self.keys = ["epoch_num", "learning_rate"]

    def __call__(self) -> Any:
        """The rate, a value [1]."""
        if not is_value(self.learning_rate):
            self.learning_rate = self.create_lr_var(self.learning_rate)
        return self.learning_rate

    def epoch(self, epoch: int | None = None) -> None:
        """Begins the next epoch, or the given one."""
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch
        self.learning_rate = self.get_lr()

    def get_lr(self) -> Any:
        """The rate of the epoch `epoch_num`."""
        raise NotImplementedError(f"{type(self).__name__} must define get_lr().")


def _check_decay_rate(name: str, decay_rate: float) -> None:
    if decay_rate >= 1.0:
        raise ValueError(f"{name}(decay_rate): must be less than 1. Received {decay_rate}.")


class StepDecay(_EpochDecay):
    """learning_rate * decay_rate ** (epoch // step_size).

    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     rate = fluid.dygraph.StepDecay(1.0, step_size=1, decay_rate=0.5)
    ...     rate.epoch()
    ...     float(rate())
    0.5
    """

    def __init__(self, learning_rate: float, step_size: int, decay_rate: float = 0.1):
        if not isinstance(step_size, int):
            raise TypeError(f"StepDecay(step_size): must be an int. Received {type(step_size).__name__}.")
        _check_decay_rate("StepDecay", decay_rate)
        self.step_size, self.decay_rate = step_size, decay_rate
        self._epochs_each = step_size
        super().__init__(learning_rate)

    def get_lr(self) -> Any:
        """The rate."""
        return _float32(self.base_lr) * _float32(self.decay_rate) ** _float32(self.epoch_num // self._epochs_each)


class MultiStepDecay(_EpochDecay):
    """learning_rate * decay_rate ** (how many of the milestones the epoch has reached)."""

    def __init__(self, learning_rate: float, milestones: Sequence[int], decay_rate: float = 0.1):
        if not isinstance(milestones, (tuple, list)):
            raise TypeError(f"MultiStepDecay(milestones): must be a list. Received {type(milestones).__name__}.")
        if any(a >= b for a, b in zip(milestones, milestones[1:], strict=False)):
            raise ValueError(f"MultiStepDecay(milestones): must ascend. Received {list(milestones)}.")
        _check_decay_rate("MultiStepDecay", decay_rate)
        self.milestones, self.decay_rate = milestones, decay_rate
        super().__init__(learning_rate)

    def get_lr(self) -> Any:
        """The rate."""
        passed = sum(self.epoch_num >= milestone for milestone in self.milestones)
        return _float32(self.base_lr) * _float32(self.decay_rate) ** _float32(passed)


class LambdaDecay(_EpochDecay):
    """learning_rate * lr_lambda(epoch)."""

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float]):
        if not callable(lr_lambda):
            raise TypeError(f"LambdaDecay(lr_lambda): must be a function. Received {type(lr_lambda).__name__}.")
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate)

    def get_lr(self) -> Any:
        """The rate."""
        return self.base_lr * self.lr_lambda(self.epoch_num)

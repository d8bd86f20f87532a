"""The learning-rate schedule that looks at a metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.errors import AssertedError
from ...ops.array.full import is_value
from .scheduler import LRScheduler


class ReduceOnPlateau(LRScheduler):
    """lr · factor when the metric given to `step` has not got better for more than `patience` epochs.

    >>> import proa as paddle
    >>> rate = paddle.optimizer.lr.ReduceOnPlateau(0.1, factor=0.5, patience=1)
    >>> for loss in (1.0, 1.0, 1.0):
    ...     rate.step(paddle.to_tensor(loss))
    >>> rate()
    0.05
    """

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
                raise AssertedError(
                    f"ReduceOnPlateau.step(metrics): one number. Received shape {list(metrics.shape)}.")
            metrics = metrics.numpy().reshape(-1)[0] if is_value(metrics) else metrics.reshape(-1)[0]
        elif not isinstance(metrics, (int, float, np.number)):
            raise TypeError(f"ReduceOnPlateau.step(metrics): must be a number. Received {type(metrics).__name__}.")
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._is_better(metrics, self.best):
            self.best, self.num_bad_epochs = float(metrics), 0
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

    def _is_better(self, current: Any, best: Any) -> bool:
        if isinstance(current, np.floating) and current.dtype.itemsize == 4:
            best = np.float32(best)  # compared in the metric's dtype: where the margin is met exactly, rounding decides
        margin = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return bool(current < best - margin if self.mode == "min" else current > best + margin)

    def get_lr(self) -> float:
        """The rate as it is."""
        return self.last_lr

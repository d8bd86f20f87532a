"""Callbacks that steer a training: learning rates by schedule, or lowered on a plateau, and an early end."""

from __future__ import annotations

import math
import numbers
import os
import warnings
from typing import Any

import numpy as np

from ..optimizer.lr import LRScheduler as Schedule
from .callback import Callback
from .together import tells


class LRScheduler(Callback):
    """Steps the optimizer's learning-rate schedule after every step (`by_step`), or after every epoch (`by_epoch`).

    A Model adds one by itself that goes by steps, unless it is given one.

    >>> import proa as paddle
    >>> by_epoch = paddle.callbacks.LRScheduler(by_step=False, by_epoch=True)
    """

    def __init__(self, by_step: bool = True, by_epoch: bool = False):
        super().__init__()
        if by_step and by_epoch:
            raise ValueError("LRScheduler(by_step, by_epoch): only one of them can be true.")
        self.by_step, self.by_epoch = by_step, by_epoch

    def _step(self) -> None:
        rate = getattr(self.model._optimizer, "_learning_rate", None)
        if isinstance(rate, Schedule):
            rate.step()

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Steps by epochs."""
        if self.by_epoch:
            self._step()

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Steps by steps."""
        if self.by_step:
            self._step()


class _Watching(Callback):
    """Watches one number of the evaluations: 'loss', or a metric's name."""

    def __init__(self, monitor: str, mode: str, min_delta: float):
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warnings.warn(f"{type(self).__name__}(mode): must be 'auto', 'min' or 'max', and is taken as 'auto'. "
                          f"Received {mode!r}.", stacklevel=3)
            mode = "auto"
        self.monitor, self.min_delta = monitor, abs(min_delta)
        self._rises = mode == "max" or mode == "auto" and ("acc" in monitor or "auc" in monitor)
        self.best_value = -math.inf if self._rises else math.inf
        self._warned = False

    def _rest(self, why: str) -> None:
        if not self._warned:
            warnings.warn(f"{type(self).__name__}(monitor={self.monitor!r}) does nothing: {why}", stacklevel=2)
        self._warned = True

    def _value(self, logs: dict[str, Any] | None) -> float | None:
        found = (logs or {}).get(self.monitor)
        if found is None:
            self._rest("the evaluation gives no such number. It gives "
                       f"{sorted(set(logs or ()) - {'step', 'batch_size'})}.")
            return None
        if isinstance(found, (list, tuple, np.ndarray)):
            found = np.asarray(found).reshape(-1)[0]
        if not isinstance(found, (numbers.Number, np.generic)):
            raise TypeError(f"{type(self).__name__}: {self.monitor!r} must be a number. "
                            f"Received {type(found).__name__}.")
        return float(found)  # type: ignore[arg-type]

    def _is_better(self, value: float, than: float) -> bool:
        return value > than + self.min_delta if self._rises else value < than - self.min_delta


class EarlyStopping(_Watching):
    """Ends the training when a number of the evaluations has not become better for `patience` of them.

    `monitor`: 'loss', or a metric's name; `mode`: 'min', 'max', or 'auto', by the name; less than `min_delta` is no
    improvement; `baseline`: the value to be better than from the start. With `save_best_model`, and a `save_dir` of the
    training, the best model is kept there as `best_model`. `stopped_epoch` counts the evaluations of the training.
    Where evaluations do not give the number, a warning says so once.

    >>> import proa as paddle
    >>> stop = paddle.callbacks.EarlyStopping(monitor="loss", patience=2, save_best_model=False)
    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.0, parameters=model.parameters()), paddle.nn.MSELoss())
    >>> data = [(paddle.ones([2]), paddle.ones([1]))] * 4
    >>> _ = model.fit(data, data, epochs=10, batch_size=2, verbose=0, callbacks=[stop])
    Epoch 3: Early stopping.
    >>> stop.stopped_epoch < 9
    True
    """

    def __init__(self, monitor: str = "loss", mode: str = "auto", patience: int = 0, verbose: int = 1,
                 min_delta: float = 0, baseline: float | None = None, save_best_model: bool = True):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline, self.save_best_model = patience, verbose, baseline, save_best_model
        self.save_dir: str | None = None
        self.wait_epoch = self.stopped_epoch = 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins again."""
        self.wait_epoch = self.stopped_epoch = 0
        self.best_value = (-math.inf if self._rises else math.inf) if self.baseline is None else float(self.baseline)

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """Decides."""
        value = self._value(logs)
        if value is None:
            return
        self.stopped_epoch += 1
        if self._is_better(value, self.best_value):
            self.best_value, self.wait_epoch = value, 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(f"{self.save_dir}/best_model")
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience and self.wait_epoch > 0:
            self.model.stop_training = True
            if self.verbose > 0 and tells():
                print(f"Epoch {self.stopped_epoch}: Early stopping.")
                if self.save_best_model and self.save_dir is not None:
                    print(f"Best checkpoint has been saved at {os.path.abspath(f'{self.save_dir}/best_model')}")


class ReduceLROnPlateau(_Watching):
    """Multiplies the learning rate by `factor` when a number has not become better for `patience` evaluations.

    After that it waits `cooldown` evaluations; the rate stays above `min_lr`. Other arguments as in EarlyStopping.
    Where a schedule decides the learning rate it does nothing, and a warning says so once.

    >>> import proa as paddle
    >>> slower = paddle.callbacks.ReduceLROnPlateau(factor=0.5, patience=3)
    """

    def __init__(self, monitor: str = "loss", factor: float = 0.1, patience: int = 10, verbose: int = 1,
                 mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0):
        super().__init__(monitor, mode, min_delta)
        if factor >= 1:
            raise ValueError(f"ReduceLROnPlateau(factor): must be under 1. Received {factor}.")
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = self._epoch = 0

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Begins again."""
        self.wait = self.cooldown_counter = self._epoch = 0
        self.best_value = -math.inf if self._rises else math.inf

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """Decides."""
        value = self._value(logs)
        if value is None:
            return
        if isinstance(self.model._optimizer._learning_rate, Schedule):
            self._rest("a schedule decides the learning rate.")
            return
        self._epoch += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(value, self.best_value):
            self.best_value, self.wait = value, 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce()

    def _reduce(self) -> None:
        optimizer = self.model._optimizer
        old = optimizer.get_lr()
        if old > self.min_lr:
            rate = max(old * self.factor, self.min_lr)
            optimizer.set_lr(rate)
            if self.verbose > 0 and tells():
                print(f"\nEpoch {self._epoch}: ReduceLROnPlateau reducing learning rate to {rate}.")
            self.cooldown_counter, self.wait = self.cooldown, 0

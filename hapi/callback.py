"""Callback, what may watch and steer a Model at work, and the list of those that do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Callback:
    """Base of the callbacks: each method is called when what it is named for happens, and does nothing by itself.

    `model` is the Model at work; `params` a dict with 'batch_size', 'epochs', 'steps', 'verbose' and 'metrics' (names).
    `logs` hold what is known then: 'loss' (a list), metrics by name, 'step', 'batch_size'. Setting
    `model.stop_training = True` ends the training after the epoch.

    >>> import proa as paddle
    >>> class Losses(paddle.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, logs["loss"])
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Is told what is to be done."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Is told who does it."""
        self.model = model

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before the first epoch."""

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """After the last epoch."""

    def on_eval_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before an evaluation; `logs` has its 'steps' and 'metrics'."""

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """After an evaluation."""

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Before predictions; `logs` has their 'steps'."""

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        """After predictions."""

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Before an epoch."""

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """After an epoch's training, before its evaluation."""

    def on_train_batch_begin(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Before a training step."""

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """After a training step."""

    def on_eval_batch_begin(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Before a batch of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """After a batch of an evaluation."""

    def on_predict_batch_begin(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Before a batch of predictions."""

    def on_predict_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """After a batch of predictions."""


class CallbackList:
    """Callbacks that are told together, in their order."""

    def __init__(self, callbacks: Iterable[Callback], model: Any, params: dict[str, Any]):
        self.callbacks = list(callbacks)
        for callback in self.callbacks:
            if not isinstance(callback, Callback):
                raise TypeError(f"callbacks: must be Callbacks. Received {type(callback).__name__}.")
            callback.set_model(model)
            callback.set_params(params)

    def tell(self, event: str, *args: Any) -> None:
        """Calls `on_<event>` of each."""
        for callback in self.callbacks:
            getattr(callback, f"on_{event}")(*args)

    # What loops of users call, that were written for Paddle: `mode` is 'train', 'eval' or 'predict'

    def on_begin(self, mode: str, logs: dict[str, Any] | None = None) -> None:
        """Tells that training, an evaluation or predictions begin."""
        self.tell(f"{_mode(mode)}_begin", logs)

    def on_end(self, mode: str, logs: dict[str, Any] | None = None) -> None:
        """Tells that they end."""
        self.tell(f"{_mode(mode)}_end", logs)

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Tells that an epoch begins."""
        self.tell("epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Tells that an epoch ends."""
        self.tell("epoch_end", epoch, logs)

    def on_batch_begin(self, mode: str, step: int, logs: dict[str, Any] | None = None) -> None:
        """Tells that a batch begins."""
        self.tell(f"{_mode(mode)}_batch_begin", step, logs)

    def on_batch_end(self, mode: str, step: int, logs: dict[str, Any] | None = None) -> None:
        """Tells that a batch ends."""
        self.tell(f"{_mode(mode)}_batch_end", step, logs)


def _mode(mode: str) -> str:
    if mode not in ("train", "eval", "predict"):
        raise ValueError(f"CallbackList(mode): must be 'train', 'eval' or 'predict'. Received {mode!r}.")
    return mode

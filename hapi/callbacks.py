"""The callbacks of a Model, and which of them work when the user names few. `paddle.callbacks`."""

from __future__ import annotations

from typing import Any

from .callback import Callback, CallbackList
from .progress import ProgBarLogger
from .records import ModelCheckpoint, VisualDL, WandbCallback
from .schedules import EarlyStopping, LRScheduler, ReduceLROnPlateau

__all__ = ["Callback", "EarlyStopping", "LRScheduler", "ModelCheckpoint", "ProgBarLogger", "ReduceLROnPlateau",
           "VisualDL", "WandbCallback"]


def config_callbacks(callbacks: Any = None, model: Any = None, batch_size: int | None = None,
                     epochs: int | None = None, steps: int | None = None, log_freq: int = 2, verbose: int = 2,
                     save_freq: int = 1, save_dir: str | None = None, metrics: list[str] | None = None,
                     mode: str = "train") -> CallbackList:
    """The user's callbacks, with those added that a Model wants: a logger, checkpoints, and the schedule's steps."""
    given = list(callbacks) if isinstance(callbacks, (list, tuple)) else [] if callbacks is None else [callbacks]
    if verbose and not any(isinstance(c, ProgBarLogger) for c in given):
        given.insert(0, ProgBarLogger(log_freq, verbose))
    if mode == "train":
        if not any(isinstance(c, LRScheduler) for c in given):
            given.append(LRScheduler())
        if not any(isinstance(c, ModelCheckpoint) for c in given):
            given.append(ModelCheckpoint(save_freq, save_dir))
        for callback in given:
            if isinstance(callback, EarlyStopping):
                callback.save_dir = save_dir
    params = {"batch_size": batch_size, "epochs": epochs, "steps": steps, "verbose": verbose, "metrics": metrics or []}
    return CallbackList(given, model, params)

"""Callbacks that keep what a training gives: model files, and curves for a viewer."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from .callback import Callback
from .together import tells


class ModelCheckpoint(Callback):
    """Saves the model every `save_freq` epochs, as `save_dir/0`, `save_dir/1`…, and at the end as `save_dir/final`.

    >>> import proa as paddle
    >>> keep = paddle.callbacks.ModelCheckpoint(save_freq=1, save_dir="kept")
    """

    def __init__(self, save_freq: int = 1, save_dir: str | None = None):
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir

    def _save(self, name: str) -> None:
        path = os.path.join(os.path.abspath(str(self.save_dir)), name)
        if tells():
            print(f"save checkpoint at {path}")
        self.model.save(path)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Saves, when it is time."""
        if self.save_dir and epoch % self.save_freq == 0:
            self._save(str(epoch))

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Saves the end."""
        if self.save_dir:
            self._save("final")


def numbers(logs: dict[str, Any] | None) -> dict[str, float]:
    """The numbers in logs by name: of several under one name the first is called as that is."""
    found: dict[str, float] = {}
    for name, value in (logs or {}).items():
        if name in ("step", "batch_size", "steps", "metrics"):
            continue
        for n, number in enumerate(np.asarray(value, "float64").reshape(-1)):
            found[name if n == 0 else f"{name}_{n}"] = float(number)
    return found


class _Curves(Callback):
    """Gives losses and metrics to a writer: of every training step, and of every evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self._steps = self._epochs = 0

    def write(self, kind: str, values: dict[str, float], step: int) -> None:
        """Writes points of curves, by name."""
        raise NotImplementedError

    def _write(self, kind: str, values: dict[str, float], step: int) -> None:
        if tells():
            self.write(kind, values, step)

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Writes a step's numbers."""
        self._steps += 1
        self._write("train", numbers(logs), self._steps)

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """Writes an evaluation's numbers."""
        self._epochs += 1
        self._write("eval", numbers(logs), self._epochs)


class VisualDL(_Curves):
    """Writes curves of losses and metrics to `log_dir`: by the package visualdl, or else by tensorboardX.

    ImportError where neither is installed.

    >>> import proa as paddle
    >>> import importlib.util, tempfile
    >>> if importlib.util.find_spec("visualdl") or importlib.util.find_spec("tensorboardX"):
    ...     net = paddle.nn.Linear(2, 1)
    ...     model = paddle.Model(net)
    ...     model.prepare(paddle.optimizer.SGD(0.1, parameters=net.parameters()), paddle.nn.MSELoss())
    ...     data = paddle.io.TensorDataset([paddle.ones([4, 2]), paddle.ones([4, 1])])
    ...     _ = model.fit(data, batch_size=2, verbose=0, callbacks=paddle.callbacks.VisualDL(tempfile.mkdtemp()))
    """

    def __init__(self, log_dir: str):
        super().__init__()
        self.log_dir = log_dir
        self._writer: Any = None
        self._make = _writer_type()

    def write(self, kind: str, values: dict[str, float], step: int) -> None:
        """Writes points of curves."""
        if self._writer is None:
            self._writer = self._make(self.log_dir)
        for name, value in values.items():
            self._writer.add_scalar(f"{kind}/{name}", value, step)

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Closes the files."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _writer_type() -> Any:
    for package, name in (("visualdl", "LogWriter"), ("tensorboardX", "SummaryWriter")):
        try:
            return getattr(importlib.import_module(package), name)
        except ImportError:
            continue
    raise ImportError("VisualDL(log_dir) writes by the package visualdl or tensorboardX, and neither is installed: "
                      "pip install 'proa[curves]' (tensorboardX, whose files TensorBoard and VisualDL show).")


class WandbCallback(_Curves):
    """Sends curves of losses and metrics to Weights & Biases, in a run of its own, or the one that there is.

    The arguments are those of `wandb.init`. ImportError where the package wandb is not installed.

    >>> import proa as paddle
    >>> import importlib.util
    >>> if importlib.util.find_spec("wandb"):
    ...     curves = paddle.callbacks.WandbCallback("trials", mode="offline")  # for model.fit(…, callbacks=curves)
    """

    def __init__(self, project: str | None = None, entity: str | None = None, name: str | None = None,
                 dir: str | None = None, mode: str | None = None, job_type: str | None = None, **kwargs: Any):
        super().__init__()
        try:
            self._wandb: Any = importlib.import_module("wandb")
        except ImportError as error:
            raise ImportError("WandbCallback needs the package wandb, which is not installed: pip install wandb. "
                              "VisualDL(log_dir) keeps curves in files of your own.") from error
        given = {"project": project, "entity": entity, "name": name, "dir": dir, "mode": mode, "job_type": job_type}
        self._arguments = {k: v for k, v in {**given, **kwargs}.items() if v is not None}
        self._run: Any = None

    def write(self, kind: str, values: dict[str, float], step: int) -> None:
        """Sends points of curves."""
        if self._run is None:
            self._run = self._wandb.run or self._wandb.init(**self._arguments)
        unit = "step" if kind == "train" else "epoch"
        self._run.log({**{f"{kind}/{name}": value for name, value in values.items()}, f"{kind}/{unit}": step})

    def on_train_end(self, logs: dict[str, Any] | None = None) -> None:
        """Ends the run."""
        if self._run is not None:
            self._run.finish()
            self._run = None

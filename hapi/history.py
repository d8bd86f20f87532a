"""History: the numbers of a training, which `Model.fit` gives, and which a notebook shows as curves."""

from __future__ import annotations

from typing import Any

from ..core.curves import curves_svg
from ..core.html import framed
from .callback import Callback
from .records import numbers

Curve = list[tuple[int, float]]


class History(Callback):
    """Losses and metrics by name: in `train` of every step, in `eval` of every evaluation, each with its step.

    >>> import proa as paddle
    >>> model = paddle.Model(paddle.nn.Linear(2, 1))
    >>> model.prepare(paddle.optimizer.SGD(0.1, parameters=model.parameters()), paddle.nn.MSELoss())
    >>> data = paddle.io.TensorDataset([paddle.ones([8, 2]), paddle.ones([8, 1])])
    >>> history = model.fit(data, data, batch_size=4, epochs=3, verbose=0)
    >>> history
    History(6 steps: train loss, eval loss)
    >>> [step for step, loss in history.eval["loss"]]
    [2, 4, 6]
    """

    def __init__(self) -> None:
        super().__init__()
        self.steps = 0
        self.train: dict[str, Curve] = {}
        self.eval: dict[str, Curve] = {}

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Keeps a step's numbers."""
        self.steps += 1
        self._keep(self.train, logs)

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """Keeps an evaluation's numbers."""
        self._keep(self.eval, logs)

    def _keep(self, curves: dict[str, Curve], logs: dict[str, Any] | None) -> None:
        for name, value in numbers(logs).items():
            curves.setdefault(name, []).append((self.steps, value))

    def __repr__(self) -> str:
        names = [f"{kind} {name}" for kind, curves in (("train", self.train), ("eval", self.eval)) for name in curves]
        return f"History({self.steps} steps: {', '.join(names)})"

    def _repr_html_(self) -> str:
        shown = list(dict.fromkeys([*self.train, *self.eval]))
        return framed(*(curves_svg(name, {kind: curves[name] for kind, curves in
                                          (("train", self.train), ("eval", self.eval)) if name in curves})
                        for name in shown))

"""ModelAverage: the average of a model's parameters over the last steps, to be tried in their place."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core.dtype import int64
from ..ops.averages import average_accumulates_op
from ..ops.elementwise import cast
from ..ops.trace import apply, current_trace
from .optimizer import Optimizer


class ModelAverage(Optimizer):
    """Averages of the parameters over a window of steps: `step()` after the optimizer's, `apply()` to use them.

    The window begins anew when it holds `min_average_window` steps and as many as `average_window_rate` times all
    steps so far, or `max_average_window`; the window before counts in the average too. In PaddlePaddle this is
    `paddle.incubate.ModelAverage`. Here it works on Tensors; in a Program NotImplementedError.

    Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging, 1992.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    >>> average = paddle.incubate.ModelAverage(0.15, layer.parameters(), 2, 10)
    >>> for _ in range(3):
    ...     layer(paddle.ones([1, 2])).sum().backward(); sgd.step(); average.step(); sgd.clear_grad()
    >>> last = layer.bias.tolist()
    >>> with average.apply():
    ...     layer.bias.tolist() == last
    False
    >>> layer.bias.tolist() == last
    True
    """

    _kinds = ("sum_1", "sum_2", "sum_3", "num_accumulates", "old_num_accumulates", "num_updates", "restore")

    def __init__(self, average_window_rate: float, parameters: Any = None, min_average_window: int = 10000,
                 max_average_window: int = 10000, name: str | None = None):
        super().__init__(0.0, parameters, name=name)
        if self._parameter_list is None:
            raise ValueError("ModelAverage(parameters): must be given.")
        self.average_window, self.min_average_window = average_window_rate, min_average_window
        self.max_average_window = max_average_window
        self._kept: dict[int, Any] = {}  # the parameters' own values while averages stand in their place

    def _sums(self, parameter: Any) -> list[Any]:
        return [self._accumulator(f"sum_{n}", parameter) for n in (1, 2, 3)]

    def _counts(self, parameter: Any) -> list[Any]:
        return [self._accumulator(kind, parameter, 0, [1], int64) for kind in
                ("num_accumulates", "old_num_accumulates", "num_updates")]

    def step(self) -> None:
        """Takes the parameters' values into the average."""
        trace = current_trace()
        if not trace.computes:
            raise NotImplementedError("ModelAverage.step(): averages are taken of Tensors, not in a Program.")
        with trace.updating():
            for parameter in self._trainable():
                apply(average_accumulates_op, parameter, *self._sums(parameter), *self._counts(parameter),
                      average_window=float(self.average_window), max_average_window=self.max_average_window,
                      min_average_window=self.min_average_window)

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None,
                 no_grad_set: Any = None) -> tuple[list, list[tuple[Any, Any]]]:
        """As `step`; it changes no parameter."""
        self.step()
        return [], []

    def _trainable(self) -> list[Any]:
        return [p for p in self._parameter_list or () if not p.stop_gradient]

    @contextlib.contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Within the block the parameters are their averages; beyond it too, unless `need_restore`, till `restore`."""
        if self._kept:
            raise RuntimeError("ModelAverage.apply(): averages stand in the parameters' place already; call restore() "
                               "first.")
        trace = current_trace()
        with trace.updating():
            for parameter in self._trainable():
                self._kept[id(parameter)] = trace.copy(parameter, None)
                (one, two, three), (count, old, _) = self._sums(parameter), self._counts(parameter)
                total = count + old
                if int(total) > 0:
                    trace.store(parameter, (one + two + three) / cast(total, parameter.dtype))
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def restore(self, executor: Any = None) -> None:
        """Gives the parameters their own values back."""
        for parameter in self._trainable():
            kept = self._kept.pop(id(parameter), None)
            if kept is not None:
                current_trace().store(parameter, kept)

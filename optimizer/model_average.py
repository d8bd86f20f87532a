"""ModelAverage: the average of a model's parameters over the last steps, to be tried in their place."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core.dtype import int64
from ..ops.core.trace import apply, current_trace
from ..ops.math.casting import cast
from ..ops.optim.averages import average_accumulates_op
from ..static.run.scope import global_scope
from .optimizer import Optimizer


class ModelAverage(Optimizer):
    """Averages of the parameters over a window of steps: `step()` after the optimizer's, `apply()` to use them.

    The window begins anew when it holds `min_average_window` steps and as many as `average_window_rate` times all
    steps so far, or `max_average_window`; the window before counts in the average too. In PaddlePaddle this is
    `paddle.incubate.ModelAverage`. In a Program it is made behind the optimizer's `minimize`, and each run is a step;
    `parameters` are all of its own unless given, the means and variances of batch normalization too, but for those of
    `ParamAttr(do_model_average=False)`; `apply(executor)` exchanges the values in the scope.

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
        trace = current_trace()
        self._in_program = not trace.computes
        super().__init__(0.0, trace.averaged() if parameters is None else parameters, name=name)
        self.average_window, self.min_average_window = average_window_rate, min_average_window
        self.max_average_window = max_average_window
        self._kept: dict[str, Any] = {}  # the parameters' own values while averages stand in their place
        if self._in_program:
            self._accumulate()

    def _sums(self, parameter: Any) -> list[Any]:
        return [self._accumulator(f"sum_{n}", parameter) for n in (1, 2, 3)]

    def _counts(self, parameter: Any) -> list[Any]:
        return [self._accumulator(kind, parameter, 0, [1], int64) for kind in
                ("num_accumulates", "old_num_accumulates", "num_updates")]

    def step(self) -> None:
        """Takes the parameters' values into the average; in a Program every run does."""
        if not self._in_program:
            self._accumulate()

    def _accumulate(self) -> None:
        with current_trace().updating():
            for parameter in self._averaged():
                apply(average_accumulates_op, parameter, *self._sums(parameter), *self._counts(parameter),
                      average_window=float(self.average_window), max_average_window=self.max_average_window,
                      min_average_window=self.min_average_window)

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """As `step`; it changes no parameter."""
        self.step()
        return [], []

    def _averaged(self) -> list[Any]:
        return [p for p in self._parameter_list or () if self._in_program or not p.stop_gradient]

    @contextlib.contextmanager
    def apply(self, executor: Any = None, need_restore: bool = True) -> Iterator[None]:
        """Within the block the parameters are their averages; beyond it too, unless `need_restore`, till `restore`."""
        if self._kept:
            raise RuntimeError("ModelAverage.apply(): averages stand in the parameters' place already; call restore() "
                               "first.")
        (self._exchange_in_scope if self._in_program else self._exchange)()
        try:
            yield
        finally:
            if need_restore:
                self.restore()

    def _exchange(self) -> None:
        trace = current_trace()
        with trace.updating():
            for parameter in self._averaged():
                self._kept[parameter.name] = trace.copy(parameter, None)
                (one, two, three), (count, old, _) = self._sums(parameter), self._counts(parameter)
                total = count + old
                if int(total) > 0:
                    trace.store(parameter, (one + two + three) / cast(total, parameter.dtype))

    def _exchange_in_scope(self) -> None:
        scope = global_scope()
        averages = {}
        for parameter in self._averaged():
            held = [*self._sums(parameter), *self._counts(parameter)[:2]]
            arrays = [scope.array(value.name) for value in held]
            if any(array is None for array in arrays):
                raise RuntimeError("ModelAverage.apply(): nothing has been averaged in this scope. Run the startup "
                                   "Program and the main Program first.")
            one, two, three, count, old = arrays
            total = int(count[0]) + int(old[0])
            own = scope.array(parameter.name)
            averages[parameter.name] = own, ((one + two + three) / total).astype(own.dtype) if total else own
        for name, (own, average) in averages.items():
            self._kept[name] = own
            scope.set_array(name, average)

    def restore(self, executor: Any = None) -> None:
        """Gives the parameters their own values back."""
        for parameter in self._averaged():
            kept = self._kept.pop(parameter.name, None)
            if kept is None:
                continue
            if self._in_program:
                global_scope().set_array(parameter.name, kept)
            else:
                current_trace().store(parameter, kept)

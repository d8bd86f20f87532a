"""GradientMergeOptimizer: an optimizer around another one, which updates by the gradients of several runs."""

from __future__ import annotations

from typing import Any

from ..core.dtype import int32
from ..ops.core.trace import current_trace
from ..ops.math.comparison import equal
from ..ops.math.elementwise import remainder
from ..ops.optim.row_updates import held_values, sum_of, with_held_values
from ..static.building.control_flow import cond

STEP = "gradient_merge_step"


class GradientMergeOptimizer:
    """Adds up the gradients of `k_steps` steps, and lets the inner optimizer update by their sum.

    With `avg` by their mean, which is the gradient of a batch that is so many times as large. A step is a run of a
    Program, whose sums are persistable values, `w@GRAD@GradientMerge`; in eager code it is a `step()`, behind which
    `clear_grad()` leaves the sums alone. `state_dict()` is that of the inner optimizer: it is asked for behind an
    update. Raises ValueError for k_steps below 1.

    >>> import proa as paddle
    >>> from proa import static
    >>> with static.program_guard(static.Program(), static.Program()):
    ...     loss = static.nn.fc(static.data("x", [None, 4]), 1).mean()
    ...     rule = paddle.incubate.optimizer.GradientMergeOptimizer(paddle.optimizer.SGD(0.1), k_steps=4)
    ...     _ = rule.minimize(loss)
    """

    def __init__(self, inner_optimizer: Any, k_steps: int = 1, avg: bool = True):
        if inner_optimizer is None:
            raise TypeError("GradientMergeOptimizer(inner_optimizer): must be an optimizer. Received None.")
        self.inner_optimizer, self.avg = inner_optimizer, avg
        self._set_k_steps(k_steps)
        self._steps = 0
        self._sums: dict[str, Any] = {}  # of eager code, by parameter

    def __getattr__(self, name: str) -> Any:
        if name == "inner_optimizer":  # while a copy is made
            raise AttributeError(name)
        return getattr(self.inner_optimizer, name)

    def step(self) -> None:
        """Adds the gradients up, and each `k_steps` steps lets the inner optimizer update."""
        self._steps += 1
        parameters = self.inner_optimizer._parameter_list
        with current_trace().updating():
            for parameter, gradient in current_trace().gradients(None, parameters):
                found = self._sums.get(parameter.name)
                self._sums[parameter.name] = sum_of(gradient) if found is None else sum_of(found, gradient)
            if self._steps < self.k_steps:
                return
            factor = 1.0 / self.k_steps if self.avg else 1.0
            for parameter in parameters:
                total = self._sums.get(parameter.name)
                if total is not None:
                    parameter.grad = with_held_values(total, held_values(total) * factor)
        self.inner_optimizer.step()
        self._steps, self._sums = 0, {}

    def _set_k_steps(self, k_steps: int) -> None:
        if not isinstance(k_steps, int) or k_steps < 1:
            raise ValueError("GradientMergeOptimizer(k_steps): must be an integer of at least 1. "
                             f"Received {k_steps!r}.")
        self.k_steps = k_steps

    def _set_avg(self, avg: bool) -> None:
        self.avg = avg

    def backward(self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> list[tuple[Any, Any]]:
        """The parameters with their gradients: the first half of `minimize`."""
        return self.inner_optimizer.backward(loss, startup_program, parameter_list, no_grad_set, callbacks)

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> list[Any]:
        """Adds the gradients up, and lets the inner optimizer update each `k_steps` runs: the second half."""
        if not params_grads:
            return []
        with current_trace().training(params_grads[0][0]):
            self._merge(params_grads)
        return []

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list[tuple[Any, Any]]) -> list[Any]:
        """As `apply_gradients`, with the startup Program for what it keeps."""
        with current_trace().training(loss, startup_program):
            self._merge(params_grads)
        return []

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """Appends the gradient of `loss`, the sums, and the updates that are done each `k_steps` runs.

        On Tensors: as `step`, after `loss.backward()`.
        """
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        if current_trace().computes:
            self.step()
            return [], pairs
        return self.apply_optimize(loss, startup_program, pairs), pairs

    def _merge(self, pairs: list[tuple[Any, Any]]) -> None:
        if self.k_steps == 1:
            self.inner_optimizer.apply_gradients(pairs)
            return
        trace = current_trace()
        with trace.updating():
            step = trace.persistent((1,), int32, 0, STEP)
            trace.store(step, remainder(step + 1, self.k_steps))
            sums = [(parameter, trace.persistent(tuple(parameter.shape), gradient.dtype, 0.0,
                                                 f"{gradient.name}@GradientMerge")) for parameter, gradient in pairs]
            for (_, gradient), (_, total) in zip(pairs, sums, strict=True):
                trace.store(total, total + gradient)
            cond(equal(step, 0), lambda: self._update(sums))

    def _update(self, sums: list[tuple[Any, Any]]) -> None:
        factor = 1.0 / self.k_steps if self.avg else 1.0
        self.inner_optimizer.apply_gradients([(parameter, total * factor) for parameter, total in sums])
        for _, total in sums:
            current_trace().store(total, total * 0.0)

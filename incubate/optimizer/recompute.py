"""RecomputeOptimizer: an optimizer around another one, whose gradients compute parts of the forward pass again."""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import current_trace
from ...static.backward import append_backward, checkpoint_names


class RecomputeOptimizer:
    """Minimizes in a Program as the optimizer that it is given does, with less memory and more arithmetic.

    `_set_checkpoints` names the values of the forward pass that are kept for the backward one; what lies between them
    is computed again. Raises RuntimeError where none were named.

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     hidden = static.nn.fc(static.data("x", [None, 4]), 8, activation="tanh")
    ...     loss = static.nn.fc(hidden, 1).mean()
    ...     rule = paddle.incubate.optimizer.RecomputeOptimizer(paddle.optimizer.SGD(0.1))
    ...     rule._set_checkpoints([hidden])
    ...     _ = rule.minimize(loss)
    """

    def __init__(self, optimizer: Any):
        self._optimizer = optimizer
        self._checkpoints: list[str] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_optimizer"], name)

    def _set_checkpoints(self, checkpoints: Any) -> None:
        self._checkpoints = checkpoint_names(checkpoints)

    def backward(self, loss: Any, startup_program: Any = None, parameter_list: Any = None, no_grad_set: Any = None,
                 callbacks: Any = None) -> list[tuple[Any, Any]]:
        """The parameters with their gradients: the first half of `minimize`."""
        if self._checkpoints is None:
            raise RuntimeError("RecomputeOptimizer: call _set_checkpoints first, with the values that are to be kept.")
        parameters = parameter_list or self._optimizer._parameter_list
        with current_trace().training(loss, startup_program):
            return append_backward(loss, parameters, no_grad_set, callbacks, self._checkpoints)

    def apply_gradients(self, params_grads: list[tuple[Any, Any]]) -> Any:
        """Clips, decays and updates: the second half of `minimize`."""
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: list[tuple[Any, Any]]) -> Any:
        """As `apply_gradients`, for a loss of another Program than the default one."""
        with current_trace().training(loss, startup_program):
            return self.apply_gradients(params_grads)

    def minimize(self, loss: Any, startup_program: Any = None, parameter_list: Any = None,
                 no_grad_set: Any = None) -> tuple[Any, list[tuple[Any, Any]]]:
        """Appends the gradient of `loss`, with what it computes again, and the updates."""
        pairs = self.backward(loss, startup_program, parameter_list, no_grad_set)
        return self.apply_optimize(loss, startup_program, pairs), pairs

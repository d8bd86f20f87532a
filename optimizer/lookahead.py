"""LookAhead: an optimizer around another one, whose steps it follows from behind."""

from __future__ import annotations

from typing import Any

from ..core.dtype import float32
from ..core.errors import AssertedError, WrongKindError
from ..ops.array.reshape import reshape
from ..ops.array.where import where
from ..ops.core.trace import current_trace
from ..ops.math.comparison import equal
from .optimizer import Optimizer

_STEPS = "lookahead_steps"


class LookAhead(Optimizer):
    """slow ← slow + alpha · (fast - slow) and fast ← slow, each `k` steps of the inner optimizer, which moves fast.

    The parameters are the fast weights; the slow ones begin as what the first step leaves. In PaddlePaddle this is
    `paddle.incubate.LookAhead`. Raises ValueError for alpha outside [0, 1] and k below 1.

    Zhang et al., Lookahead Optimizer: k steps forward, 1 step back, 2019.

    >>> import proa as paddle
    >>> layer = paddle.nn.Linear(2, 1)
    >>> rule = paddle.incubate.LookAhead(paddle.optimizer.SGD(0.1, parameters=layer.parameters()), 0.5, 5)
    >>> layer(paddle.ones([1, 2])).sum().backward(); rule.step(); rule.clear_grad()
    """

    _kinds = ("slow",)

    def __init__(self, inner_optimizer: Optimizer, alpha: float = 0.5, k: int = 5, name: str | None = None):
        if not isinstance(inner_optimizer, Optimizer):
            raise WrongKindError("LookAhead(inner_optimizer): must be an optimizer. "
                                 f"Received {type(inner_optimizer).__name__}.")
        if not 0 <= alpha <= 1:
            raise AssertedError(f"LookAhead(alpha): must lie in [0, 1]. Received {alpha}.")
        if not isinstance(k, int) or k < 1:
            raise AssertedError(f"LookAhead(k): must be an integer of at least 1. Received {k!r}.")
        super().__init__(alpha, inner_optimizer._parameter_list, name=name)
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k
        self._steps = 0

    def _phase(self) -> float:
        """The number of the step: 1 for the first, else k where slow weights move and 0 between; counts on."""
        self._steps += 1
        return 1.0 if self._steps == 1 else 2.0 if self._steps % self.k == 0 else 0.0

    def step(self) -> None:
        """A step of the inner optimizer, and each `k` of them one of the slow weights."""
        self.inner_optimizer.step()
        self._follow(current_trace().gradients(None, self._parameter_list))

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None,
                 no_grad_set: Any = None) -> tuple[list[Any], list[tuple[Any, Any]]]:
        """As the inner optimizer's, with the slow weights' step behind it."""
        operations, pairs = self.inner_optimizer.minimize(loss, startup_program, parameters, no_grad_set)
        with current_trace().training(loss, startup_program):
            self._follow(pairs)
        return operations, pairs

    def _follow(self, pairs: list[tuple[Any, Any]]) -> None:
        trace = current_trace()
        with trace.updating():
            phase = reshape(trace.host_value(self._phase, float32, "lookahead_phase"), [])  # as parameters may be
            first, moves = equal(phase, 1.0), equal(phase, 2.0)
            for parameter, _ in pairs:
                slow = self._accumulator("slow", parameter)
                behind = where(first, parameter, slow)
                behind = where(moves, behind + (parameter - behind) * self.alpha, behind)
                trace.store(parameter, where(moves, behind, parameter))
                trace.store(slow, behind)

    def state_dict(self) -> dict[str, Any]:
        """The inner optimizer's state, the slow weights by name, and the number of steps under 'lookahead_steps'."""
        return {**self.inner_optimizer.state_dict(), **super().state_dict(), _STEPS: self._steps}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave; of PaddlePaddle's, which has slow weights alone, `k` steps count anew."""
        own = {key: value for key, value in state_dict.items() if self._place_of(key) is not None}
        inner = {key: value for key, value in state_dict.items() if key not in own and key != _STEPS}
        super().set_state_dict(own)
        if inner:
            self.inner_optimizer.set_state_dict(inner)
        self._steps = int(state_dict.get(_STEPS, self.k if own else 0))

    set_dict = set_state_dict

    def get_lr(self) -> float:
        """The inner optimizer's learning rate."""
        return self.inner_optimizer.get_lr()

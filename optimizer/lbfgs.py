"""L-BFGS: steps along the gradient as a limited memory of earlier steps bends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.creation import zeros
from ..ops.elementwise import cast
from ..ops.joining import concat
from ..ops.manipulation import reshape
from ..ops.trace import current_trace, grad_mode
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer


class LBFGS(Optimizer):
    """Minimizes a function of all parameters; `step(closure)` takes up to `max_iter` steps.

    Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.5. The closure clears the gradients, computes the
    loss, calls `backward()` and gives the loss back; it runs up to `max_eval` times a call (max_iter · 5/4 unless
    given). A step is `learning_rate` long, or found by line_search_fn="strong_wolfe". It ends when no gradient exceeds
    `tolerance_grad`, or nothing changes by more than `tolerance_change`. The parameters are of one dtype; eager only.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(3.0))
    >>> rule = paddle.optimizer.LBFGS(parameters=[w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     rule.clear_grad()
    ...     loss = ((w - paddle.to_tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = rule.step(closure)
    >>> w.numpy().round(3).tolist()
    [1.0, 2.0]
    """

    def __init__(self, learning_rate: Any = 1.0, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None, parameters: Any = None, weight_decay: Any = None,
                 grad_clip: Any = None, name: str | None = None):
        if parameters is None:
            raise TypeError("LBFGS(parameters): must be a list of parameters, such as layer.parameters().")
        if line_search_fn not in (None, "strong_wolfe"):
            raise ValueError(f"LBFGS(line_search_fn): None or 'strong_wolfe'. Received {line_search_fn!r}.")
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._max_iter, self._history_size = int(max_iter), int(history_size)
        self._max_eval = int(max_iter * 5 // 4 if max_eval is None else max_eval)
        self._tolerance_grad, self._tolerance_change = float(tolerance_grad), float(tolerance_change)
        self._searches = line_search_fn is not None
        self._memory: list[tuple[Any, Any]] = []  # the last steps, each with the change of the gradient
        self._scale = 1.0  # of the gradient, as a first guess of the inverse Hessian
        self._last: tuple[Any, Any, float] | None = None  # direction, gradient and length of the last step

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Minimizes; gives the loss at the start, as the closure gave it."""
        if closure is None:
            raise TypeError("LBFGS.step(closure): needs a function that computes the loss and calls backward().")
        with grad_mode(True):
            first = closure()
        with current_trace().updating():
            self._descend(closure, float(first) + self._penalty(), self._gradient())
        return first

    def _descend(self, closure: Callable[[], Any], loss: float, gradient: Any) -> None:
        evaluations = 1
        for _ in range(self._max_iter):
            if _largest(gradient) <= self._tolerance_grad or evaluations >= self._max_eval:
                return
            direction = self._direction(gradient)
            slope = float((gradient * direction).sum())
            if slope > -self._tolerance_change:
                return
            first = min(1.0, 1.0 / float(gradient.abs().sum())) if self._last is None else 1.0
            start, length = self._flat(self._parameters()), first * self.get_lr()
            point, used = self._moved(closure, start, Point(0.0, loss, slope, gradient), direction, length,
                                      self._max_eval - evaluations)
            evaluations += used
            self._place(start + direction * point.length)
            self._last = direction, gradient, point.length
            change = abs(point.loss - loss)
            loss, gradient = point.loss, point.gradient
            if _largest(direction) * point.length <= self._tolerance_change or change < self._tolerance_change:
                return

    def _moved(self, closure: Callable[[], Any], start: Any, here: Point, direction: Any, length: float,
               budget: int) -> tuple[Point, int]:
        """The point to go to, and how often the closure ran."""
        def at(length: float) -> Point:
            self._place(start + direction * length)
            with grad_mode(True):
                loss = float(closure()) + self._penalty()
            gradient = self._gradient()
            return Point(length, loss, float((gradient * direction).sum()), gradient)

        if self._searches:
            return strong_wolfe(at, here, length, self._tolerance_change / max(_largest(direction), 1e-30), budget)
        return at(length), 1

    def _direction(self, gradient: Any) -> Any:
        """The negative gradient times the inverse Hessian that the memory stands for (two-loop recursion)."""
        if self._last is None:
            return -gradient
        direction, before, length = self._last
        change, moved = gradient - before, direction * length
        curvature = float((change * moved).sum())
        if curvature > 1e-10:
            self._memory = [*self._memory, (moved, change)][-self._history_size:]
            self._scale = curvature / float((change * change).sum())
        found, factors = -gradient, []
        for moved, change in reversed(self._memory):
            factor = float((moved * found).sum()) / float((change * moved).sum())
            factors.append(factor)
            found = found - change * factor
        found = found * self._scale
        for (moved, change), factor in zip(self._memory, reversed(factors), strict=True):
            found = found + moved * (factor - float((change * found).sum()) / float((change * moved).sum()))
        return found

    # Parameters as one vector

    def _parameters(self) -> list[Any]:
        return [p for p in self._parameter_list or () if not p.stop_gradient]

    def _flat(self, values: list[Any]) -> Any:
        return concat([reshape(value, [-1]) for value in values])

    def _gradient(self) -> Any:
        """The gradients of all parameters, clipped and with their penalties, as one vector."""
        pairs = current_trace().gradients(None, self._parameter_list)
        if self._grad_clip is not None:
            pairs = self._grad_clip(pairs)
        held = {id(p): self._penalized(p, g) for p, g in pairs}
        missing = (zeros(p.shape, p.dtype) for p in self._parameters() if id(p) not in held)
        return self._flat([held[id(p)] if id(p) in held else next(missing) for p in self._parameters()])

    def _penalty(self) -> float:
        """What the regularizers add to the loss."""
        decays = ((p, self._regularizer_of(p)) for p in self._parameters())
        return sum(float(decay.penalty(p)) for p, decay in decays if decay is not None)

    def _penalized(self, parameter: Any, gradient: Any) -> Any:
        gradient, decay = self._decayed(parameter, gradient)
        return gradient + parameter * decay if decay else gradient

    def _place(self, flat: Any) -> None:
        """Gives the parameters the values of a vector."""
        begin = 0
        for parameter in self._parameters():
            end = begin + int(parameter.size)
            current_trace().store(parameter, cast(reshape(flat[begin:end], parameter.shape), parameter.dtype))
            begin = end

    # State

    def state_dict(self) -> dict[str, Any]:
        """The memory: 'steps' and 'changes' as lists of vectors, and the last step."""
        state = super().state_dict()
        state["state"] = {"memory": list(self._memory), "scale": self._scale, "last": self._last}
        return state

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave."""
        rest = dict(state_dict)
        held = rest.pop("state", None)
        super().set_state_dict(rest)
        if held is not None:
            self._memory, self._scale, self._last = list(held["memory"]), held["scale"], held["last"]


def _largest(vector: Any) -> float:
    return float(vector.abs().max())

"""L-BFGS: steps along the gradient as a limited memory of earlier steps bends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ops.array.concat_split import concat
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value, zeros
from ..ops.array.reshape import reshape
from ..ops.core.trace import current_trace, grad_mode
from ..ops.math.casting import cast
from .line_search import Point, strong_wolfe
from .optimizer import Optimizer
from .options import Options

LEAST_CURVATURE = 1e-10  # of a step along its change of the gradient, that it is remembered for


class LBFGS(Optimizer):
    """Minimizes a function of all parameters; `step(closure)` takes up to `max_iter` steps.

    Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.5. The closure clears the gradients, computes the
    loss, calls `backward()` and gives the loss back; after `max_eval` runs in a call (max_iter · 5/4 unless given) no
    other step is begun. A step is `learning_rate` long, or found by line_search_fn="strong_wolfe". It ends when no
    gradient exceeds `tolerance_grad`, or nothing changes by more than `tolerance_change`. Parameters whose
    `stop_gradient` is set stay; where others are trained than by the step before, its memory begins anew. The
    parameters are of one dtype; eager only.

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
        self.max_iter, self.history_size, self.line_search_fn = int(max_iter), int(history_size), line_search_fn
        self.max_eval = int(max_iter * 5 // 4 if max_eval is None else max_eval)
        self.tolerance_grad, self.tolerance_change = float(tolerance_grad), float(tolerance_change)
        self.state: dict[str, Any] = {}  # by the names that PaddlePaddle has for what it keeps
        self._trained_last: list[str] | None = None  # the names of what the last step was about

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Minimizes; gives the loss at the start, as the closure gave it."""
        if closure is None:
            raise TypeError("LBFGS.step(closure): needs a function that computes the loss and calls backward().")
        with grad_mode(True):
            first = closure()
        if not self._parameters():
            return first
        self._begin_anew_where_others_are_trained()
        self.state["func_evals"] = self.state.get("func_evals", 0) + 1
        self.state.setdefault("n_iter", 0)
        with current_trace().updating():
            self._descend(closure, float(first) + self._penalty(), self._gradient())
        return first

    def _begin_anew_where_others_are_trained(self) -> None:
        """Forgets the memory where a parameter was frozen or thawed since: it is about vectors of other elements."""
        trained, last = [p.name for p in self._parameters()], self.state.get("prev_flat_grad")
        held = sum(int(p.size) for p in self._parameters())
        if self._trained_last not in (None, trained) or last is not None and int(last.size) != held:
            self.state["n_iter"] = 0
        self._trained_last = trained

    def minimize(self, loss: Any, startup_program: Any = None, parameters: Any = None, no_grad_set: Any = None) -> Any:
        """NotImplementedError: one gradient is not enough; `step(closure)` computes the loss as often as it needs."""
        raise NotImplementedError(
            "LBFGS.minimize(loss): computes the loss several times. Call step(closure) with a function that clears the "
            "gradients, computes the loss, calls backward() and gives the loss back.")

    def _descend(self, closure: Callable[[], Any], loss: float, gradient: Any) -> None:
        state, evaluations = self.state, 1
        if _largest(gradient) <= self.tolerance_grad:
            return
        for last in (*[False] * (self.max_iter - 1), True)[:self.max_iter]:
            state["n_iter"] += 1
            direction = self._direction(gradient)
            slope, alpha = self._product(gradient, direction), self._first_length(gradient)
            state.update(d=direction, alpha=alpha, prev_flat_grad=gradient, prev_loss=loss)
            if slope > -self.tolerance_change:
                return
            begin, start = self._flat(self._parameters()), Point(slope * 0, loss, slope, gradient)
            point, used = self._moved(closure, begin, start, direction, alpha, last)
            state["alpha"] = point.length
            state["func_evals"] += used
            evaluations += used
            change, loss, gradient = abs(point.loss - loss), point.loss, point.gradient
            if (evaluations >= self.max_eval or _largest(gradient) <= self.tolerance_grad
                    or change < self.tolerance_change
                    or _largest(direction * float(point.length)) <= self.tolerance_change):
                return

    def _first_length(self, gradient: Any) -> Any:
        """How long a step is to be, unless a search says otherwise; the very first is no longer than 1 in all."""
        rate = self.get_lr()
        return rate if self.state["n_iter"] > 1 else min(1.0, 1.0 / self._number(gradient.abs().sum())) * rate

    def _moved(self, closure: Callable[[], Any], begin: Any, start: Point, direction: Any, length: Any,
               last: bool) -> tuple[Point, int]:
        """The point gone to, and how often the closure ran: without a search not at all after the last step."""
        def at(length: Any) -> Point:
            self._place(begin + direction * float(length))
            with grad_mode(True):
                loss = float(closure()) + self._penalty()
            gradient = self._gradient()
            return Point(length, loss, self._product(gradient, direction), gradient)

        if self.line_search_fn is not None:
            point, used = strong_wolfe(at, start, length, _largest(direction), self.tolerance_change)
            self._place(begin + direction * float(point.length))
            return point, used
        if last:
            self._place(begin + direction * float(length))
            return start._replace(length=length), 0
        return at(length), 1

    def _direction(self, gradient: Any) -> Any:
        """The negative gradient times the inverse Hessian that the memory stands for (two-loop recursion)."""
        state = self.state
        if state["n_iter"] == 1:
            state.update(old_yk=[], old_sk=[], ro=[], H_diag=1.0)
            return -gradient
        self._remember(gradient - state["prev_flat_grad"], state["d"] * float(state["alpha"]))
        found, factors = -gradient, []
        memory = list(zip(state["old_sk"], state["old_yk"], state["ro"], strict=True))
        for moved, change, inverse in reversed(memory):
            factors.append(self._product(moved, found) * inverse)
            found = found - change * float(factors[-1])
        found = found * float(state["H_diag"])
        for (moved, change, inverse), factor in zip(memory, reversed(factors), strict=True):
            found = found + moved * float(factor - self._product(change, found) * inverse)
        return found

    def _remember(self, change: Any, moved: Any) -> None:
        """Takes a step and its change of the gradient into the memory, if the function bends upwards along it."""
        state, curvature = self.state, self._product(change, moved)
        if curvature > LEAST_CURVATURE:
            for key, value in (("old_yk", change), ("old_sk", moved), ("ro", 1.0 / curvature)):
                state[key] = [*state[key], value][-self.history_size:]
            state["H_diag"] = curvature / self._product(change, change)

    # Numbers in the precision of the parameters, so that steps are those of PaddlePaddle to the last digits

    def _product(self, one: Any, other: Any) -> Any:
        return self._number((one * other).sum())

    def _number(self, value: Any) -> Any:
        return value.dtype.dtype.type(float(value))

    # Parameters as one vector

    def _parameters(self) -> list[Any]:
        return [p for p in self._parameter_list or () if not p.stop_gradient]

    def _flat(self, values: list[Any]) -> Any:
        return concat([reshape(value, [-1]) for value in values])

    def _gradient(self) -> Any:
        """The gradients of all parameters, clipped and with their penalties, as one vector."""
        shares = self._groups.shares(current_trace().gradients(None, self._parameter_list))
        held = {id(p): self._penalized(p, g, group) for group, pairs in shares for p, g in self._clipped(pairs, group)}
        missing = (zeros(p.shape, p.dtype) for p in self._parameters() if id(p) not in held)
        return self._flat([held[id(p)] if id(p) in held else next(missing) for p in self._parameters()])

    def _penalty(self) -> float:
        """What the regularizers add to the loss."""
        decays = ((p, self._regularizer_of(p, self._groups.of(p))) for p in self._parameters())
        return sum(float(decay.penalty(p)) for p, decay in decays if decay is not None)

    def _penalized(self, parameter: Any, gradient: Any, group: Options | None) -> Any:
        gradient, decay = self._decayed(parameter, gradient, parameter, group)
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
        """What is kept from step to step, under 'state': the numbers of iterations and evaluations so far ('n_iter',
        'func_evals'), the memory, and the last step.
        """
        return {**super().state_dict(), "state": dict(self.state)}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what `state_dict` gave, here or in PaddlePaddle."""
        rest = dict(state_dict)
        held = rest.pop("state", None)
        super().set_state_dict(rest)
        if held is not None:
            self.state = {key: _own(value) for key, value in held.items()}

    set_dict = set_state_dict


def _largest(vector: Any) -> float:
    return float(vector.abs().max())


def _own(value: Any) -> Any:
    """A copy of something that is kept: vectors as values, numbers as numbers."""
    if isinstance(value, list):
        return [_own(item) for item in value]
    if not is_value(value) and not isinstance(value, np.ndarray):
        return value
    return to_tensor(value) if len(value.shape) else np.asarray(value)[()]

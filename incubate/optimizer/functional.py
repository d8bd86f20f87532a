"""`paddle.incubate.optimizer.functional`: minimize_bfgs and minimize_lbfgs, of functions of one vector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.absent import asked_of
from ...core.dtype import convert_dtype
from ...core.lazy import listed
from ...dygraph.engine import grad
from ...linalg import cholesky
from ...ops.array.creation import eye
from ...ops.array.full import full, is_value
from ...ops.core.trace import current_trace, grad_mode
from ...ops.linalg.matrix_product import matmul
from ...optimizer.line_search import Point
from .line_search import strong_wolfe

__all__ = ["minimize_bfgs", "minimize_lbfgs"]
__dir__ = listed(__name__)

WITHOUT_CURVATURE = 1000.0  # stands for the reciprocal of a curvature of 0


class _Descent:
    """Steps along a function of a vector, by directions that the caller finds."""

    def __init__(self, what: str, function: Callable[[Any], Any], position: Any, dtype: str, line_search_fn: str):
        if dtype not in ("float32", "float64"):
            raise ValueError(f"{what}(dtype): must be 'float32' or 'float64'. Received {dtype!r}.")
        if not is_value(position) or len(position.shape) != 1 or position.dtype is not convert_dtype(dtype):
            raise ValueError(f"{what}(initial_position): must be a tensor of one dimension and dtype {dtype} (see "
                             f"`dtype`). Received {_shown(position)}.")
        if line_search_fn != "strong_wolfe":
            raise NotImplementedError(f"{what}(line_search_fn): 'strong_wolfe'. Received {line_search_fn!r}.")
        if not current_trace().computes:
            raise NotImplementedError(f"{what}: minimizes functions of Tensors, not in a Program.")
        self.function, self.number, self.calls = function, position.dtype.dtype.type, 1
        self.position = position.detach().clone()
        self.value, self.gradient = self._at(self.position)

    def _at(self, position: Any) -> tuple[Any, Any]:
        position = position.detach()
        position.stop_gradient = False
        with grad_mode(True):
            value = self.function(position)
            gradient: Any = grad([value], [position], create_graph=False)[0]
        return value.detach(), gradient.detach()

    def product(self, one: Any, other: Any) -> Any:
        """The dot product, as a number of the vectors' precision."""
        return self.number(float((one * other).sum()))

    def step(self, direction: Any, length: float, max_iters: int) -> tuple[Any, Any, Any]:
        """Goes along a direction as far as a search says; the length, the step and the gradient's change."""
        def at(length: Any) -> Point:
            value, gradient = self._at(self.position + direction * float(length))
            values[length] = value
            return Point(length, self.number(float(value)), self.product(gradient, direction), gradient)

        values: dict[Any, Any] = {}
        point, calls = strong_wolfe(at, self.number(0), self.number(length), max_iters)
        step, change = direction * float(point.length), point.gradient - self.gradient
        self.calls += calls
        self.position, self.value, self.gradient = self.position + step, values[point.length], point.gradient
        return point.length, step, change

    def inverse(self, change: Any, step: Any) -> Any:
        """1 / (change · step)."""
        product = self.product(change, step)
        return self.number(WITHOUT_CURVATURE) if product == 0 else 1 / product

    def run(self, max_iters: int, tolerance_grad: float, tolerance_change: float,
            advance: Callable[[], tuple[Any, Any]]) -> tuple[Any, Any, Any, Any, Any]:
        """Advances till a tolerance is met or no step can be taken. `advance` gives the direction and the length."""
        converged = False
        for _ in range(max_iters):
            direction, length = advance()
            converged = _largest(self.gradient) < tolerance_grad or _largest(direction) < tolerance_change
            if converged or length == 0:
                break
        return full([1], converged, "bool"), full([1], self.calls, "int64"), self.position, self.value, self.gradient


def minimize_bfgs(objective_func: Callable[[Any], Any], initial_position: Any, max_iters: int = 50,
                  tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9,
                  initial_inverse_hessian_estimate: Any = None, line_search_fn: str = "strong_wolfe",
                  max_line_search_iters: int = 50, initial_step_length: float = 1.0, dtype: str = "float32",
                  name: str | None = None) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Minimizes a function of a vector by BFGS: Nocedal and Wright, Numerical Optimization, 2006, algorithm 6.1.

    `objective_func` takes a tensor [n] and gives a loss of one element. It ends after `max_iters` steps, when no
    element of the gradient reaches `tolerance_grad`, or none of the direction `tolerance_change`.

    Gives whether it converged (bool [1]), how often the function was called (int64 [1]), the position [n], the loss and
    the gradient [n] there, and the estimate of the inverse Hessian [n, n]. ValueError for a position that is no vector
    of `dtype`, and for an `initial_inverse_hessian_estimate` that is not symmetric and positive definite.

    >>> import proa as paddle
    >>> from proa.incubate.optimizer.functional import minimize_bfgs
    >>> found = minimize_bfgs(lambda x: ((x - 2.0) ** 2).sum(), paddle.zeros([3]))
    >>> bool(found[0]), found[2].tolist()
    (True, [2.0, 2.0, 2.0])
    """
    descent = _Descent("minimize_bfgs", objective_func, initial_position, dtype, line_search_fn)
    unit = eye(initial_position.shape[0], dtype=dtype)
    hessian = _inverse_hessian("minimize_bfgs", initial_inverse_hessian_estimate, unit)

    def advance() -> tuple[Any, Any]:
        nonlocal hessian
        direction = -matmul(hessian, descent.gradient)
        length, step, change = descent.step(direction, initial_step_length, max_line_search_iters)
        inverse = float(descent.inverse(change, step))
        column, row = step.unsqueeze(1), change.unsqueeze(0)
        left = unit - column * row * inverse
        hessian = matmul(matmul(left, hessian), left.t()) + column * step.unsqueeze(0) * inverse
        return direction, length

    with grad_mode(False):
        return *descent.run(max_iters, tolerance_grad, tolerance_change, advance), hessian


def minimize_lbfgs(objective_func: Callable[[Any], Any], initial_position: Any, history_size: int = 100,
                   max_iters: int = 50, tolerance_grad: float = 1e-8, tolerance_change: float = 1e-8,
                   initial_inverse_hessian_estimate: Any = None, line_search_fn: str = "strong_wolfe",
                   max_line_search_iters: int = 50, initial_step_length: float = 1.0, dtype: str = "float32",
                   name: str | None = None) -> tuple[Any, Any, Any, Any, Any]:
    """Minimizes a function of a vector by L-BFGS: Nocedal and Wright, Numerical Optimization, 2006, algorithm 7.5.

    As `minimize_bfgs`, with the last `history_size` steps in place of a matrix; it gives all but that matrix.

    >>> import proa as paddle
    >>> from proa.incubate.optimizer.functional import minimize_lbfgs
    >>> minimize_lbfgs(lambda x: ((x - 2.0) ** 2).sum(), paddle.zeros([3]))[2].tolist()
    [2.0, 2.0, 2.0]
    """
    descent = _Descent("minimize_lbfgs", objective_func, initial_position, dtype, line_search_fn)
    hessian = _inverse_hessian("minimize_lbfgs", initial_inverse_hessian_estimate, None)
    memory: list[tuple[Any, Any, Any]] = []

    def advance() -> tuple[Any, Any]:
        direction = -_bent(descent, memory, hessian)
        length, step, change = descent.step(direction, initial_step_length, max_line_search_iters)
        memory.append((step, change, descent.inverse(change, step)))
        del memory[:-history_size]
        return direction, length

    with grad_mode(False):
        return descent.run(max_iters, tolerance_grad, tolerance_change, advance)


def _bent(descent: _Descent, memory: list[tuple[Any, Any, Any]], hessian: Any) -> Any:
    """The gradient times the inverse Hessian that the memory stands for (two-loop recursion)."""
    found, factors = descent.gradient, []
    for step, change, inverse in reversed(memory):
        factors.append(inverse * descent.product(step, found))
        found = found - change * float(factors[-1])
    found = found if hessian is None else matmul(hessian, found)
    for (step, change, inverse), factor in zip(memory, reversed(factors), strict=True):
        found = found + step * float(factor - inverse * descent.product(change, found))
    return found


def _inverse_hessian(what: str, given: Any, default: Any) -> Any:
    if given is None:
        return default
    rule = f"{what}(initial_inverse_hessian_estimate): must be a symmetric and positive definite matrix"
    if not is_value(given) or len(given.shape) != 2 or given.shape[0] != given.shape[1]:
        raise ValueError(f"{rule}. Received {_shown(given)}.")
    try:
        cholesky(given)
    except ValueError as error:
        raise ValueError(f"{rule}. It is not positive definite.") from error
    if not bool((given == given.t()).all()):
        raise ValueError(f"{rule}. It is not symmetric.")
    return given.detach()


def _largest(vector: Any) -> float:
    return float(vector.abs().max())


def _shown(value: Any) -> str:
    if is_value(value):
        return f"shape {list(value.shape)}, dtype {value.dtype.name}"
    return type(value).__name__
__getattr__ = asked_of(__name__)

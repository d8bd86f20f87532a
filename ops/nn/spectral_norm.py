"""Division of a weight by its largest singular value, which the power method estimates."""


from collections.abc import Sequence
from typing import Any

from ..array.reshape import reshape, transpose, unsqueeze
from ..core.infer import normalize_axis, product, promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import multiply
from ..math.reduce import sum


def _matrix(w: Any, dim: int) -> Any:
    """The array as a matrix of dimension `dim` by all others."""
    return w.transpose(dim, *(n for n in range(w.ndim) if n != dim)).reshape(w.shape[dim], -1)


_MOST_STEPS = 1 << 16


def _check_steps(steps: int) -> None:
    if not 0 <= steps <= _MOST_STEPS:
        raise ValueError(f"spectral_norm(power_iters): must lie between 0 and {_MOST_STEPS}. Received {steps}.")


def _iterated(xp: Any, matrix: Any, u: Any, v: Any, steps: int, eps: float, least: float = 0.0) -> tuple[Any, Any]:
    """Left and right vectors after steps of the power method; each step brings them closer to the singular ones.

    A vector is divided by its length, which is `least` at least, and `eps` more.
    """
    _check_steps(steps)
    u, v = u.reshape(-1), v.reshape(-1)
    for _ in range(steps):
        v = u @ matrix
        v = v / (xp.maximum(xp.sqrt((v * v).sum()), least) + eps)
        u = matrix @ v
        u = u / (xp.maximum(xp.sqrt((u * u).sum()), least) + eps)
    return u, v


def _spectral_norm(xp, weight, u, v, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12):
    dtype = xp.result_type(weight, u, v)
    matrix = _matrix(weight, dim)
    u, v = _iterated(xp, matrix, u, v, power_iters, eps)
    return (weight / (u @ matrix @ v)).astype(dtype, copy=False)


def _infer(weight, u, v, *, dim=0, power_iters=1, eps=1e-12):
    _check_steps(power_iters)
    height = weight.shape[normalize_axis("spectral_norm(weight, dim)", dim, weight.rank)]
    width = product(weight.shape) // height if min(weight.shape) > 0 else -1
    for name, spec, size in (("u", u, height), ("v", v, width)):
        if -1 not in (size, product(spec.shape)) and product(spec.shape) != size:
            raise ValueError(f"spectral_norm({name}): must have {size} elements for weight.shape={list(weight.shape)} "
                             f"and dim={dim}. Received {name}.shape={list(spec.shape)}.")
    return weight


def _power_iteration(xp, weight, u, v, *, dim: int = 0, power_iters: int = 1, eps: float = 1e-12, least: float = 0.0):
    return _iterated(xp, _matrix(weight, dim), u, v, power_iters, eps, least)


power_iteration_op = operator(
    "power_iteration", "Weight, U, V -> UOut~U, VOut~V", kernel=_power_iteration,
    infer=lambda weight, u, v, **_: (Spec((product(u.shape),), u.dtype), Spec((product(v.shape),), v.dtype)),
    only_here=True)


def _gradient(g, Weight, U, V, dim, power_iters, eps):
    """That of weight / sigma, sigma = u · weight · v; the vectors count as constants, as they do at the optimum."""
    u, v = apply(power_iteration_op, Weight, U, V, dim=dim, power_iters=power_iters, eps=eps)
    outer = _as_weight(multiply(unsqueeze(u, 1), v), tuple(Weight.shape), dim)
    sigma = sum(multiply(outer, Weight))
    return (g - outer * (sum(multiply(g, Weight)) / sigma)) / sigma


def _as_weight(matrix: Any, shape: Sequence[int], dim: int) -> Any:
    """The matrix in the weight's shape."""
    order = [dim, *(n for n in range(len(shape)) if n != dim)]
    whole = reshape(matrix, [shape[n] for n in order])
    return whole if dim == 0 else transpose(whole, [order.index(n) for n in range(len(shape))])


spectral_norm_op = operator("spectral_norm", "Weight, U, V -> Out", kernel=_spectral_norm, infer=promoting(_infer),
                            grad={"Weight": _gradient})


def spectral_norm(weight: Any, u: Any, v: Any, dim: int = 0, power_iters: int = 1, eps: float = 1e-12,
                  name: str | None = None) -> Any:
    """weight / (u · weight · v), weight as a matrix of `dim` by the rest, u and v after steps of the power method."""
    return apply(spectral_norm_op, weight, u, v, dim=dim, power_iters=power_iters, eps=eps)


def power_iteration(weight: Any, u: Any, v: Any, dim: int = 0, power_iters: int = 1, least: float = 1e-12) -> Any:
    """u and v after `power_iters` steps of the power method; a length below `least` counts as `least`."""
    return apply(power_iteration_op, weight, u, v, dim=dim, power_iters=power_iters, eps=0.0, least=least)

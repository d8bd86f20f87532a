"""Norms of differences and of slices: cdist, renorm."""

from typing import Any

from ...core.errors import AssertedError
from ..array.full import full, value_of
from ..array.reshape import axis_of, reshape, transpose, unsqueeze
from ..array.where import where
from ..core.infer import normalize_axis
from ..math.casting import dtype_of
from ..math.statistics import norm

_COMPUTE_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


def cdist(x: Any, y: Any, p: float = 2.0,
          compute_mode: str = "use_mm_for_euclid_dist_if_necessary", name: str | None = None) -> Any:
    """The p-norm distances of every row of x from every row of y: [..., P, M] and [..., R, M] give [..., P, R].

    `compute_mode` is taken for Paddle's sake: distances are always computed from differences, without its loss of
    precision. Raises ValueError for a negative p or other shapes.

    >>> import proa as paddle
    >>> paddle.cdist(paddle.to_tensor([[0.0, 0.0]]), paddle.to_tensor([[3.0, 4.0], [0.0, 1.0]])).tolist()
    [[5.0, 1.0]]
    """
    x, y = value_of(x), value_of(y)
    if compute_mode not in _COMPUTE_MODES:
        raise ValueError(f"cdist(compute_mode): must be one of {', '.join(_COMPUTE_MODES)}. "
                         f"Received {compute_mode!r}.")
    if p < 0:
        raise AssertedError(f"cdist(p): must be at least 0. Received {p}.")
    if x.ndim < 2 or y.ndim < 2 or (x.shape[-1] != y.shape[-1] and -1 not in (x.shape[-1], y.shape[-1])):
        raise AssertedError(f"cdist(x, y): at least two dimensions, the last ones equal. "
                            f"Received shapes {list(x.shape)} and {list(y.shape)}.")
    return norm(unsqueeze(x, -2) - unsqueeze(y, -3), p, -1)


def renorm(x: Any, p: float, axis: int, max_norm: float) -> Any:
    """x with its slices along `axis` scaled down to a p-norm of max_norm where theirs is larger.

    >>> import proa as paddle
    >>> paddle.renorm(paddle.to_tensor([[3.0, 4.0], [0.3, 0.4]], "float64"), 2.0, 0, 1.0).numpy().round(3).tolist()
    [[0.6, 0.8], [0.3, 0.4]]
    """
    p, max_norm = float(p), float(max_norm)
    if p <= 0 or max_norm < 0:
        raise ValueError(f"renorm(p, max_norm): above 0, and at least 0. Received {p} and {max_norm}.")
    axis = normalize_axis("renorm(axis)", axis_of(axis), x.ndim)
    order = [axis, *(n for n in range(x.ndim) if n != axis)]
    sizes = norm(reshape(transpose(x, order), [0, -1]), p, -1)
    factor = where(sizes > max_norm, full((), max_norm, dtype_of(sizes)) / (sizes + 1e-7), sizes * 0.0 + 1.0)
    return x * reshape(factor, [-1 if n == axis else 1 for n in range(x.ndim)])

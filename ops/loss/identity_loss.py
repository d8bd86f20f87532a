"""identity_loss: marks the end of a loss, and may reduce it."""


from typing import Any

from ..array.gradient_shapes import expand_to
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply

_REDUCTIONS = {"sum": 0, "mean": 1, "none": 2}


def _kernel(xp, x, *, reduction: int = 1):
    return x.view() if reduction == 2 else x.sum(dtype=x.dtype) if reduction == 0 else x.mean(dtype=x.dtype)


def _size(xp, x, g):
    return g / x.size


def _gradient(g: Any, X: Any, X_shape: Any, reduction: int) -> Any:
    if reduction == 2:
        return g
    return expand_to(apply(share_op, X, g) if reduction == 1 else g, X_shape)


share_op = operator("identity_loss_share", "X, G -> Out", kernel=_size, infer=lambda x, g: g,
                    grad={"G": lambda g, X: apply(share_op, X, g)}, only_here=True)
identity_loss_op = operator(
    "identity_loss", "X -> Out~X", kernel=_kernel,
    infer=lambda x, *, reduction=1: x if reduction == 2 else Spec((), x.dtype), grad={"X": _gradient}, lod="drop")


def identity_loss(x: Any, reduction: str | int = "none") -> Any:
    """x, or with 'sum' (0) or 'mean' (1) its sum or mean; 'none' is 2.

    >>> import proa as paddle
    >>> float(paddle.incubate.identity_loss(paddle.to_tensor([1.0, 3.0]), "mean"))
    2.0
    """
    code = _REDUCTIONS.get(reduction, -1) if isinstance(reduction, str) else int(reduction)
    if code not in (0, 1, 2):
        raise ValueError(f"identity_loss(reduction): must be 'sum', 'mean', 'none', 0, 1 or 2. "
                         f"Received {reduction!r}.")
    return apply(identity_loss_op, x, reduction=code)

"""What stands above or below a diagonal: tril and triu."""


from collections.abc import Callable
from typing import Any

from ...backend.engines import LOOPS
from ...backend.kernels import copying
from ..core.kernels import by
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.trace import apply
from .creation import arange, zeros_like
from .fed_axes import only_a_run_tells
from .reshape import axis_of, unsqueeze
from .unknown_sizes import size_at
from .where import where


def _tril_triu(xp, x, *, diagonal: int = 0, lower: bool = True):
    if x.ndim < 2:  # NumPy would make a matrix of a row
        raise ValueError(f"{'tril' if lower else 'triu'}(x): x must have at least 2 dimensions. "
                         f"Received shape {list(x.shape)}.")
    return xp.tril(x, diagonal) if lower else xp.triu(x, diagonal)


def _infer_tril(x, *, diagonal=0, lower=True):
    if x.rank < 2:
        raise ValueError(f"{'tril' if lower else 'triu'}(x): x must have at least 2 dimensions. "
                         f"Received shape {list(x.shape)}.")
    return x


tril_triu_op = operator("tril_triu", "X -> Out", kernel=_tril_triu, infer=_infer_tril, engines=[
    by(LOOPS, copying.triangle, copying.LEAST_OF_TRIANGLES)], grad={
    "X": lambda g, diagonal, lower: apply(tril_triu_op, g, diagonal=diagonal, lower=lower)}, moves=True,
    compiled="triangle", unsaid={"lower": False})


@results_named("tril", bare=True)
def tril(x: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """x with zeros above a diagonal of its last two dimensions (0: the main one, positive: above it).

    >>> import proa as paddle
    >>> paddle.tril(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[1, 0], [3, 4]]
    """
    if only_a_run_tells(diagonal):
        return _beside_open_diagonal(x, lambda apart: apart <= diagonal)
    return apply(tril_triu_op, x, diagonal=axis_of(diagonal), lower=True)


@results_named("triu", bare=True)
def triu(x: Any, diagonal: int = 0, name: str | None = None) -> Any:
    """x with zeros below a diagonal of its last two dimensions (0: the main one, positive: above it).

    >>> import proa as paddle
    >>> paddle.triu(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[1, 2], [0, 4]]
    """
    if only_a_run_tells(diagonal):
        return _beside_open_diagonal(x, lambda apart: apart >= diagonal)
    return apply(tril_triu_op, x, diagonal=axis_of(diagonal), lower=False)


def _beside_open_diagonal(x: Any, is_kept: Callable[[Any], Any]) -> Any:
    """What is kept by how far columns lie behind rows, for a diagonal that only a run knows: `n - m` of open sizes."""
    rows, columns = (arange(size_at(x, axis)) for axis in (-2, -1))
    return where(is_kept(unsqueeze(columns, 0) - unsqueeze(rows, 1)), x, zeros_like(x))

"""The sum of several tensors: what `paddle.add_n` is, and how gradients that meet are added in files."""

import functools
from collections.abc import Sequence
from typing import Any

from ...core.dtype import promote
from ..core.infer import broadcast_shapes
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply


def _add_n(xp, x):
    if len(x) == 1:
        return x[0].copy()
    total = xp.add(x[0], x[1])
    for term in x[2:]:
        in_place = total.ndim and term.dtype == total.dtype and term.shape == total.shape
        total = xp.add(total, term, out=total if in_place else None)
    return total


add_n_op = operator(
    "sum", "X* -> Out", kernel=_add_n,
    formula="sum(X)", infer=lambda x: functools.reduce(
        lambda a, b: Spec(broadcast_shapes("add_n", a.shape, b.shape), promote(a.dtype, b.dtype)), x),
    grad={"X": lambda g, X_shape: [g for _ in X_shape]},
)


@results_named("add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of several tensors of one shape; ValueError for tensors of different ones.

    >>> import proa as paddle
    >>> paddle.add_n([paddle.ones([2]), paddle.ones([2]), paddle.ones([2])]).tolist()
    [3.0, 3.0]
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    try:
        shapes = [value.shape for value in values]
    except AttributeError:  # which the operator refuses
        shapes = []
    if shapes and shapes.count(shapes[0]) < len(shapes) and not all(map(_agree, shapes[:-1], shapes[1:])):
        raise ValueError(f"add_n(inputs): the shapes must be one. Received {list(map(list, shapes))}. Add tensors of "
                         "other shapes with +.")
    return apply(add_n_op, values)


def _agree(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two shapes may be the same when a Program runs, or are of one element each."""
    if all(size == 1 for size in (*one, *other)):
        return True
    return len(one) == len(other) and all(m == n or -1 in (m, n) for m, n in zip(one, other, strict=True))

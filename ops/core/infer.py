"""Rules of shape and dtype that many operators share. A size of -1 is one not yet known.

Each takes specs (and the attributes, which it may pass over) and gives the spec of the result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...core.dtype import DType, bool_, promote
from ...core.errors import no_tensor
from .spec import Spec


def same(x: Spec, *_: Any, **__: Any) -> Spec:
    """The result is like the first input."""
    return x


def like(index: int) -> Callable[..., Spec]:
    """The result is like the input of this index."""
    return lambda *specs, **_: specs[index]


def promoting(infer: Callable[..., Any]) -> Callable[..., Any]:
    """The rule of an operator whose kernel computes in the widest dtype of its floats, whichever input has that."""
    @functools.wraps(infer)
    def widest(*specs: Any, **attrs: Any) -> Any:
        dtypes = {spec.dtype for given in specs for spec in (given if isinstance(given, list) else [given])
                  if spec is not None and spec.dtype.is_floating}
        if len(dtypes) > 1:
            dtype = functools.reduce(promote, sorted(dtypes, key=str))
            specs = tuple([_in(spec, dtype) for spec in given] if isinstance(given, list) else _in(given, dtype)
                          for given in specs)
        return infer(*specs, **attrs)

    return widest


def _in(spec: Spec | None, dtype: DType) -> Spec | None:
    return spec if spec is None or not spec.dtype.is_floating else Spec(spec.shape, dtype)


def broadcast_shapes(what: str, *shapes: Sequence[int]) -> tuple[int, ...]:
    """The shape to which several broadcast, by NumPy's rule and with unknown sizes; ValueError, naming `what`, if not.

    >>> from proa.ops.core.infer import broadcast_shapes
    >>> broadcast_shapes("add(x, y)", [-1, 3], [1])
    (-1, 3)
    """
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        known = {size for size in sizes if size not in (1, -1)}
        if len(known) > 1:
            received = ", ".join(str(list(shape)) for shape in shapes)
            raise ValueError(
                f"{what}: the shapes do not broadcast together; sizes must be equal or 1, counted from the last "
                f"dimension. Received shapes {received}."
            )
        result.append(known.pop() if known else (-1 if -1 in sizes else 1))
    return tuple(result)


def broadcast(what: str) -> Callable[..., Spec]:
    """The result has the shape to which the first two inputs broadcast, and their common dtype."""
    return lambda x, y, **_: Spec(broadcast_shapes(what, x.shape, y.shape), promote(x.dtype, y.dtype))


def compare(what: str) -> Callable[..., Spec]:
    """As `broadcast`, with a bool result."""
    return lambda x, y, **_: Spec(broadcast_shapes(what, x.shape, y.shape), bool_)


def with_dtype(dtype: DType) -> Callable[..., Spec]:
    """The shape of the first input, with another dtype."""
    return lambda x, *_, **__: Spec(x.shape, dtype)


def normalize_axis(what: str, axis: int, rank: int) -> int:
    """The axis counted from 0; ValueError when out of range. A value of no dimensions counts as one of one."""
    most = max(rank, 1)
    if not -most <= axis < most:
        raise ValueError(
            f"{what}: axis must lie in [{-most}, {most}) for a tensor of {rank} dimensions. Received {axis}."
        )
    return max(axis + rank, 0) if axis < 0 else axis


def normalize_axes(what: str, axes: Sequence[int], rank: int) -> tuple[int, ...]:
    """The axes counted from 0, in order and each once."""
    return tuple(sorted({normalize_axis(what, axis, rank) for axis in axes}))


def shape_in(x: Any) -> Any:
    """The shape of a value (or a Spec); TypeError for what has none."""
    try:
        return x.shape
    except AttributeError:
        raise no_tensor(x) from None


def check_rank(what: str, x: Any, least: int) -> None:
    """ValueError, naming `what`, for a value (or a Spec) of fewer dimensions."""
    if len(shape_in(x)) < least:
        raise ValueError(f"{what}: must have at least {least} dimension{'s' if least > 1 else ''}. Received shape "
                         f"{list(x.shape)}.")


def may_equal(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes are one, as far as their sizes are known."""
    return len(a) == len(b) and all(m == n or -1 in (m, n) for m, n in zip(a, b, strict=True))


def check_same_shape(what: str, x: Any, y: Any) -> None:
    """ValueError, naming `what`, for two values (or Specs) whose shapes differ."""
    if not may_equal(shape_in(x), shape_in(y)):
        raise ValueError(f"{what}: both must have the same shape. Received {list(x.shape)} and {list(y.shape)}.")


def product(sizes: Sequence[int]) -> int:
    """The number of elements; -1 when a size is not known."""
    result = 1
    for size in sizes:
        if size == -1:
            return -1
        result *= size
    return result

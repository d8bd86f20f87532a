"""Maxima put back where max pooling found them: unpool and unpool3d."""

from collections.abc import Sequence
from typing import Any

from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .pool import take_positions_op
from .pool_kernels import set_positions


def _checked(xp: Any, x: Any, indices: Any, sizes: Sequence[int]) -> Any:
    count = 1
    for size in sizes:
        count *= size
    if indices.size and not 0 <= int(indices.min()) <= int(indices.max()) < count:
        raise ValueError(f"max_unpool(indices, output_size): positions must lie in [0, {count}), for a result of size "
                         f"{list(sizes)}. Received {int(indices.min())} to {int(indices.max())}.")
    return set_positions(xp, x, indices, sizes)


def _unpool(xp, x, indices, *, unpooling_type: str = "max", ksize: Ints, strides: Ints = (), paddings: Ints = (),
            output_size: Ints = (), data_format: str = "NCHW"):
    return _checked(xp, x, indices, output_size)


def _unpool3d(xp, x, indices, *, unpooling_type: str = "max", ksize: Ints, strides: Ints = (), paddings: Ints = (),
              output_size: Ints = (), data_format: str = "NCDHW"):
    return _checked(xp, x, indices, output_size)


def _infer(x, indices, *, ksize, output_size=(), **_):
    fits = all(-1 in (a, b) or a == b for a, b in zip(x.shape, indices.shape, strict=False))
    if x.rank != len(ksize) + 2 or x.rank != indices.rank or not fits:
        raise ValueError(
            f"max_unpool(x, indices): both must have the same shape, of {len(ksize) + 2} dimensions. "
            f"Received x.shape={list(x.shape)}, indices.shape={list(indices.shape)}."
        )
    return Spec((*x.shape[:2], *output_size), x.dtype)


def _taken(g: Any, Indices: Any) -> Any:
    return apply(take_positions_op, g, Indices)


unpool_op = operator("unpool", "X, Indices -> Out", kernel=_unpool, infer=_infer, grad={"X": _taken}, fails="values",
                     lod="drop")
unpool3d_op = operator("unpool3d", "X, Indices -> Out", kernel=_unpool3d, infer=_infer, grad={"X": _taken},
                       fails="values", lod="drop")

"""Runs of equal elements: unique_consecutive."""

from typing import Any

from ...core import dtype as dt
from ...core.dtype import convert_dtype
from ..core.infer import product
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply


def _consecutive(xp, x, *, return_inverse: bool = False, return_counts: bool = False, axis: Ints = (),
                 dtype: dt.DType = dt.int64):
    rows = x.reshape(-1, 1) if not axis else xp.moveaxis(x, axis[0], 0).reshape(x.shape[axis[0]], -1)
    starts = xp.ones(rows.shape[0], bool)
    starts[1:] = (rows[1:] != rows[:-1]).any(1)
    first = xp.flatnonzero(starts)
    values = x.reshape(-1)[first] if not axis else xp.take(x, first, axis[0])
    counts = xp.diff(first, append=xp.asarray([rows.shape[0]]))
    return values, (xp.cumsum(starts) - 1).astype(dtype.dtype), counts.astype(dtype.dtype)


def _infer_consecutive(x, *, return_inverse=False, return_counts=False, axis=(), dtype=dt.int64):
    shape = (-1,) if not axis else tuple(-1 if n == axis[0] % x.rank else s for n, s in enumerate(x.shape))
    count = product(x.shape) if not axis else x.shape[axis[0]]
    return Spec(shape, x.dtype), Spec((count if -1 not in x.shape else -1,), dtype), Spec((-1,), dtype)


unique_consecutive_op = operator("unique_consecutive", "X -> Out, Index, Counts", kernel=_consecutive,
                                 infer=_infer_consecutive)


def unique_consecutive(x: Any, return_inverse: bool = False, return_counts: bool = False, axis: int | None = None,
                       dtype: Any = "int64", name: str | None = None) -> Any:
    """x without elements (slices along `axis`) that equal the one before; on demand where each went, and run lengths.

    >>> import proa as paddle
    >>> paddle.unique_consecutive(paddle.to_tensor([1, 1, 2, 1])).tolist()
    [1, 2, 1]
    """
    results = apply(unique_consecutive_op, x, return_inverse=return_inverse, return_counts=return_counts,
                    axis=[] if axis is None else [axis], dtype=convert_dtype(dtype))
    wanted = (True, return_inverse, return_counts)
    chosen = tuple(r for r, want in zip(results, wanted, strict=True) if want)
    return chosen if len(chosen) > 1 else chosen[0]

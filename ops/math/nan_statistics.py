"""Order statistics that leave NaN out: nanmedian, nanquantile."""

from typing import Any

from ...core import dtype as dt
from ..array.concat_split import stack
from ..array.full import is_value
from ..array.reshape import flatten, ints_of, reshape, squeeze, transpose, unsqueeze
from ..array.sorting import sort
from ..array.take_along_axis import take_along_axis
from ..core.infer import normalize_axis
from .casting import cast, dtype_of
from .reduce import sum as reduce_sum
from .statistics import share
from .unary import ceil, floor, isnan, logical_not


def _with_last(x: Any, axis: Any) -> tuple[Any, list[int]]:
    """x with the reduced dimensions as one, the last, and these."""
    axes = list(range(x.ndim)) if axis is None else [normalize_axis("axis", n, x.ndim) for n in ints_of(axis)]
    axes = axes if x.ndim else []
    rest = [n for n in range(x.ndim) if n not in axes]
    moved = transpose(x, rest + axes)
    return (flatten(moved, len(rest)) if axes else reshape(moved, [-1])), axes


def nanquantile(x: Any, q: Any, axis: Any = None, keepdim: bool = False) -> Any:
    """As `quantile`, of the elements over `axis` that are not NaN; NaN where there is none: float64.

    >>> import proa as paddle
    >>> paddle.nanquantile(paddle.to_tensor([1.0, float("nan"), 3.0]), 0.5).tolist()
    2.0
    """
    return _nanquantile(x if dtype_of(x) is dt.float64 else cast(x, dt.float64), q, axis, keepdim)


def _nanquantile(x: Any, q: Any, axis: Any, keepdim: bool) -> Any:
    if isinstance(q, (list, tuple)):
        found = [_nanquantile(x, one, axis, keepdim) for one in q]
        return found[0] if len(found) == 1 else stack(found, 0)
    if is_value(q) and q.ndim:
        return _nanquantile(x, list(q), axis, keepdim)
    q = share("nanquantile", q)
    moved, axes = _with_last(x, axis)
    ordered = sort(moved, -1)
    count = reduce_sum(cast(logical_not(isnan(moved)), dtype_of(x)), -1, keepdim=True)
    place = (count - 1.0).clip(0.0) * q
    below, above = (take_along_axis(ordered, cast(side(place), "int64"), -1) for side in (floor, ceil))
    found = below + (above - below) * (place - floor(place))
    found = squeeze(found, -1)
    return unsqueeze(found, sorted(axes)) if keepdim and axes else found


def nanmedian(x: Any, axis: Any = None, keepdim: bool = False, name: str | None = None) -> Any:
    """The median of the elements over `axis` that are not NaN; NaN where there is none.

    >>> import proa as paddle
    >>> paddle.nanmedian(paddle.to_tensor([1.0, float("nan"), 2.0, 6.0])).item()
    2.0
    """
    return _nanquantile(x if dtype_of(x).is_floating else cast(x, "float32"), 0.5, axis, keepdim)

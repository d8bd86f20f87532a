"""`flow.math.reduce_*`: sum, mean, max, min, prod, any, all, logsumexp, standard deviation, variance, norm.

`axis` is None for all dimensions, an int or several; without any, a list of none, elements are left as they are. What
is summed and multiplied keeps its dtype.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...ops.array.creation import zeros_like
from ...ops.math import reduce, statistics, unary
from ..charge import their_face
from ..values import as_condition, as_int8, axes_of
from .arithmetic import divide


def _reduced(what: str, x: Any, axis: Any, function: Callable[..., Any], keepdims: bool) -> Any:
    axes = axes_of(f"{what}(axis)", axis, len(x.shape))
    return function(x, axes, keepdims) if axes else x


@their_face
def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The sum over dimensions.

    >>> import numpy as np
    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job(x: flow.typing.Numpy.Placeholder((2, 2))) -> flow.typing.Numpy:
    ...     return flow.math.reduce_sum(x, axis=0)
    >>> job(np.array([[1, 2], [3, 4]], "float32")).tolist()
    [4.0, 6.0]
    """
    return _reduced("reduce_sum", input_tensor, axis, lambda x, axes, keep: reduce.sum(
        x, axes, None if x.dtype.is_differentiable else x.dtype, keep), keepdims)


@their_face
def reduce_mean(input_blob: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The mean over dimensions, all for None and for a list of none; of whole numbers cut towards zero."""
    axes = axes_of("reduce_mean(axis)", axis if axis != [] and axis != () else None, len(input_blob.shape))
    if input_blob.dtype.is_differentiable:
        return reduce.mean(input_blob, axes, keepdims) if axes else input_blob
    count = 1
    for n in axes:
        count *= input_blob.shape[n]
    return divide(reduce_sum(input_blob, axes, keepdims), count)


@their_face
def reduce_max(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The largest element over dimensions; several equal ones share the gradient."""
    return _reduced("reduce_max", x, axis, reduce.amax, keepdims)


@their_face
def reduce_min(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The smallest element over dimensions; several equal ones share the gradient."""
    return _reduced("reduce_min", x, axis, reduce.amin, keepdims)


@their_face
def reduce_prod(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The product over dimensions."""
    return _reduced("reduce_prod", x, axis, lambda x, axes, keep: reduce.prod(x, axes, keep), keepdims)


@their_face
def reduce_any(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """1 where any element over dimensions is not 0, else 0, as int8."""
    return as_int8(_reduced("reduce_any", as_condition(x), axis, reduce.any, keepdims))


@their_face
def reduce_all(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """1 where no element over dimensions is 0, else 0, as int8."""
    return as_int8(_reduced("reduce_all", as_condition(x), axis, reduce.all, keepdims))


@their_face
def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False,
                          name: str | None = None) -> Any:
    """The square root of the sum of squares over dimensions."""
    return unary.sqrt(reduce_sum(unary.square(input_tensor), axis, keepdims))


@their_face
def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The logarithm of the sum of exp(x) over dimensions, which overflows where the result does only."""
    return _reduced("reduce_logsumexp", input_tensor, axis, statistics.logsumexp, keepdims)


@their_face
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The standard deviation over dimensions: the square root of `reduce_variance`."""
    return unary.sqrt(reduce_variance(input_tensor, axis, keepdims))


@their_face
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """The mean of the squared distances from the mean, over dimensions; of no dimensions 0."""
    axes = axes_of("reduce_variance(axis)", axis, len(input_tensor.shape))
    return statistics.var(input_tensor, axes, False, keepdims) if axes else zeros_like(input_tensor)


@their_face
def two_stage_reduce_max(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """As `reduce_max`: on one device there is one stage."""
    return reduce_max(x, axis, keepdims)


@their_face
def two_stage_reduce_min(x: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """As `reduce_min`: on one device there is one stage."""
    return reduce_min(x, axis, keepdims)

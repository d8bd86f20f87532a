"""arg_max, arg_min: where the largest and the smallest elements are."""

from typing import Any

from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..array.fed_axes import numbers_in, one_number, only_a_run_tells
from ..array.full import whole
from ..core.infer import normalize_axis
from ..core.operator import Long, Operator, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply


def _arg(type: str, find: str) -> Operator:
    def kernel(xp, x, *, axis: Long = 0, keepdims: bool = False, flatten: bool = False, dtype: DType = dt.int64):
        if flatten:
            found = getattr(x, find)().reshape((1,) * x.ndim if keepdims else ())
        else:
            found = getattr(x, find)(axis)
            found = xp.expand_dims(found, axis) if keepdims else found
        return found.astype(dtype.dtype, copy=False)

    def infer(x, *, axis=0, keepdims=False, flatten=False, dtype=dt.int64):
        axes = range(x.rank) if flatten else (normalize_axis(type, axis, x.rank),)
        return Spec(tuple(1 if n in axes else s for n, s in enumerate(x.shape) if keepdims or n not in axes), dtype)

    return operator(type, "X -> Out", kernel=kernel, infer=infer, lod="drop", compiled=find, ordered=True)


def _arg_of_fed(base: Operator) -> Operator:
    """As `_arg`, along a dimension that only a run can tell."""
    def kernel(xp, x, axis, *, keepdims: bool = False, flatten: bool = False, dtype: DType = dt.int64):
        return base.kernel_for(xp)(xp, x, axis=numbers_in([axis])[0], keepdims=keepdims, flatten=flatten, dtype=dtype)

    def infer(x, axis, *, keepdims=False, flatten=False, dtype=dt.int64):
        one_number(f"{base.type}(x, axis)", axis)
        return Spec((-1,) * (x.rank if keepdims else x.rank - 1), dtype)

    return operator(f"{base.type}_of_fed", "X, axis@ -> Out", kernel=kernel, infer=infer, lod="drop",
                    stands_for=base, fails="values")


argmax_op = _arg("arg_max", "argmax")
argmin_op = _arg("arg_min", "argmin")
argmax_of_fed_op, argmin_of_fed_op = _arg_of_fed(argmax_op), _arg_of_fed(argmin_op)


def _position(op: Operator, of_fed: Operator, x: Any, axis: Any, keepdim: bool, dtype: Any) -> Any:
    rest = {"keepdims": keepdim, "flatten": axis is None, "dtype": convert_dtype(dtype)}
    if rest["dtype"] not in (dt.int32, dt.int64):
        raise ValueError(f"{op.type}(dtype): places are int32 or int64. Received {dtype!r}.")
    if axis is not None and type(axis) is not int and only_a_run_tells(axis):
        return apply(of_fed, x, axis, **rest)
    return apply(op, x, axis=0 if axis is None else whole(axis), **rest)


@results_named("argmax")
def argmax(x: Any, axis: int | None = None, keepdim: bool = False, dtype: Any = "int64",
           name: str | None = None) -> Any:
    """The position of the largest element along `axis` (the first of equal ones), or in x flattened.

    >>> import proa as paddle
    >>> paddle.argmax(paddle.to_tensor([[1, 5], [7, 2]]), axis=1).tolist()
    [1, 0]
    """
    return _position(argmax_op, argmax_of_fed_op, x, axis, keepdim, dtype)


@results_named("argmin")
def argmin(x: Any, axis: int | None = None, keepdim: bool = False, dtype: Any = "int64",
           name: str | None = None) -> Any:
    """The position of the smallest element along `axis` (the first of equal ones), or in x flattened.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[4.0, 1.0], [2.0, 3.0]])
    >>> paddle.argmin(x).item(), paddle.argmin(x, axis=1).tolist()
    (1, [1, 0])
    """
    return _position(argmin_op, argmin_of_fed_op, x, axis, keepdim, dtype)

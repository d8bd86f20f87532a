"""A value's dtype, and the same elements in another one."""

from typing import Any

import numpy as np

from ...backend.kernels.narrow_floats import converted
from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ...core.errors import no_tensor
from ..core.facts import free
from ..core.operator import operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply


def _cast(xp, x, *, in_dtype: DType, out_dtype: DType):
    if x.dtype.kind == "c" and out_dtype.kind in "fi":
        x = x.real
    if out_dtype.itemsize == 2:
        return x.astype(out_dtype.dtype) if x.dtype == out_dtype.dtype else converted(x, out_dtype.dtype)
    return converted(x, out_dtype.dtype) if x.dtype.itemsize == 2 else x.astype(out_dtype.dtype)


cast_op = operator(
    "cast", "X -> Out", kernel=_cast,
    infer=lambda x, *, in_dtype, out_dtype: Spec(x.shape, out_dtype),
    formula=lambda in_dtype, out_dtype: "X" if out_dtype.is_floating else "X != 0" if out_dtype is dt.bool_ else None,
    loop_from=1 << 14,
    grad={"X": lambda g, in_dtype, out_dtype: apply(cast_op, g, in_dtype=out_dtype, out_dtype=in_dtype)},
    narrow=True, cost=free, precision="keep", in_files={"use_mkldnn": False}, fails="never")


def dtype_of(x: Any) -> DType:
    """The DType of a value of any trace (a bare array has NumPy's); TypeError for what is neither."""
    try:
        dtype = x.dtype
        return dtype if isinstance(dtype, DType) else dt.from_numpy_dtype(dtype)
    except AttributeError:
        raise no_tensor(x) from None


@results_named("cast")
def cast(x: Any, dtype: Any) -> Any:
    """x with its elements converted to `dtype`: floats are cut towards zero when they become integers.

    >>> import proa as paddle
    >>> paddle.cast(paddle.to_tensor([1.7, -1.7]), "int64").tolist()
    [1, -1]
    """
    return apply(cast_op, x, in_dtype=dtype_of(x), out_dtype=convert_dtype(dtype))


def in_dtype(x: Any, dtype: dt.DType) -> Any:
    """x itself where it has the dtype already, else converted."""
    return x if dtype_of(x) is dtype else cast(x, dtype)


def check_held(what: str, value: Any, dtype: DType) -> None:
    """TypeError, naming `what`, for a number or a tensor of which `dtype` cannot hold a part: None, text, complex."""
    if value is None or isinstance(value, (str, bytes)):
        raise TypeError(f"{what}: a number or a tensor is wanted. Received {value!r}.")
    if dtype.is_complex:
        return
    if value.dtype.is_complex if getattr(value, "_is_proa_value", False) else np.iscomplexobj(value):
        raise TypeError(f"{what}: {dtype.name} cannot hold complex numbers. Take paddle.real or paddle.abs of the "
                        "value, or convert what it is put into to a complex dtype.")


def as_floating(x: Any) -> Any:
    """x in the default dtype where it holds integers or bools."""
    return x if dtype_of(x).is_differentiable else floating(x)


def floating(x: Any) -> Any:
    """Integers or bools in the default dtype; what stands for a number of Python goes on to do so, as its floats."""
    is_number = getattr(x, "is_number", False)
    made = cast(x, dt.float64 if is_number else dt.get_default_dtype_object())
    if is_number:
        made.is_number = True
    return made

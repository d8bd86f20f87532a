"""Numbers evenly spaced in their logarithm."""

from typing import Any

from ...core import dtype as dt
from ...core.dtype import DType, convert_dtype
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import cast
from .creation import full, is_value


def _logspace(xp, start, stop, num, base, *, dtype: DType):
    places = xp.linspace(float(start.reshape(())), float(stop.reshape(())), int(num.reshape(())))
    return (float(base.reshape(())) ** places).astype(dtype.dtype)


logspace_op = operator("logspace", "Start, Stop, Num, Base -> Out", kernel=_logspace,
                       infer=lambda start, stop, num, base, *, dtype: Spec((-1,), dtype))


def logspace(start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: str | None = None) -> Any:
    """`num` numbers from base^start to base^stop, both included, evenly spaced in their exponents.

    >>> import proa as paddle
    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    kind = dt.get_default_dtype_object() if dtype is None else convert_dtype(dtype)
    if not is_value(num) and num <= 0:
        raise ValueError(f"logspace(num): must be above 0. Received {num}.")

    def scalar(value: Any, of: DType) -> Any:
        return cast(value, of) if is_value(value) else full([1], value, of)

    return apply(logspace_op, scalar(start, dt.float64), scalar(stop, dt.float64), scalar(num, dt.int32),
                 scalar(base, dt.float64), dtype=kind)

"""What numbers are made of, and of what kind: parts of floats and complex numbers, degrees, NaN and infinity."""

import builtins
import math
from typing import Any

import numpy as np

from ...core import dtype as dt
from ...core.dtype import convert_dtype
from ..array.creation import assign, full_like
from ..array.full import full
from ..array.rearrange import complex as complex_of
from ..array.rearrange import complex_op, imag_op, real_op
from ..array.where import where
from ..core.operator import operator
from ..core.spec import Spec
from .casting import as_floating, cast, dtype_of
from .comparison import equal
from .elementwise import apply, conj_op, equal_op
from .unary import abs, cos, floor, isfinite, isnan, log2, round, sign, sin


def _parts(x: Spec) -> Spec:
    narrow = {dt.complex64: dt.float32, dt.complex128: dt.float64}
    return Spec(x.shape, narrow.get(x.dtype, x.dtype))


def _angle(xp, x):
    """arctan2 of the parts; of a real number π where it is negative, NaN included as 0."""
    return xp.angle(x) if x.dtype.kind == "c" else (x < 0) * x.dtype.type(math.pi)


def _angle_gradient(g: Any, x: Any) -> Any:
    """Of arctan2(b, a): (-b + ia) / |x|², 0 for a real number, and for 0."""
    if not dtype_of(x).is_complex:
        return g * 0.0
    a, b = apply(real_op, x), apply(imag_op, x)
    length = a * a + b * b
    length = length + cast(apply(equal_op, length, length * 0.0), length.dtype)
    return apply(complex_op, g * b * -1.0 / length, g * a / length)


angle_op = operator("angle", "X -> Out", kernel=_angle, infer=_parts,
                    grad={"X": lambda g, X: _angle_gradient(g, X)}, lod="drop")


def angle(x: Any, name: str | None = None) -> Any:
    """The angle of complex numbers in radians; of real ones π where they are negative, else 0.

    >>> import proa as paddle
    >>> paddle.angle(paddle.to_tensor([1.0 + 0j, 1j, -1.0 + 0j], "complex128")).numpy().round(3).tolist()
    [0.0, 1.571, 3.142]
    """
    return apply(angle_op, as_floating(x))


def conj(x: Any, name: str | None = None) -> Any:
    """The complex conjugate.

    >>> import proa as paddle
    >>> paddle.conj(paddle.to_tensor([1 + 2j])).tolist()
    [(1-2j)]
    """
    return apply(conj_op, x)


def polar(abs: Any, angle: Any, name: str | None = None) -> Any:
    """Complex numbers of this length and angle: abs · (cos angle + i sin angle).

    >>> import proa as paddle
    >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
    [(2+0j)]
    """
    return complex_of(abs * cos(angle), abs * sin(angle))


def sgn(x: Any, name: str | None = None) -> Any:
    """The sign of real numbers; complex ones divided by their length, 0 where that is 0.

    >>> import proa as paddle
    >>> paddle.sgn(paddle.to_tensor([3 + 4j, 0j])).tolist()
    [(0.6000000238418579+0.800000011920929j), 0j]
    """
    if not dtype_of(x).is_complex:
        return sign(x)
    length = abs(x)
    at_zero = cast(equal(length, 0.0), length.dtype)
    return x * (1.0 - at_zero) / (length + at_zero)


def deg2rad(x: Any, name: str | None = None) -> Any:
    """Degrees as radians: x · π / 180.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([90.0, 180.0], "float64")
    >>> paddle.deg2rad(x).numpy().round(3).tolist()
    [1.571, 3.142]
    """
    return as_floating(x) * (math.pi / 180)


def rad2deg(x: Any, name: str | None = None) -> Any:
    """Radians as degrees: x · 180 / π.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([0.0, 3.141592653589793], "float64")
    >>> paddle.rad2deg(x).numpy().round(3).tolist()
    [0.0, 180.0]
    """
    return as_floating(x) * (180 / math.pi)


def nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None,
               name: str | None = None) -> Any:
    """x with other numbers for NaN and infinities, which become the largest and smallest of the dtype unless given.

    >>> import proa as paddle
    >>> paddle.nan_to_num(paddle.to_tensor([float("nan"), 1.0, float("inf")]), posinf=9.0).tolist()
    [0.0, 1.0, 9.0]
    """
    if dtype_of(x) is dt.bool_:
        raise TypeError("nan_to_num(x): must hold numbers. Received bool.")
    if not dtype_of(x).is_differentiable:
        return assign(x)  # whole numbers are all finite
    limits = _limits(dtype_of(x))
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    x = where(isnan(x), full_like(x, nan), x)
    x = where(equal(x, math.inf), high, x)  # a number, and not full_like: files hold its value in 32 bits
    return where(equal(x, -math.inf), low, x)


def frexp(x: Any, name: str | None = None) -> tuple[Any, Any]:
    """Mantissa (0, or 0.5 up to 1 in size) and exponent, both floating: x = mantissa · 2^exponent.

    Infinities and NaN are their own mantissas, with the exponent 0.

    >>> import proa as paddle
    >>> mantissa, exponent = paddle.frexp(paddle.to_tensor([8.0, 0.75]))
    >>> mantissa.tolist(), exponent.tolist()
    ([0.5, 0.75], [4.0, 0.0])
    """
    x = as_floating(x)
    has_size = isfinite(x)
    size = where(has_size, abs(x), full_like(x, 0.0))
    exponent = floor(log2(where(equal(size, 0.0), full_like(x, 1.0), size)))
    mantissa = size / full_like(x, 2.0) ** exponent
    full_size = mantissa >= 1.0
    exponent = where(full_size, exponent + 1.0, exponent)
    mantissa = where(full_size, mantissa * 0.5, mantissa)
    return where(has_size, mantissa * sign(x), x), exponent


def is_complex(x: Any) -> bool:
    """Whether x holds complex numbers.

    >>> import proa as paddle
    >>> paddle.is_complex(paddle.to_tensor([1 + 2j])), paddle.is_complex(paddle.ones([1]))
    (True, False)
    """
    return dtype_of(x).is_complex


def is_floating_point(x: Any) -> bool:
    """Whether x holds floating-point numbers.

    >>> import proa as paddle
    >>> paddle.is_floating_point(paddle.ones([1])), paddle.is_floating_point(paddle.ones([1], "int64"))
    (True, False)
    """
    return dtype_of(x).is_floating


def is_integer(x: Any) -> bool:
    """Whether x holds integers (not bools).

    >>> import proa as paddle
    >>> paddle.is_integer(paddle.ones([1])), paddle.is_integer(paddle.ones([1], "int64"))
    (False, True)
    """
    return not dtype_of(x).is_differentiable and dtype_of(x) is not dt.bool_


class finfo:
    """The limits of a floating dtype: `min`, `max`, `eps`, `tiny`, `resolution`, `bits`, `dtype`.

    >>> import proa as paddle
    >>> paddle.finfo("float32").bits
    32
    """

    def __init__(self, dtype: Any):
        kind = convert_dtype(dtype)
        if not kind.is_differentiable:
            raise ValueError(f"finfo(dtype): must be floating. Received {kind.name}.")
        limits: Any = _limits(kind)
        self.bits, self.dtype = int(limits.bits), kind.name
        for name in ("min", "max", "eps", "tiny", "smallest_normal"):
            setattr(self, name, float(getattr(limits, name)))
        self.resolution = float(f"1e-{limits.precision}")  # NumPy's is rounded to the dtype

    def __repr__(self) -> str:
        names = ("min", "max", "eps", "resolution", "smallest_normal", "tiny")
        limits = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"paddle.finfo({limits}, bits={self.bits}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype: `min`, `max`, `bits`, `dtype`.

    >>> import proa as paddle
    >>> paddle.iinfo("int8").max
    127
    """

    def __init__(self, dtype: Any):
        kind = convert_dtype(dtype)
        if kind.is_differentiable or kind is dt.bool_:
            raise ValueError(f"iinfo(dtype): must be an integer dtype. Received {kind.name}.")
        limits = np.iinfo(kind.dtype)
        self.min, self.max, self.bits, self.dtype = int(limits.min), int(limits.max), int(limits.bits), kind.name

    def __repr__(self) -> str:
        return f"paddle.iinfo({', '.join(f'{k}={v}' for k, v in vars(self).items())})"


def _limits(kind: dt.DType) -> Any:
    if kind is dt.bfloat16:
        import ml_dtypes

        return ml_dtypes.finfo(kind.dtype)
    return np.finfo(kind.dtype)


def rounded(x: Any, digits: int | None = None) -> Any:
    """Python's `round(x, digits)` of each element: with digits a half goes to the even one, and integers stay such.

    It is computed in float64, which holds a float32 times a hundred; without digits it is `paddle.round`.
    """
    dtype = dtype_of(x)
    if digits is None or dtype.is_integer and digits >= 0:
        return round(x)
    scale = full([], 10.0 ** builtins.abs(digits), "float64")
    moved = cast(x, "float64") * scale if digits > 0 else cast(x, "float64") / scale
    nearest = round(moved)
    is_half = equal(nearest - sign(moved) * 0.5, moved)
    nearest = where(is_half, round(moved * 0.5) * 2.0, nearest)
    return cast(nearest / scale if digits > 0 else nearest * scale, dtype)

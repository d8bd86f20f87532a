"""clip: values kept between two limits, which are numbers or tensors."""

from typing import Any

import numpy as np

from ...backend.numpy_1 import clip as clipped
from ..array.full import exact, is_value
from ..core.operator import operator
from ..core.trace import apply
from .casting import cast, dtype_of
from .elementwise import maximum, minimum

_LARGEST = 3.4028234e38
_NUMBERS, _WHOLE = (float, int), 2.0**53  # the largest up to which a float holds all whole numbers
_NEAR_LARGEST = {"int32": 2**31 - 2**7, "int64": 2**63 - 2**39}  # the largest whole numbers that a float32 holds


def _limits(low_tensor, high_tensor, low, high):
    """The limits as numbers; None where there is none, which attributes say with the largest float32."""
    low = low if low_tensor is None else _one_number("min", low_tensor)
    high = high if high_tensor is None else _one_number("max", high_tensor)
    return (None if low <= -_LARGEST else low), (None if high >= _LARGEST else high)


def _one_number(name: str, bound: Any) -> Any:
    if bound.size != 1:
        raise ValueError(f"{name} is a tensor of shape {list(bound.shape)}, and a bound is one number for all of x. "
                         "paddle.clip broadcasts bounds of several elements; the operation of a Program does not. "
                         "(PaddlePaddle takes the first element and says nothing.)")
    return bound.item()


def _clip(xp, x, low_tensor=None, high_tensor=None, *, min: float = -3.4028235e38, max: float = 3.4028235e38):
    low, high = _limits(low_tensor, high_tensor, min, max)
    if x.dtype.kind in "bc":
        raise _without_order(x.dtype.name)
    if x.dtype.kind in "iu":
        info, most = xp.iinfo(x.dtype), _NEAR_LARGEST.get(x.dtype.name, _LARGEST)
        low, high = None if low is None or low <= -most else low, None if high is None or high >= most else high
        low = None if low is None else int(_between(low, info))
        high = None if high is None else int(_between(high, info))
    if low is None and high is None:
        return x.copy()
    if xp is np and low is not None and high is not None and x.dtype.kind == "f":
        return clipped(x, low, high)
    return x.clip(low, high)


def _without_order(dtype: str) -> TypeError:
    return TypeError(f"clip(x, min, max): x must hold real numbers. Received dtype {dtype}.")


def _clip_infer(x: Any, *_: Any, **__: Any) -> Any:
    if x.dtype.name == "bool" or x.dtype.is_complex:
        raise _without_order(x.dtype.name)
    return x


def _between(value: float, info: Any) -> float:
    return info.min if value < info.min else info.max if value > info.max else value


def _inside(xp, g, x, low_tensor=None, high_tensor=None, *, min: float = -3.4028235e38, max: float = 3.4028235e38):
    low, high = _limits(low_tensor, high_tensor, min, max)
    keep = xp.ones(x.shape, bool) if low is None else x > low
    keep = keep if high is None else keep & (x < high)
    return xp.where(keep, g, g.dtype.type(0))  # a product would keep the NaN of `sqrt(x.clip(0))` where x is 0


def _clip_formula(min: float, max: float) -> str:
    return f"min(max(X, {min!r}), {max!r})"


def _with_limits_of_integers(x: Any, *limits: Any, min: float = -_LARGEST, max: float = _LARGEST) -> tuple[tuple, dict]:
    """Where there is no limit, one that an integer can hold: Paddle's kernel makes an integer of it first."""
    most = float(_NEAR_LARGEST.get(dtype_of(x).name, 3.4028235e38))
    return (x, *limits), {"min": -most if min <= -_LARGEST else min, "max": most if max >= _LARGEST else max}


clip_op = operator("clip", "X, Min?, Max? -> Out", kernel=_clip, infer=_clip_infer,
                   formula=_clip_formula, adapted=_with_limits_of_integers, compiled="clip", grad={
    "X": lambda g, X, Min, Max, min, max: apply(inside_op, g, X, Min, Max, min=min, max=max)})
inside_op = operator("where_inside", "G, X, Min?, Max? -> Out", kernel=_inside, infer=lambda g, *_, **__: g,
                     formula=lambda min, max: f"(G if X > {min!r} and X < {max!r} else 0.0)", grad={
    "G": lambda g, X, Min, Max, min, max: apply(inside_op, g, X, Min, Max, min=min, max=max)}, only_here=True)


def _is_of_several(bound: Any) -> bool:
    return is_value(bound) and any(size != 1 for size in bound.shape)


def clip(x: Any, min: Any = None, max: Any = None, name: str | None = None) -> Any:
    """x with what is below `min` set to it, and what is above `max`; both are numbers, tensors or None.

    A tensor of one element is a bound of all of x; one of several is broadcast against it. The slope is 1 between the
    two and 0 elsewhere, also where x is `min` or `max` itself.

    >>> import proa as paddle
    >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 3.0]), 0.0, 1.0).tolist()
    [0.0, 0.5, 1.0]

    >>> paddle.clip(paddle.to_tensor([-1.0, 0.5, 3.0]), max=paddle.to_tensor([0.0, 1.0, 2.0])).tolist()
    [-1.0, 0.5, 2.0]
    """
    if type(min) in _NUMBERS:
        if type(max) in _NUMBERS and -_WHOLE <= min <= max <= _WHOLE:
            return apply(clip_op, x, None, None, min=float(min), max=float(max))
        if max is None and -_WHOLE <= min <= _WHOLE:
            return apply(clip_op, x, None, None, min=float(min))
    if _is_of_several(min):
        return clip(maximum(x, cast(min, x.dtype)), None, max)
    if _is_of_several(max):
        return minimum(clip(x, min), cast(max, x.dtype))
    low, given = (cast(min, x.dtype), {}) if is_value(min) else (None, {} if min is None else {"min": exact(min)})
    high = cast(max, x.dtype) if is_value(max) else None
    if low is None and high is None and min is not None and max is not None and min > max:
        raise ValueError(f"clip(x, min, max): min must not exceed max. Received min={min}, max={max}.")
    if high is None and max is not None:
        given["max"] = exact(max)
    return apply(clip_op, x, low, high, **given)

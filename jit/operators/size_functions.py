"""Functions of `math`, NumPy and Python where an argument is a size, or another number, that only the run knows.

Knows what is symbolic, nothing else of staging. A float of Python becomes a value of the default dtype.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..errors import here
from . import staging


def is_symbolic_number(value: Any) -> bool:
    """Whether a value is a single number that only the run knows."""
    return staging.is_symbolic(value) and len(value.shape) == 0


def _numbers(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _numbers(value)
        else:
            yield value


def _where_symbolic(function: Callable[..., Any], staged: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, or `staged` where an argument or an item of one is symbolic.

    Without conversion such a function is given plain numbers: no gradient flows through it.
    """
    @functools.wraps(staged)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(map(is_symbolic_number, _numbers((*args, *kwargs.values())))):
            return function(*args, **kwargs)
        result = staged(*map(_as_plain, args), **{name: _as_plain(value) for name, value in kwargs.items()})
        for made in _numbers([result]):
            staging.note_number(made, False)
        return result

    return call


def _as_plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_as_plain(item) for item in value]
    return staging.detached(value) if is_symbolic_number(value) else value


def _floating(value: Any) -> Any:
    """As a float of Python: a double."""
    return staging.cast(value, "float64") if is_symbolic_number(value) else value


def _method(name: str) -> Callable[[Any], Any]:
    return lambda value: getattr(_floating(value), name)()


def _whole(name: str) -> Callable[[Any], Any]:
    return lambda value: staging.cast(getattr(_floating(value), name)(), "int64")


def _log(value: Any, base: Any = math.e) -> Any:
    found = _floating(value).log() if is_symbolic_number(value) else math.log(value)
    if base is math.e:
        return found
    return found / (_floating(base).log() if is_symbolic_number(base) else math.log(base))


def _round(value: Any, digits: Any = None) -> Any:
    """To the nearest whole number, of two the even one; with digits, a float."""
    scale = 10.0 ** (digits or 0)
    moved = _floating(value) * scale + 0.5
    down = moved.floor()
    odd_tie = (moved == down).logical_and(down % 2.0 == 1.0)
    result = down - staging.cast(odd_tie, "float64")
    staging.note_number(result, False)  # which is divided as Python divides
    return staging.cast(result, "int64") if digits is None else result / scale


def _product(values: Any, axis: Any = None, dtype: Any = None) -> Any:
    return functools.reduce(operator.mul, _numbers([values]), 1)


def _total(values: Any, axis: Any = None, dtype: Any = None) -> Any:
    return functools.reduce(operator.add, _numbers([values]), 0)


def _largest(values: Any, axis: Any = None) -> Any:
    return functools.reduce(staging.larger, _numbers([values]))


def _smallest(values: Any, axis: Any = None) -> Any:
    return functools.reduce(staging.smaller, _numbers([values]))


def _power(base: Any, exponent: Any) -> Any:
    return _floating(base) ** _floating(exponent)


def _divided(a: Any, b: Any) -> tuple[Any, Any]:
    return a // b, a % b


def _cast_to(dtype: str) -> Callable[[Any], Any]:
    return lambda value: staging.cast(value, dtype)


_STAGED: dict[Any, Callable[..., Any]] = {
    builtins.round: _round, builtins.divmod: _divided,
    math.log: _log, math.pow: _power, math.ceil: _whole("ceil"), math.floor: _whole("floor"),
    math.trunc: _whole("trunc"), math.fabs: lambda value: abs(_floating(value)),
    math.isqrt: lambda value: staging.cast(_floating(value).sqrt().floor(), "int64"),
    **{getattr(math, name): _method(name) for name in ("sqrt", "exp", "sin", "cos", "tan", "tanh", "log2", "log10",
                                                        "log1p", "expm1")},
    **{getattr(np, name): _method(name) for name in ("sqrt", "exp", "sin", "cos", "tan", "tanh", "log", "log2",
                                                      "log10", "log1p", "expm1", "ceil", "floor")},
    np.prod: _product, np.sum: _total, np.max: _largest, np.min: _smallest, np.maximum: staging.larger,
    np.minimum: staging.smaller, np.power: _power, np.round: lambda value, decimals=0: _round(value, decimals),
    np.abs: abs, np.square: lambda value: value * value, np.add: operator.add, np.subtract: operator.sub,
    np.multiply: operator.mul, np.divide: operator.truediv, np.floor_divide: operator.floordiv, np.mod: operator.mod,
    np.float32: _cast_to("float32"), np.float64: _cast_to("float64"), np.int32: _cast_to("int32"),
    np.int64: _cast_to("int64")}


def _where_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    """`round` or `divmod`, whose answer for tensors, of no dimensions too, is one of tensors: as their methods say."""
    staged = _where_symbolic(function, _STAGED[function])

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        is_of_tensors = any(staging.is_symbolic(value) and not staging.is_number(value) for value in args)
        return function(*args, **kwargs) if is_of_tensors else staged(*args, **kwargs)

    return call


#: id of a function -> what converted code calls in its place.
SIZE_FUNCTIONS: dict[int, Callable[..., Any]] = {
    **{id(f): _where_symbolic(f, staged) for f, staged in _STAGED.items()},
    **{id(f): _where_numbers(f) for f in (builtins.round, builtins.divmod)}}


def refusing(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """For another function of NumPy one that refuses numbers that only the run knows; None for all else."""
    module = getattr(function, "__module__", None) or ""
    if module.startswith("numpy.random") or not (isinstance(function, np.ufunc) or module.split(".")[0] == "numpy"):
        return None
    name = getattr(function, "__name__", "a function")

    def refused(*args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{here()}: numpy.{name}() of a size that only the run knows. Use paddle.{name} (or another "
                        f"function of paddle) here, or declare that size in the InputSpec.")

    return _where_symbolic(function, refused)

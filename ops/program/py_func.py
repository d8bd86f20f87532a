"""A Python function as an operator of a Program: `py_func`.

An operation holds the number of its function, which only this process knows: a file with such an operation is of use
where the Program is built anew.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ... import backend
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply


class Registered(NamedTuple):
    """A function, what its results are like, which of a gradient's values it is given, and how many it takes where
    offsets of sequences are among them."""

    function: Callable[..., Any]
    specs: Sequence[Spec]
    taken: Sequence[bool] = ()
    takes: int | None = None


_functions: list[Registered] = []


def register(function: Callable[..., Any], specs: Sequence[Spec], taken: Sequence[bool] = (),
             takes: int | None = None) -> int:
    """The number under which an operation calls a function."""
    _functions.append(Registered(function, list(specs), list(taken), takes))
    return len(_functions) - 1


def registered(number: int) -> Registered:
    """The function of this number; RuntimeError in another process than the one that registered it."""
    if not 0 <= number < len(_functions):
        raise RuntimeError("py_func: this Program calls a Python function of the process that built it, which files do "
                           "not hold. Build the Program here, or leave py_func out of what is saved.")
    return _functions[number]


def _py_func(xp, x=None, *, forward_callable_id: int, backward_callable_id: int = -1,
             backward_skip_vars: list[str] = ()):
    found = registered(forward_callable_id)
    results = found.function(*[backend.to_numpy(array).view() for array in x or ()])
    results = [] if results is None else list(results) if isinstance(results, (list, tuple)) else [results]
    if len(results) != len(found.specs):
        raise ValueError(f"py_func: {getattr(found.function, '__name__', 'the function')} must give "
                         f"{len(found.specs)} values, one for each output. It gave {len(results)}.")
    return [xp.asarray(getattr(value, "_array", value), spec.dtype.dtype)
            for value, spec in zip(results, found.specs, strict=True)]


def _gradient(d_Out, X, Out, backward_callable_id):
    found = registered(backward_callable_id)
    values = [value for value, taken in zip([*X, *Out, *d_Out], found.taken, strict=True) if taken]
    return apply(py_func_op, values, forward_callable_id=backward_callable_id)


def _infer(x, *, forward_callable_id, **_):
    found = registered(forward_callable_id)
    if found.takes not in (None, len(x or ())):
        raise ValueError("py_func: the function was given offsets of sequences when this Program was built, and a "
                         "file, or a copy for sequences of other levels, has none. Build the Program anew, with the "
                         "levels that are fed.")
    return list(found.specs),


py_func_op = operator(
    "py_func", "X* -> Out*~X", kernel=_py_func, infer=_infer, grad={"X": _gradient}, effects="calls")

"""A gradient that the user's Python writes into a Program: where it begins and ends, an operator that does nothing."""

from collections.abc import Callable
from typing import Any

from .operator import operator

_functions: list[Callable[..., Any]] = []


def register(function: Callable[..., Any]) -> int:
    """The number by which an operation knows the function that appends its gradient."""
    _functions.append(function)
    return len(_functions) - 1


def _gradient(d_Out, Inputs, backward):
    if not 0 <= backward < len(_functions):
        raise RuntimeError("static_pylayer: the function that appends its gradient belongs to the process that built "
                           "the Program. Build the Program here to differentiate it.")
    result = _functions[backward](*d_Out)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(results) != len(Inputs):
        raise ValueError(f"static_pylayer(backward_fn): must give {len(Inputs)} gradients, one for each input. "
                         f"It gave {len(results)}.")
    return results


custom_gradient_op = operator(
    "custom_gradient", "X*, Inputs* -> Out*", kernel=lambda xp, x, inputs, *, backward=-1: list(x),
    infer=lambda x, inputs, *, backward=-1: (list(x),), grad={"Inputs": _gradient})
"""X as it is; the gradients of `Inputs` are what the function of the number `backward` makes of those of Out."""

"""A gradient of the user's own in a Program (PyLayer, static_pylayer): where it begins and ends, an operator.

Its results are the values that the user's forward code has computed; its gradient is what the user's backward code
has written down, once, where forward was. What that reads is among the operator's inputs, so that loops and branches
keep it for the backward pass as they keep what any other operator needs. A compiled Program and a file hold
assignments in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core import nest
from ..array.full import is_value
from ..array.gradient_shapes import reshape_to
from ..core.operator import operator


class WrittenGradient(int):
    """The attribute `backward`: in a file a number, in this process the function that appends the gradient.

    `function(d_Out, Kept, Out)` gives a gradient, or None, for each of `Inputs`; of `d_Out`, one is None whose result
    nothing has used.
    """

    function: Callable[[list, list, list], list]

    def __new__(cls, function: Callable[[list, list, list], list]) -> WrittenGradient:  # noqa: D102
        self = super().__new__(cls, 0)
        self.function = function
        return self

    def __deepcopy__(self, memo: dict) -> WrittenGradient:
        return self


def _gradient(given_Out, Kept, Out, backward):
    if not isinstance(backward, WrittenGradient):
        raise RuntimeError("custom_gradient: the code that appends this gradient (of a PyLayer or static_pylayer) "
                           "belongs to the process that built the Program. Build the Program here to differentiate it.")
    flowing = given_Out or {}  # by position
    return backward.function([flowing.get(n) for n in range(len(Out))], Kept or [], Out)


custom_gradient_op = operator(
    "custom_gradient", "X*, Inputs*, Kept* -> Out*~X", kernel=lambda xp, x, inputs, kept, *, backward=-1: list(x),
    infer=lambda x, inputs, kept, *, backward=-1: (list(x),), grad={"Inputs": _gradient}, moves=True, only_here=True)
"""X as it is. The gradients of `Inputs` are what the code behind `backward` makes of those of Out and of `Kept`."""


def checked_gradients(what: str, function: Callable | None, result: Any, wanted: Sequence[bool],
                      shapes: Sequence[Any]) -> list[Any]:
    """What a user's backward code gave, one value or None for each input; `wanted`: of which a gradient is asked.

    As in Paddle, those of the last inputs may be left out where none is wanted. A gradient that has its input's shape
    but for dimensions of 1 is given that shape. `shapes`: tuples, or in a Program the inputs themselves. `what` names
    the code in errors, `function` where it stands: ValueError for another number or shape, and for no value.
    """
    results = nest.flatten(result) if isinstance(result, (list, tuple)) else [result]
    if len(results) < len(wanted) and not any(wanted[len(results):]):
        results += [None] * (len(wanted) - len(results))
    if len(results) != len(wanted):
        raise ValueError(f"{_place(function)}{what} must give as many gradients as forward has tensor inputs, "
                         f"{len(wanted)}. It gave {len(results)}.")
    for number, value in enumerate(results):
        if value is not None and not is_value(value):
            raise ValueError(f"{_place(function)}{what} must give Tensors or None. Gradient {number} is a "
                             f"{type(value).__name__}.")
        if value is not None and wanted[number]:
            sizes = list(getattr(shapes[number], "shape", shapes[number]))
            given = list(value.shape)
            if not _may_follow(given, sizes):
                raise ValueError(
                    f"{_place(function)}{what} must give each gradient in the shape of its input. Gradient {number} "
                    f"has shape {given}; input {number} of forward has {sizes}. Sum over the dimensions along which "
                    "forward repeats the input, or reshape.")
            if given != sizes:
                results[number] = reshape_to(value, shapes[number] if -1 in sizes else tuple(sizes))
    return results


def _may_follow(given: list[int], sizes: list[int]) -> bool:
    """Whether two shapes are the same but for dimensions of 1; a size of -1 may be any."""
    if given and sizes and (given[0] == sizes[0] or -1 in (given[0], sizes[0])) and _may_follow(given[1:], sizes[1:]):
        return True
    return (not given and not sizes or bool(given) and given[0] in (1, -1) and _may_follow(given[1:], sizes)
            or bool(sizes) and sizes[0] in (1, -1) and _may_follow(given, sizes[1:]))


def _place(function: Callable | None) -> str:
    code = getattr(getattr(function, "dygraph_function", function), "__code__", None)
    return "" if code is None else f'File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}: '

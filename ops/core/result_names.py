"""What the results of a function are called in a Program: after the function, as in PaddlePaddle's Programs.

A function that is called draws a name, `mean_0`, `mean_1`…, or is given one by its argument `name`, and its results are
`mean_0.tmp_0`, `mean_0.tmp_1`… By default the name is that of the operator's type. What is otherwise, the function's
`results_named` says; `trace.drawing` lets all that a function applies have one name. Both cost eager code nothing, or
a call: who writes Programs finds the functions on Python's stack (`static/building/result_names.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from .operator import Operator

_F = TypeVar("_F", bound=Callable[..., Any])


class ResultNames(NamedTuple):
    """`key`: what names begin with in the place of the operator's type; `{input}` in it is the first input's name, and
    `{op}` the operator's type.

    `first`: the slots that are named before the others. `bare`: a result has the drawn name itself, `tril_0`. `draws`:
    how many names are drawn for a call; for 0 it is the key. `overall`: all is named so that functions apply which this
    one calls. `only`: the operators that the rule is for, where it is not for all. `always`: in Programs of 1.x too,
    whose other results take names by turn.
    """

    key: str = ""
    first: tuple[str, ...] = ()
    bare: bool = False
    draws: int = 1
    overall: bool = False
    only: tuple[Operator, ...] = ()
    always: bool = False


BY_CODE: dict[CodeType, ResultNames] = {}
"""The rules, by the code of the functions that they are about."""


def results_named(key: str = "", *, first: str = "", bare: bool = False, draws: int = 1, overall: bool = False,
                  only: tuple[Operator, ...] = (), always: bool = False) -> Callable[[_F], _F]:
    """Says of a function what its results are called: see `ResultNames`; `first` names slots, divided by spaces."""
    def mark(function: _F) -> _F:
        BY_CODE[function.__code__] = ResultNames(
            key, tuple(first.split()), bare, draws, overall, only, always)
        return function

    return mark

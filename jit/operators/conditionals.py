"""`if`, as a statement and as an expression: Python's own, unless the test is symbolic.

Under a symbolic test both branches are traced, each from the same state, and what they leave behind is merged.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from ..errors import ConversionError
from . import staging
from .containers import copied, settled
from .merging import Merge
from .undefined import Undefined
from .watching import no_changes_in_place
from .where import here

Body = Callable[[], Any]


class raising:
    """Marks a branch that ends in `raise`: it cannot be traced."""

    def __init__(self, body: Body):
        self._body = body

    def __call__(self) -> Any:
        """Runs the branch."""
        return self._body()


def if_stmt(test: Any, body: Body, orelse: Body, get_state: Callable[[], tuple], set_state: Callable[[tuple], Any],
            names: tuple[str, ...], outputs: int) -> None:
    """`if test: body() else: orelse()`; the first `outputs` of the variables `names` are read behind it."""
    if not staging.is_symbolic(test):
        return body() if test else orelse()
    before, where = get_state(), here()
    _check_raises(where, body, orelse)

    given: list[tuple] = []  # to each branch

    def run(branch: Body) -> tuple:
        given.append(tuple(map(copied, before)))
        set_state(given[-1])
        branch()
        return get_state()[:outputs]

    stays = [type(v) is Undefined and not _may_write(orelse, n) for n, v in zip(names, before, strict=True)]
    merge = Merge(names[:outputs], where, stays[:outputs])
    with no_changes_in_place(where, "`if`", body, orelse):
        after = merge.stage(test, lambda: run(body), lambda: run(orelse))
    kept = [a is c and b is d for a, b, c, d in zip(*given, merge.first, merge.second, strict=False)]
    set_state((*map(settled, before, kept, after), *before[outputs:]))
    return None


def _may_write(branch: Any, name: str) -> bool:
    """Whether a branch may give a variable or an attribute a value: generated branches declare what they write."""
    return name.rpartition(".")[2] in _mentioned(branch.__code__)


def _mentioned(code: CodeType) -> set[str]:
    inner = (_mentioned(c) for c in code.co_consts if isinstance(c, CodeType))
    return {*code.co_freevars, *code.co_names}.union(*inner)


def _check_raises(where: str, *branches: Body) -> None:
    if any(isinstance(b, raising) for b in branches):
        raise ConversionError(
            where, "a branch of this `if` raises an exception, and a tensor decides whether it runs. While the program "
            "is built every branch runs, so it would be raised always.",
            "Use `assert`, which becomes part of the program, or decide on a Python value, such as a shape.")


def if_exp(test: Any, body: Body, orelse: Body) -> Any:
    """`body() if test else orelse()`."""
    if not staging.is_symbolic(test):
        return body() if test else orelse()
    merge = Merge(("… if … else …",), here(), [False])
    (value,) = merge.stage(test, lambda: (body(),), lambda: (orelse(),))
    return value

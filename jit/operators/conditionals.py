"""`if`, as a statement and as an expression: Python's own, unless the test is symbolic.

Under a symbolic test both branches are traced, each from the same state, and what they leave behind is merged.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

from ..errors import ConversionError, here
from . import run_checks, staging
from .containers import CHANGEABLE, Held, copied, lists_kept, note_several, objects
from .merging import Merge
from .outside import ChangedOutside, Outside, check_changed
from .partial import truth
from .preparing import Preparer, PreparerOfExpression, restoring
from .retracing import traced

Body = Callable[[], Any]
_SYMBOLIC = r"var \S+ : shape\[[^]]*\]\.dtype\(\w+\)\.stop_gradient\(\w+\)"  # as messages print it


class raising:
    """Marks a branch that ends in `raise`: it cannot be traced. One that does nothing else is an assertion (`only`)."""

    def __init__(self, body: Body, only: bool = False):
        self._body, self.only = body, only

    def raised(self) -> Exception:
        """The exception that the branch raises, sizes that are not known in its message shown as `?`."""
        try:
            self._body()
        except ConversionError:
            raise
        except Exception as error:
            if len(error.args) == 1 and isinstance(error.args[0], str):
                error.args = (re.sub(_SYMBOLIC, "?", error.args[0]),)
            return error.with_traceback(None)
        raise RuntimeError("A branch that raises has not raised. This is a defect in proa.")

    def __call__(self) -> Any:
        """Runs the branch."""
        return self._body()


def if_stmt(test: Any, body: Body, orelse: Body, get_state: Callable[[], tuple], set_state: Callable[[tuple], Any],
            names: tuple[str, ...], outputs: int, held: tuple[str, ...] = ()) -> None:
    """`if test: body() else: orelse()`; the first `outputs` of the variables `names` are read behind it.

    `held`: those whose value someone else may hold too.
    """
    test = truth(test)
    if not staging.is_symbolic(test):
        return body() if test else orelse()
    where = here()
    staging.check_condition(test, where)
    if isinstance(body, raising) and body.only and not isinstance(orelse, raising):
        _refuse(staging.logical_not(test), body, where)
        return orelse()
    if isinstance(orelse, raising) and orelse.only and not isinstance(body, raising):
        _refuse(test, orelse, where)
        return body()
    _check_raises(where, body, orelse)
    merge = Merge(names[:outputs], where)
    prepare = Preparer(names, held, where, "`if`", merge.preparations, get_state, set_state)
    before, mark = get_state(), staging.mark()
    contents = Held(before)
    try:
        traced(lambda: _stage(test, body, orelse, get_state, set_state, names, merge, frozenset(held)),
               prepare)
    except ChangedOutside as found:
        staging.undo(mark)
        set_state(before)
        contents.restore()  # lists in them may have become the Program's, for a trace that counts no more
        found.check_ends(names, where, "`if`")
        if_stmt(test, body, orelse, *found.extended(get_state, set_state, names), outputs + len(found.places),
                (*held, *found.held))
    return None


def _stage(test: Any, body: Body, orelse: Body, get_state: Callable[[], tuple], set_state: Callable[[tuple], Any],
           names: tuple[str, ...], merge: Merge, may_be_held: frozenset[str]) -> None:
    before, outputs = get_state(), len(merge.names)
    held, lists_before = Held(before), tuple(map(copied, before))
    found: list[tuple] = []  # the objects that each branch leaves

    def run(branch: Body) -> tuple:
        set_state(before)
        branch()
        after = get_state()[:outputs]
        found.append(tuple(map(objects, after)))
        left = tuple(lists_kept(b, copied(a)) for b, a in zip(lists_before, after, strict=False))
        held.note_changed()
        held.restore()
        set_state(before)
        outside.note_branch()
        return left

    def restore() -> None:
        set_state(before)

    outside = Outside(merge.where, "`if`", body, orelse)
    with outside.watched(restore), restoring(restore), held.restored():
        after = merge.stage(test, lambda: run(body), lambda: run(orelse))
    settled = held.settled(found, after)
    check_changed(held, names, may_be_held, merge.where, "`if`")
    set_state((*settled, *before[outputs:]))
    note_several(held, names, may_be_held, merge.where)


def _refuse(holds: Any, branch: raising, where: str) -> None:
    """Makes a run fail as the branch does, unless a symbolic condition holds."""
    run_checks.check_or_raise(holds, branch.raised(), where)


def _check_raises(where: str, *branches: Body) -> None:
    if any(isinstance(b, raising) for b in branches):
        raise ConversionError(
            where, "a branch of this `if` raises an exception, and a tensor decides whether it runs. While the program "
            "is built every branch runs, so it would be raised always.",
            "Use `assert`, which becomes part of the program, or decide on a Python value, such as a shape.")


def if_exp(test: Any, body: Body, orelse: Body) -> Any:
    """`body() if test else orelse()`."""
    test = truth(test)
    if not staging.is_symbolic(test):
        return body() if test else orelse()
    where = here()
    staging.check_condition(test, where)
    merge = Merge(("… if … else …",), where)
    prepare = PreparerOfExpression(merge.names[0], where, merge.preparations)
    found: list[Any] = []  # what the branches give that somebody else holds

    def value_of(branch: Body, outside: Outside) -> tuple:
        value, count = _counted(branch)
        is_held = count > _NEW if type(value) in CHANGEABLE else staging.is_list_of_before(value)
        left = prepare.staged(value, is_held)
        if is_held and type(value) in CHANGEABLE:
            found.append(value)
        outside.note_branch()
        return (left,)

    def stage() -> list[Any]:
        found.clear()
        prepare.begin()
        outside = Outside(where, "`if`", body, orelse)
        with outside.watched():
            return merge.stage(test, lambda: value_of(body, outside), lambda: value_of(orelse, outside))

    try:
        (value,) = traced(stage, prepare)
    except ChangedOutside as changed:
        raise ConversionError(
            where, f"a tensor decides this `… if … else …`, and a function called in it changes "
            f"`{changed.places[0].name}`: while the program is built both sides are computed.",
            "Write it as an `if` statement.") from None
    if len(found) == 2 and found[0] is found[1]:
        return found[0]
    for each in (value, *found) if found else ():
        staging.note_several(each, "the value of this expression", where)
    return value


def _counted(branch: Body) -> tuple[Any, int]:
    """What a branch gives, and how many references there are to it."""
    value = branch()
    return value, sys.getrefcount(value)


_NEW = _counted(lambda: [])[1]

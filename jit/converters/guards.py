"""`case … if guard:` becomes an `if` in the case, which a tensor may decide; the cases behind it wait for what it says.

    match value:                    subject, did_match = value, False
        case [a] if f(a): …         match subject:
        case _: …                       case [a]:
                                            if f(a): did_match = True; …
                                    if not did_match:
                                        match subject:
                                            case _: …

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote
from .context import Context
from .expressions import surely_plain


def convert(function: Any, context: Context) -> None:
    """Takes the guards of a function's `match` statements out of them."""
    rewrite(function, lambda statement: _unguarded(statement, context))


def _unguarded(statement: Any, context: Context) -> list[Any]:
    if not isinstance(statement, gast.Match) or not any(map(_is_guarded, statement.cases)):
        return [statement]
    subject, matched = context.namer.new("subject"), context.namer.new("did_match")
    begun = quote("subject, matched = value, False", statement.subject, subject=subject, matched=matched,
                  value=statement.subject)
    rest: list[Any] = []
    for group in reversed(_groups(statement.cases)):
        behind = quote("if not matched: rest", group[-1].guard, matched=matched, rest=rest) if rest else []
        cases = [_case(each, matched if rest else None) for each in group]
        (named,) = quote("subject", statement, subject=subject)
        rest = [gast.copy_location(gast.Match(subject=named.value, cases=cases), statement), *behind]
    return [*begun, *rest]


def _is_guarded(case: Any) -> bool:
    return case.guard is not None and not surely_plain(case.guard)


def _groups(cases: list[Any]) -> list[list[Any]]:
    """The cases in runs that end behind a guard."""
    groups: list[list[Any]] = [[]]
    for case in cases:
        groups[-1].append(case)
        if _is_guarded(case):
            groups.append([])
    return [group for group in groups if group]


def _case(case: Any, matched: str | None) -> Any:
    """A case without its guard, which notes that it was taken where another `match` behind it is to know."""
    if matched is not None:
        case.body = [*quote("matched = True", case.body[0], matched=matched), *case.body]
    if _is_guarded(case):
        case.body, case.guard = quote("if guard: body", case.guard, guard=case.guard, body=case.body), None
    return case

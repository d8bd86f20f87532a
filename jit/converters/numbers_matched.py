"""A `match` of numbers or classes is a chain of `if`, which a number that only a run knows may decide.

    match value:                    subject = value
        case 1 | 2: …               if subject == 1 or subject == 2: …
        case 3 as n: …              elif subject == 3: n = subject; …
        case float(n): …            elif isinstance(subject, float): n = subject; …
        case True: …                elif subject is True: …
        case _: …                   else: …

Only where each pattern is a number, True, False or None, a class of which nothing is asked, several of these or a name:
so Python's `match` would compare them, too. Runs behind `guards.py`, which leaves no guard that a tensor may decide.
Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote, quote_expression
from .context import Context

_NUMBERS = ("int", "float", "bool")  # of which `case int(n):` binds the number itself


def convert(function: Any, context: Context) -> None:
    """Makes chains of the function's `match` statements of numbers."""
    rewrite(function, lambda statement: _chain(statement, context))


def _chain(statement: Any, context: Context) -> list[Any]:
    if not isinstance(statement, gast.Match) or not _is_of_numbers(statement.cases):
        return [statement]
    subject = context.namer.new("subject")
    rest: list[Any] = []
    for case in reversed(statement.cases):
        asked, name = _parts(case.pattern)
        body = [*(quote("name = subject", case.body[0], name=name, subject=subject) if name else ()), *case.body]
        rest = _decided(case.body[0], subject, asked, body, rest) if asked else body
    return [*quote("subject = value", statement.subject, subject=subject, value=statement.subject), *rest]


def _decided(at: Any, subject: str, asked: list[Any], body: list[Any], rest: list[Any]) -> list[Any]:
    test = _test(at, subject, asked[0])
    for each in asked[1:]:
        test = quote_expression("test or other", at, test=test, other=_test(at, subject, each))
    if rest:
        return quote("if test: body\nelse: rest", at, test=test, body=body, rest=rest)
    return quote("if test: body", at, test=test, body=body)


def _test(at: Any, subject: str, asked: Any) -> Any:
    if isinstance(asked, gast.MatchClass):
        return quote_expression("isinstance(subject, kind)", at, subject=subject, kind=asked.cls)
    if isinstance(asked, gast.MatchSingleton):
        constant = gast.copy_location(gast.Constant(value=asked.value, kind=None), at)
        return quote_expression("subject is constant", at, subject=subject, constant=constant)
    return quote_expression("subject == number", at, subject=subject, number=asked)


def _is_of_numbers(cases: list[Any]) -> bool:
    parts = [_parts(case.pattern) if case.guard is None else None for case in cases]
    return all(part is not None for part in parts) and any(part and part[0] for part in parts)


def _parts(pattern: Any) -> Any:
    """The numbers, constants and classes of a pattern, none where it takes all, and the name that it binds.

    None for another pattern.
    """
    if isinstance(pattern, gast.MatchAs):
        inner = ([], None) if pattern.pattern is None else _parts(pattern.pattern)
        return None if inner is None or inner[1] else (inner[0], pattern.name)
    if isinstance(pattern, gast.MatchClass) and getattr(pattern.cls, "id", None) in _NUMBERS:
        bound = _parts(pattern.patterns[0]) if len(pattern.patterns) == 1 and not pattern.kwd_patterns else None
        if bound is not None and not bound[0]:
            return [gast.MatchClass(pattern.cls, [], [], [])], bound[1]
    found = [_number(each) for each in (pattern.patterns if isinstance(pattern, gast.MatchOr) else [pattern])]
    return None if None in found else (found, None)


def _number(pattern: Any) -> Any:
    if isinstance(pattern, gast.MatchSingleton):
        return pattern
    if isinstance(pattern, gast.MatchClass) and not (pattern.patterns or pattern.kwd_patterns):
        return pattern
    value = pattern.value if isinstance(pattern, gast.MatchValue) else None
    plain = value.operand if isinstance(value, gast.UnaryOp) else value
    is_number = isinstance(plain, gast.Constant) and type(plain.value) in (int, float)
    return value if is_number else None

"""Statement lists without jumps: what would have followed a jump moves under the branch that does not jump.

    if c: return a          if c: value = a
    rest                    else: rest

Where moving does not do (`with`, `try`, `match`, loops), a flag is set and what follows is tested. Shared by the
converters of `return` and of `break` and `continue`. Knows pyct alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from ..pyct.statements import LOOPS, always_jumps, blocks, contains
from ..pyct.templates import quote
from ..pyct.trees import copied

_MOST_COPIED = 4000  # nodes that may be copied, where both branches of an `if` run on, before flags take over


class Lowering:
    """Takes the jumps of some kinds out of statement lists.

    `lower(jump)` gives the statements that stand for a jump; `new_flag()` a name for the flag.
    """

    def __init__(self, kinds: tuple[type, ...], lower: Callable[[Any], list[Any]], new_flag: Callable[[], str]):
        self._kinds = kinds
        self._lower = lower
        self._new_flag = new_flag
        self._copied = 0
        self.flag: str | None = None  # set False before the statements when it is not None

    def close(self, statements: list[Any], tail: list[Any]) -> list[Any]:
        """The statements without jumps; `tail` is what runs where none of them jumped."""
        return self._close(statements, tail, self._lower)

    def _close(self, statements: list[Any], tail: list[Any], lower: Callable[[Any], list[Any]]) -> list[Any]:
        for i, statement in enumerate(statements):
            if isinstance(statement, self._kinds):
                return statements[:i] + lower(statement)
            if contains(statement, self._kinds, finals=False):
                return statements[:i] + self._spread(statement, statements[i + 1:], tail, lower)
        return statements if always_jumps(statements) else statements + copied(tail)

    def _spread(self, statement: Any, rest: list[Any], tail: list[Any], lower: Any) -> list[Any]:
        if not isinstance(statement, gast.If) or not self._may_copy(statement, rest):
            return self._flagged(statement, rest, tail, lower)
        other = copied(rest)
        statement.body = self._close(_then(statement.body, rest), tail, lower) or _pass(statement)
        statement.orelse = self._close(_then(statement.orelse, other), tail, lower)
        return [statement]

    def _may_copy(self, statement: gast.If, rest: list[Any]) -> bool:
        if always_jumps(statement.body) or always_jumps(statement.orelse):
            return True
        self._copied += sum(1 for s in rest for _ in gast.walk(s))
        return self._copied <= _MOST_COPIED

    def _flagged(self, statement: Any, rest: list[Any], tail: list[Any], lower: Any) -> list[Any]:
        if isinstance(statement, LOOPS):
            statement.body = self._leave(statement.body)
        else:
            self._flag_blocks(statement, lower)
        following = self._close(rest, tail, lower)
        return [statement, *self._unless_jumped(statement, following)]

    def _flag_blocks(self, statement: Any, lower: Any) -> None:
        def lower_and_flag(jump: Any) -> list[Any]:
            lowered = lower(jump)
            return lowered if lower is not self._lower else lowered + self._raise_flag(jump)

        for owner, field in blocks(statement):
            if field != "finalbody":
                body = getattr(owner, field)
                setattr(owner, field, self._close(body, [], lower_and_flag) or (body and _pass(body[0])))
        if isinstance(statement, gast.Try):
            statement.orelse = self._unless_jumped(statement, statement.orelse)

    def _leave(self, statements: list[Any]) -> list[Any]:
        """The statements of a loop, with `break` and a raised flag for each jump out of it."""
        new: list[Any] = []
        for statement in statements:
            if isinstance(statement, self._kinds):
                return new + self._lower(statement) + self._raise_flag(statement) + quote("break", statement)
            new += self._left(statement) if contains(statement, self._kinds) else [statement]
        return new

    def _left(self, statement: Any) -> list[Any]:
        for owner, field in blocks(statement):
            setattr(owner, field, self._leave(getattr(owner, field)))
        leave_too = quote("if flag: break", statement, flag=self._flag_name()) if isinstance(statement, LOOPS) else []
        return [statement, *leave_too]

    def _unless_jumped(self, at: Any, statements: list[Any]) -> list[Any]:
        if not statements:
            return []
        (test,) = quote("if flag: pass", at, flag=self._flag_name())
        test.orelse = statements
        return [test]

    def _raise_flag(self, jump: Any) -> list[Any]:
        return quote("flag = True", jump, flag=self._flag_name())

    def _flag_name(self) -> str:
        if self.flag is None:
            self.flag = self._new_flag()
        return self.flag


def _then(statements: list[Any], rest: list[Any]) -> list[Any]:
    return statements if always_jumps(statements) else statements + rest


def _pass(at: Any) -> list[Any]:
    return [gast.copy_location(gast.Pass(), at)]

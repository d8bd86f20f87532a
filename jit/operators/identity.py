"""Which values of before a value is, may be or shows, so that what is done to one in place is done to the other.

A condition, or how often a loop runs, decides it; `chosen` of a variable holds what is known before.
"""

from __future__ import annotations

from typing import Any

from ...ops.core.trace import current_trace
from ...static.building.views import bases_of
from ...static.building.views import may_be_one as may_be_chosen
from ...static.ir.variable import Variable
from . import staging


def note_chosen(result: Any, test: Any, first: Any, second: Any) -> None:
    """Notes which values of before a result is that a condition chose: they change in place with it."""
    if not isinstance(result, Variable):
        return
    chosen = []
    for value, holds in ((first, True), (second, False)):
        if staging.is_tensor(value) and _was_there(value):
            there = current_trace().lift(value, "a tensor that a condition chose")
            chosen.append([staging.as_decided(test), holds, value, there.changes])
        elif _shows_what_was_there(value):
            note_lost(result)
            chosen.append([staging.as_decided(test), holds, value, value.changes])
        elif isinstance(value, Variable):
            chosen += _of_before(value.chosen)
    result.chosen = tuple(chosen)


def note_turn(variable: Any) -> None:
    """Notes that the turn of a loop which is being traced finds a tensor that a former one, or none, has left."""
    if isinstance(variable, Variable):
        variable.turn = current_trace().block


def may_be_one(a: Any, b: Any) -> bool:
    """Whether a condition, or how often a loop has run, decides if two tensors are one."""
    return may_be_chosen(a, b) or _may_be_handed_on(a, b) or _may_be_handed_on(b, a)


def _may_be_handed_on(a: Any, b: Any) -> bool:
    """Whether turns of a loop hand one tensor on, and the other was not made in the turn that asks."""
    turn = getattr(a, "turn", None)
    block = getattr(b, "block", None) if getattr(b, "turn", None) is not turn else None
    while block is not None and block is not turn:
        block = block.parent
    return turn is not None and block is None


def is_made_here(value: Any) -> bool:
    """Whether a value is a tensor that a branch has made, which may be changed in place behind the statement."""
    return staging.is_tensor(value) and not staging.is_number(value) and not _was_there(value)


def note_one(result: Any, test: Any, holds: bool, other: Any) -> None:
    """Notes that a result is another one where the test `holds`, or does not."""
    result.chosen = (*result.chosen, [staging.as_decided(test), holds, other, other.changes])


def _of_before(chosen: tuple) -> list[list]:
    """The values of before a branch that one may be which the branch has chosen: on what, is known in it alone."""
    seen: set[int] = set()
    return [each for _, what, value, _ in chosen
            for each in _that_may_be(value, what if isinstance(what, str) else "a tensor that a branch chose", seen)]


def _that_may_be(value: Any, what: str, seen: set[int]) -> list[list]:
    """What of before it a result may be that may be this value."""
    found, pending = [], [value]
    while pending:
        value = pending.pop()
        if id(value) not in seen:
            seen.add(id(value))
            there = value if isinstance(value, Variable) else current_trace().lift(value, what)
            found += [[None, what, value, there.changes]] if _was_there(value) else _shown_by(value, what)
            pending += [other for _, _, other, _ in there.chosen]
    return found


def note_lost(result: Any) -> None:
    """Notes that a value may be one of several that cannot be told apart before a run: it is not changed in place."""
    if isinstance(result, Variable):
        result.is_one_of_several = True


def note_views_lost(base: Any, what: str) -> None:
    """Notes that views of a value, which errors call `what`, are behind: only some turns of a loop have changed it."""
    if isinstance(base, Variable):
        for view in [v for block in base.program.blocks for v in block.vars.values()]:
            if _was_there(view) and any(each is base for each in bases_of(view)):
                view.chosen = (*view.chosen, [None, what, base, -1])


def note_may_be(result: Any, value: Any, what: str) -> None:
    """Notes that a result, which errors call `what`, may be a value of before: to change one and read the other is one.
    """
    if isinstance(result, Variable) and isinstance(value, Variable) and result is not value:
        result.chosen = (*result.chosen, *_that_may_be(value, what, {id(result)}))


def note_shows(result: Any, value: Any, what: str) -> None:
    """Notes that a result, which errors call `what`, may be a view of what a value is a view of."""
    if isinstance(result, Variable):
        result.chosen = (*result.chosen, *_shown_by(value, what))


def shown_by(value: Any, what: str) -> tuple:
    """What a value of a loop, which errors call `what`, may be a view of before a turn: as `chosen` has it."""
    return tuple(_shown_by(value, what))


def _shown_by(value: Any, what: str) -> list[list]:
    return [[None, what, base, base.changes] for base in bases_of(value) if _was_there(base)]


def changes_so_far() -> dict[int, int]:
    """How often each variable of the program has been changed in place, by id."""
    blocks = current_trace().main.blocks if staging.is_staging() else []
    return {id(v): v.changes for block in blocks for v in block.vars.values() if v.changes}


def is_behind(value: Any, counts: dict[int, int]) -> bool:
    """Whether something of before that a value is a view of has been changed in place since there were these counts."""
    return any(base.changes != counts.get(id(base), 0) for base in bases_of(value) if _was_there(base))


def reads_relative_of(value: Any, since: Any) -> bool:
    """Whether an operation that came to the program since a mark takes another variable that shares memory with a
    symbolic value, and was there.
    """
    if not isinstance(value, Variable) or since is None:
        return False
    program, block, operations, blocks, *_ = since
    root = [value, *bases_of(value)][-1]
    names = {v.name for each in program.blocks[:blocks] for v in each.vars.values()
             if v is not value and [v, *bases_of(v)][-1] is root}
    ops = [*program.blocks[block].ops[operations:], *(op for each in program.blocks[blocks:] for op in each.ops)]
    return bool(names) and any(not names.isdisjoint(op.input_arg_names) for op in ops)


def loses_changes(before: Any, after: Any) -> bool:
    """Whether a turn of a loop leaves another view of something outside than it was given."""
    return before is not after and _shows_what_was_there(after)


def _was_there(value: Any) -> bool:
    """Whether a value is one of those that a statement found, and not one that it made."""
    if not isinstance(value, Variable):
        return True
    block = current_trace().block
    while block is not None and block is not value.block:
        block = block.parent
    return block is not None


def _shows_what_was_there(value: Any) -> bool:
    return any(map(_was_there, bases_of(value)))


def changes_of(value: Any) -> int:
    """How often a symbolic value has been changed in place."""
    return value.changes if isinstance(value, Variable) else 0


def changes_seen_in(value: Any) -> int:
    """How often a symbolic value has been changed in place, or what it is a view of, or may be."""
    if not isinstance(value, Variable):
        return 0
    chosen = [current_trace().lift(other, "a tensor that a condition chose") for _, _, other, _ in value.chosen]
    return sum(each.changes for each in (value, *bases_of(value), *chosen))

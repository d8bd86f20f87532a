"""`while` and `for`: Python's own, until what decides about another turn is symbolic.

A staged loop's body is traced once, with the loop's variables in place of the values they begin with. A loop whose
first turns Python can decide takes those turns in Python, and is staged from where it no longer can.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ...core import nest
from ..errors import ConversionError, here, noting
from . import identity, staging
from .advancing import advanced_apart, held_elsewhere, is_held_beside, references, takes_of_held
from .conditionals import if_stmt
from .containers import Held, copied
from .iteration import SymbolicSequence, lists_of, sequence_of, walked
from .loop_state import FirstTurnApart, LoopState
from .outside import ChangedOutside, Outside
from .partial import truth
from .preparing import Preparer, restoring, walked_grows, walking
from .retracing import traced
from .statements import nothing
from .values import is_one

_MOST_APART = 3  # turns that a loop takes apart before it reads of a list what they append
GetState = Callable[[], tuple]
SetState = Callable[[tuple], Any]


def while_stmt(test: Callable[[], Any], body: Callable[[], Any], get_state: GetState, set_state: SetState,
               names: tuple[str, ...], held: tuple[str, ...] = (), kept: tuple[str, ...] = ()) -> None:
    """`while test(): body()`, where `names` are the variables that the loop changes and someone reads.

    `held`: those whose value someone else may hold too; `kept`: those that the loop gives no other value.
    """
    going = truth(test())
    while not staging.is_symbolic(going):
        if not going:
            return
        body()
        going = truth(test())
    staging.check_condition(going, here())
    _stage_while(going, test, body, get_state, set_state, names, body, held, kept)


def _stage_while(going: Any, test: Callable[[], Any], body: Callable[[], Any], get_state: GetState,
                 set_state: SetState, names: tuple[str, ...], users: Any, held: tuple[str, ...],
                 kept: tuple[str, ...], apart: int = 0) -> None:
    """Stages a loop whose test has been asked, and said `going`."""
    mark, before = staging.mark(), get_state()
    contents = Held(before)
    try:
        _stage(test, body, get_state, set_state, names, users, held, kept, apart)
    except TestChanges:
        staging.undo(mark)
        set_state(before)
        contents.restore()
        _stage(*_with_answer(going, test, body, get_state, set_state, names), users, held, kept, apart)


class TestChanges(Exception):
    """Raised while a loop is traced: asking whether it goes on changes its state, as `while self.next() > 0` does."""


def _with_answer(going: Any, test: Callable[[], Any], body: Callable[[], Any], get_state: GetState,
                 set_state: SetState, names: tuple[str, ...]
                 ) -> tuple[Callable[[], Any], Callable[[], Any], GetState, SetState, tuple[str, ...]]:
    """The parts of a loop that keeps the answer of its test as a variable: what the test changes is of the turn."""

    def get() -> tuple:
        return (going, *get_state())

    def set_(values: tuple) -> None:
        nonlocal going
        going = values[0]
        set_state(values[1:])

    def answer() -> Any:
        return going

    def turn() -> None:
        nonlocal going
        body()
        going = truth(test())

    answer._body = test  # type: ignore[attr-defined]  # what it can reach is looked at
    return answer, turn, get, set_, ("the loop's test", *names)


def _stage(test: Callable[[], Any], body: Callable[[], Any], get_state: GetState, set_state: SetState,
           names: tuple[str, ...], users: Any, held: tuple[str, ...], kept: tuple[str, ...],
           apart: int = 0) -> None:
    """Stages a loop; `users` is the part of `body` that the user wrote. `apart`: how many turns were taken before."""
    where, before, mark = here(), get_state(), staging.mark()
    contents = Held(before)
    state = LoopState(names, where, kept, frozenset(held))
    prepare = Preparer(names, held, where, "loop", state.preparations, get_state, set_state)
    try:
        traced(lambda: _trace(test, body, get_state, set_state, state, where, users), prepare)
    except ChangedOutside as changed:
        staging.undo(mark)
        set_state(before)
        contents.restore()
        changed.check_ends(names, where, "loop")
        _stage(test, body, *changed.extended(get_state, set_state, names), users, (*held, *changed.held), kept, apart)
    except FirstTurnApart as found:
        if apart >= found.most:
            raise found.otherwise from None
        staging.undo(mark)
        set_state(before)
        contents.restore()
        rest = (test, body, get_state, set_state, names, users, held, kept)
        turn = _first_turn(users, body, rest, apart + 1)
        if_stmt(test(), turn, nothing, get_state, set_state, names, len(names), held)


def _trace(test: Callable[[], Any], body: Callable[[], Any], get_state: GetState, set_state: SetState,
           state: LoopState, where: str, users: Any) -> None:
    before = get_state()
    state.begin(before)

    def traced_test(*variables: Any) -> Any:
        entered = state.entered(variables)
        set_state(entered)
        found = tuple(map(copied, get_state()))
        going = truth(test())
        if not all(map(is_one, found, get_state())):
            raise TestChanges
        return going

    def traced_body(*variables: Any) -> list[Any]:
        set_state(state.entered(variables))
        try:
            with noting(where, "a loop"):
                body()
        except IndexError as error:  # of a list that earlier turns append to, as it may be
            raise FirstTurnApart(error, _MOST_APART) from error
        except (AttributeError, TypeError) as error:  # `if i == 0: score = x` and a branch for the other turns
            if "NoneType" not in str(error) or not any(leaf is None for leaf in nest.leaves(before)):
                raise
            raise FirstTurnApart(error) from error
        return state.next_variables(get_state(), variables)

    def restore() -> None:
        set_state(before)

    outside = Outside(where, "loop", users, test).watched(restore)
    with outside, restoring(restore), state.restored():
        results = staging.while_loop(traced_test, traced_body, state.variables)
    set_state(state.final(results))


class _first_turn:
    """The first turn of a loop, and then the rest of it, as a branch."""

    def __init__(self, users: Any, body: Callable[[], Any], rest: tuple, apart: int):
        self._body, self._turn, self._rest, self._apart = users, body, rest, apart

    def __call__(self) -> None:
        self._turn()
        test, body, get_state, set_state, names, users, held, kept = self._rest
        going = truth(test())
        if staging.is_symbolic(going):
            _stage_while(going, test, body, get_state, set_state, names, users, held, kept, self._apart)
        elif going:
            while_stmt(test, body, get_state, set_state, names, held, kept)


def for_stmt(iterable: Any, body: Callable[[Any], Any], guard: Callable[[], Any] | None, get_state: GetState,
             set_state: SetState, names: tuple[str, ...], held: tuple[str, ...] = (),
             kept: tuple[str, ...] = ()) -> None:
    """`for item in iterable: body(item)`, as long as `guard()` holds where there is one."""
    goes_on_elsewhere = is_held_beside(references(iterable), iterable)
    iterable = walked(iterable)
    items = sequence_of(iterable)
    with walking(lists_of(iterable if items is None else items)):
        if items is not None:
            return _for_staged(items, body, guard, get_state, set_state, names, held, kept)
        return _for_plain(iterable, goes_on_elsewhere, body, guard, get_state, set_state, names, held)


def _for_plain(iterable: Iterable[Any], goes_on_elsewhere: bool, body: Callable[[Any], Any],
               guard: Callable[[], Any] | None, get_state: GetState, set_state: SetState, names: tuple[str, ...],
               held: tuple[str, ...]) -> None:
    if guard is None:
        for item in _items(iterable):
            body(item)
        return
    iterator = iter(iterable)
    going: Any = True
    while True:
        is_decided = staging.is_symbolic(going)
        try:
            if is_decided and (goes_on_elsewhere or takes_of_held(iterator)):
                raise held_elsewhere(here())
            with advanced_apart(iterator, going, here()) if is_decided else contextlib.nullcontext():
                item = _next(iterator)
        except StopIteration:
            return
        if is_decided:  # each further turn is a branch of its own
            if_stmt(going, _turn(body, item), nothing, get_state, set_state, names, len(names), held)
        else:
            body(item)
        going = guard()
        if not staging.is_symbolic(going) and not going:
            return


def _items(iterable: Iterable[Any]) -> Iterator[Any]:
    """The items; ConversionError where a dict or set grows meanwhile: in a run of the function it may not have."""
    iterator = iter(iterable)
    while True:
        try:
            item = _next(iterator)
        except StopIteration:
            return
        yield item


def _next(iterator: Iterator[Any]) -> Any:
    try:
        return next(iterator)
    except RuntimeError as error:
        if "changed size during iteration" not in str(error) or not staging.is_staging():
            raise
        raise ConversionError(
            here(), f"{error}: a loop goes over what its turns change, perhaps where a tensor decides so. While "
            "the program is built every way is taken.", "Go over a copy: `for key in list(d):`.") from error


class _turn:
    """One turn of an unrolled loop, as a branch."""

    def __init__(self, body: Any, item: Any):
        self._body, self._item = body, item
        self.__code__ = body.__code__

    def __call__(self) -> Any:
        return self._body(self._item)


def _for_staged(items: SymbolicSequence, body: Callable[[Any], Any], guard: Callable[[], Any] | None,
                get_state: GetState, set_state: SetState, names: tuple[str, ...], held: tuple[str, ...],
                kept: tuple[str, ...]) -> None:
    index = staging.own(items.start)

    def get() -> tuple:
        return (index, *get_state())

    def set_(values: tuple) -> None:
        nonlocal index
        index = values[0]
        set_state(values[1:])

    def test() -> Any:
        inside = _inside(index, items)
        return inside if guard is None else _and_guard(inside, guard())

    counts_up = all(type(n) is int for n in (items.start, items.step)) and items.start >= 0 < items.step
    mark, before = staging.mark(), get()
    contents = Held(before)
    changes = [identity.changes_seen_in(n) for n in items.bounds]
    where, lists = here(), [staging.writes_of(each) for each in items.lists]

    def turn() -> None:
        nonlocal index
        staging.note_number(index, counts_up)
        body(items.item_at(index))
        index = index + items.step

    _stage(test, turn, get, set_, ("the loop's index", *names), body, held, kept)
    if lists != [staging.writes_of(each) for each in items.lists]:
        raise walked_grows(where, "loop")
    if changes != [identity.changes_seen_in(n) for n in items.bounds]:  # the body changes one: a range keeps its own
        staging.undo(mark)
        set_(before)
        contents.restore()
        _for_staged(items.with_own_bounds(), body, guard, get_state, set_state, names, held, kept)


def _and_guard(inside: Any, going: Any) -> Any:
    if staging.is_symbolic(going):
        return staging.logical_and(inside, going)
    return inside if going else False


def _inside(index: Any, items: SymbolicSequence) -> Any:
    if not staging.is_symbolic(items.step):
        return index < items.stop if items.step > 0 else index > items.stop
    up = staging.logical_and(items.step > 0, index < items.stop)
    return staging.logical_or(up, staging.logical_and(items.step < 0, index > items.stop))

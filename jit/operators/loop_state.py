"""The variables of a staged loop: which parts of the state change from turn to turn, and which must not.

Knows values and names; the staging itself is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import identity, staging
from .containers import Held, content_of, copied, holds, lists_kept, note_several, objects, places
from .merging import described_name
from .outside import check_changed
from .retracing import Apart, CastNumber, Preparations, StageNumbers, check_differences
from .undefined import Undefined, reason
from .values import NESTED, NUMBERS, agree, described, disagreement, filled, same, staged_leaves, staged_paths


class LoopState:
    """The state with which a loop begins; `variables` are its tensors and numbers, in order.

    What the loop gives no other value, `kept`, is the same in every turn.
    """

    def __init__(self, names: tuple[str, ...], where: str, kept: tuple[str, ...] = (),
                 may_be_held: frozenset[str] = frozenset()):
        self._names, self._constant = names, frozenset(n for n, name in enumerate(names) if name in kept)
        self._where, self._may_be_held = where, may_be_held
        self.preparations = Preparations(names, self._why)
        self.variables: list[Any] = []
        self._before: tuple = ()
        self._held = Held(())
        self._entered: dict[tuple, Any] = {}  # the lists and dicts with which a turn begins, by place
        self._contents: dict[int, Any] = {}  # and what is in them then
        self._left: tuple = ()  # the objects that a turn leaves
        self._begun: dict[tuple, Any] = {}  # the lists and dicts with which that turn began
        self._initial: tuple = ()
        self._staying: list[frozenset] = []
        self._changes: dict[int, int] = {}  # how often what it begins with had been changed, by id
        self._counts: dict[int, int] = {}  # the same of all variables of the program
        self._mark: Any = None  # where the tracing of turns begins in the program
        self._lost: set[tuple[int, int]] = set()  # leaves of values that may be views of something outside
        self._turn: dict[tuple[int, int], tuple[Any, Any]] = {}  # the tensors that a turn found and left, by leaf

    def begin(self, before: tuple) -> None:
        """Takes down the state before the loop."""
        self._before, self._held = tuple(map(copied, before)), Held(before)
        self._initial = tuple(map(self._prepared, range(len(before)), self._before))
        self._changes = {id(leaf): identity.changes_of(leaf) for v in self._initial for leaf in staged_leaves(v)}
        self._counts, self._mark = identity.changes_so_far(), None
        self._staying = [self._paths_of_staying(i, value) for i, value in enumerate(self._initial)]
        self.variables = [leaf for i, value in enumerate(self._initial) for leaf in self._changing_leaves(i, value)]

    def _prepared(self, i: int, value: Any) -> Any:
        return value if i in self._constant else self.preparations.cast(i, self._completed(i, value), self._where)

    def _completed(self, i: int, value: Any) -> Any:
        return value if i in self._constant else self.preparations.complete(i, value)

    def _paths_of_staying(self, i: int, value: Any) -> frozenset:
        """Where the numbers of Python in a value are that stay numbers of Python."""
        if not isinstance(value, NESTED):
            return frozenset()
        leaves = zip(staged_paths(value), staged_leaves(value), strict=True)
        return frozenset(path for path, leaf in leaves if self.preparations.stays(i, path, leaf))

    def _changing_leaves(self, i: int, value: Any) -> list[Any]:
        """The staged leaves of a value that are variables of the loop."""
        if i in self._constant:
            return []
        if not self._staying[i]:
            return staged_leaves(value)
        leaves = zip(staged_paths(value), staged_leaves(value), strict=True)
        return [leaf for path, leaf in leaves if path not in self._staying[i]]

    def values(self, variables: Any) -> tuple:
        """The state with the given loop variables in place of the first ones."""
        given = iter(variables)
        return tuple(value if type(value) is Undefined else self._filled(i, value, given)
                     for i, value in enumerate(self._initial))

    def entered(self, variables: Any) -> tuple:
        """The same state in the lists and dicts that the state before the loop is held in; numbers are such in it."""
        if self._mark is None and any(v is not b for b, v in zip(self.variables, variables, strict=True)):
            self._mark = staging.mark()  # the loop has variables of its own by now
        for begun, variable in zip(self.variables, variables, strict=True):
            self._note_mixed(begun, variable)
            if staging.is_number(begun):
                staging.note_number(variable, False)
            elif variable is not begun:
                identity.note_turn(variable)
        self._note_views(variables)
        state = self.values(variables)
        state = self._held.settled([self._held.found], state, apart=self.preparations.apart)
        self._entered = places(map(objects, state))
        self._contents = {id(each): content_of(each) for each in self._entered.values()}
        return state

    def _note_views(self, variables: Any) -> None:
        """Notes what variables of the loop are views of as long as no turn has given them another value."""
        for begun, variable in zip(self.variables, variables, strict=True):
            if staging.is_symbolic(begun) and staging.is_view(begun):
                variable.chosen = identity.shown_by(begun, f"{self._where}: what this loop begins with")

    @staticmethod
    def _note_mixed(begun: Any, variable: Any) -> None:
        where = staging.mixed_at(begun)
        if where and staging.is_symbolic(variable):
            staging.note_mixed(variable, where)

    def restored(self) -> Any:
        """Within the block turns are traced; behind it lists and dicts hold again what they held before."""
        return self._held.restored()

    def _filled(self, i: int, value: Any, given: Iterator[Any]) -> Any:
        staying = self._staying[i]
        if i in self._constant:
            return value
        if not staying:
            return filled(value, given)
        leaves = zip(staged_paths(value), staged_leaves(value), strict=True)
        return filled(value, (leaf if path in staying else next(given) for path, leaf in leaves))

    def next_variables(self, left: tuple, variables: Any) -> list[Any]:
        """The loop variables after a turn, which was given `variables`, and left the state `left`.

        Raises Retrace when something must be prepared first, TypeError where a value changed its type or nesting.
        """
        first = self.values(variables)  # what the turn was given may have been changed in place
        self._left, self._begun = tuple(map(objects, left)), self._entered
        others, replaced = self._other_holders(), self._replaced()
        left = tuple(lists_kept(before, copied(after)) for before, after in zip(self._before, left, strict=True))
        self._held.changed |= {path for path, each in self._entered.items()
                               if path in self._held.places and not holds(each, self._contents[id(each)])}
        self._held.restore()
        left = tuple(map(self._completed, range(len(left)), left))
        check_differences(*(tuple(None if i in self._constant else v for i, v in enumerate(state))
                            for state in (first, left)))
        new: list[Any] = []
        for i, value in enumerate(left):
            if i in self._constant:
                continue
            self._check(i, first[i], value)
            if type(first[i]) is not Undefined:
                new += self._changing_leaves(i, value)
        self._check_tensors()
        if others is not None:
            self._check_holders(*others)
        if replaced:
            raise Apart(min(at[0] for at in replaced), replaced)
        return new

    def _replaced(self) -> frozenset[tuple]:
        """The places where a turn leaves another list or dict, while somebody else may hold the one of before: that
        one stays as it was, and what is written there in turns is no part of it."""
        behind = places(self._left)
        return frozenset(at for at, each in self._entered.items()
                         if self._held.places.get(at) is each is not behind.get(at)
                         and (len(at) > 1 or self._names[at[0]] in self._may_be_held))

    def _other_holders(self) -> tuple[frozenset[tuple], bool] | None:
        """The places of lists and dicts that variables share behind a turn and not before it, or the reverse.

        And whether the turn has changed in place what it begins with there.
        """
        before, after = self._entered, places(self._left)
        first, last = _holders(before), _holders(after)
        moved = [at for at in first.keys() & last.keys()
                 if first[at] & after.keys() != last[at] & before.keys()]
        if not moved:
            return None
        touched = [at for at in moved if not holds(before[at], self._contents[id(before[at])])]
        found = touched or [place for at in moved for place in (first[at] | last[at]) & before.keys()]
        return frozenset(found), bool(touched)

    def _check_holders(self, moved: frozenset[tuple], is_touched: bool) -> None:
        i = min(at[0] for at in moved)
        if is_touched:
            raise TypeError(
                f"{self._where}: a tensor decides how often this loop runs, and {described_name(self._names[i])} and "
                "another variable hold the same list or dict in some turns only, and the loop changes it in place. "
                "Whether the other one shows that is known only when the program runs. Give one of them a copy.")
        if not moved <= self.preparations.apart:
            raise Apart(i, moved)

    def _check(self, i: int, before: Any, after: Any) -> None:
        if type(before) is Undefined:
            return
        if type(after) is Undefined:
            raise self._changed(i, described(before), "without a value")
        if not agree(before, after):
            name, before, after = disagreement(self._names[i], before, after)
            raise self._changed(i, described(before), described(after), name=name)
        begun, paths = staged_leaves(self._initial[i]), staged_paths(before)
        leaves = list(zip(staged_leaves(before), staged_leaves(after), strict=True))
        others = [path for path, (x, y) in zip(paths, leaves, strict=True) if path in self._staying[i]
                  and not same(x, y)]
        if others:
            raise StageNumbers(i, tuple(others))
        for n, (x, y) in enumerate(leaves):
            self._check_views(i, n, begun[n], x, y)
            self._turn[i, n] = (x, y)
            if paths[n] in self._staying[i]:
                continue
            self._note_mixed(y, x)
            if _rank(x) != _rank(y):
                way = (": of as many dimensions. Where each turn adds one or takes one away, say in a number of Python "
                       "how many turns there are") if staging.is_tensor(x) and staging.is_tensor(y) else ""
                raise FirstTurnApart(self._changed(i, described(begun[n]), described(y), way))
            if staging.is_tensor(y) and staging.is_number(x) > staging.is_number(y) and _dtype(x) == _dtype(y):
                raise CastNumber(i, paths[n], _dtype(y), False)
            was_number = staging.is_number(x) or type(begun[n]) is bool
            if type(y) in NUMBERS and was_number and _dtype(x) != _PYTHONS[type(y)]:
                if _begins_as(begun[n], _PYTHONS[type(y)]):
                    raise CastNumber(i, paths[n], _PYTHONS[type(y)], True)
                raise FirstTurnApart(self._changed(i, described(begun[n]), described(y)))
            if _dtype(x) and _dtype(y) and _dtype(x) != _dtype(y):
                if _begins_as(begun[n], _dtype(y)):
                    raise CastNumber(i, paths[n], _dtype(y), staging.is_number(y))
                name = self._names[i]
                way = f": `{name} = {name}.astype('{_dtype(y)}')`" if x is before and name.isidentifier() else ""
                raise FirstTurnApart(self._changed(i, _dtype(x), _dtype(y), way))

    def _check_views(self, i: int, n: int, begun: Any, x: Any, y: Any) -> None:
        """RuntimeError where a turn changes what it is given in place, and that may be a view of something outside."""
        is_lost = identity.loses_changes(x, y)
        if is_lost:
            self._lost.add((i, n))
            if identity.is_behind(y, self._counts):
                raise RuntimeError(
                    f"{self._where}: a turn of this loop leaves {described_name(self._names[i])} a view of a value "
                    "that the loop changes in place: what the next turn sees in it is known only when the program "
                    "runs. Leave a copy: `x[i].clone()`.")
        is_behind = begun is not x and identity.changes_of(begun) != self._changes.get(id(begun), 0)
        if is_behind or identity.changes_of(x) and x is not y and (is_lost or staging.is_view(begun)):
            raise RuntimeError(
                f"{self._where}: {described_name(self._names[i])} is changed in place, and is a view of another value, "
                "or has one, before some turn of this loop: what changes with it is known only when the program runs. "
                "Write into the value itself: `x[i] = …`.")

    def _changed(self, i: int, before: Any, after: Any, way: str = "", name: str | None = None) -> TypeError:
        shown = described_name(name or self._names[i])
        return TypeError(
            f"{self._where}: a tensor decides how often this loop runs, and {shown} is "
            f"{before} before a turn and {after} behind it. Give it before the loop a value of the type, and of the "
            f"nesting, that the loop computes{way}.")

    def _check_tensors(self) -> None:
        """TypeError where a turn changes a tensor in place, and reads it under another name too."""
        for (i, n), (x, y) in self._turn.items():
            if not identity.changes_of(x):
                continue
            begun = staged_leaves(self._initial[i])[n]
            if x is not y and self._names[i] in self._may_be_held:
                raise TypeError(
                    f"{self._where}: a tensor decides how often this loop runs, and it changes "
                    f"{described_name(self._names[i])} in place and then leaves another tensor there. That the first "
                    "one shows under its other names whether the loop ran is known only when the program runs. Change "
                    "a copy of it: `x = x.clone()`.")
            if x is not y:
                identity.note_views_lost(begun, f"{self._where}: a view of {described_name(self._names[i])}")
            is_read = staging.is_read(begun) or any(left is begun for _, left in self._turn.values())
            if begun is not x and (is_read or identity.reads_relative_of(begun, self._mark)):
                raise TypeError(
                    f"{self._where}: a tensor decides how often this loop runs, it changes "
                    f"{described_name(self._names[i])} in place, and reads the same tensor, or a view of it, under "
                    "another name. Give one of them a copy: `x.clone()`.")
            for (j, m), (other, left) in self._turn.items():
                same_one = staged_leaves(self._initial[j])[m] is begun or left is y
                if (i, n) != (j, m) and same_one and (left is other or staging.is_read(other)):
                    raise TypeError(
                        f"{self._where}: a tensor decides how often this loop runs, it changes "
                        f"{described_name(self._names[i])} in place, and {described_name(self._names[j])} is the same "
                        "tensor in some turns. Give one of them a copy: `x.clone()`.")

    def final(self, results: Any) -> tuple:
        """The state behind the loop; what only the loop binds has a value if it ran."""
        given = self.values(results)
        lost = [(staged_leaves(given[i])[n], self._turn[i, n][1], i) for i, n in self._lost]
        for leaf, *_ in lost:
            identity.note_lost(leaf)
        given = tuple(filled(v, iter([self._tensor_behind(i, n, leaf) for n, leaf in enumerate(staged_leaves(v))]))
                      if i not in self._constant and type(v) is not Undefined else v for i, v in enumerate(given))
        self._note_views(results)  # what the loop has changed in place it has changed by now
        for leaf, left, i in lost:
            identity.note_shows(leaf, left, f"{self._where}: {described_name(self._names[i])}")
        for i, value in enumerate(given):
            if i not in self._constant:
                for n, leaf in enumerate(staged_leaves(value)):
                    self._note_others(i, n, leaf)
        values = self._held.settled([self._left], given, self._begun)
        check_changed(self._held, self._names, self._may_be_held, self._where, "loop")
        note_several(self._held, self._names, self._may_be_held, self._where)
        return tuple(self._missing(i, v) if type(v) is Undefined else v for i, v in enumerate(values))

    def _tensor_behind(self, i: int, n: int, result: Any) -> Any:
        """What a leaf is behind the loop: what it was before, where turns leave it there; with the result, where they
        change it in place."""
        begun = staged_leaves(self._initial[i])[n]
        found, left = self._turn.get((i, n), (None, None))
        if found is None or found is not left or not staging.is_tensor(begun):
            return result
        if not identity.changes_of(found):
            return begun
        if not staging.is_symbolic(begun):
            return result
        staging.write(begun, result)
        return begun

    def _note_others(self, i: int, n: int, result: Any) -> None:
        """Notes the values of before that a leaf may be behind the loop."""
        begun = staged_leaves(self._initial[i])[n]
        found, left = self._turn.get((i, n), (None, None))
        if found is not left:
            places = (place for place, (x, _) in self._turn.items() if x is left)
            given = next((staged_leaves(self._initial[j])[m] for j, m in places), left)
            for value in (begun, given):
                identity.note_may_be(result, value, f"{self._where}: {described_name(self._names[i])}")

    def _missing(self, i: int, value: Undefined) -> Undefined:
        return Undefined(self._names[i], reason(value) or self._why(self._names[i]))

    def _why(self, name: str, none: bool = False) -> str:
        shown = described_name(name)
        if none:
            return (f"{self._where}: {shown} is None before a turn of this loop and a tensor behind one, and a tensor "
                    "decides how often the loop runs. Here it was None. Read it only where it is a tensor, behind "
                    "`is not None`, or begin with a tensor.")
        if shown != f"`{name}`":
            return (f"{self._where}: `return` stands inside a loop, and a tensor decides how often the loop runs. "
                    "Assign a variable before the loop, set it and `break` inside, and return it after the loop.")
        return (f"{self._where}: {shown} gets its first value inside this loop, and a tensor decides how often the "
                "loop runs, perhaps never. Assign it before the loop.")


class FirstTurnApart(Exception):
    """The first turn, or the first `most`, are others than the rest.

    Behind them a value has more dimensions, a number too (`total = 0`), or a tensor is of a wider dtype; or a turn
    reads of a list what former turns append, or computes with what begins as None.

    `otherwise` is the error where that has been done.
    """

    def __init__(self, otherwise: Exception, most: int = 1):
        super().__init__(otherwise)
        self.otherwise, self.most = otherwise, most


def _holders(held: dict[tuple, Any]) -> dict[tuple, set[tuple]]:
    """For each place all the places that hold the same list or dict."""
    by_object: dict[int, set[tuple]] = {}
    for place, each in held.items():
        by_object.setdefault(id(each), set()).add(place)
    return {place: by_object[id(each)] for place, each in held.items()}


def _begins_as(value: Any, dtype: str) -> bool:
    """Whether a number of Python is the same number in a dtype, and a loop may begin with it so: `total = 0`."""
    if staging.is_tensor(value):
        wider = (*_FLOATS, "int64") if value.dtype.is_integer else _FLOATS  # a size is int32
        return staging.is_number(value) and dtype.startswith((*wider, value.dtype.name))
    if type(value) is float:
        return dtype.startswith(_FLOATS)
    if dtype == "uint8":
        return type(value) in NUMBERS and 0 <= value < _EXACT
    return type(value) in NUMBERS and dtype.startswith((*_FLOATS, "int")) and abs(value) <= _EXACT


_FLOATS = ("float", "bfloat")
_PYTHONS = {bool: "bool", int: "int64", float: "float64"}  # dtypes of numbers of Python
_EXACT = 1 << 8  # whole numbers up to here are the same in every dtype, bfloat16 too


def _rank(leaf: Any) -> int:
    return len(getattr(leaf, "shape", ())) or staging.least_rank()


def _dtype(leaf: Any) -> Any:
    dtype = getattr(leaf, "dtype", None)
    return getattr(dtype, "name", dtype)

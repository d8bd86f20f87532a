"""The state behind a staged `if`: each variable from the two values its branches left.

Equal Python values stay Python, tensors and numbers become results of the staged condition, a variable that only one
branch binds is checked when it is used, a list of the program keeps what either branch left, and anything else is a
TypeError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..errors import RETURN_VALUE, DisagreementError, noting
from . import identity, staging
from .retracing import Preparations, check_differences
from .undefined import Undefined, reason
from .values import agree, described, disagreement, merged, staged_leaves


class Merge:
    """One staged `if`: the variables it must produce, and what was prepared for them."""

    def __init__(self, names: tuple[str, ...], where: str):
        self.names, self.where = names, where
        self.preparations = Preparations(names, self._one_sided)
        self.first: tuple = ()
        self.second: tuple = ()
        self._test: Any = None
        self._made: tuple[dict[int, Any], dict[int, Any]] = ({}, {})  # by what a way made, the first result that is it
        self._may_be: tuple[dict[int, Any], dict[int, Any]] = ({}, {})  # the first that may be it

    def stage(self, test: Any, body: Callable[[], tuple], orelse: Callable[[], tuple]) -> list[Any]:
        """Traces both branches and gives the merged values; raises Retrace when something must be prepared first."""
        self.first, self.second = (), ()
        self._test, self._made, self._may_be = test, ({}, {}), ({}, {})
        results = iter(staging.cond(test, lambda: self._trace_first(body), lambda: self._trace_second(orelse)))
        return [self._merged(i, results) for i in range(len(self.names))]

    def _trace_first(self, body: Callable[[], tuple]) -> list[Any]:
        with noting(self.where, "an `if`"):
            left = body()
        self.first = self._completed(left)
        return self._staged(self.first)

    def _trace_second(self, orelse: Callable[[], tuple]) -> list[Any]:
        with noting(self.where, "an `if`"):
            left = orelse()
        self.second = self._completed(left)
        check_differences(self.first, self.second)
        for i in range(len(self.names)):
            self._check(i)
        return self._staged(self.second)

    def _completed(self, values: tuple) -> tuple:
        return tuple(self.preparations.complete(i, value) for i, value in enumerate(values))

    def _staged(self, values: tuple) -> list[Any]:
        return [leaf for i, value in enumerate(values) if not self._is_missing(i) for leaf in staged_leaves(value)]

    def _is_missing(self, i: int) -> bool:
        """Whether a variable has no value behind the statement, as far as is known."""
        given = (self.first[i], self.second[i]) if self.second else (self.first[i],)
        return any(type(v) is Undefined for v in given)

    def _check(self, i: int) -> None:
        first, second = self.first[i], self.second[i]
        if type(second) is Undefined and type(first) is not Undefined and staged_leaves(first):
            raise DisagreementError(f"{self._one_sided(self.names[i], False)} It is {described(first)}.")
        if not self._is_missing(i) and not agree(first, second):
            name, first, second = disagreement(self.names[i], first, second)
            way = "Give it the same type in both branches, or make the condition a Python value."
            if type(first) is type(second) and not staged_leaves([first, second]):
                way = ("Which one it is would be known only when the program runs, as only tensors and numbers can be: "
                       "do what follows with it in both branches, such as calling it (`y = self.a(x)` in one, "
                       "`y = self.b(x)` in the other), or make the condition a Python value.")
            raise DisagreementError(
                f"{self.where}: a tensor decides this `if`, and {described_name(name)} is {described(first)} "
                f"after one branch and {described(second)} after the other. {way}")

        if not self._is_missing(i):
            self._check_dimensions(i)

    def _check_dimensions(self, i: int) -> None:
        leaves = zip(staged_leaves(self.first[i]), staged_leaves(self.second[i]), strict=True)
        for first, second in ((a, b) for a, b in leaves if staging.is_tensor(a) or staging.is_tensor(b)):
            self._tell_of_dtypes(i, first, second)
            counts = [len(getattr(v, "shape", ())) for v in (first, second)]
            if counts[0] != counts[1] and 0 not in counts:  # a number goes with any shape
                told = (f"{self.where}: a tensor decides this `if`, and {described_name(self.names[i])} is "
                        f"{described(first)} after one branch and {described(second)} after the other. Give it one "
                        "number of dimensions in both branches: `paddle.zeros_like(x)` where it begins as 0.")
                if not staging.must_be_whole():
                    raise ValueError(told)
                staging.tell(f"{told} The program declares the larger number, and gives what the branch gives.")

    def _tell_of_dtypes(self, i: int, first: Any, second: Any) -> None:
        both = staging.is_tensor(first) and staging.is_tensor(second)
        if both and first.dtype != second.dtype and not (staging.is_number(first) and staging.is_number(second)):
            staging.tell(
                f"{self.where}: a tensor decides this `if`, and {described_name(self.names[i])} is {first.dtype.name} "
                f"after one branch and {second.dtype.name} after the other. The program gives the wider dtype after "
                "both. Convert it in one branch: `x.astype(…)`.")

    def _merged(self, i: int, results: Iterator[Any]) -> Any:
        first, second = self.first[i], self.second[i]
        if not self._is_missing(i):
            return merged(first, second, results, self._note_chosen)
        unbound = [v for v in (first, second) if type(v) is Undefined]
        given = next((r for r in map(reason, unbound) if r), None)
        return Undefined(self.names[i], given or (self._one_sided(self.names[i], False) if len(unbound) == 1 else None))

    def _note_chosen(self, result: Any, first: Any, second: Any) -> Any:
        """What stands for a result: where both ways leave one tensor under two names, the one result for both."""
        others = [made.get(id(value)) for made, value in zip(self._made, (first, second), strict=True)]
        if others[0] is not None and others[0] is others[1]:
            return others[0]
        self._note_kind(result, first, second)
        identity.note_chosen(result, self._test, first, second)
        for made, value, other, holds in zip(self._made, (first, second), others, (True, False), strict=True):
            if other is not None:
                _note_one(result, self._test, holds, other)
            elif identity.is_made_here(value):
                made[id(value)] = result
                for each in _that_may_be(value):
                    known = self._may_be[holds].setdefault(id(each), result)
                    identity.note_may_be(result, known, "a tensor that a branch chose")
        return result

    def _note_kind(self, result: Any, first: Any, second: Any) -> None:
        """Notes whether the result stands for a number of Python, and whether it may be a truth value or a number."""
        truths = [staging.is_truth(value) for value in (first, second)]
        numbers = [staging.is_number(first) or truths[0] and not len(getattr(first, "shape", ())),
                   staging.is_number(second) or truths[1] and not len(getattr(second, "shape", ()))]
        if all(numbers) and not all(truths) or _is_as_a_number(result, first, second):
            staging.note_number(result, False)
        if all(type(value) is bool or staging.stands_for_truth(value) for value in (first, second)):
            staging.note_truth(result)
        where = self.where if truths[0] is not truths[1] else staging.mixed_at(first) or staging.mixed_at(second)
        if where:
            staging.note_mixed(result, where)

    def _one_sided(self, name: str, none: bool) -> str:
        if none:
            return (f"{self.where}: {described_name(name)} is None after one branch of this `if` and a tensor after "
                    "the other, and a tensor decides which branch runs. Here it was None. Read it only where it is a "
                    "tensor, behind `is not None` or under the same condition, or begin with a tensor.")
        return (f"{self.where}: only one branch of this `if` gives {described_name(name)} a value, and a tensor "
                "decides which branch runs. Assign it before the `if`, or in both branches.")


def _that_may_be(value: Any) -> list[Any]:
    """A value that a branch has made, and those made there that it may be: a statement in the branch chose."""
    found = [value]
    for each in found:
        found += [other for _, _, other, _ in each.chosen
                  if identity.is_made_here(other) and not any(other is known for known in found)]
    return found


def _note_one(result: Any, test: Any, holds: bool, other: Any) -> None:
    """Notes that two results are one tensor where the test `holds`, or does not: they change in place together."""
    if result.dtype is not other.dtype:
        identity.note_lost(result)
        identity.note_lost(other)
    else:
        identity.note_one(result, test, holds, other)


def _is_as_a_number(result: Any, first: Any, second: Any) -> bool:
    """Whether it is a float of Python, or an integer tensor, which a tensor of floats meets as it meets the float."""
    tensors = [value for value in (first, second) if staging.is_tensor(value) and not staging.is_number(value)]
    one_of_both = len(tensors) == 1 and (staging.is_number(first) or staging.is_number(second))
    return one_of_both and _is_float(result) and not _is_float(tensors[0]) and not tensors[0].shape


def _is_float(value: Any) -> bool:
    return value.dtype.name.startswith(("float", "bfloat"))


def described_name(name: str) -> str:
    """A variable as errors name it."""
    return "the returned value" if name.startswith(RETURN_VALUE) else f"`{name}`"

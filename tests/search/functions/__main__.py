"""`python -m tests.search.functions --start 0 --count 1000`: runs generated functions and prints what differs."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections import Counter
from collections.abc import Iterator

from ..command import search
from ..shrinking import shrink
from .running import checked
from .writing import written

SECONDS = 10


class TooLong(BaseException):
    """A function does not end."""


def _stop(*_: object) -> None:
    raise TooLong


def found_in(seed: int, number: int, counts: Counter, seconds: float = 20.0, every: bool = True) -> str:
    """What differs in a function, which is made small; nothing where it agrees."""
    source = written(seed, number)
    found = _limited(source, counts, every)
    if found is None:
        return ""

    def fails(text: str) -> bool:
        try:
            other = _limited(text, Counter())
        except Exception:
            return False
        return other is not None and (other["way"], other["kind"]) == (found["way"], found["kind"])

    small = shrink(source, fails, seconds) if seconds else source
    detail = (_limited(small, Counter()) or found)["detail"]
    return "=== {0}: {way}, {kind}\n{1}\n{2}".format(number, detail[-1500:], small.partition("def f")[2], **found)


@contextlib.contextmanager
def _callbacks_may_be_stopped() -> Iterator[None]:
    """Where the alarm rings within a callback of a weak reference, Python tells it and goes on: it rings again."""
    told = sys.unraisablehook
    sys.unraisablehook = lambda of: None if of.exc_type is TooLong else told(of)
    try:
        yield
    finally:
        sys.unraisablehook = told


def _no_alarm() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_IGN)  # first, as it may ring meanwhile
    signal.setitimer(signal.ITIMER_REAL, 0)


def _limited(source: str, counts: Counter, every: bool = True) -> dict[str, str] | None:
    signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 2.0)  # again: a jump out of a function's `finally` takes the first
    try:
        try:
            with _callbacks_may_be_stopped():
                return checked(source, "functions", counts, every)
        finally:
            _no_alarm()
    except TooLong:
        _no_alarm()  # it may have rung in front of the line above
        counts["too long"] += 1
        return None


def _found_in(seed: int, number: int, counts: Counter, _: object, seconds: float) -> str:
    return found_in(seed, number, counts, seconds)


if __name__ == "__main__":
    sys.exit(search("functions", __doc__, _found_in))

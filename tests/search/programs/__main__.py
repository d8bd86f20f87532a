"""`python -m tests.search.programs --start 0 --count 1000`: runs generated Programs and prints what differs."""

from __future__ import annotations

import sys
from collections import Counter

from ..command import search
from ..oracle import Oracle
from ..shrinking import shrink
from .running import checked
from .writing import HEAD, written


def found_in(seed: int, number: int, counts: Counter, oracle: Oracle | None = None, seconds: float = 20.0) -> str:
    """What differs in a Program, which is made small; nothing where it agrees."""
    source = written(seed, number)
    found = checked(source, counts, oracle)
    if found is None:
        return ""

    def fails(text: str) -> bool:
        try:
            other = checked(HEAD + text, Counter(), oracle, [found["way"]])
        except Exception:
            return False
        return other is not None and (other["way"], other["kind"]) == (found["way"], found["kind"])

    told = source.removeprefix(HEAD)
    small = shrink(told, fails, seconds) if seconds else told
    detail = (checked(HEAD + small, Counter(), oracle, [found["way"]]) or found)["detail"]
    return "=== {0}: {way}, {kind}\n{1}\n{2}".format(number, detail[-1500:], small, **found)


if __name__ == "__main__":
    sys.exit(search("programs", __doc__, found_in))

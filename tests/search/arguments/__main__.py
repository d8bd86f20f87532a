"""`python -m tests.search.arguments --start 0 --count 1000`: calls functions with random arguments."""

from __future__ import annotations

import sys
from collections import Counter

from ..command import search
from ..oracle import Oracle
from ..shrinking import shrink
from .running import checked
from .writing import HEAD, written


def found_in(seed: int, number: int, counts: Counter, oracle: Oracle | None = None, seconds: float = 20.0) -> str:
    """What differs in some calls, which are made fewer; nothing where they agree."""
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

    small = shrink(source.removeprefix(HEAD), fails, seconds) if seconds else source.removeprefix(HEAD)
    return "=== {0}: {way}, {kind}\n{1}\n{2}".format(number, found["detail"][-1500:], small, **found)


if __name__ == "__main__":
    sys.exit(search("arguments", __doc__, found_in))

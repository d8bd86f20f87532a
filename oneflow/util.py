"""`flow.util`: names that do not repeat."""

from __future__ import annotations

import itertools
from collections import defaultdict

_counts: dict[str, itertools.count] = defaultdict(itertools.count)


def unique_str(prefix: str) -> str:
    """The prefix with a number that it has not had before in this process.

    >>> import proa.oneflow as flow
    >>> flow.util.unique_str("unique_") != flow.util.unique_str("unique_")
    True
    """
    return f"{prefix}{next(_counts[prefix])}"


__all__ = ["unique_str"]

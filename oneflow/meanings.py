"""Names that mean one thing in a global function and another outside: `in_jobs`.

OneFlow's later API has functions of the job functions' names with other arguments and results: `flow.sort(x)` is a
value in the one and a pair in the other. While a global function is traced they are the older ones, otherwise the
later ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .job.current import is_tracing


def in_jobs(older: Callable[..., Any], later: Callable[..., Any]) -> Callable[..., Any]:
    """A function that is `older` while a global function is traced, and `later` otherwise."""
    @functools.wraps(later)
    def function(*args: Any, **kwargs: Any) -> Any:
        return (older if is_tracing() else later)(*args, **kwargs)

    doc = (later.__doc__ or "").split("\n\n")[0]
    function.__doc__ = f"{doc}\n\nIn a global function: {older.__doc__}"
    return function

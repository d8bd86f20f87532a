"""What the readers of a Program give for a run, beside what is fed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..ir.program import Program


def with_batches(program: Program, feed: Mapping[str, Any]) -> dict[str, Any]:
    """What is fed, and the next batch of each reader of the Program that has a variable which is not fed.

    Raises EOFException where a reader is at its end.
    """
    found = dict(feed)
    for source in program.readers.values():
        if not found.keys() >= set(source.names):
            found = {**source.take(), **found}
    return found

"""What the readers of a Program give for a run, beside what is fed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..ir.batch_source import EOFException
from ..ir.program import Program


def batches_for(program: Program, feeds: Sequence[Mapping[str, Any]], fewer: bool) -> list[dict[str, Any]]:
    """As `with_batches`, for each of several devices.

    With `fewer`, where the readers are at their end and leave nothing out (`drop_last=False`), for the first of them.
    """
    found: list[dict[str, Any]] = []
    for feed in feeds:
        try:
            found.append(with_batches(program, feed))
        except EOFException:
            if not found or not fewer or any(source.drop_last for source in program.readers.values()):
                raise
            break
    return found


def with_batches(program: Program, feed: Mapping[str, Any]) -> dict[str, Any]:
    """What is fed, and the next batch of each reader of the Program that has a variable which is not fed.

    Raises EOFException where a reader is at its end.
    """
    found = dict(feed)
    for source in program.readers.values():
        if not found.keys() >= set(source.names):
            found = {**source.take(), **found}
    return found

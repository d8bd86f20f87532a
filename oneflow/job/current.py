"""Which global function is being traced: `current()`. Knows of jobs only that they are."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .job import Job


class _Stack(threading.local):
    def __init__(self) -> None:
        self.jobs: list[Job] = []


_tracing = _Stack()


def current(what: str = "this") -> Job:
    """The job whose function is being traced; RuntimeError, naming `what` was called, outside of one."""
    if not _tracing.jobs:
        raise RuntimeError(f"{what} belongs into a global function: call it inside of one that is decorated with "
                           "@flow.global_function().")
    return _tracing.jobs[-1]


def is_tracing() -> bool:
    """Whether a job's function is being traced."""
    return bool(_tracing.jobs)


@contextlib.contextmanager
def tracing(job: Job) -> Iterator[None]:
    """Within the block this job is the current one."""
    _tracing.jobs.append(job)
    try:
        yield
    finally:
        _tracing.jobs.pop()

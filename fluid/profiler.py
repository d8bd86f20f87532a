"""`fluid.profiler`: what operators cost, by 1.x's names; `paddle.profiler` does the work."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..core.lazy import listed
from ..profiler import Profiler

_SORTED_BY = ("calls", "total", "max", "min", "ave", None, "default")
_STATES = ("CPU", "GPU", "All")
_running: list[Profiler] = []


def _check(state: str | None, sorted_key: str | None) -> None:
    if state is not None and state not in _STATES:
        raise ValueError(f"profiler(state): must be one of {', '.join(_STATES)}. Received {state!r}.")
    if sorted_key not in _SORTED_BY:
        raise ValueError(f"profiler(sorted_key): must be one of {', '.join(map(str, _SORTED_BY))}. "
                         f"Received {sorted_key!r}.")


def start_profiler(state: str, tracer_option: str = "Default") -> None:
    """Begins to take times; one that runs already goes on."""
    _check(state, None)
    if not _running:
        made = Profiler(on_trace_ready=lambda _: None)  # `stop_profiler` says where the time line goes
        made.start()
        _running.append(made)


def stop_profiler(sorted_key: str | None = None, profile_path: str = "/tmp/profile") -> None:
    """Ends it, prints a table of the operators, and writes the time line to a file unless `profile_path` is empty."""
    _check(None, sorted_key)
    if not _running:
        return
    ended = _running.pop()
    ended.stop()
    ended.summary()
    if profile_path:
        ended.export(profile_path, "json")


def reset_profiler() -> None:
    """Forgets the times that were taken so far."""
    if _running:
        _running.pop().stop()
        start_profiler("All")


@contextlib.contextmanager
def profiler(state: str, sorted_key: str | None = None, profile_path: str = "/tmp/profile",
             tracer_option: str = "Default") -> Iterator[None]:
    """Takes the times of what runs within the block, and prints a table of the operators behind it."""
    _check(state, sorted_key)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


@contextlib.contextmanager
def cuda_profiler(output_file: str, output_mode: str | None = None,
                  config: Sequence[str] | None = None) -> Iterator[Any]:
    """A block that changes nothing: NVIDIA's own tools observe the process from outside.

    >>> import proa.fluid as fluid
    >>> with fluid.profiler.cuda_profiler("out.nvprof"):
    ...     pass
    """
    yield


__all__ = ["cuda_profiler", "profiler", "reset_profiler", "start_profiler", "stop_profiler"]
__dir__ = listed(__name__)

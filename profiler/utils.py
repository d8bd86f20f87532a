"""An older path to what a profiler's users call: RecordEvent, load_profiler_result, in_profiler_mode."""

from typing import Any

from ..ops.core.trace import state
from .export import load_profiler_result
from .record_event import RecordEvent


def in_profiler_mode() -> bool:
    """Whether a profiler runs in this thread."""
    return state.observer is not None


def __getattr__(name: str) -> Any:
    if name == "_is_profiler_used":
        return in_profiler_mode()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["RecordEvent", "in_profiler_mode", "load_profiler_result"]

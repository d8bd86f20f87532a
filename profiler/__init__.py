"""Where time and memory go: by operator, by the user's line, and on a time line. `paddle.profiler`.

A profiler puts a trace of its own around the one in charge, so nothing is slower while none runs.
"""

from . import utils as utils
from .export import export_chrome_tracing, export_protobuf, load_profiler_result
from .profiler import Profiler
from .record_event import RecordEvent, TracerEventType
from .schedule import ProfilerState, ProfilerTarget, make_scheduler
from .tables import SortedKeys, SummaryView

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "TracerEventType",
    "export_chrome_tracing",
    "export_protobuf",
    "load_profiler_result",
    "make_scheduler",
]

"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.profiler`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import utils as utils
from proa.profiler.export import export_chrome_tracing as export_chrome_tracing, export_protobuf as export_protobuf, load_profiler_result as load_profiler_result
from proa.profiler.profiler import Profiler as Profiler
from proa.profiler.record_event import RecordEvent as RecordEvent, TracerEventType as TracerEventType
from proa.profiler.schedule import ProfilerState as ProfilerState, ProfilerTarget as ProfilerTarget, make_scheduler as make_scheduler
from proa.profiler.tables import SortedKeys as SortedKeys, SummaryView as SummaryView


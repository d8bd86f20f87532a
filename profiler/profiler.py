"""Profiler: which steps are recorded, and what is done with a recording."""

from __future__ import annotations

import importlib
import json
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import backend
from ..core.place import CUDAPlace
from ..ops.core.trace import set_observer, state
from . import events
from .events import ProfilerResult
from .export import export_chrome_tracing, write_chrome_trace
from .recorder import Options, Recorder
from .schedule import ProfilerState, ProfilerTarget, scheduler_of
from .tables import UNITS, SortedKeys, Style, SummaryView, summary_text
from .timer import StepTimer


def _targets(targets: Iterable[ProfilerTarget] | None) -> list[ProfilerTarget]:
    if targets is None:
        return [ProfilerTarget.CPU, *([ProfilerTarget.GPU] if backend.cuda_is_available() else [])]
    found = list(targets)
    for target in found:
        if not isinstance(target, ProfilerTarget):
            raise ValueError(f"Profiler(targets): may hold members of ProfilerTarget. Received {target!r}.")
    there = _targets(None)
    for target in found:
        if target not in there:  # scripts name the GPU wherever they run
            warnings.warn(f"Profiler(targets): {target} is not here to be watched; it is left out.", stacklevel=3)
    return [target for target in found if target in there]


def _options(targets: list[ProfilerTarget], shapes: Any, memory: Any, flops: Any, nvtx: Any) -> Options:
    if nvtx and not backend.cuda_is_available():
        raise RuntimeError("Profiler(emit_nvtx=True) needs CuPy and a CUDA device. Leave it out.")
    place = CUDAPlace(0) if ProfilerTarget.GPU in targets else None
    return Options(bool(shapes), bool(memory), bool(flops), place, bool(nvtx))


class Profiler:
    """Records what the operators of this thread cost: use it as a context manager, or with `start` and `stop`.

    Call `step()` at the end of each training step; `scheduler` says which steps are recorded: a function of the step's
    number (`make_scheduler`), a pair (first, end), or None for all. After the last step of a recording, and at the end,
    `on_trace_ready(profiler)` is called; by default it writes a Chrome trace into ./profiler_log/.

    - `targets`: ProfilerTarget.CPU and GPU; by default what is there. With GPU each operator is waited for.
    - `record_shapes`, `profile_memory`, `with_flops`: keeps the shapes of inputs; the bytes that results hold and their
      peak; estimated operations of products, convolutions and elementwise work.
    - `timer_only`: no operator is recorded, so that nothing is slowed down; `step_info` tells the cost of a step.
    - `emit_nvtx`: ranges for NVIDIA's tools around each operator. `custom_device_types` is accepted; there are none.

    Raises RuntimeError when a profiler runs already in this thread, or a device is missing. `paddle.profiler.Profiler`.

    >>> import proa as paddle
    >>> with paddle.profiler.Profiler(on_trace_ready=lambda prof: None) as prof:
    ...     y = paddle.ones([2, 3]) * 2
    >>> [event.name for event in prof.profiler_result.of_kind("operator")]
    ['fill_constant', 'scale']
    """

    def __init__(self, *, targets: Iterable[ProfilerTarget] | None = None,
                 scheduler: Callable[[int], ProfilerState] | tuple[int, int] | None = None,
                 on_trace_ready: Callable[[Any], Any] | None = None, record_shapes: bool | None = False,
                 profile_memory: bool | None = False, timer_only: bool | None = False,
                 emit_nvtx: bool | None = False, custom_device_types: Sequence[str] = (),
                 with_flops: bool | None = False):
        if on_trace_ready is not None and not callable(on_trace_ready):
            raise TypeError(f"Profiler(on_trace_ready): must be a function. Received {on_trace_ready!r}.")
        self.targets = _targets(targets)
        self.timer_only = bool(timer_only)
        self.on_trace_ready = on_trace_ready or export_chrome_tracing("./profiler_log/")
        self.profiler_result: ProfilerResult | None = None
        self.step_num = 0
        self.current_state = ProfilerState.CLOSED
        self._options = _options(self.targets, record_shapes, profile_memory, with_flops, emit_nvtx)
        self._schedule = (lambda step: ProfilerState.CLOSED) if self.timer_only else scheduler_of(scheduler)
        self._timer: StepTimer | None = None  # while started
        self._recorder: Recorder | None = None  # while recording
        self._step_begin = 0

    def __enter__(self) -> Profiler:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begins, with the first step."""
        if state.observer is not None:
            raise RuntimeError("Profiler.start(): a profiler runs already in this thread. Stop it first.")
        self._timer = StepTimer()
        set_observer(self._timer)
        self._enter(self._schedule(self.step_num))

    def stop(self) -> None:
        """Ends; what was recorded since the last hand-over goes to `on_trace_ready`."""
        if self._timer is None:
            return
        self._end_step()
        if self._recorder is not None:
            self._hand_over()
        set_observer(None)
        self._timer, self.current_state = None, ProfilerState.CLOSED

    def step(self, num_samples: int | None = None) -> None:
        """Ends a step (of `num_samples` samples, for `step_info`) and begins the next one."""
        if self._timer is None:
            raise RuntimeError("Profiler.step(): start() the profiler first, or use it as a context manager.")
        self._end_step()
        self._timer.step(num_samples)
        before, self.step_num = self.current_state, self.step_num + 1
        following = self._schedule(self.step_num)
        if self._recorder is not None and (before is ProfilerState.RECORD_AND_RETURN or not following.records):
            self._hand_over()
        self._enter(following)

    def _enter(self, following: ProfilerState) -> None:
        self.current_state = following
        if following.records and self._recorder is None:
            assert self._timer is not None
            self._recorder = Recorder(self._options, self._timer)
            set_observer(self._recorder)
        self._step_begin = time.perf_counter_ns()

    def _end_step(self) -> None:
        if self._recorder is not None:
            self._recorder.add_span(events.STEP, f"ProfileStep#{self.step_num}", self._step_begin)

    def _hand_over(self) -> None:
        assert self._recorder is not None
        self.profiler_result = self._recorder.stop()
        self._recorder = None
        set_observer(self._timer)
        self.on_trace_ready(self)

    def step_info(self, unit: str | None = None) -> str:
        """The average cost of a step since this was last asked: waiting for data, the whole step, `unit`s a second."""
        return "" if self._timer is None else self._timer.info(unit)

    def export(self, path: str = "", format: str = "json") -> None:
        """Writes the last recording to `path` as Chrome trace JSON, whole or not at all."""
        if format != "json":
            raise NotImplementedError(f"Profiler.export(format): only 'json' is written. Received {format!r}.")
        write_chrome_trace(self._result("export"), path)

    def _result(self, asked: str) -> ProfilerResult:
        if self.profiler_result is None:
            raise RuntimeError(
                f"Profiler.{asked}(): nothing has been recorded. Call it after stop(), and see that the scheduler "
                f"records a step{' (timer_only=True records none)' if self.timer_only else ''}."
            )
        return self.profiler_result

    def summary(self, sorted_by: SortedKeys = SortedKeys.CPUTotal, op_detail: bool = True, thread_sep: bool = False,
                time_unit: str = "ms", views: SummaryView | Sequence[SummaryView] | None = None) -> None:
        """Prints tables of the last recording: by phase, by operator, by your line, of memory and of your ranges.

        `op_detail` gives each shape of an operator's inputs a row, where shapes were recorded; `time_unit` is s, ms, us
        or ns; `views` picks tables. One thread is recorded, so `thread_sep` changes nothing.
        """
        if time_unit not in UNITS:
            raise ValueError(f"Profiler.summary(time_unit): must be one of {', '.join(UNITS)}. Received {time_unit!r}.")
        result = self._result("summary")
        chosen = [views] if isinstance(views, SummaryView) else views
        print(summary_text(result, Style(result, sorted_by, time_unit, op_detail), chosen))


def get_profiler(config_path: str) -> Profiler:
    """The Profiler that a JSON file describes: `targets`, `scheduler`, `on_trace_ready` and `timer_only`.

    Targets are names; a scheduler is a pair of steps. Functions are given as `{name: {"module": …, "use_direct": …,
    "args": […], "kwargs": {…}}}`: the module's function itself where `use_direct` is true, what it gives otherwise.
    What cannot be read is told by a warning and left at its default.
    """
    try:
        with open(config_path, encoding="utf-8") as file:
            described = json.load(file)
    except (OSError, ValueError) as error:
        warnings.warn(f"get_profiler: {config_path} cannot be read ({error}); all is as by default.", stacklevel=2)
        return Profiler()
    readers: dict[str, Callable[[Any], Any]] = {
        "targets": lambda names: [ProfilerTarget[name.upper()] for name in names],
        "scheduler": lambda said: _described_function(said) if isinstance(said, dict) else (said[0], said[1]),
        "on_trace_ready": _described_function, "timer_only": _bool,
    }
    arguments = {}
    for name, read in readers.items():
        if name in described:
            try:
                arguments[name] = read(described[name])
            except Exception as error:  # whatever a module that the file names raises
                warnings.warn(f"get_profiler: {name} in {config_path} cannot be used ({error!r}); it is as by default.",
                              stacklevel=2)
    return Profiler(**arguments)


def _described_function(said: dict[str, Any]) -> Callable[..., Any]:
    (name, entry), = said.items()
    function = getattr(importlib.import_module(entry["module"]), name)
    return function if entry["use_direct"] else function(*entry["args"], **entry["kwargs"])


def _bool(said: Any) -> bool:
    if not isinstance(said, bool):
        raise TypeError(f"expected true or false, received {said!r}")
    return said

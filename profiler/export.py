"""Profiles as files: the Chrome trace format, which chrome://tracing and Perfetto (ui.perfetto.dev) open.

The format: Trace Event Format, Google, 2016. Times are microseconds. What the format has no field for stands in `args`,
so that `load_profiler_result` gives back what was recorded.
"""

from __future__ import annotations

import datetime
import json
import os
import socket
from collections.abc import Callable, Iterator
from typing import Any

from ..core.files import CorruptFileError, atomic_write
from .events import EXCHANGE, Event, ProfilerResult

_KEPT = ("phase", "own", "source", "shapes", "nbytes", "flops")  # of an event, in `args`


def _entries(result: ProfilerResult) -> Iterator[dict[str, Any]]:
    process = os.getpid()
    yield {"name": "process_name", "ph": "M", "pid": process, "args": {"name": "proa"}}
    for thread in sorted({event.thread for event in result.of_kind(EXCHANGE)}):
        yield {"name": "thread_name", "ph": "M", "pid": process, "tid": thread, "args": {"name": "exchanges"}}
    for event in result.events:
        args = {key: value for key in _KEPT if (value := getattr(event, key)) not in ("", 0)}
        yield {"name": event.name, "cat": event.kind, "ph": "X", "ts": event.begin / 1e3, "dur": event.duration / 1e3,
               "pid": process, "tid": event.thread, "args": args}
    for moment, current in result.memory:
        yield {"name": "bytes in use", "ph": "C", "ts": moment / 1e3, "pid": process, "args": {"bytes": current}}


def write_chrome_trace(result: ProfilerResult, path: str | os.PathLike[str]) -> None:
    """Writes a recording as Chrome trace JSON, whole or not at all."""
    content = {"displayTimeUnit": "ms", "traceEvents": list(_entries(result)),
               "proa": {"begin": result.begin, "end": result.end, "peak_bytes": result.peak_bytes}}
    with atomic_write(path) as file:
        file.write(json.dumps(content).encode())


def export_chrome_tracing(dir_name: str, worker_name: str | None = None) -> Callable[[Any], None]:
    """A function for `Profiler(on_trace_ready=…)`: writes each recording into the folder as Chrome trace JSON.

    The file is `<worker_name>_time_<date>.paddle_trace.json`; the worker's name is made of host and process by default.
    `paddle.profiler.export_chrome_tracing`.

    >>> import proa as paddle
    >>> ready = paddle.profiler.export_chrome_tracing("traces")  # of a Profiler: on_trace_ready=ready
    """
    if not isinstance(dir_name, (str, os.PathLike)):
        raise TypeError(f"export_chrome_tracing(dir_name): must be a path. Received {dir_name!r}.")

    def handle(prof: Any) -> None:
        name = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"
        moment = datetime.datetime.now().strftime("%Y_%m_%d_%H_%M_%S_%f")
        prof.export(os.path.join(dir_name, f"{name}_time_{moment}.paddle_trace.json"), "json")

    return handle


def export_protobuf(dir_name: str, worker_name: str | None = None) -> Callable[[Any], None]:
    """Not supported: raises NotImplementedError. The protobuf form is for Paddle's own viewer; write JSON instead.

    >>> import proa as paddle
    >>> paddle.profiler.export_protobuf("traces")
    Traceback (most recent call last):
        ...
    NotImplementedError: export_protobuf(dir_name) is not supported: use export_chrome_tracing(dir_name),...
    """
    raise NotImplementedError(
        "export_protobuf(dir_name) is not supported: use export_chrome_tracing(dir_name), whose files chrome://tracing "
        "and ui.perfetto.dev open, and load_profiler_result reads."
    )


def _event(entry: dict[str, Any]) -> Event:
    args = entry["args"]
    begin, duration = round(entry["ts"] * 1e3), round(entry["dur"] * 1e3)
    return Event(entry["cat"], entry["name"], args.get("phase", ""), begin, duration, args.get("own", 0), entry["tid"],
                 args.get("source", ""), args.get("shapes", ""), args.get("nbytes", 0), args.get("flops", 0))


def load_profiler_result(filename: str) -> ProfilerResult:
    """What a profiler exported: its events, to be looked at. Raises CorruptFileError for a file that is no such export.

    `paddle.profiler.load_profiler_result`.

    >>> import proa as paddle
    >>> import glob, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with paddle.profiler.Profiler(on_trace_ready=paddle.profiler.export_chrome_tracing(folder)):
    ...     y = paddle.ones([2, 2]).exp()
    >>> found = paddle.profiler.load_profiler_result(glob.glob(folder + "/*.json")[0])
    >>> type(found).__name__
    'ProfilerResult'
    """
    with open(filename, "rb") as file:
        data = file.read()
    try:
        content = json.loads(data)
        entries, facts = content["traceEvents"], content["proa"]
        spans = [_event(entry) for entry in entries if entry["ph"] == "X"]
        memory = [(round(e["ts"] * 1e3), e["args"]["bytes"]) for e in entries if e["ph"] == "C"]
        return ProfilerResult(spans, facts["begin"], facts["end"], memory, facts["peak_bytes"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorruptFileError(filename, "JSON", f"it is no profile that was exported here ({error})") from error

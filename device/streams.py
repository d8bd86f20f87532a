"""Streams and events of a CUDA device, which are CuPy's. The host has none: what it is told to do is done at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..backend.cuda import cupy
from ..core.place import CUDAPlace, Place, expected_place, parse_place


def place_of(device: Any) -> Place:
    """The place that an index, a name or a place means; the expected one for None."""
    if device is None:
        return expected_place()
    return CUDAPlace(device) if isinstance(device, int) else parse_place(device)


def _cuda_index(device: Any, what: str) -> int:
    """The index of a CUDA device; RuntimeError for the host."""
    place = place_of(device)
    if not isinstance(place, CUDAPlace):
        raise RuntimeError(f"{what}: only CUDA devices have streams. Received {place!r}; choose one with "
                           f"paddle.set_device('gpu').")
    cupy()
    return place.index


class Stream:
    """A queue of work of a CUDA device. RuntimeError where CUDA cannot be used.

    `device`: a place, a name or an index, by default the expected one. `priority`: 1 high, 2 normal.

    >>> import proa as paddle
    >>> if paddle.device.cuda.device_count():
    ...     stream = paddle.device.Stream(priority=1)
    ...     with paddle.device.stream_guard(stream):
    ...         y = paddle.ones([2]) * 2  # queued there
    ...     stream.synchronize()
    """

    def __init__(self, device: Any = None, priority: int = 2, blocking: bool = False):
        if priority not in (1, 2):
            raise ValueError(f"Stream(priority): 1 (high) or 2 (normal). Received {priority!r}.")
        self.index = _cuda_index(device, "Stream")
        with cupy().cuda.Device(self.index):
            self.stream_base = cupy().cuda.Stream(non_blocking=not blocking, priority=-1 if priority == 1 else 0)

    @classmethod
    def _of(cls, stream: Any, index: int) -> Stream:
        made = cls.__new__(cls)
        made.index, made.stream_base = index, stream
        return made

    def synchronize(self) -> None:
        """Waits until the work queued so far is done."""
        self.stream_base.synchronize()

    def query(self) -> bool:
        """True when all work is done."""
        return bool(self.stream_base.done)

    def record_event(self, event: Event | None = None) -> Event:
        """Marks this point of the queue."""
        event = Event(CUDAPlace(self.index)) if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """Lets the work queued from now on wait for an event."""
        self.stream_base.wait_event(event.event_base)

    def wait_stream(self, stream: Stream) -> None:
        """Lets the work queued from now on wait for what another stream has queued."""
        self.wait_event(stream.record_event())


class Event:
    """A mark in a stream. RuntimeError where CUDA cannot be used.

    >>> import proa as paddle
    >>> if paddle.device.cuda.device_count():
    ...     start, end = paddle.device.Event(enable_timing=True), paddle.device.Event(enable_timing=True)
    ...     start.record()
    ...     y = paddle.ones([100, 100]) @ paddle.ones([100, 100])
    ...     end.record()
    ...     end.synchronize()
    ...     milliseconds = start.elapsed_time(end)
    """

    def __init__(self, device: Any = None, enable_timing: bool = False, blocking: bool = False,
                 interprocess: bool = False):
        if interprocess:
            raise NotImplementedError("Event(interprocess=True): events are not shared between processes.")
        self.index = _cuda_index(device, "Event")
        with cupy().cuda.Device(self.index):
            self.event_base = cupy().cuda.Event(block=blocking, disable_timing=not enable_timing)

    def record(self, stream: Stream | None = None) -> None:
        """Marks the present point of a stream, by default the current one."""
        self.event_base.record((current_stream(CUDAPlace(self.index)) if stream is None else stream).stream_base)

    def query(self) -> bool:
        """True when the work before the mark is done."""
        return bool(self.event_base.done)

    def synchronize(self) -> None:
        """Waits until the work before the mark is done."""
        self.event_base.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this mark to another, both made with enable_timing=True."""
        return float(cupy().cuda.get_elapsed_time(self.event_base, end_event.event_base))


def current_stream(device: Any = None) -> Stream:
    """The stream that work is queued in.

    >>> import proa as paddle
    >>> if paddle.device.cuda.device_count():
    ...     paddle.device.current_stream().synchronize()
    """
    index = _cuda_index(device, "current_stream")
    return Stream._of(cupy().cuda.get_current_stream(index), index)


def set_stream(stream: Stream) -> Stream:
    """Queues work in `stream` from now on; the stream before.

    >>> import proa as paddle
    >>> if paddle.device.cuda.device_count():
    ...     before = paddle.device.set_stream(paddle.device.Stream())
    ...     y = paddle.ones([2]) * 2
    ...     _ = paddle.device.set_stream(before)
    """
    before = current_stream(CUDAPlace(stream.index))
    stream.stream_base.use()
    return before


@contextmanager
def stream_guard(stream: Stream | None = None) -> Iterator[None]:
    """Queues work in `stream` within the block; None changes nothing.

    >>> import proa as paddle
    >>> stream = paddle.device.Stream() if paddle.device.cuda.device_count() else None
    >>> with paddle.device.stream_guard(stream):
    ...     y = paddle.ones([2]) * 2
    >>> y.tolist()
    [2.0, 2.0]
    """
    if stream is None:
        yield
        return
    before = set_stream(stream)
    try:
        yield
    finally:
        set_stream(before)

"""Which steps are recorded: the states of a profiler, and the usual schedule of them."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any


class ProfilerState(enum.Enum):
    """What a profiler does during a step. RECORD_AND_RETURN records, and hands the recording over at the step's end.

    READY is the step before a recording; there is nothing to warm up here, so it is as CLOSED.

    >>> import proa as paddle
    >>> [state.name for state in paddle.profiler.ProfilerState]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN']
    """

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3

    @property
    def records(self) -> bool:
        """True for the states in which something is recorded."""
        return self in (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)


class ProfilerTarget(enum.Enum):
    """What is watched. With GPU, operators on a CUDA device are waited for, so that their time is seen.

    >>> import proa as paddle
    >>> [target.name for target in paddle.profiler.ProfilerTarget]
    ['CPU', 'GPU', 'XPU', 'CUSTOM_DEVICE']
    """

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


def make_scheduler(*, closed: int, ready: int, record: int, repeat: int = 0,
                   skip_first: int = 0) -> Callable[[int], ProfilerState]:
    """The schedule that skips `skip_first` steps and then repeats: `closed`, `ready`, `record` steps.

    `repeat` times, or without end with 0. Gives a function from a step's number to its ProfilerState. Raises ValueError
    for a negative number or for record=0. `paddle.profiler.make_scheduler`.

    >>> import proa as paddle
    >>> schedule = paddle.profiler.make_scheduler(closed=1, ready=1, record=2, repeat=1)
    >>> [schedule(step).name for step in range(5)]
    ['CLOSED', 'READY', 'RECORD', 'RECORD_AND_RETURN', 'CLOSED']
    """
    numbers = {"closed": closed, "ready": ready, "record": record, "repeat": repeat, "skip_first": skip_first}
    for name, number in numbers.items():
        if number < (name == "record"):
            raise ValueError(
                f"make_scheduler({name}): must be at least {int(name == 'record')}. Received {number!r}."
            )
    period = closed + ready + record

    def state_of(step: int) -> ProfilerState:
        step -= skip_first
        if step < 0 or (repeat and step >= repeat * period):
            return ProfilerState.CLOSED
        position = step % period
        if position < closed:
            return ProfilerState.CLOSED
        if position < closed + ready:
            return ProfilerState.READY
        return ProfilerState.RECORD if position < period - 1 else ProfilerState.RECORD_AND_RETURN

    return state_of


def scheduler_of(value: Any) -> Callable[[int], ProfilerState]:
    """The schedule that a user means: a function, steps (first, end), or None for every step."""
    if value is None:
        return lambda step: ProfilerState.RECORD
    if callable(value):
        return value
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(
            f"Profiler(scheduler): must be a function of the step's number, a pair (first, end) of steps, or None. "
            f"Received {value!r}."
        )
    first, end = value
    if not 0 <= first < end:
        raise ValueError(f"Profiler(scheduler): (first, end) must have 0 <= first < end. Received {value!r}.")
    return make_scheduler(closed=max(first - 1, 0), ready=min(first, 1), record=end - first, repeat=1)

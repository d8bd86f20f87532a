"""Places for Programs: lists of them, the guard that names a device, and the devices that are not supported."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from ...backend import cuda_device_count, cuda_is_available
from ...core.place import CPUPlace, CUDAPlace, Place, expected_place, parse_place
from ...ops.core.trace import current_trace


def cpu_places(device_count: int | None = None) -> list[CPUPlace]:
    """So many CPUPlaces: by default as many as the environment variable CPU_NUM says, or one.

    >>> import proa as paddle
    >>> paddle.static.cpu_places(2)
    [Place(cpu), Place(cpu)]
    """
    count = int(os.environ.get("CPU_NUM", "1")) if device_count is None else device_count
    return [CPUPlace() for _ in range(count)]


def cuda_places(device_ids: int | Sequence[int] | None = None) -> list[CUDAPlace]:
    """The CUDAPlaces of these devices, by default of all; RuntimeError where CUDA cannot be used.

    >>> import proa as paddle
    >>> places = paddle.static.cuda_places() if paddle.device.cuda.device_count() else paddle.static.cpu_places()
    """
    if not cuda_is_available():
        raise RuntimeError("cuda_places(): CUDA cannot be used here; docs/gpu.md says what it takes. "
                           "Use paddle.static.cpu_places().")
    if device_ids is None:
        device_ids = range(cuda_device_count())
    return [CUDAPlace(index) for index in ([device_ids] if isinstance(device_ids, int) else device_ids)]


def xpu_places(device_ids: Any = None) -> NoReturn:
    """Raises RuntimeError: Kunlun's devices are not supported.

    >>> import proa as paddle
    >>> paddle.static.xpu_places()
    Traceback (most recent call last):
        ...
    RuntimeError: xpu_places(): Kunlun's devices are not supported. Use paddle.static.cpu_places().
    """
    raise RuntimeError("xpu_places(): Kunlun's devices are not supported. Use paddle.static.cpu_places().")


def as_places(places: Any) -> list[Place]:
    """What callers name as places - one, or a list of them, None for the one in use - as a list; not an empty one."""
    found = [expected_place() if place is None else parse_place(place)
             for place in (places if isinstance(places, (list, tuple)) else [places])]
    if not found:
        raise ValueError("places: at least one, as paddle.static.cpu_places() gives. Received an empty list.")
    return found


@contextlib.contextmanager
def device_guard(device: str | None = None) -> Iterator[None]:
    """Notes on the operations that the block appends for which device they are meant: 'cpu', 'gpu', 'gpu:0' or None.

    The note goes into files. An Executor here runs all of a Program at its own place. Raises ValueError for another
    device.

    >>> import proa as paddle
    >>> from proa import static
    >>> main, startup = static.Program(), static.Program()
    >>> with static.program_guard(main, startup):
    ...     x = static.data("x", [None, 2])
    ...     with static.device_guard("cpu"):
    ...         y = x + 1
    >>> y.shape
    (-1, 2)
    """
    kind, _, index = (device or "").partition(":")
    if kind not in ("", "cpu", "gpu", "xpu") or (index and kind == "cpu") or (index and not index.isdigit()):
        raise ValueError(f"device_guard(device): must be 'cpu', 'gpu', 'gpu:INDEX' or None. Received {device!r}.")
    with current_trace().meant_for(f"{kind}:{index or 0}" if kind in ("gpu", "xpu") and device else device or ""):
        yield


def _no_ipu(what: str) -> RuntimeError:
    return RuntimeError(f"{what}: Graphcore's IPUs are not supported. Run the Program with paddle.static.Executor.")


class IpuStrategy:
    """Not supported: RuntimeError.

    >>> import proa as paddle
    >>> paddle.static.IpuStrategy()
    Traceback (most recent call last):
        ...
    RuntimeError: IpuStrategy(): Graphcore's IPUs are not supported. Run the Program with...
    """

    def __init__(self) -> None:
        raise _no_ipu("IpuStrategy()")


class IpuCompiledProgram:
    """Not supported: RuntimeError.

    >>> import proa as paddle
    >>> paddle.static.IpuCompiledProgram()
    Traceback (most recent call last):
        ...
    RuntimeError: IpuCompiledProgram(): Graphcore's IPUs are not supported. Run the Program with...
    """

    def __init__(self, program: Any = None, scope: Any = None, ipu_strategy: Any = None):
        raise _no_ipu("IpuCompiledProgram()")


def ipu_shard_guard(index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: RuntimeError.

    >>> import proa as paddle
    >>> paddle.static.ipu_shard_guard(index=1)
    Traceback (most recent call last):
        ...
    RuntimeError: ipu_shard_guard(): Graphcore's IPUs are not supported. Run the Program with...
    """
    raise _no_ipu("ipu_shard_guard()")


def set_ipu_shard(call_func: Any, index: int = -1, stage: int = -1) -> NoReturn:
    """Not supported: RuntimeError.

    >>> import proa as paddle
    >>> paddle.static.set_ipu_shard(paddle.tanh)
    Traceback (most recent call last):
        ...
    RuntimeError: set_ipu_shard(): Graphcore's IPUs are not supported. Run the Program with...
    """
    raise _no_ipu("set_ipu_shard()")

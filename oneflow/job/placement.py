"""Devices as OneFlow names them: a tag, and machines with ranges of device numbers ("0:0-3")."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from typing import Any

from ... import backend
from ...core.place import CUDAPlace, Place
from .current import current, is_tracing

_TAGS = ("cpu", "gpu", "cuda")
_ONE = "A job runs on one device of this machine: with '0:0' it computes what several compute together in OneFlow's " \
       "consistent view."


class Placement(contextlib.AbstractContextManager[None]):
    """Within the block a global function's operations are meant for a device; the first device's is the job's.

    Without CUDA "gpu" means the host, as it does in OneFlow without CUDA. Raises ValueError for another tag, and for
    ids that are none; NotImplementedError for more than one device, and for a device that is not there.
    """

    def __init__(self, device_tag: str, machine_device_ids: Any, hierarchy: Any = None):
        if device_tag not in _TAGS:
            raise ValueError(f"placement(device_tag): must be 'cpu' or 'gpu'. Received {device_tag!r}.")
        ids = machine_device_ids if isinstance(machine_device_ids, (list, tuple)) else [machine_device_ids]
        self.device_tag, self.machine_device_ids, self.hierarchy = device_tag, list(ids), hierarchy
        self.index = _only_device(device_tag, ids)

    @property
    def place(self) -> Place | None:
        """Where that is: None for the host."""
        if self.device_tag == "cpu" or not backend.cuda_is_available():
            return None
        return CUDAPlace(self.index)

    def __enter__(self) -> None:
        if is_tracing():
            current().devices.append(self.place)
            current().placements.append(self)

    def __exit__(self, *error: object) -> None:
        if is_tracing():
            current().placements.pop()


class DeviceScope:
    """Where operations are placed now: what `flow.current_scope()` gives."""

    parallel_num = 1

    def __init__(self, device_tag: str, index: int):
        self.device_tag, self.machine_id2device_id_list = device_tag, {0: [index]}

    @property
    def device_parallel_desc_symbol(self) -> DeviceScope:
        """The device's tag and numbers."""
        return self


def current_scope() -> DeviceScope:
    """Where the operations of the global function that is being traced are placed; RuntimeError outside of one.

    >>> import proa.oneflow as flow
    >>> @flow.global_function()
    ... def job() -> None:
    ...     with flow.scope.placement("cpu", "0:0"):
    ...         print(flow.current_scope().device_parallel_desc_symbol.device_tag)
    >>> job()
    cpu
    """
    job = current("current_scope()")
    index = job.placements[-1].index if job.placements else 0
    return DeviceScope("gpu" if job.place_now().is_device() else "cpu", index)


def _only_device(tag: str, ids: Sequence[Any]) -> int:
    devices = [device for text in ids for device in _devices(text)]
    if len(devices) != 1 or devices[0][0] != 0:
        raise NotImplementedError(f"placement({tag!r}, {list(ids)!r}): names {len(devices)} devices"
                                  f"{'' if all(machine == 0 for machine, _ in devices) else ' of several machines'}. "
                                  f"{_ONE}")
    index = devices[0][1]
    available = 1 if tag == "cpu" or not backend.cuda_is_available() else backend.cuda_device_count()
    if index >= available:
        raise NotImplementedError(f"placement({tag!r}, {list(ids)!r}): this machine has {available} such devices. "
                                  f"{_ONE}")
    return index


def _devices(text: Any) -> list[tuple[int, int]]:
    found = re.fullmatch(r"@?(\d+):(\d+)(?:-(\d+))?", text) if isinstance(text, str) else None
    if found is None:
        raise ValueError(f"placement(machine_device_ids): must be '0:0', or a list of such. Received {text!r}.")
    machine, first, last = int(found[1]), int(found[2]), int(found[3] or found[2])
    return [(machine, index) for index in range(first, last + 1)]


def refuse_several(what: str, count: Any) -> None:
    """Raises NotImplementedError for more than one device or machine, TypeError for what is no int."""
    if not isinstance(count, int):
        raise TypeError(f"{what}: must be an int. Received {count!r}.")
    if count > 1:
        raise NotImplementedError(f"{what}: received {count}. {_ONE.replace(chr(39) + '0:0' + chr(39), '1')}")

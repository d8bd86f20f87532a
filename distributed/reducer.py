"""The Reducer: averages the gradients of several processes while the backward pass still goes on.

Parameters are put into buckets in the order in which their gradients are expected, the last layer's first. A bucket
whose gradients are all there is exchanged, by a thread of its own, while the rest is computed; the end of the pass
waits for what is on its way. Every process exchanges its buckets in one order, whatever comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..backend.comm import exchanges
from ..backend.comm.communicator import AVG, MAX, Communicator
from ..dygraph.engine import at_the_end_of_this_pass
from ..ops.array.creation import to_tensor

_MEGABYTE = 1 << 20


class _Bucket:
    """Parameters whose gradients are exchanged together, in one array."""

    def __init__(self, parameters: Sequence[Any]):
        self.parameters = list(parameters)
        sizes = [int(np.prod(p.shape, dtype=int)) for p in self.parameters]
        self.ends = np.cumsum([0, *sizes])
        self.dtype = parameters[0].numpy().dtype
        self.clear()

    def clear(self) -> None:
        """Before a pass: nothing has come."""
        self.missing = {id(p) for p in self.parameters}
        self.exchange: Any = None
        self.values: np.ndarray | None = None

    def fill(self) -> np.ndarray:
        """The gradients one behind the other; 0 for those that have none."""
        values = np.empty(self.ends[-1], self.dtype)
        for place, parameter in enumerate(self.parameters):
            gradient = parameter.grad
            part = values[self.ends[place]:self.ends[place + 1]]
            part[:] = 0 if gradient is None else gradient.numpy().reshape(-1)
        self.values = values
        return values


class Reducer:
    """Has the gradients of `parameters` be the mean of those of all processes of a group after each backward pass.

    `bucket_mb`, `first_mb`: the size of buckets and of the one that is exchanged first. `finds_unused`: a pass may
    leave out parameters, in some processes or all; without it that is an error.
    """

    def __init__(self, parameters: Sequence[Any], group: Communicator, bucket_mb: float, first_mb: float,
                 finds_unused: bool):
        self.group, self.finds_unused, self.is_on = group, finds_unused, True
        self.buckets = _buckets(list(parameters)[::-1], bucket_mb, first_mb)
        self._bucket_of = {id(p): bucket for bucket in self.buckets for p in bucket.parameters}
        self._begun = 0
        self._in_pass = False
        for parameter in parameters:
            parameter._register_backward_hook(lambda parameter=parameter: self._has_come(parameter))

    def _has_come(self, parameter: Any) -> None:
        """A gradient is whole: its bucket may be so too."""
        if not self.is_on:
            return
        if not self._in_pass:
            self._begin_pass()
        self._bucket_of[id(parameter)].missing.discard(id(parameter))
        while self._begun < len(self.buckets) and not self.buckets[self._begun].missing:
            self._exchange(self.buckets[self._begun])

    def forget_pass(self) -> None:
        """Forgets a pass that an error has ended: the next one begins anew."""
        self._in_pass = False

    def _begin_pass(self) -> None:
        self._in_pass, self._begun = True, 0
        for bucket in self.buckets:
            bucket.clear()
        at_the_end_of_this_pass(self._finish)

    def _exchange(self, bucket: _Bucket) -> None:
        self._begun += 1
        values = bucket.fill()
        bucket.exchange = exchanges.begin(lambda: self.group.all_reduce(values, AVG, values))

    def _finish(self) -> None:
        """The end of a pass: what is left over is exchanged, and gradients are the means."""
        self._in_pass = False
        unused = self._unused()
        for bucket in self.buckets[self._begun:]:
            self._exchange(bucket)
        for bucket in self.buckets:
            values = bucket.exchange.wait()
            for place, parameter in enumerate(bucket.parameters):
                if id(parameter) not in unused:
                    part = values[bucket.ends[place]:bucket.ends[place + 1]]
                    parameter.grad = to_tensor(part.reshape(tuple(parameter.shape)))
            bucket.clear()

    def _unused(self) -> set[int]:
        """The parameters that got no gradient in any process."""
        parameters = [p for bucket in self.buckets for p in bucket.parameters]
        missing = [p for bucket in self.buckets for p in bucket.parameters if id(p) in bucket.missing]
        if not self.finds_unused:
            if missing:
                raise RuntimeError(
                    f"DataParallel: {len(missing)} of {len(parameters)} parameters got no gradient in this pass, and "
                    f"the other processes wait for them: {', '.join(p.name for p in missing[:8])}"
                    f"{', …' if len(missing) > 8 else ''}. Use DataParallel(find_unused_parameters=True), or set "
                    f"stop_gradient=True on what is not trained.")
            return set()
        left_out = {id(p) for p in missing}
        used = np.array([id(p) not in left_out for p in parameters], np.uint8)
        found = exchanges.begin(lambda: self.group.all_reduce(used, MAX)).wait()
        return {id(p) for p, is_used in zip(parameters, found, strict=True) if not is_used}


def _buckets(parameters: list[Any], bucket_mb: float, first_mb: float) -> list[_Bucket]:
    """Parameters of one dtype together, up to a size."""
    found: list[list[Any]] = []
    room, dtype = 0.0, None
    for parameter in parameters:
        size = int(np.prod(parameter.shape, dtype=int)) * parameter.numpy().itemsize
        if not found or size > room or parameter.dtype != dtype:
            found.append([])
            room, dtype = (bucket_mb if len(found) > 1 else first_mb) * _MEGABYTE, parameter.dtype
        found[-1].append(parameter)
        room -= size
    return [_Bucket(each) for each in found]

"""The Reducer: averages the gradients of several processes while the backward pass still goes on.

Parameters are put into buckets in the order in which their gradients are expected, the last layer's first. A bucket
whose gradients are all there is exchanged, by a thread of its own, while the rest is computed; the end of the pass
waits for what is on its way. Every process exchanges its buckets in one order, whatever comes first.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .. import backend
from ..backend.comm.communicator import MAX, Communicator
from ..dygraph.engine import a_pass_goes_on, at_the_end_of_this_pass
from .buckets import buckets_of


class Reducer:
    """Has the gradients of `parameters` be the mean of those of all processes of a group after each backward pass.

    `bucket_mb`, `first_mb`: the size of buckets and of the one that is exchanged first. `finds_unused`: a pass may
    leave out parameters, in some processes or all; without it that is an error. `owners`: by parameters' ids the
    process that alone gets the mean. `tables`: the ids of those whose gradients hold rows. `replicas`: the processes
    that get the same in other groups, over which the mean is taken, too. Without `in_backward` nothing happens before
    `exchange()`.
    """

    def __init__(self, parameters: Sequence[Any], group: Communicator, bucket_mb: float, first_mb: float,
                 finds_unused: bool, owners: Mapping[int, int] | None = None, tables: Collection[int] = (),
                 replicas: Communicator | None = None, in_backward: bool = True):
        self.group, self.replicas, self.finds_unused, self.is_on = group, replicas, finds_unused, True
        self.buckets = buckets_of(list(parameters)[::-1], (group, replicas), bucket_mb, first_mb, owners or {}, tables)
        self._bucket_of = {id(p): bucket for bucket in self.buckets for p in bucket.parameters}
        self._begun = 0
        self._in_pass = False
        for parameter in parameters if in_backward else ():
            parameter._register_backward_hook(lambda parameter=parameter: self._has_come(parameter))

    def _has_come(self, parameter: Any) -> None:
        """A gradient is whole: its bucket may be so too."""
        self._bucket_of[id(parameter)].has_come(parameter)
        if not self.is_on:
            return
        if not self._in_pass:
            self._begin_pass()
        self._bucket_of[id(parameter)].missing.discard(id(parameter))
        while self._begun < len(self.buckets) - 1 and not self.buckets[self._begun].missing:
            self._begin_next()  # the last one is begun at the end: this process then waits for it

    def exchange(self) -> None:
        """Exchanges the gradients that there are now."""
        self._begun = 0
        for bucket in self.buckets:
            bucket.clear()
            bucket.missing = {id(p) for p in bucket.parameters if p.grad is None}
        self._finish()

    def forget_pass(self) -> None:
        """Forgets a pass that an error has ended: the next one begins anew. One that goes on stays what it is."""
        self._in_pass = self._in_pass and a_pass_goes_on()

    def _begin_pass(self) -> None:
        self._in_pass, self._begun = True, 0
        for bucket in self.buckets:
            bucket.clear()
        at_the_end_of_this_pass(self._finish)

    def _begin_next(self, at_once: bool = False) -> None:
        self._begun += 1
        self.buckets[self._begun - 1].begin(at_once)

    def _finish(self) -> None:
        """The end of a pass: what is left over is exchanged, and gradients are the means."""
        self._in_pass = False
        missing = [p for bucket in self.buckets for p in bucket.parameters if id(p) in bucket.missing]
        if missing and not self.finds_unused:
            raise RuntimeError(
                f"DataParallel: {len(missing)} of {len(self._bucket_of)} parameters got no gradient in this pass, and "
                f"the other processes wait for them: {', '.join(p.name for p in missing[:8])}"
                f"{', …' if len(missing) > 8 else ''}. Use DataParallel(find_unused_parameters=True), or set "
                f"stop_gradient=True on what is not trained.")
        while self._begun < len(self.buckets):
            self._begin_next(at_once=True)
        unused = self._unused({id(p) for p in missing if p.grad is None}) if self.finds_unused else set()
        for bucket in self.buckets:
            bucket.finish(unused)

    def _unused(self, left_out: set[int]) -> set[int]:
        """The parameters that have no gradient in any process, of this pass or of one before, which no_sync() may have
        left to this one: asked behind all buckets, which every process has begun by then, whatever was left out where.
        """
        used = np.array([key not in left_out for key in self._bucket_of], np.uint8)
        there = backend.as_place(used, self.buckets[0].parameters[0].place)
        for group in (self.group, self.replicas):
            if group is not None:
                there = group.begin(functools.partial(group.all_reduce, there, MAX, there)).wait()
        found = backend.to_numpy(there)
        return {key for key, is_used in zip(self._bucket_of, found, strict=True) if not is_used}

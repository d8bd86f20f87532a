"""Buckets: gradients that several processes exchange together, as the mean of all for each, or for one that owns them.

Most lie one behind the other in one array. The gradient of a table of which few rows were looked up is exchanged as
these rows, with their numbers.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..backend.comm.communicator import AVG, PROD, Communicator
from ..backend.selected_rows import SelectedRows
from ..dygraph.engine import gradient_before_this_pass
from ..dygraph.selected_rows import gradient_of
from ..ops.optim.row_updates import holds_rows

MEGABYTE = 1 << 20
_ALONE_MB = 1.0  # gradients from this size on are exchanged where they lie: packing them would cost more than a message
Groups = tuple[Communicator, Communicator | None]


class Bucket:
    """Parameters whose gradients are exchanged together, in one array.

    `owner`: the process, by its number in the group, that alone gets the means; the others' gradients are let go as
    soon as they are sent. None: all get them. `groups`: the processes that exchange them, and those, if any, that then
    take the mean with others that have it of other groups.
    """

    def __init__(self, parameters: Sequence[Any], groups: Groups, owner: int | None = None):
        self.parameters, self.owner = list(parameters), owner
        self.group, self.replicas = groups
        sizes = [int(np.prod(p.shape, dtype=int)) for p in self.parameters]
        self.ends = np.cumsum([0, *sizes])
        self.dtype = parameters[0]._array.dtype
        self.name = self._named(self.ends[-1] * self.dtype.itemsize)
        self._means: dict[int, tuple[Any, Any]] = {}  # what a gradient was when it was given, and what of it is a mean
        self.clear()

    def _named(self, nbytes: int) -> str:
        """What a profile calls the exchange."""
        count = len(self.parameters)
        return f"{count} gradient{'s' if count > 1 else ''}, {nbytes / MEGABYTE:.2f} MB"

    @property
    def is_ours(self) -> bool:
        """Whether this process gets the means."""
        return self.owner in (None, self.group.rank)

    def clear(self) -> None:
        """Before a pass: nothing has come."""
        self.missing = {id(p) for p in self.parameters}
        self.exchange: Any = None

    def has_come(self, parameter: Any) -> None:
        """Notes what of a parameter's gradient, to which this pass has added all it will, is a mean of before.

        With an owner it alone has that, and what the others add is theirs alone.
        """
        if id(parameter) not in self._means:
            return
        gradient, mean = self._means.pop(id(parameter))
        before = gradient_before_this_pass(parameter)
        if before is not None and before is gradient():
            self._means[id(parameter)] = (weakref.ref(parameter.grad), gradient_of(before) if mean is None else mean)

    def begin(self, at_once: bool = False) -> None:
        """Begins the exchange; `at_once` where this process has nothing to compute meanwhile."""
        given = self._given()
        into = self._place_for(given)
        if not self.is_ours:
            for parameter in self.parameters:
                parameter.grad = None
        self.exchange = self.group.begin(lambda: self._exchanged(given, into), at_once, self.name)

    def finish(self, unused: Collection[int]) -> None:
        """Waits for the exchange, and gives the parameters, but for those that no process used, their means."""
        found = self.exchange.wait()
        self._means = {}
        for parameter, gradient in zip(self.parameters, self._gradients(found), strict=True) if self.is_ours else ():
            if id(parameter) not in unused:
                parameter.grad = gradient
                if self.owner is not None:
                    self._means[id(parameter)] = (weakref.ref(gradient), None)
        self.clear()

    def _own_part(self, parameter: Any) -> Any:
        """What of this process goes into the mean of a gradient, an array or rows; None for nothing.

        What is a mean already counts as if each process had it.
        """
        gradient = parameter.grad
        if gradient is None:
            return None
        value = gradient_of(gradient)
        found, mean = self._means.get(id(parameter), (lambda: None, None))
        if found() is not gradient:
            return value
        return value + (value if mean is None else mean) * (self.group.size - 1)

    def _given(self) -> Any:
        """The gradients one behind the other; 0 for those that have none. That of a parameter alone is as it lies."""
        if len(self.parameters) == 1:
            own = self._own_part(self.parameters[0])
            if own is not None:
                return _dense(own).astype(self.dtype, copy=False).reshape(-1)
        values = self.group.empty([int(self.ends[-1])], self.dtype)
        for place, parameter in enumerate(self.parameters):
            own = self._own_part(parameter)
            values[int(self.ends[place]):int(self.ends[place + 1])] = 0 if own is None else _dense(own).reshape(-1)
        return values

    def _place_for(self, given: Any) -> Any:
        """Where the means go: memory that this thread keeps when it is freed, which another one would not."""
        return given if len(self.parameters) > 1 or not self.is_ours else self.group.empty(given.shape, self.dtype)

    def _exchanged(self, given: Any, into: Any) -> Any:
        values = self._mean(self.group, given, self.owner, into)
        return values if self.replicas is None or not self.is_ours else self._mean(self.replicas, values, None, values)

    def _mean(self, group: Communicator, values: Any, owner: int | None, into: Any) -> Any:
        if owner is not None:
            return group.reduce(values, AVG, owner)
        return group.all_reduce(values, AVG, into)

    def _gradients(self, values: Any) -> Iterable[Any]:
        for place, parameter in enumerate(self.parameters):
            part = values[int(self.ends[place]):int(self.ends[place + 1])]
            yield parameter._eager.new(part.reshape(tuple(parameter.shape)))


class RowsBucket(Bucket):
    """A table whose gradient holds the rows that were looked up: these are exchanged, and each is there once then.

    Where a process has the whole gradient, as of a table that is used otherwise too, all exchange the whole.
    """

    def _given(self) -> Any:
        [table] = self.parameters
        own = self._own_part(table)
        if own is None:
            values = self.group.empty((0, *table.shape[1:]), self.dtype)
            own = SelectedRows(self.group.empty((0,), np.dtype(np.int64)), values, table.shape[0], True)
        return own.merge() if isinstance(own, SelectedRows) else own

    def _named(self, nbytes: int) -> str:
        return "rows of a gradient"

    def _place_for(self, given: Any) -> Any:
        return None

    def _mean(self, group: Communicator, values: Any, owner: int | None, into: Any) -> Any:
        count = len(values.rows) if isinstance(values, SelectedRows) and values.on_host else -1
        counts = group.all_gather(np.array(count, np.int64)).tolist()
        if min(counts) < 0:
            return super()._mean(group, _dense(values), owner, None)
        rows = group.all_gather_rows(values.rows.astype(np.int64, copy=False), counts)
        found = group.all_gather_rows(values.values, counts)
        wide = found.astype(np.float32) if found.dtype.itemsize == 2 else found
        merged = SelectedRows(rows, wide, values.height).merge()
        return merged.with_values((merged.values / group.size).astype(found.dtype, copy=False))

    def _gradients(self, found: Any) -> Iterable[Any]:
        [table] = self.parameters
        yield table._eager.of_gradient(found if isinstance(found, SelectedRows) else found.reshape(tuple(table.shape)))


def buckets_of(parameters: Sequence[Any], groups: Groups, bucket_mb: float, first_mb: float,
               owners: Mapping[int, int], tables: Collection[int]) -> list[Bucket]:
    """Parameters of one dtype and owner together, up to a size, in the order in which they are complete.

    A large one is alone, and so is each of `tables`, the ids of those whose gradients hold rows. `groups`: see Bucket.
    `owners`: by ids.
    """
    full: list[tuple[int, Bucket]] = []
    open_: dict[Any, tuple[list[Any], float]] = {}
    places: dict[Any, int] = {}
    limit = first_mb
    for place, parameter in enumerate(parameters):
        owner = owners.get(id(parameter))
        if id(parameter) in tables and isinstance(parameter._array, np.ndarray):  # on a device gradients are whole
            full.append((place, RowsBucket([parameter], groups, owner)))
            continue
        key = (parameter.dtype, owner)
        size = int(parameter._array.nbytes)
        if size >= _ALONE_MB * MEGABYTE:
            full.append((place, Bucket([parameter], groups, owner)))
            continue
        members, room = open_.get(key, ([], 0.0))
        if not members or size > room:
            if members:
                full.append((places[key], Bucket(members, groups, owner)))
            members, room, limit = [], limit * MEGABYTE, bucket_mb
        members.append(parameter)
        open_[key], places[key] = (members, room - size), place
    full += [(places[key], Bucket(members, groups, key[1])) for key, (members, _) in open_.items()]
    return [bucket for _, bucket in sorted(full, key=lambda each: each[0])]


def _dense(gradient: Any) -> Any:
    """A gradient as an array."""
    return gradient.to_dense() if isinstance(gradient, SelectedRows) else gradient


def tables_of(layers: Any) -> set[int]:
    """The ids of the parameters of embeddings whose gradients hold rows, `sparse=True`."""
    return {id(layer.weight) for layer in layers.sublayers(include_self=True)
            if hasattr(layer, "weight") and (getattr(layer, "_sparse", False) or getattr(layer, "_is_sparse", False))}


def tables_now(parameters: Sequence[Any], groups: Iterable[Communicator | None]) -> set[int]:
    """The ids of parameters whose gradients hold rows, or are missing, in every process of the groups."""
    found = np.array([p.grad is None or holds_rows(p.grad) for p in parameters], np.uint8)
    for group in groups:
        if group is not None:
            found = group.do(functools.partial(group.all_reduce, found, PROD))
    return {id(p) for p, is_table in zip(parameters, found, strict=True) if is_table and len(p.shape) > 1}

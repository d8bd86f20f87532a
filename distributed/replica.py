"""Replica: a network of which several processes have equal copies, and whose gradients they exchange."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import Any

from ..core import flags
from ..nn import Layer
from . import engine
from .agreement import FLAG, require_equal_parameters, require_one_form
from .buckets import tables_of
from .groups import Group, group_of
from .reducer import Reducer


class Replica(Layer):
    """A Layer around `layers`, of which each process of a group has a copy with equal parameters.

    In one process it does what `layers` do.
    """

    def __init__(self, layers: Layer, group: Group | None = None):
        what = type(self).__name__
        if not isinstance(layers, Layer):
            raise TypeError(f"{what}(layers): must be a Layer. Received {type(layers).__name__}.")
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        members = group_of(what, group)
        self._number, self._connected = members.id, members.process_group
        self._reducer: Reducer | None = None
        self._passes = 0
        if self._is_one_of_several():
            require_one_form(what, layers, self._connected)
            self._take_over([*layers.parameters(), *layers.buffers()])

    def _is_one_of_several(self) -> bool:
        return self._connected is not None and self._connected.size > 1

    def _exchange_gradients(self, bucket_mb: float, first_mb: float, finds_unused: bool,
                            owners: Mapping[int, int] | None = None, replicas: Group | None = None) -> None:
        """Has gradients be the means of all processes' after each pass, from now on; see Reducer."""
        trained = [p for p in self._layers.parameters() if not p.stop_gradient]
        if self._is_one_of_several() and trained:
            array = trained[0]._array
            connected = engine.communicator(self._number, array)
            outer = None if replicas is None or replicas.process_group is None else \
                engine.communicator(replicas.id, array)
            self._reducer = Reducer(trained, connected, bucket_mb, first_mb, finds_unused, owners,
                                    tables_of(self._layers), outer)

    def _take_over(self, values: list[Any]) -> None:
        """The values of the group's first process."""
        by_group: dict[Any, list[Any]] = {}
        for value in values:
            by_group.setdefault(engine.communicator(self._number, value._array), []).append(value)
        for group, some in by_group.items():
            found = group.do(functools.partial(group.broadcast_all, [value._array for value in some], 0))
            for value, array in zip(some, found, strict=True) if group.rank else ():
                value.set_value(value._eager.new(array))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layers do."""
        if self._reducer is not None:
            self._reducer.forget_pass()
        if self._is_one_of_several() and self.training and (self._reducer is None or self._reducer.is_on):
            self._compare()
            self._take_over(self._layers.buffers())
        return self._layers(*inputs, **kwargs)

    def _compare(self) -> None:
        """Each so many passes, as a flag says, finds parameters that are not equal in all processes."""
        every = flags.values[FLAG]
        if every > 0 and self._passes % every == 0:
            require_equal_parameters(type(self).__name__, self._layers, self._connected)
        self._passes += 1

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within the block gradients add up in each process; the first pass after it exchanges all of them."""
        if self._reducer is None:
            yield
            return
        old, self._reducer.is_on = self._reducer.is_on, False
        try:
            yield
        finally:
            self._reducer.is_on = old

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The state of the layers, under their own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        """Takes over what `state_dict` gave, of this or of the layers."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict

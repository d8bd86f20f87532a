"""DataParallel: a network that several processes train together, each on its part of a batch."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import Any

from ..backend.comm import exchanges
from ..nn import Layer
from . import parallel_helper
from .buckets import tables_of
from .environment import ParallelEnv
from .groups import Group, group_of
from .reducer import Reducer

__all__ = ["DataParallel", "ParallelEnv", "parallel_helper"]


class DataParallel(Layer):
    """A Layer around `layers` whose gradients are, after each `backward()`, the means of those of all processes.

    Every process makes it of the same network: parameters and buffers become those of the group's first process, and
    buffers do so before each call in training, so that the copies stay equal. Gradients are exchanged in buckets of
    `comm_buffer_size` MB, the first of `last_comm_buffer_size`, while the backward pass goes on.
    `find_unused_parameters`: a pass may leave out parameters. In one process it does what `layers` do.
    Raises RuntimeError where the processes' networks differ. `paddle.DataParallel`; gradients in buckets are Li et al.,
    PyTorch Distributed (VLDB 2020).

    >>> import proa as paddle
    >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
    >>> net(paddle.ones([1, 2])).shape, sorted(net.state_dict())
    ([1, 3], ['bias', 'weight'])
    """

    def __init__(self, layers: Layer, strategy: Any = None, comm_buffer_size: int = 25,
                 last_comm_buffer_size: int = 1, find_unused_parameters: bool = False, group: Group | None = None):
        if not isinstance(layers, Layer):
            raise TypeError(f"DataParallel(layers): must be a Layer. Received {type(layers).__name__}.")
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers
        self.find_unused_parameters = find_unused_parameters
        self._connected = group_of("DataParallel", group).process_group
        self._reducer: Reducer | None = None
        if self._connected is not None and self._connected.size > 1:
            self._check_equal()
            self._take_over([*layers.parameters(), *layers.buffers()])
            trained = [p for p in layers.parameters() if not p.stop_gradient]
            self._reducer = Reducer(trained, self._connected, comm_buffer_size, last_comm_buffer_size,
                                    find_unused_parameters, tables=tables_of(layers))

    def _check_equal(self) -> None:
        """Raises RuntimeError where the processes' networks differ in names, shapes or dtypes."""
        kinds = "\n".join(f"{name} {list(p.shape)} {p.dtype}" for name, p in self._layers.named_parameters())
        digests = exchanges.do(lambda: self._connected.all_gather_bytes(hashlib.sha256(kinds.encode()).digest()))
        different = [rank for rank, digest in enumerate(digests) if digest != digests[0]]
        if different:
            raise RuntimeError(f"DataParallel(layers): the processes {different} have another network than the first: "
                               f"other parameters, shapes or dtypes. Make the same one in each.")

    def _take_over(self, values: list[Any]) -> None:
        """The values of the group's first process."""
        def first() -> list[Any]:
            return [self._connected.broadcast(value.numpy(), 0) for value in values]

        for value, array in zip(values, exchanges.do(first), strict=True):
            value.set_value(array)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layers do."""
        if self._reducer is not None:
            self._reducer.forget_pass()
            if self._reducer.is_on and self.training:
                self._take_over(self._layers.buffers())
        return self._layers(*inputs, **kwargs)

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

    def scale_loss(self, loss: Any) -> Any:
        """The loss: gradients are means already."""
        return loss

    def apply_collective_grads(self) -> None:
        """Nothing: gradients are exchanged in `backward()`."""

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The state of the layers, under their own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        """Takes over what `state_dict` gave, of this or of the layers."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict

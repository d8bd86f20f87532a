"""DataParallel: a network whose copies on several devices would be trained together, on one device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..nn import Layer
from . import parallel_helper
from .environment import ParallelEnv

__all__ = ["DataParallel", "ParallelEnv", "parallel_helper"]


class DataParallel(Layer):
    """A Layer around `layers` that does what these do: with one process there is nothing to exchange.

    Code written for several devices runs unchanged: `scale_loss` gives the loss, `no_sync` and
    `apply_collective_grads` do nothing, and the state is that of `layers`. The other arguments say how gradients are
    exchanged, and change nothing. `paddle.DataParallel`.

    >>> import proa as paddle
    >>> net = paddle.DataParallel(paddle.nn.Linear(2, 3))
    >>> net(paddle.ones([1, 2])).shape, sorted(net.state_dict())
    ([1, 3], ['bias', 'weight'])
    """

    def __init__(self, layers: Layer, strategy: Any = None, comm_buffer_size: int = 25,
                 last_comm_buffer_size: int = 1, find_unused_parameters: bool = False, group: Any = None):
        if not isinstance(layers, Layer):
            raise TypeError(f"DataParallel(layers): must be a Layer. Received {type(layers).__name__}.")
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers = layers

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layers do."""
        return self._layers(*inputs, **kwargs)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within the block gradients would not be exchanged."""
        yield

    def scale_loss(self, loss: Any) -> Any:
        """The loss: it is not divided among processes."""
        return loss

    def apply_collective_grads(self) -> None:
        """Would exchange gradients."""

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The state of the layers, under their own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        """Takes over what `state_dict` gave, of this or of the layers."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict

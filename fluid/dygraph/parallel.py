"""prepare_context, ParallelEnv and DataParallel: training by the processes that a launcher has started."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ...backend.comm.communicator import SUM, Communicator
from ...backend.selected_rows import SelectedRows
from ...core import launched
from ...distributed import engine
from ...distributed.initialization import connect_launched
from ...distributed.parallel import sync_params_buffers  # noqa: F401
from ...distributed.program_kernels import all_reduced
from ...dygraph.selected_rows import gradient_of
from ...ops.core.trace import grad_mode
from .layers import Layer

__all__ = ["prepare_context", "ParallelEnv", "DataParallel"]


class ParallelEnv:
    """Which of how many processes this one is, as the launcher says it.

    >>> import proa.fluid as fluid
    >>> environment = fluid.dygraph.parallel.Env()
    >>> environment.nranks, environment.local_rank
    (1, 0)
    """

    def __init__(self) -> None:
        self._nranks, self._local_rank = launched.size(), launched.rank()
        self._dev_id = int(os.environ.get("FLAGS_selected_gpus", "0").partition(",")[0])
        self._trainer_endpoints = os.environ.get("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self._current_endpoint = os.environ.get("PADDLE_CURRENT_ENDPOINT", "")

    @property
    def nranks(self) -> int:
        """How many processes there are."""
        return self._nranks

    @property
    def local_rank(self) -> int:
        """The number of this one."""
        return self._local_rank

    @property
    def dev_id(self) -> int:
        """The number of its device."""
        return self._dev_id

    @property
    def current_endpoint(self) -> str:
        """Its address."""
        return self._current_endpoint

    @property
    def trainer_endpoints(self) -> list[str]:
        """The addresses of all."""
        return self._trainer_endpoints


Env = ParallelEnv


class ParallelStrategy:
    """How processes train together: how many, and which this one is."""

    def __init__(self) -> None:
        self.nranks, self.local_rank = 1, 0
        self.trainer_endpoints: list[str] = []
        self.current_endpoint = ""


def prepare_context(strategy: ParallelStrategy | None = None) -> ParallelStrategy:
    """Connects the processes that a launcher has started, and gives the strategy of this one.

    Raises RuntimeError for a strategy of another number of processes.

    >>> import proa.fluid as fluid
    >>> fluid.dygraph.parallel.prepare_context().nranks
    1
    """
    if strategy is None:
        strategy, found = ParallelStrategy(), ParallelEnv()
        strategy.nranks, strategy.local_rank = found.nranks, found.local_rank
        strategy.trainer_endpoints, strategy.current_endpoint = found.trainer_endpoints, found.current_endpoint
    if strategy.nranks > 1:
        if (strategy.nranks, strategy.local_rank) != (launched.size(), launched.rank()):
            raise RuntimeError(f"prepare_context(strategy): says that this is process {strategy.local_rank} of "
                               f"{strategy.nranks}. A launcher has started {launched.size()}, and this is number "
                               f"{launched.rank()}. Start the script with python -m proa.distributed.launch "
                               f"--nproc_per_node {strategy.nranks}.")
        connect_launched()
    return strategy


_BUCKET = 128 << 20  # bytes that are exchanged together


class DataParallel(Layer):
    """A layer that several processes train, each with a part of the data.

    Every process makes the same layer; its parameters and buffers become those of the first one. A step is
    `loss = net.scale_loss(loss)`, `loss.backward()`, `net.apply_collective_grads()`: then gradients are the means of
    those of all processes. In one process the last two words change nothing.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     strategy = fluid.dygraph.parallel.prepare_context()
    ...     net = fluid.dygraph.parallel.DataParallel(fluid.dygraph.Linear(2, 1), strategy)
    ...     loss = net.scale_loss(net(fluid.dygraph.to_variable(np.ones([1, 2], "float32"))))
    ...     loss.backward()
    ...     net.apply_collective_grads()
    ...     list(net.state_dict())
    ['weight', 'bias']
    """

    def __init__(self, layers: Any, strategy: Any = None):
        super().__init__(f"{layers.full_name()}_data_parallel")
        self._layers = layers
        self._strategy = ParallelStrategy() if strategy is None else strategy
        self._equal: set[int] = set()  # the ids of values that are the first process's
        self._take_over()

    def _group(self) -> Communicator:
        if not engine.is_connected():
            raise RuntimeError(f"DataParallel(strategy): {self._strategy.nranks} processes are not connected. Use the "
                               "strategy that fluid.dygraph.prepare_context() gives.")
        return engine.communicator(0)

    def _take_over(self) -> bool:
        """Gives what this layer has by now the values of the first process; whether there was anything new."""
        values = [v for v in (*self._layers.parameters(), *self._layers.buffers()) if id(v) not in self._equal]
        if self._strategy.nranks == 1 or not values:
            return False
        group = self._group()
        kinds = "; ".join(f"{list(v.shape)} {v.numpy().dtype}" for v in values)
        found = group.do(lambda: group.compare(kinds.encode()))
        if any(other != found[0] for other in found):
            raise RuntimeError(f"DataParallel(layers): the processes have other parameters: {found[0].decode():.200} "
                               f"in the first, and here {kinds:.200}. Make the same layer in each.")
        for value in values:
            array = value.numpy()
            value.set_value(group.do(partial(group.broadcast, array, 0)))
        self._equal.update(map(id, values))
        return True

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer gives."""
        found = self._layers(*inputs, **kwargs)
        return self._layers(*inputs, **kwargs) if self._take_over() else found  # parameters that the first call made

    def scale_loss(self, loss: Any) -> Any:
        """The loss, divided by how many processes there are."""
        return loss if self._strategy.nranks == 1 else loss / float(self._strategy.nranks)

    def apply_collective_grads(self) -> None:
        """Puts the sums of all processes' gradients in their places; those that hold rows are exchanged as rows."""
        if self._strategy.nranks == 1:
            return
        group = self._group()
        trained = [p for p in self._layers.parameters() if not p.stop_gradient and p.grad is not None]
        gradients = [gradient_of(p.grad) for p in trained]
        with grad_mode(False):
            for places in _together(gradients):
                given = [gradients[place] for place in places]
                summed = group.do(partial(_summed, group, given))
                for place, gradient in zip(places, summed, strict=True):
                    trained[place].grad = trained[place]._eager.of_gradient(gradient)

    def state_dict(self, destination: Any = None, include_sublayers: bool = True,  # type: ignore[override]
                   structured_name_prefix: str = "") -> dict[str, Any]:
        """The layer's own."""
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_dict(self, stat_dict: dict[str, Any], include_sublayers: bool = True,  # type: ignore[override]
                 use_structured_name: bool = True) -> None:
        """Takes over the layer's own state."""
        self._layers.set_dict(stat_dict, include_sublayers, use_structured_name)

    load_dict = set_dict


def _together(gradients: Sequence[Any]) -> list[list[int]]:
    """The places of gradients that are exchanged at once: of one dtype, up to a size; rows each by themselves."""
    found: list[list[int]] = []
    room, dtype = 0, None
    for place, gradient in enumerate(gradients):
        is_rows = isinstance(gradient, SelectedRows)
        size = gradient.size * gradient.dtype.itemsize
        if is_rows or gradient.dtype != dtype or size > room:
            found.append([])
            room, dtype = (0, None) if is_rows else (_BUCKET, gradient.dtype)
        found[-1].append(place)
        room -= size
    return found


def _summed(group: Communicator, gradients: list[Any]) -> list[Any]:
    """The sums over all processes."""
    if len(gradients) == 1:
        return [all_reduced(group, gradients[0], SUM)]
    whole = group.all_reduce(np.concatenate([each.reshape(-1) for each in gradients]), SUM)
    ends = np.cumsum([0, *(each.size for each in gradients)])
    return [whole[begin:end].reshape(each.shape) for begin, end, each in zip(ends[:-1], ends[1:], gradients,
                                                                            strict=True)]

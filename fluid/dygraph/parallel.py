"""prepare_context, ParallelEnv and DataParallel: what scripts for several processes call, for one process."""

from __future__ import annotations

import os
from typing import Any

from .layers import Layer

__all__ = ["prepare_context", "ParallelEnv", "DataParallel"]


class ParallelEnv:
    """Which of how many processes this one is, as the environment says it.

    >>> import proa.fluid as fluid
    >>> environment = fluid.dygraph.parallel.Env()
    >>> environment.nranks, environment.local_rank
    (1, 0)
    """

    def __init__(self) -> None:
        self._nranks = int(os.environ.get("PADDLE_TRAINERS_NUM", "1"))
        self._local_rank = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
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
    """The strategy of this process, alone; NotImplementedError where the environment or the strategy says of several.

    >>> import proa.fluid as fluid
    >>> fluid.dygraph.parallel.prepare_context().nranks
    1
    """
    if strategy is None:
        strategy, found = ParallelStrategy(), ParallelEnv()
        strategy.nranks, strategy.local_rank = found.nranks, found.local_rank
        strategy.trainer_endpoints, strategy.current_endpoint = found.trainer_endpoints, found.current_endpoint
    _check_alone(strategy)
    return strategy


def _check_alone(strategy: Any) -> None:
    if strategy.nranks > 1:
        raise NotImplementedError(f"Training by {strategy.nranks} processes is not supported in fluid.dygraph. Start "
                                  "the script as one process, without PADDLE_TRAINERS_NUM.")


class DataParallel(Layer):
    """A layer that several processes train, each with a part of the data; one does here, with all of it.

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
        _check_alone(self._strategy)

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer gives."""
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: Any) -> Any:
        """The loss, divided by how many processes there are: itself."""
        return loss

    def apply_collective_grads(self) -> None:
        """Sums the gradients of all processes: those of one are the sum."""

    def state_dict(self, destination: Any = None, include_sublayers: bool = True,  # type: ignore[override]
                   structured_name_prefix: str = "") -> dict[str, Any]:
        """The layer's own."""
        return self._layers.state_dict(destination, include_sublayers, structured_name_prefix)

    def set_dict(self, stat_dict: dict[str, Any], include_sublayers: bool = True,  # type: ignore[override]
                 use_structured_name: bool = True) -> None:
        """Takes over the layer's own state."""
        self._layers.set_dict(stat_dict, include_sublayers, use_structured_name)

    load_dict = set_dict

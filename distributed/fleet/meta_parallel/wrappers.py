"""Models around models, for many processes: with one process they do what the models in them do."""

from __future__ import annotations

from typing import Any

from ....nn import Layer
from ...environment import refuse_alone
from ...replica import Replica

__all__ = ["PipelineParallel", "SegmentParallel", "ShardingParallel", "TensorParallel"]


class _Wrapper(Layer):
    """A Layer that does what `layers` do, and has their state."""

    def __init__(self, layers: Layer, hcg: Any, **kwargs: Any):
        super().__init__(layers.full_name() + "_meta_parallel_base")
        self._layers, self._hcg, self._strategy = layers, hcg, kwargs.get("strategy")

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layers do."""
        return self._layers(*inputs, **kwargs)

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """The state of the layers, under their own names."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: dict[str, Any], use_structured_name: bool = True) -> Any:
        """Takes over what `state_dict` gave, of this or of the layers."""
        return self._layers.set_state_dict(state_dict, use_structured_name)


class TensorParallel(_Wrapper):
    """A model whose matrices are divided among processes.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> net = fleet.meta_parallel.TensorParallel(paddle.nn.Linear(2, 3), fleet.get_hybrid_communicate_group())
    >>> net(paddle.ones([1, 2])).shape
    [1, 3]
    """


class SegmentParallel(_Wrapper):
    """A model whose sequences are divided among processes.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> net = fleet.meta_parallel.SegmentParallel(paddle.nn.Linear(2, 3), fleet.get_hybrid_communicate_group())
    >>> net(paddle.ones([1, 2])).shape
    [1, 3]
    """


class ShardingParallel(Replica):
    """A model of which each process has a copy, with equal parameters, and whose optimizer's state is divided.

    Gradients are exchanged in the optimizer's step; see DygraphShardingOptimizer.

    >>> import proa as paddle
    >>> from proa.distributed import fleet
    >>> _ = fleet.init(is_collective=True)
    >>> net = fleet.meta_parallel.ShardingParallel(paddle.nn.Linear(2, 3), fleet.get_hybrid_communicate_group())
    >>> net(paddle.ones([1, 2])).shape
    [1, 3]
    """

    def __init__(self, layers: Layer, hcg: Any, **kwargs: Any):
        super().__init__(layers)
        self._hcg, self._strategy = hcg, kwargs.get("strategy")


class PipelineParallel(_Wrapper):
    """A PipelineLayer whose stages are in several processes: NotImplementedError, as there is one.

    >>> import proa as paddle
    >>> from proa.distributed.fleet import meta_parallel
    >>> stages = meta_parallel.PipelineLayer([paddle.nn.Linear(2, 2)], num_stages=1)
    >>> meta_parallel.PipelineParallel(stages, None)
    Traceback (most recent call last):
        ...
    NotImplementedError: PipelineParallel divides work among several processes, and there is one. Use the...
    """

    def __init__(self, layers: Layer, hcg: Any, strategy: Any = None):
        refuse_alone("PipelineParallel", "the PipelineLayer as a Layer, and its loss")

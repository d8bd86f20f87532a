"""Exchanges of gradients by hand: what there is of `paddle.distributed.fleet.utils.hybrid_parallel_util`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...collectives import all_reduce, broadcast
from ...environment import get_world_size
from ...reduce_op import ReduceOp

__all__ = ["broadcast_dp_parameters", "broadcast_mp_parameters", "broadcast_sharding_parameters",
           "fused_allreduce_gradients", "fused_allreduce_gradients_with_group", "obtain_optimizer_parameters_list",
           "unwrap_optimizer"]


def fused_allreduce_gradients(parameter_list: Iterable[Any], hcg: Any = None) -> None:
    """Makes the gradients of parameters the means of those of all processes: of one process they are so.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
    >>> fused_allreduce_gradients(paddle.nn.Linear(2, 2).parameters(), None)
    """
    fused_allreduce_gradients_with_group(parameter_list, None if hcg is None else hcg.get_data_parallel_group())


def fused_allreduce_gradients_with_group(parameter_list: Iterable[Any], group: Any, bucket_size: int = 128 << 20,
                                         scale: float | None = None) -> None:
    """Sums the gradients of parameters over the processes of a group and divides by `scale` (None: their number)."""
    for parameter in parameter_list:
        gradient = parameter.grad
        if gradient is not None:
            summed = gradient.detach().clone()
            all_reduce(summed, ReduceOp.SUM, group)
            parameter.grad = summed / float(scale or get_world_size(group))


def broadcast_dp_parameters(model: Any, hcg: Any) -> None:
    """Gives every process the parameters of the first."""
    for parameter in model.parameters():
        broadcast(parameter, 0, hcg.get_data_parallel_group())


def broadcast_mp_parameters(model: Any, hcg: Any) -> None:
    """Gives every process that a model is divided among what it has whole: there is no other."""


broadcast_sharding_parameters = broadcast_sep_parameters = broadcast_mp_parameters


def obtain_optimizer_parameters_list(optimizer: Any) -> list[Any]:
    """The parameters that an optimizer moves, without their groups.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import obtain_optimizer_parameters_list
    >>> sgd = paddle.optimizer.SGD(parameters=paddle.nn.Linear(2, 2).parameters())
    >>> len(obtain_optimizer_parameters_list(sgd))
    2
    """
    groups = getattr(optimizer, "_param_groups", None)
    if groups and isinstance(groups[0], dict):
        return [parameter for group in groups for parameter in group["params"]]
    return list(optimizer._parameter_list)


def unwrap_optimizer(optimizer: Any, optimizer_instances: Any = ()) -> Any:
    """The optimizer inside of optimizers that are of these classes."""
    while isinstance(optimizer, optimizer_instances):
        optimizer = optimizer._inner_opt
    return optimizer

"""Exchanges of gradients by hand: what there is of `paddle.distributed.fleet.utils.hybrid_parallel_util`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...environment import require_one_process

__all__ = ["broadcast_dp_parameters", "broadcast_mp_parameters", "broadcast_sharding_parameters",
           "fused_allreduce_gradients", "fused_allreduce_gradients_with_group", "obtain_optimizer_parameters_list",
           "unwrap_optimizer"]


def fused_allreduce_gradients(parameter_list: Iterable[Any], hcg: Any = None) -> None:
    """Sums the gradients of parameters over all processes: of one process they are the sums.

    Raises NotImplementedError when a launcher has started several.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
    >>> fused_allreduce_gradients(paddle.nn.Linear(2, 2).parameters(), None)
    """
    require_one_process("fused_allreduce_gradients")


def fused_allreduce_gradients_with_group(parameter_list: Iterable[Any], group: Any, bucket_size: int = 128 << 20,
                                         scale: float | None = None) -> None:
    """Sums the gradients of parameters over the processes of a group: of one process they are the sums."""
    require_one_process("fused_allreduce_gradients_with_group")


def broadcast_dp_parameters(model: Any, hcg: Any) -> None:
    """Gives every process the parameters of the first: there is no other."""
    require_one_process("broadcast_dp_parameters")


broadcast_mp_parameters = broadcast_sharding_parameters = broadcast_sep_parameters = broadcast_dp_parameters


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

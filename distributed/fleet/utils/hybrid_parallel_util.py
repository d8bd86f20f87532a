"""Exchanges of gradients by hand: what there is of `paddle.distributed.fleet.utils.hybrid_parallel_util`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ....ops.optim.row_updates import held_values, with_held_values
from ... import engine
from ...buckets import MEGABYTE, tables_now
from ...collectives import broadcast
from ...groups import Group, group_of
from ...reducer import Reducer

__all__ = ["broadcast_dp_parameters", "broadcast_input_data", "broadcast_mp_parameters", "broadcast_sep_parameters",
           "broadcast_sharding_parameters", "fused_allreduce_gradients", "fused_allreduce_gradients_with_group",
           "obtain_optimizer_parameters_list", "unwrap_optimizer"]


def fused_allreduce_gradients(parameter_list: Iterable[Any], hcg: Any = None) -> None:
    """Makes the gradients of parameters the means of those of all processes: of one process they are so.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import fused_allreduce_gradients
    >>> fused_allreduce_gradients(paddle.nn.Linear(2, 2).parameters(), None)
    """
    fused_allreduce_gradients_with_group(parameter_list, None if hcg is None else hcg.get_data_parallel_group())


def fused_allreduce_gradients_with_group(parameter_list: Iterable[Any], group: Any, bucket_size: int = 128 << 20,
                                         scale: float | None = None) -> None:
    """Sums the gradients of parameters over the processes of a group and divides by `scale` (None: their number).

    Gradients are exchanged in buckets of `bucket_size` bytes, those that hold rows as rows. A process may lack some.
    """
    members = group_of("fused_allreduce_gradients", group)
    trained = [parameter for parameter in parameter_list if not parameter.stop_gradient]
    if members.process_group is not None and members.nranks > 1 and trained:
        connected = engine.communicator(members.id, trained[0]._array)
        Reducer(trained, connected, bucket_size / MEGABYTE, bucket_size / MEGABYTE, True,
                tables=tables_now(trained, [members.process_group]), in_backward=False).exchange()
    factor = members.nranks / float(scale or members.nranks)
    for parameter in trained if factor != 1.0 else ():
        gradient = parameter.grad
        if gradient is not None:
            parameter.grad = with_held_values(gradient, held_values(gradient).detach() * factor)


def broadcast_input_data(hcg: Any, *inputs: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs: each process has a whole model, and there is no other that needs the same ones.

    >>> from proa.distributed.fleet.utils.hybrid_parallel_util import broadcast_input_data
    >>> broadcast_input_data(None, 1, label=2)
    ((1,), {'label': 2})
    """
    return inputs, kwargs


def broadcast_dp_parameters(model: Any, hcg: Any) -> None:
    """Gives every process the parameters of the first of those that have the same part of the state."""
    _broadcast(model, hcg.get_data_parallel_group())


def broadcast_sharding_parameters(model: Any, hcg: Any) -> None:
    """Gives every process the parameters of the first of those that the optimizer's state is divided among."""
    _broadcast(model, hcg.get_sharding_parallel_group())


def _broadcast(model: Any, group: Group) -> None:
    for parameter in model.parameters():
        broadcast(parameter, group.ranks[0], group)


def broadcast_mp_parameters(model: Any, hcg: Any) -> None:
    """Gives every process that a model is divided among what it has whole: there is no other."""


broadcast_sep_parameters = broadcast_mp_parameters


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

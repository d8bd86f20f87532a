"""group_sharded_parallel: an optimizer's state, and gradients, divided among the processes that train together."""

from __future__ import annotations

import os
from typing import Any

from ...core.safe_pickle import dump_state
from ...jit.files.plain_state import plain_state
from ...nn import Layer
from ...optimizer import Optimizer
from ..environment import refuse_alone
from ..groups import Group, group_of
from .stage2 import GroupShardedOptimizerStage2, GroupShardedStage2, ShardedModel

_LEVELS: dict[str, type[ShardedModel]] = {"os": ShardedModel, "os_g": GroupShardedStage2}


def group_sharded_parallel(model: Layer, optimizer: Optimizer, level: str, scaler: Any = None,
                           group: Group | None = None, offload: bool = False, sync_buffers: bool = False,
                           buffer_max_size: int = 2**23, segment_size: int = 2**20, sync_comm: bool = False,
                           dp_group: Group | None = None, exclude_layer: Any = None) -> tuple[Any, Any, Any]:
    """The model, the optimizer and the scaler for training with state that is divided among processes.

    `level` "os": each process of the group keeps the optimizer's state of some parameters, updates these and gives them
    to all. "os_g": it has the gradients of these alone after `backward()`, too. Parameters stay whole in each. Steps
    are those of an optimizer that is not divided, with clipping by the norm of all gradients and with a GradScaler,
    whose steps are left out in all processes or in none. `buffer_max_size`: elements in a bucket of gradients;
    `dp_group`: the processes that have the same part of the state in other groups. `sync_buffers`, `segment_size` and
    `sync_comm` change nothing: buffers are those of the first process before each call in training.

    `optimizer.state_dict()` is the whole state, which every process asks for together; it loads in one process or in
    any number. Raises ValueError for another level, and NotImplementedError for "p_g_os", which divides parameters,
    for `offload`, and in a process alone. `paddle.distributed.sharding.group_sharded_parallel`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> net = paddle.nn.Linear(4, 2)
    >>> adam = paddle.optimizer.AdamW(parameters=net.parameters())
    >>> if dist.get_world_size() > 1:  # each process keeps the moments of some parameters
    ...     net, adam, _ = dist.sharding.group_sharded_parallel(net, adam, level="os_g")
    >>> net(paddle.ones([3, 4])).mean().backward()
    >>> adam.step()
    """
    if level == "p_g_os":
        raise NotImplementedError("group_sharded_parallel(level): 'p_g_os', which divides parameters, too, is not "
                                  "supported. Use 'os_g', which divides gradients and the optimizer's state.")
    if level not in _LEVELS:
        raise ValueError(f"group_sharded_parallel(level): must be 'os' or 'os_g'. Received {level!r}.")
    members = group_of("group_sharded_parallel", group)
    if members.process_group is None or members.nranks == 1:
        refuse_alone("group_sharded_parallel()", "the model, the optimizer and the scaler as they are")
    divided = GroupShardedOptimizerStage2(None, optimizer, members, offload, dp_group=dp_group)
    return _LEVELS[level](model, divided, members, buffer_max_size=buffer_max_size, dp_group=dp_group), divided, scaler


def save_group_sharded_model(model: Layer, output: str, optimizer: Any = None) -> None:
    """Writes `model.pdmodel` and `model.pdopt` of what `group_sharded_parallel` gave into the folder `output`.

    Every process calls it, and goes on when the files are there: ordinary ones, which `paddle.load` reads anywhere.
    Raises TypeError for another model, ValueError where `output` is a file.
    `paddle.distributed.sharding.save_group_sharded_model`.

    >>> import proa as paddle
    >>> from proa import distributed as dist
    >>> import tempfile
    >>> net = paddle.nn.Linear(4, 2)
    >>> adam = paddle.optimizer.AdamW(parameters=net.parameters())
    >>> if dist.get_world_size() > 1:
    ...     net, adam, _ = dist.sharding.group_sharded_parallel(net, adam, level="os")
    ...     dist.sharding.save_group_sharded_model(net, tempfile.gettempdir(), adam)  # model.pdmodel and model.pdopt
    """
    if not isinstance(model, ShardedModel):
        raise TypeError(f"save_group_sharded_model(model): must be what group_sharded_parallel gave. Received "
                        f"{type(model).__name__}.")
    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model(output): must be a folder. Received {output!r}, a file.")
    state = None if optimizer is None else optimizer.state_dict()
    if model._connected.rank == 0:
        os.makedirs(output, exist_ok=True)
        dump_state(plain_state(model.state_dict()), os.path.join(output, "model.pdmodel"))
        if state is not None:
            dump_state(plain_state(state), os.path.join(output, "model.pdopt"))
    model._connected.do(model._connected.barrier)

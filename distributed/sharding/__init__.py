"""`paddle.distributed.sharding`: optimizers whose state is divided among processes."""

from __future__ import annotations

from typing import Any, NoReturn

from ..environment import refuse_alone

__all__ = ["group_sharded_parallel", "save_group_sharded_model"]


def group_sharded_parallel(model: Any, optimizer: Any, level: str, scaler: Any = None, **settings: Any) -> NoReturn:
    """Divides parameters, gradients and state among processes: needs several, and raises NotImplementedError."""
    refuse_alone("group_sharded_parallel()", "the model, the optimizer and the scaler as they are")


def save_group_sharded_model(model: Any, output: str, optimizer: Any = None) -> NoReturn:
    """Gathers and saves what `group_sharded_parallel` divided: raises NotImplementedError."""
    refuse_alone("save_group_sharded_model()", "paddle.save(model.state_dict(), path)")

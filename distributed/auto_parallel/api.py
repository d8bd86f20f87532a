"""What would divide tensors, layers and optimizers among processes: each says that it is not supported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..refusals import TENSORS, refuse

__all__ = ["dtensor_from_fn", "reshard", "shard_layer", "shard_op", "shard_optimizer", "shard_tensor", "to_static"]


def shard_tensor(data: Any, mesh: Any, placements: Any, dtype: Any = None, place: Any = None,
                 stop_gradient: bool = True) -> Any:
    """Would divide a tensor: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.shard_tensor(paddle.ones([2]), None, [])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.shard_tensor: tensors divided among processes (auto_parallel):...
    """
    refuse("paddle.distributed.shard_tensor", TENSORS)


def dtensor_from_fn(fn: Callable[..., Any], mesh: Any, placements: Any, *args: Any, **kwargs: Any) -> Any:
    """Would make a divided tensor: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.dtensor_from_fn(paddle.ones, None, [], [2])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.dtensor_from_fn: tensors divided among processes (auto_parallel):...
    """
    refuse("paddle.distributed.dtensor_from_fn", TENSORS)


def reshard(dist_tensor: Any, mesh: Any, placements: Any) -> Any:
    """Would divide a tensor in another way: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.reshard(paddle.ones([2]), None, [])
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.reshard: tensors divided among processes (auto_parallel): this is...
    """
    refuse("paddle.distributed.reshard", TENSORS)


def shard_layer(layer: Any, process_mesh: Any, shard_fn: Callable[..., Any] | None = None,
                input_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None) -> Any:
    """Would divide a layer's parameters: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.shard_layer(paddle.nn.Linear(2, 2), None)
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.shard_layer: tensors divided among processes (auto_parallel):...
    """
    refuse("paddle.distributed.shard_layer", TENSORS)


def shard_optimizer(optimizer: Any, shard_fn: Callable[..., Any] | None = None) -> Any:
    """Would divide an optimizer's state as its parameters: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.shard_optimizer(paddle.optimizer.SGD(parameters=[]))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.shard_optimizer: tensors divided among processes (auto_parallel):...
    """
    refuse("paddle.distributed.shard_optimizer", TENSORS)


def shard_op(op: Any, process_mesh: Any = None, in_shard_specs: Any = None, out_shard_specs: Any = None,
             **kwargs: Any) -> Any:
    """Would divide what a function takes and gives: NotImplementedError."""
    refuse("paddle.distributed.shard_op", TENSORS)


def to_static(layer: Any, loader: Any = None, loss: Any = None, optimizer: Any = None, strategy: Any = None) -> Any:
    """Would make a Program of a divided layer: NotImplementedError. `paddle.jit.to_static` is another function.

    >>> import proa as paddle
    >>> paddle.distributed.to_static(paddle.nn.Linear(2, 2))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.to_static: tensors divided among processes (auto_parallel): this...
    """
    refuse("paddle.distributed.to_static", TENSORS)

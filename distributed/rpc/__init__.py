"""`paddle.distributed.rpc`: functions called in other processes, which is refused: messages here run no code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.lazy import listed
from ..refusals import CALLS, refuse

__all__ = ["get_all_worker_infos", "get_current_worker_info", "get_worker_info", "init_rpc", "rpc_async", "rpc_sync",
           "shutdown"]
__dir__ = listed(__name__)


def init_rpc(name: str, rank: int | None = None, world_size: int | None = None,
             master_endpoint: str | None = None) -> Any:
    """Would let other processes call functions in this one: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.init_rpc("worker0")
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.init_rpc: calls of functions in other processes: this is not...
    """
    refuse("paddle.distributed.rpc.init_rpc", CALLS)


def rpc_sync(to: str, fn: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1) -> Any:
    """Would call a function in another process: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.rpc_sync("worker1", max, args=(2, 3))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.rpc_sync: calls of functions in other processes: this is not...
    """
    refuse("paddle.distributed.rpc.rpc_sync", CALLS)


def rpc_async(to: str, fn: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1) -> Any:
    """Would begin to call a function in another process: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.rpc_async("worker1", max, args=(2, 3))
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.rpc_async: calls of functions in other processes: this is not...
    """
    refuse("paddle.distributed.rpc.rpc_async", CALLS)


def shutdown() -> None:
    """Would end what `init_rpc` has begun: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.shutdown()
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.shutdown: calls of functions in other processes: this is not...
    """
    refuse("paddle.distributed.rpc.shutdown", CALLS)


def get_worker_info(name: str) -> Any:
    """Would describe a process by its name: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.get_worker_info("worker0")
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.get_worker_info: calls of functions in other processes: this...
    """
    refuse("paddle.distributed.rpc.get_worker_info", CALLS)


def get_all_worker_infos() -> list[Any]:
    """Would describe all processes: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.get_all_worker_infos()
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.get_all_worker_infos: calls of functions in other processes:...
    """
    refuse("paddle.distributed.rpc.get_all_worker_infos", CALLS)


def get_current_worker_info() -> Any:
    """Would describe this process: NotImplementedError.

    >>> import proa as paddle
    >>> paddle.distributed.rpc.get_current_worker_info()
    Traceback (most recent call last):
        ...
    NotImplementedError: paddle.distributed.rpc.get_current_worker_info: calls of functions in other...
    """
    refuse("paddle.distributed.rpc.get_current_worker_info", CALLS)

"""`paddle.async_save` and `paddle.clear_async_save_task_queue`: state dicts written while the program goes on."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from ..core import nest
from ..core.safe_pickle import dump_state
from ..dygraph.tensor import Tensor
from ..jit.files.plain_state import plain_state

__all__ = ["async_save", "clear_async_save_task_queue"]

_tasks: list[_Task] = []


class _Task(threading.Thread):
    """Writes one file, and keeps the error that came of it."""

    def __init__(self, state: Any, path: str, protocol: int):
        super().__init__(name="paddle.async_save")
        self.given = (state, path, protocol)
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            dump_state(*self.given)
        except Exception as error:
            self.error = error


def async_save(obj: Any, path: str, protocol: int = 4, sync_other_task: bool = False, **configs: Any) -> None:
    """`save` of a state dict or a Tensor by a thread: the values are those at the call, whatever training does next.

    With `sync_other_task` it begins when the earlier ones have ended. `clear_async_save_task_queue` waits for all, and
    raises what one of them failed with; so does the end of the program wait. Raises TypeError for other objects.

    >>> import tempfile, proa as paddle
    >>> path, layer = tempfile.mkdtemp() + "/linear.pdparams", paddle.nn.Linear(2, 3)
    >>> paddle.async_save(layer.state_dict(), path)
    >>> paddle.clear_async_save_task_queue()
    >>> sorted(paddle.load(path))
    ['bias', 'weight']
    """
    if not isinstance(obj, (dict, Tensor)):
        raise TypeError(f"async_save(obj): must be a state dict or a Tensor. Received {type(obj).__name__}; "
                        f"paddle.save writes other objects.")
    if not isinstance(path, (str, os.PathLike)) and not hasattr(path, "write"):
        raise TypeError(f"async_save(path): must be a path or a binary file. Received {type(path).__name__}.")
    if protocol not in (2, 3, 4):
        raise ValueError(f"async_save(protocol): must be 2, 3 or 4. Received {protocol!r}.")
    if sync_other_task:
        clear_async_save_task_queue()
    state = nest.map_structure(lambda value: np.array(value) if isinstance(value, np.ndarray) else value,
                               plain_state(obj))
    task = _Task(state, path, protocol)
    _tasks.append(task)
    task.start()


def clear_async_save_task_queue() -> None:
    """Waits until every file of `async_save` is written; raises the first error that writing one ended with.

    >>> import proa as paddle
    >>> paddle.clear_async_save_task_queue()
    """
    done, _tasks[:] = list(_tasks), []
    for task in done:
        task.join()
    for task in done:
        if task.error is not None:
            raise task.error

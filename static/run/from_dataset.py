"""A Program run for each batch of a dataset, without a loop of the user's: `Executor.train_from_dataset`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from .lod_tensor import LoDTensor

_NAMES = {"float32": "float", "float64": "double", "int32": "int", "int64": "int64_t"}


class BatchDataset(Protocol):
    """What is asked of a dataset."""

    def batches(self, thread: int = 0) -> Iterable[Mapping[str, Any]]:
        """The batches of an epoch by the names of variables; of so many threads (0: as it has been told)."""
        ...


class FetchHandler:
    """Is told about variables while a Program is trained by a dataset: a subclass says what to do, in `handler`.

    `var_dict`: Variables, or names of them, by keys of one's own; `period_secs`: how often, at most.
    `paddle.fluid.executor.FetchHandler`.

    >>> import proa.fluid as fluid
    >>> class Shown(fluid.executor.FetchHandler):
    ...     def handler(self, res_dict):
    ...         print({key: value.tolist() for key, value in res_dict.items()})
    """

    def __init__(self, var_dict: Mapping[str, Any] | None = None, period_secs: float = 60):
        if not var_dict:
            raise ValueError(f"FetchHandler(var_dict): Variables by keys of one's own. Received {var_dict!r}.")
        self.var_dict, self.period_secs = dict(var_dict), period_secs

    def handler(self, res_dict: dict[str, np.ndarray]) -> None:
        """What to do with the values, by the keys; prints the first of each, unless a subclass says otherwise."""
        sys.stdout.write("".join(f"{key}[0]: {value.reshape(-1)[:1]} " for key, value in res_dict.items()) + "\n")

    @staticmethod
    def help() -> None:
        """Prints how a subclass looks."""
        print("class Shown(FetchHandler):\n    def handler(self, res_dict):\n        print(res_dict['auc'])\n\n"
              "exe.train_from_dataset(main, dataset, fetch_handler=Shown({'auc': auc}, period_secs=10))")


class _Watch:
    """Tells a handler, when its time has come."""

    def __init__(self, handler: FetchHandler | None):
        self._handler, self._told = handler, time.monotonic()

    @property
    def variables(self) -> list[Any]:
        """What the handler wants to know."""
        return [] if self._handler is None else list(self._handler.var_dict.values())

    def see(self, values: Sequence[Any]) -> None:
        handler = self._handler
        if handler is not None and time.monotonic() - self._told >= handler.period_secs:
            self._told = time.monotonic()
            handler.handler(dict(zip(handler.var_dict, map(np.array, values), strict=True)))


def run_from_dataset(run: Callable[..., list[Any]], program: Any, dataset: BatchDataset | None, scope: Any, thread: int,
                     fetch_list: Sequence[Any] | None, fetch_info: Sequence[str] | None, print_period: int,
                     fetch_handler: FetchHandler | None) -> None:
    """Calls `run`, an Executor's, for each batch; prints what is fetched after every `print_period` of them."""
    if dataset is None or not hasattr(dataset, "batches"):
        raise RuntimeError("train_from_dataset(dataset): a dataset, made with fluid.DatasetFactory or "
                           f"paddle.distributed.QueueDataset, and set up. Received {dataset!r}.")
    fetched = list(fetch_list or ())
    names = [item if isinstance(item, str) else item.name for item in fetched]
    titles = list(fetch_info or names)
    if len(titles) != len(fetched):
        raise ValueError(f"train_from_dataset(fetch_info): a title for each of the {len(fetched)} variables of "
                         f"fetch_list. Received {len(titles)}.")
    watch = _Watch(fetch_handler)
    for number, batch in enumerate(dataset.batches(thread), 1):
        values = run(program, feed=batch, fetch_list=[*fetched, *watch.variables], scope=scope, return_numpy=False)
        if fetched and number % print_period == 0:
            for title, name, value in zip(titles, names, values, strict=False):
                sys.stdout.write(_told(title, name, value))
        watch.see(values[len(fetched):])


def _told(title: str, name: str, value: LoDTensor) -> str:
    """A value as Paddle prints it."""
    array = np.array(value)
    lod = ", ".join("{" + ", ".join(map(str, level)) + "}" for level in value.lod())
    elements = " ".join(f"{n:g}" if array.dtype.kind == "f" else str(n) for n in array.reshape(-1).tolist())
    dtype = _NAMES.get(array.dtype.name, array.dtype.name)
    sizes = ", ".join(map(str, array.shape))
    return (f"{title}\t{name}\t\tlod: {{{lod}}}\n\tdim: {sizes}\n\tlayout: NCHW\n\tdtype: {dtype}\n"
            f"\tdata: [{elements}]\n\t\n")

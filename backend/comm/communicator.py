"""Communicator: a group of processes that exchange arrays; each engine of communication has its own.

Every process of the group calls the same methods in the same order with arrays of one shape and dtype. Results are new
arrays; an argument is changed only where its method says so. Arrays are of the host, or of a device where an engine is
for that (`nccl.py`).
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ...core import flags
from . import exchanges

_Result = TypeVar("_Result")
TIMEOUT = "FLAGS_communication_timeout"
flags.declare(TIMEOUT, 1800.0, "Seconds that a process waits for others in one exchange before it gives up.")

SUM, MAX, MIN, PROD, AVG = range(5)
"""How reductions put values together, numbered as `paddle.distributed.ReduceOp` does."""


class CommunicationError(RuntimeError):
    """An exchange between processes has failed."""


class CommunicationTimeoutError(CommunicationError):
    """Other processes did not take part in an exchange in time."""


class Pending(abc.ABC):
    """A message that is on its way."""

    @abc.abstractmethod
    def is_completed(self) -> bool:
        """Whether it has gone out, or come."""

    @abc.abstractmethod
    def wait(self) -> np.ndarray:
        """The array that was sent, or that has come, once that is over."""


class Communicator(abc.ABC):
    """A group of processes: `rank` is this one's number in it, of `size`; `ranks` are their numbers in the world."""

    rank: int
    ranks: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many processes the group has."""
        return len(self.ranks)

    def do(self, what: Callable[[], _Result]) -> _Result:
        """What it gives, after all exchanges that were begun before."""
        return exchanges.do(what)

    def begin(self, what: Callable[[], Any], at_once: bool = False, name: str = "exchange") -> Any:
        """Begins what exchanges, which goes on while this process computes: `wait()` gives its result.

        `at_once`: this process has nothing to compute meanwhile. `name`: what profiles call it.
        """
        return exchanges.begin(what, at_once, name)

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        """An array that exchanges can fill."""
        return np.empty(tuple(shape), dtype)

    def begin_messages(self, sent: Sequence[tuple[np.ndarray, int]],
                       received: Sequence[tuple[np.ndarray, int]]) -> list[Pending]:
        """Begins messages to and from processes, of which none waits for another: those that are sent first."""
        return [*(self.begin_send(array, to) for array, to in sent),
                *(self.begin_receive(like, source) for like, source in received)]

    @abc.abstractmethod
    def all_reduce(self, array: np.ndarray, operation: int, out: np.ndarray | None = None) -> np.ndarray:
        """The reduction of all processes' arrays; into `out`, which may be the array itself, where that is given."""

    @abc.abstractmethod
    def reduce(self, array: np.ndarray, operation: int, root: int) -> np.ndarray:
        """The reduction of all processes' arrays in the process `root`; its own array in any other."""

    @abc.abstractmethod
    def broadcast(self, array: np.ndarray, root: int) -> np.ndarray:
        """The array of the process `root`."""

    def broadcast_all(self, arrays: Sequence[np.ndarray], root: int) -> list[np.ndarray]:
        """The arrays of the process `root`."""
        return [self.broadcast(array, root) for array in arrays]

    @abc.abstractmethod
    def all_gather(self, array: np.ndarray) -> np.ndarray:
        """All processes' arrays one behind the other along a new first axis, [size, …]."""

    @abc.abstractmethod
    def gather(self, array: np.ndarray, root: int) -> np.ndarray | None:
        """As `all_gather` in the process `root`, None in any other."""

    @abc.abstractmethod
    def scatter(self, parts: np.ndarray | None, like: np.ndarray, root: int) -> np.ndarray:
        """This process's one of `parts`, [size, …], which the process `root` gives; of the shape of `like`."""

    @abc.abstractmethod
    def reduce_scatter(self, parts: np.ndarray, operation: int) -> np.ndarray:
        """This process's one of the reduction of all processes' `parts`, [size, …]."""

    @abc.abstractmethod
    def all_to_all(self, parts: np.ndarray) -> np.ndarray:
        """Part i of the result is what process i had as its part for this one, [size, …]."""

    @abc.abstractmethod
    def all_to_all_rows(self, rows: np.ndarray, sent: Sequence[int], received: Sequence[int]) -> np.ndarray:
        """As `all_to_all` with parts of several lengths: `sent[i]` rows go to process i, `received[i]` come from it."""

    @abc.abstractmethod
    def send(self, array: np.ndarray, to: int) -> None:
        """Sends an array to one process, which receives it."""

    @abc.abstractmethod
    def receive(self, like: np.ndarray, source: int) -> np.ndarray:
        """The array, of the shape and dtype of `like`, that the process `source` sends."""

    @abc.abstractmethod
    def begin_send(self, array: np.ndarray, to: int) -> Pending:
        """Begins to send an array; its memory must not change until that is over."""

    @abc.abstractmethod
    def begin_receive(self, like: np.ndarray, source: int) -> Pending:
        """Begins to receive an array."""

    @abc.abstractmethod
    def barrier(self) -> None:
        """Waits until all processes have come here."""

    @abc.abstractmethod
    def all_gather_bytes(self, data: bytes) -> list[bytes]:
        """All processes' bytes, of any lengths."""

    def all_gather_rows(self, rows: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        """All processes' rows one behind the other, `counts[i]` of process i: by `all_gather` of as many for each."""
        padded = np.zeros((max(counts), *rows.shape[1:]), rows.dtype)
        padded[:len(rows)] = rows
        return np.concatenate([part[:count] for part, count in zip(self.all_gather(padded), counts, strict=True)])

    def compare(self, data: bytes) -> list[bytes]:
        """As `all_gather_bytes`, but apart from other exchanges: by it processes find that they do different things."""
        return self.all_gather_bytes(data)

    @abc.abstractmethod
    def subgroup(self, ranks: Sequence[int]) -> Communicator | None:
        """The group of the processes with these numbers in the world; None for a process that is none of them."""

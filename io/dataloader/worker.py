"""A worker process: reads batches as its parent asks for them, and sends them back as NumPy arrays.

It touches no device, ignores Ctrl-C (which its parent handles) and ends with its parent, however that ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ...backend.threads import set_num_threads
from ...core.place import CPUPlace, set_expected_place
from ...dygraph.eager import EAGER
from ...ops.core.trace import set_default_trace
from .. import randomness
from .collate import allocate_by, default_collate_fn, to_arrays
from .failure import Failure
from .fetch import END, Reading, make_fetcher
from .transport import Parcel, Sender

WATCH_SECONDS = 1.0  # how often a worker looks whether its parent still lives


@dataclasses.dataclass(frozen=True)
class WorkerInfo:
    """What `get_worker_info` tells: this worker's `id`, `num_workers`, its `seed` in this epoch, its `dataset`."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


_info: list[WorkerInfo | None] = [None]  # set in a worker, whose process has no other use


def get_worker_info() -> WorkerInfo | None:
    """In a DataLoader's worker what is known of it; None in any other process. `paddle.io.get_worker_info`.

    >>> import proa as paddle
    >>> class Numbers(paddle.io.IterableDataset):
    ...     def __iter__(self):
    ...         info = paddle.io.get_worker_info()
    ...         return iter(range(6) if info is None else range(info.id, 6, info.num_workers))
    >>> [int(n) for n in paddle.io.DataLoader(Numbers(), batch_size=None, num_workers=2)]
    [0, 1, 2, 3, 4, 5]
    """
    return _info[0]


@dataclasses.dataclass(frozen=True)
class WorkerSetup:
    """What a worker is started with."""

    reading: Reading
    num_workers: int
    base_seed: int
    init: Callable[[int], Any] | None
    shared: bool
    parent_pid: int
    forked: bool


@dataclasses.dataclass(frozen=True)
class Task:
    """What a parent asks of a worker: to begin an epoch (`begins`), or to fetch the batch of `indices` in one.

    `freed`: the blocks of earlier answers of which the parent uses nothing any more.
    """

    epoch: int
    freed: list[int]
    begins: bool = False
    indices: Any = None


class _Inbox:
    """Takes tasks off the connection in a thread of its own, so that the parent never waits when it sends one.

    The thread also ends the process when the parent is gone, whatever the dataset is busy with.
    """

    def __init__(self, connection: Connection, setup: WorkerSetup):
        self.newest_epoch = 0
        self._connection = connection
        self._setup = setup
        self._tasks: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def get(self) -> Task | None:
        """The next task; None when there will be no more."""
        message = self._tasks.get()
        return None if message is None else pickle.loads(message)

    def _listen(self) -> None:
        while True:
            try:
                message = self._connection.recv() if self._connection.poll(WATCH_SECONDS) else ()
            except (EOFError, OSError):
                os._exit(1)  # closed without a word of farewell: the parent is dead
            if message is None:
                self.newest_epoch = sys.maxsize  # so that tasks before it are passed over
                return self._tasks.put(None)
            if message:
                self.newest_epoch, task = message
                self._tasks.put(task)
            elif self._parent_is_gone():
                os._exit(1)

    def _parent_is_gone(self) -> bool:
        """A forked worker's siblings may hold the connection open, so the parent's id is asked for."""
        if self._setup.forked:
            return os.getppid() != self._setup.parent_pid
        parent = multiprocessing.parent_process()
        return parent is not None and not parent.is_alive()


class _Server:
    """Answers tasks. What goes wrong is an answer too."""

    def __init__(self, setup: WorkerSetup, worker_id: int, sender: Sender):
        self._setup = setup
        self._id = worker_id
        self._sender = sender
        self._ready = setup.init is None
        self._fetcher: Any = None
        seed = randomness.seed_worker(setup.base_seed, worker_id)
        _info[0] = WorkerInfo(worker_id, setup.num_workers, seed, setup.reading.dataset)

    def begin(self) -> None:
        """Starts an epoch."""
        self._fetcher = None

    def _fetch(self, indices: Any) -> Any:
        if not self._ready:
            self._setup.init(self._id)  # type: ignore[misc]  # ready where there is none
            self._ready = True
        if self._fetcher is None:
            self._fetcher = make_fetcher(self._setup.reading)
        return self._fetcher.fetch(indices)

    def answer(self, task: Task) -> Parcel:
        """The batch that a task asks for, an end, or a failure; tagged with the epoch and which of these it is."""
        self._sender.begin()
        try:
            batch = self._fetch(task.indices)
            if batch is END:
                return self._sender.pack((task.epoch, "end"), None)
            return self._sender.pack((task.epoch, "batch"), to_arrays(batch))
        except Exception as error:
            return self._sender.pack((task.epoch, "failure"), Failure(f"DataLoader worker {self._id}", error))


def prepare_process() -> None:
    """What a process that reads data begins with: signals, threads and the device as workers have them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # the parent held it back until here
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    set_expected_place(CPUPlace())
    set_default_trace(EAGER)
    set_num_threads(1)  # the workers share the processors


def worker_main(setup: WorkerSetup, worker_id: int, tasks: Connection, results: Connection,
                inherited: list[Connection]) -> None:
    """What a worker process runs. `inherited` are the parent's connections, of which a fork made copies."""
    prepare_process()
    for connection in inherited:
        connection.close()
    inbox, sender = _Inbox(tasks, setup), Sender(results, setup.shared)
    if setup.reading.collate_fn is default_collate_fn:  # one of the user's might keep the arrays it was given
        allocate_by(sender.allocate)
    server = _Server(setup, worker_id, sender)
    while (task := inbox.get()) is not None:
        sender.acknowledge(task.freed)
        if task.epoch < inbox.newest_epoch:
            continue  # of an epoch that the parent has given up
        if task.begins:
            server.begin()
            continue
        parcel = server.answer(task)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the parent wants no more: None follows
            sender.send(parcel)

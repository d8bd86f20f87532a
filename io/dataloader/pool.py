"""The worker processes of a DataLoader, seen from their parent: started, asked, listened to and ended.

A worker answers in the order it was asked in, over connections of its own, so the order of batches is that of the
asking. Whatever way a pool goes out of use (closed, dropped, at exit), its processes end.
"""

from __future__ import annotations

import contextlib
import dataclasses
import multiprocessing
import os
import pickle
import signal
import sys
import time
import warnings
import weakref
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from .transport import Receiver, unpack
from .worker import Task, WorkerSetup, worker_main

GRACE_SECONDS = 3.0  # for a worker to finish what it is reading before it is terminated
POLL_SECONDS = 1.0  # how often a silent worker is looked at


@dataclasses.dataclass(frozen=True)
class _Worker:
    """A worker process and the parent's ends of its connections."""

    id: int
    process: Any
    tasks: Connection
    results: Receiver


def start_method() -> str:
    """How workers are started: as `multiprocessing.set_start_method` was told; without that by fork on Linux, where
    the dataset then need not be picklable, and elsewhere in the system's usual way."""
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen is not None:
        return chosen
    return "fork" if sys.platform == "linux" else multiprocessing.get_context().get_start_method()


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Holds Ctrl-C back until the worker ignores it, and keeps Python from warning of a fork beside threads: a lock
    might be held by one, but a worker runs NumPy and the dataset's own code."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r".*multi-threaded, use of fork\(\)", DeprecationWarning)
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _stop(workers: list[_Worker], owner_pid: int) -> None:
    """Ends the workers: asks them to, and terminates those that do not."""
    if os.getpid() != owner_pid:
        return  # a fork's copy of the pool: the processes are not its own
    for worker in workers:
        with contextlib.suppress(OSError):  # it is dead already
            worker.tasks.send(None)
        worker.tasks.close()
        worker.results.connection.close()
    deadline = time.monotonic() + GRACE_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, deadline - time.monotonic()))
        if worker.process.is_alive():
            worker.process.terminate()
            worker.process.join(POLL_SECONDS)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.process.close()
    workers.clear()


def _cause_of_death(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"with the exit code {exitcode}"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    return f"with the exit code {exitcode} (killed by {name})"


class WorkerPool:
    """The workers of one DataLoader. `turn` says whose the next batch is, from one epoch to the next, too."""

    def __init__(self, setup: WorkerSetup, context: Any):
        self.turn = 0
        self._workers: list[_Worker] = []
        self._epoch = 0
        self._owner_pid = os.getpid()
        self._finalizer = weakref.finalize(self, _stop, self._workers, self._owner_pid)
        try:
            for number in range(setup.num_workers):
                self._start(setup, number, context)
        except BaseException:
            self.close()
            raise

    def _start(self, setup: WorkerSetup, number: int, context: Any) -> None:
        their_tasks, tasks = context.Pipe(duplex=False)
        results, their_results = context.Pipe(duplex=True)
        ours = [end for worker in self._workers for end in (worker.tasks, worker.results.connection)] + [tasks, results]
        inherited = ours if setup.forked else []
        args = (setup, number, their_tasks, their_results, inherited)
        process = context.Process(target=worker_main, args=args, daemon=True)
        with contextlib.ExitStack() as opened:
            for end in (tasks, results):
                opened.callback(end.close)
            with their_tasks, their_results, starting():
                self._launch(process, setup)
            opened.pop_all()
        self._workers.append(_Worker(number, process, tasks, Receiver(results)))

    @staticmethod
    def _launch(process: Any, setup: WorkerSetup) -> None:
        try:
            process.start()
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            if setup.forked:
                raise
            raise TypeError(
                f"DataLoader: with the start method {start_method()!r}, dataset, collate_fn and worker_init_fn are "
                "pickled for the workers, which one of them does not allow. Define its class or function at the top "
                f"level of a module, or use num_workers=0. ({error})"
            ) from error

    @property
    def usable(self) -> bool:
        """False when the workers have been ended, and in a process forked from theirs."""
        return self._finalizer.alive and os.getpid() == self._owner_pid

    def close(self) -> None:
        """Ends the workers. What was received stays valid."""
        self._finalizer()

    def begin(self) -> None:
        """Begins an epoch; what workers still read for an earlier one is of no use any more."""
        self._epoch += 1
        for worker in self._workers:
            self._send(worker, Task(self._epoch, worker.results.take_freed(), begins=True))

    def request(self, worker_id: int, indices: Any) -> None:
        """Asks a worker for the batch of `indices`."""
        worker = self._workers[worker_id]
        self.turn = (worker_id + 1) % len(self._workers)
        self._send(worker, Task(self._epoch, worker.results.take_freed(), indices=indices))

    @staticmethod
    def _send(worker: _Worker, task: Task) -> None:
        message = (task.epoch, pickle.dumps(task))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # dead: `receive` says so in its turn
            worker.tasks.send(message)

    def receive(self, worker_id: int, timeout: float | None) -> tuple[str, Any]:
        """A worker's next answer in this epoch: "batch", "end" or "failure", and what belongs to it.

        Raises TimeoutError after `timeout` seconds, RuntimeError when the worker is dead.
        """
        worker = self._workers[worker_id]
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            self._wait(worker, deadline, timeout)
            try:
                (epoch, kind), payload, buffers = worker.results.receive()
            except (EOFError, OSError) as error:
                worker.process.join(POLL_SECONDS)
                if worker.process.is_alive():
                    raise
                raise self._death(worker) from error
            if epoch == self._epoch:
                return kind, unpack(payload, buffers)

    def _wait(self, worker: _Worker, deadline: float | None, timeout: float | None) -> None:
        """Returns when the worker has an answer."""
        connection = worker.results.connection
        while True:
            left = POLL_SECONDS if deadline is None else min(POLL_SECONDS, deadline - time.monotonic())
            ready = wait([connection, worker.process.sentinel], max(0.0, left))
            if connection in ready or connection.poll():
                return
            if ready or not worker.process.is_alive():
                raise self._death(worker)
            if deadline is not None and time.monotonic() >= deadline:
                raise TimeoutError(
                    f"DataLoader: worker {worker.id} gave no batch within timeout={timeout} seconds. "
                    "Raise timeout (0 waits without limit), use more workers, or make the dataset faster."
                )

    @staticmethod
    def _death(worker: _Worker) -> RuntimeError:
        worker.process.join(POLL_SECONDS)
        return RuntimeError(
            f"DataLoader: worker {worker.id} (pid {worker.process.pid}) died "
            f"{_cause_of_death(worker.process.exitcode)} before it gave its batch. A kill often means that memory ran "
            "out: lower num_workers, batch_size or prefetch_factor. num_workers=0 reads in this process, for debugging."
        )

"""Iterating in processes, one a source: their items as they come."""

from __future__ import annotations

import contextlib
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing import connection
from typing import Any

from .failure import Failure
from .pool import start_method, starting
from .worker import prepare_process


def iterate_in_processes(sources: Sequence[Callable[[], Iterable[Any]]], name: str) -> Iterator[Any]:
    """The items of `source()` of each, which a process of its own iterates; those of one source in their order.

    What a source raises is raised here with the process's traceback. When this generator is closed the processes are
    ended. `name` is what errors call a process, with its number.
    """
    context: Any = multiprocessing.get_context(start_method())
    processes: dict[connection.Connection, Any] = {}
    try:
        for number, source in enumerate(sources):
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_send, args=(source, sender, f"{name} {number}"), daemon=True)
            with sender, starting():
                process.start()
            processes[receiver] = process
        while processes:
            for receiver in connection.wait(list(processes)):
                message = _received(receiver, processes)  # type: ignore[arg-type]
                if message is not None:
                    yield message[0]
    finally:
        for receiver, process in processes.items():
            process.terminate()
            _end(receiver, process)


def _received(receiver: connection.Connection, processes: dict[connection.Connection, Any]) -> tuple[Any] | None:
    """An item in a tuple; None behind the last one of the process, which is then forgotten."""
    try:
        message = receiver.recv()
    except EOFError:
        processes[receiver].join()
        raise RuntimeError(f"A reading process ended without a word, with the exit code "
                           f"{processes[receiver].exitcode}.") from None
    if isinstance(message, Failure):
        raise message.exception()
    if message is None:
        _end(receiver, processes.pop(receiver))
    return message


def _end(receiver: connection.Connection, process: Any) -> None:
    receiver.close()
    process.join()
    process.close()


def _send(source: Callable[[], Iterable[Any]], sender: connection.Connection, where: str) -> None:
    prepare_process()
    with contextlib.suppress(BrokenPipeError):  # who took the items has enough
        try:
            for item in source():
                sender.send((item,))
            sender.send(None)
        except BrokenPipeError:
            raise
        except BaseException as error:  # it is raised where the items are taken
            sender.send(Failure(where, error))

"""MPI as an engine of communication: mpi4py over any MPI, whose launcher has started the processes.

Messages are arrays in memory as they are, never objects. A wait looks for what others send, first at once and then
with pauses, so that a process that waits takes no processor from those that compute; it ends with an error after
`FLAGS_communication_timeout` seconds. A wait beside which this process computes has pauses from the beginning.
"""

from __future__ import annotations

import collections
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from ...core import flags
from . import beginning, departures, exchanges
from .communicator import (
    AVG,
    MAX,
    MIN,
    PROD,
    SUM,
    TIMEOUT,
    CommunicationError,
    CommunicationTimeoutError,
    Communicator,
    Pending,
)

_AT_ONCE_S = 0.001  # a wait looks all the time for so long, and then now and then: by a part of the time it has waited
_PAUSES_S, _PAUSE_SHARE = (0.00005, 0.001), 0.1
_give_way: Callable[[], Any] = getattr(os, "sched_yield", lambda: time.sleep(0))
_PART = 1 << 20  # bytes: a sum is made in parts, which stay in a cache until they are means
_PARTS_ON_THEIR_WAY = 2
_MESSAGE = 1 << 22  # bytes: smaller arrays are sent together, up to so many


def _mpi() -> Any:
    found = sys.modules.get("mpi4py.MPI")
    if found is not None:
        return found
    try:
        with beginning.watched(flags.values[TIMEOUT]):
            from mpi4py import MPI
    except ImportError as error:
        raise ImportError(
            f"Training by several processes needs mpi4py and an MPI ({error}). Install both with "
            f"pip install 'proa[mpi]', or mpi4py alone where the machine has an MPI."
        ) from error
    return MPI


class _Message(Pending):
    """A message by MPI."""

    def __init__(self, what: str, communicator: MPICommunicator, request: Any, array: np.ndarray):
        self._what, self._communicator, self._request, self._array = what, communicator, request, array

    def is_completed(self) -> bool:
        """Asks MPI, which also lets it go on."""
        return self._request.Test()

    def wait(self) -> np.ndarray:
        """Waits with the limit of all exchanges."""
        self._communicator.finish(self._what, self._request)
        return self._array


class MPICommunicator(Communicator):
    """A group of processes that MPI connects."""

    def __init__(self, communicator: Any, ranks: Sequence[int], world: Any):
        self._mpi, self._comm, self._world = _mpi(), communicator, world
        self._apart = communicator.Dup()
        self.rank, self.ranks = communicator.Get_rank(), tuple(ranks)
        self._operations = {SUM: self._mpi.SUM, AVG: self._mpi.SUM, MAX: self._mpi.MAX, MIN: self._mpi.MIN,
                            PROD: self._mpi.PROD}
        self._parts: list[list[np.ndarray]] = []  # memory in which the parts of a sum are added up

    def all_reduce(self, array: np.ndarray, operation: int, out: np.ndarray | None = None) -> np.ndarray:
        """By MPI_Iallreduce, of large arrays in parts."""
        source = _sendable(array)
        result = np.empty_like(source) if out is None or not _is_plain(out, source) else out
        step = max(_PART, _PART * self.size // 2) // source.itemsize
        in_place = np.may_share_memory(source, result)
        if source.size <= step and not in_place:
            self.finish("all_reduce", self._comm.Iallreduce(source, result, self._operations[operation]))
            self._averaged(result, operation)
        else:
            self._in_parts(source.reshape(-1), result.reshape(-1), operation, step, in_place)
        return _given(result, array.dtype, out)

    def _in_parts(self, source: np.ndarray, result: np.ndarray, operation: int, step: int, in_place: bool) -> None:
        """A reduction in parts of so many elements. MPI adds up in place more slowly than in other memory."""
        memory = self._parts.pop() if in_place and self._parts else None
        if in_place and memory is None:
            memory = [np.empty(step * source.itemsize, np.uint8) for _ in range(_PARTS_ON_THEIR_WAY)]
        free = [part.view(source.dtype) for part in memory or ()]
        on_their_way: collections.deque[tuple[Any, np.ndarray, np.ndarray]] = collections.deque()
        for start in range(0, source.size + _PARTS_ON_THEIR_WAY * step, step):
            if len(on_their_way) == _PARTS_ON_THEIR_WAY or start >= source.size and on_their_way:
                request, found, part = on_their_way.popleft()
                self.finish("all_reduce", request)
                if in_place:
                    free.append(found)
                    found = found[:part.size]
                if operation == AVG:
                    np.divide(found, self.size, out=part, casting="unsafe")
                elif in_place:
                    part[...] = found
            if start < source.size:
                given, part = source[start:start + step], result[start:start + step]
                found = free.pop() if in_place else part
                request = self._comm.Iallreduce(given, found[:given.size], self._operations[operation])
                on_their_way.append((request, found, part))
        if memory is not None:
            self._parts.append(memory)

    def reduce(self, array: np.ndarray, operation: int, root: int) -> np.ndarray:
        """By MPI_Ireduce; of two processes as all_reduce: Open MPI sends such a one by 8 kB, a piece at each look."""
        if self.size == 2:
            found = self.all_reduce(array, operation)
            return found if self.rank == root else array
        source = _sendable(array)
        result = np.empty_like(source)
        self.finish("reduce", self._comm.Ireduce(source, result, self._operations[operation], root))
        return _given(self._averaged(result, operation), array.dtype) if self.rank == root else array

    def broadcast(self, array: np.ndarray, root: int) -> np.ndarray:
        """By MPI_Ibcast of bytes."""
        result = _bytes_like(array) if self.rank != root else np.ascontiguousarray(array)
        self.finish("broadcast", self._comm.Ibcast(_as_bytes(result), root))
        return result

    def broadcast_all(self, arrays: Sequence[np.ndarray], root: int) -> list[np.ndarray]:
        """Small ones one behind the other in one message."""
        found: list[np.ndarray] = []
        for some in _together(arrays):
            if len(some) == 1:
                found.append(self.broadcast(some[0], root))
                continue
            packed = np.empty(sum(array.nbytes for array in some), np.uint8)
            if self.rank == root:
                np.concatenate([_as_bytes(np.ascontiguousarray(array)) for array in some], out=packed)
            packed, begin = self.broadcast(packed, root), 0
            for array in some:
                found.append(packed[begin:begin + array.nbytes].view(array.dtype).reshape(array.shape))
                begin += array.nbytes
        return found

    def all_gather(self, array: np.ndarray) -> np.ndarray:
        """By MPI_Iallgather of bytes."""
        result = np.empty((self.size, *array.shape), array.dtype)
        self.finish("all_gather", self._comm.Iallgather(_as_bytes(np.ascontiguousarray(array)), _as_bytes(result)))
        return result

    def all_gather_rows(self, rows: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        """By MPI_Iallgatherv of bytes."""
        width = int(np.prod(rows.shape[1:], dtype=int)) * rows.itemsize
        result = np.empty((int(sum(counts)), *rows.shape[1:]), rows.dtype)
        self.finish("all_gather", self._comm.Iallgatherv(
            [_as_bytes(np.ascontiguousarray(rows)), self._mpi.BYTE],
            [_as_bytes(result), [int(count) * width for count in counts], self._mpi.BYTE]))
        return result

    def gather(self, array: np.ndarray, root: int) -> np.ndarray | None:
        """By MPI_Igather of bytes."""
        result = np.empty((self.size, *array.shape), array.dtype) if self.rank == root else None
        self.finish("gather", self._comm.Igather(_as_bytes(np.ascontiguousarray(array)),
                                                  None if result is None else _as_bytes(result), root))
        return result

    def scatter(self, parts: np.ndarray | None, like: np.ndarray, root: int) -> np.ndarray:
        """By MPI_Iscatter of bytes."""
        result = _bytes_like(like)
        sent = None if parts is None or self.rank != root else _as_bytes(np.ascontiguousarray(parts))
        self.finish("scatter", self._comm.Iscatter(sent, _as_bytes(result), root))
        return result

    def reduce_scatter(self, parts: np.ndarray, operation: int) -> np.ndarray:
        """By MPI_Ireduce_scatter_block."""
        source = _sendable(parts)
        result = np.empty(source.shape[1:], source.dtype)
        self.finish("reduce_scatter", self._comm.Ireduce_scatter_block(source, result, self._operations[operation]))
        return _given(self._averaged(result, operation), parts.dtype)

    def all_to_all(self, parts: np.ndarray) -> np.ndarray:
        """By MPI_Ialltoall of bytes."""
        result = _bytes_like(parts)
        self.finish("all_to_all", self._comm.Ialltoall(_as_bytes(np.ascontiguousarray(parts)), _as_bytes(result)))
        return result

    def all_to_all_rows(self, rows: np.ndarray, sent: Sequence[int], received: Sequence[int]) -> np.ndarray:
        """By MPI_Ialltoallv of bytes."""
        width = rows[:1].nbytes if len(rows) else int(np.prod(rows.shape[1:], dtype=int)) * rows.itemsize
        result = np.empty((sum(received), *rows.shape[1:]), rows.dtype)
        self.finish("all_to_all", self._comm.Ialltoallv(
            [_as_bytes(np.ascontiguousarray(rows)), [count * width for count in sent], self._mpi.BYTE],
            [_as_bytes(result), [count * width for count in received], self._mpi.BYTE]))
        return result

    def send(self, array: np.ndarray, to: int) -> None:
        """By MPI_Isend of bytes."""
        self.begin_send(array, to).wait()

    def receive(self, like: np.ndarray, source: int) -> np.ndarray:
        """By MPI_Irecv of bytes."""
        return self.begin_receive(like, source).wait()

    def begin_send(self, array: np.ndarray, to: int) -> Pending:
        """By MPI_Isend of bytes."""
        sent = np.ascontiguousarray(array)
        return _Message(f"send to {to}", self, self._comm.Isend(_as_bytes(sent), to), sent)

    def begin_receive(self, like: np.ndarray, source: int) -> Pending:
        """By MPI_Irecv of bytes."""
        result = _bytes_like(like)
        return _Message(f"recv from {source}", self, self._comm.Irecv(_as_bytes(result), source), result)

    def barrier(self) -> None:
        """By MPI_Ibarrier."""
        self.finish("barrier", self._comm.Ibarrier())

    def all_gather_bytes(self, data: bytes) -> list[bytes]:
        """The lengths first, then the bytes by MPI_Iallgatherv."""
        return self._gathered_bytes("all_gather_object", self._comm, data)

    def compare(self, data: bytes) -> list[bytes]:
        """By a communicator of its own."""
        return self._gathered_bytes("the comparison of what processes exchange", self._apart, data)

    def _gathered_bytes(self, what: str, communicator: Any, data: bytes) -> list[bytes]:
        lengths = np.empty(self.size, np.int64)
        self.finish(what, communicator.Iallgather(np.array([len(data)], np.int64), lengths))
        result = np.empty(int(lengths.sum()), np.uint8)
        self.finish(what, communicator.Iallgatherv(
            [np.frombuffer(data, np.uint8), self._mpi.BYTE], [result, lengths, self._mpi.BYTE]))
        return [part.tobytes() for part in np.split(result, np.cumsum(lengths)[:-1])]

    def subgroup(self, ranks: Sequence[int]) -> Communicator | None:
        """By MPI_Comm_create_group: its members alone take part."""
        if self._world.Get_rank() not in ranks:
            return None
        members = self._world.group.Incl(list(ranks))
        return MPICommunicator(self._world.Create_group(members, tag=hash(tuple(ranks)) & 0x7FFF), ranks, self._world)

    def _averaged(self, result: np.ndarray, operation: int) -> np.ndarray:
        if operation == AVG:
            np.divide(result, self.size, out=result, casting="unsafe")
        return result

    def finish(self, what: str, request: Any) -> None:
        """Waits for an exchange, with a limit."""
        if request.Test():
            return
        begun = time.monotonic()
        least, most = _PAUSES_S
        departed = departures.Departures(self.ranks)
        while not request.Test():
            now = time.monotonic()
            awaited_since = exchanges.awaited_since(begun)
            if awaited_since is not None and now - awaited_since < _AT_ONCE_S:
                _give_way()
                continue
            gone = departed.found(now)
            if gone:
                raise CommunicationError(
                    f"{what}: rank {self.rank} of the group of {list(self.ranks)} waits for "
                    f"{', '.join(f'process {rank}' for rank in gone)}, whose script is over: it has come to its end, "
                    f"or has called sys.exit(). Every process of a group makes the same exchanges: have it make this "
                    f"one too, or leave the others out of it (new_group).")
            limit = flags.values[TIMEOUT]
            if now - begun > limit:
                raise CommunicationTimeoutError(
                    f"{what}: rank {self.rank} of the group of {list(self.ranks)} waited {limit:g} s for the others. "
                    f"One of them has ended, is very slow, or calls other collectives or in another order. "
                    f"FLAGS_communication_timeout says how long to wait.")
            pause = most if awaited_since is None else min(max(least, _PAUSE_SHARE * (now - begun)), most)
            time.sleep(pause)


def _together(arrays: Sequence[np.ndarray]) -> Iterator[list[np.ndarray]]:
    """Neighbours that go into one message."""
    some: list[np.ndarray] = []
    size = 0
    for array in arrays:
        if some and size + array.nbytes > _MESSAGE:
            yield some
            some, size = [], 0
        some.append(array)
        size += array.nbytes
    if some:
        yield some


def _is_plain(out: np.ndarray, source: np.ndarray) -> bool:
    return out.dtype == source.dtype and out.shape == source.shape and out.flags.c_contiguous and out.flags.writeable


def _given(result: np.ndarray, dtype: np.dtype, out: np.ndarray | None = None) -> np.ndarray:
    """A result in the dtype that was given; in `out` where it is not there yet."""
    if out is None or result is out:
        return result.astype(dtype, copy=False)
    out[...] = result
    return out


def _sendable(array: np.ndarray) -> np.ndarray:
    """The array in a dtype that MPI can compute with: 16-bit floats as float32, bools as bytes."""
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    elif array.dtype.kind not in "iufc" or array.dtype.kind == "f" and array.dtype.itemsize == 2:
        array = array.astype(np.float32)
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)  # which gives no array of no dimensions


def _bytes_like(array: np.ndarray) -> np.ndarray:
    return np.empty(array.shape, array.dtype)


def _as_bytes(array: np.ndarray) -> np.ndarray:
    """The memory of a contiguous array: what only moves needs no dtype."""
    return array.reshape(-1).view(np.uint8)


_world: list[MPICommunicator] = []


def size() -> int:
    """How many processes MPI's launcher has started."""
    return _mpi().COMM_WORLD.Get_size()


def connect() -> MPICommunicator:
    """The group of all processes that MPI's launcher has started. An error that ends this process ends all of them."""
    if not _world:
        world = _mpi().COMM_WORLD
        _world.append(MPICommunicator(world.Dup(), range(world.Get_size()), world))
        sys.excepthook = _ends_all(sys.excepthook)
        departures.will_be_told()
    return _world[0]


def abort(code: int) -> None:
    """Ends all processes: without it the others would wait for this one."""
    sys.stdout.flush()
    sys.stderr.flush()
    _mpi().COMM_WORLD.Abort(code)


def _ends_all(hook: Callable[..., Any]) -> Callable[..., Any]:
    def ended(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        hook(kind, error, place)
        abort(1)

    return ended


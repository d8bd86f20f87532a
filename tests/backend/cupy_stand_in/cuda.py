"""`cupy.cuda` and `cupy.cuda.nccl` without a GPU: streams that work by themselves, and NCCL over what connects ranks.

What is asked of a stream is done later, by a thread of its own, in order. What computes is NumPy and does so at once:
that is the current stream, whose thread is held up where it waits for another one. A result that is read before its
stream was waited for holds garbage, and so does one whose memory was given away too early.
"""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Protocol

import numpy as np

from .facts import BFLOAT16, FACTS, bind
from .namespace import Namespace

_GARBAGE = 0xA5


class Transport(Protocol):
    """What connects the ranks of one communicator."""

    def exchange(self, data: np.ndarray) -> list[np.ndarray]:
        """The bytes of all ranks."""

    def swap(self, sent: Sequence[tuple[np.ndarray, int]], received: Sequence[tuple[int, int]]) -> list[np.ndarray]:
        """Sends bytes to ranks, and gives as many as are said from others; none waits for another."""

    def abort(self) -> None:
        """Has all that waits raise."""


class Event:
    """A place in the work of a stream."""

    def __init__(self, *args: Any, **kwargs: Any):
        bind("cupy.cuda", "Event", args, kwargs)
        self._reached = threading.Event()
        self._reached.set()

    @property
    def done(self) -> bool:
        """Whether that work is over."""
        return self._reached.is_set()

    def record(self, stream: Any = None) -> None:
        """Takes the place where the stream is."""
        self._reached = threading.Event()
        (stream or get_current_stream())._put(self._reached.set)

    def synchronize(self) -> None:
        """Has the host wait."""
        self._reached.wait()


class _Computing:
    """The stream in which NumPy computes: at once. `waits` counts what it has waited for."""

    ptr = 0

    def __init__(self) -> None:
        self.waits = 0

    def _put(self, what: Callable[[], None]) -> None:
        what()

    def wait_event(self, event: Event) -> None:
        """Computes nothing before that."""
        self.waits += 1
        event.synchronize()

    def synchronize(self) -> None:
        """There is nothing to wait for."""


class _OfThread(threading.local):
    """The stream that a thread computes in."""

    def __init__(self) -> None:
        self.plain = _Computing()
        self.entered: list[Stream] = []


_of_thread = _OfThread()
_streams: dict[int, Stream] = {}


def get_current_stream(*args: Any, **kwargs: Any) -> Any:
    """That of NumPy, or the one that was entered."""
    bind("cupy.cuda", "get_current_stream", args, kwargs)
    return _of_thread.entered[-1] if _of_thread.entered else _of_thread.plain


class Stream:
    """Work that is done in order, apart from what computes."""

    def __init__(self, *args: Any, **kwargs: Any):
        bind("cupy.cuda", "Stream", args, kwargs)
        self.ptr = len(_streams) + 1
        _streams[self.ptr] = self
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self.error: BaseException | None = None
        threading.Thread(target=self._do, daemon=True).start()

    def _do(self) -> None:
        while True:
            what = self._work.get()
            time.sleep(0.0005)  # who does not wait reads garbage
            try:
                what()
            except Exception as error:  # a device goes on, and says so to who asks
                self.error = error

    def _put(self, what: Callable[[], None]) -> None:
        self._work.put(what)

    def wait_event(self, event: Event) -> None:
        """Later work waits for it."""
        reached = event._reached
        self._put(lambda: reached.wait() and None)
        if self in _of_thread.entered:
            self.synchronize()  # NumPy computes at once

    def synchronize(self) -> None:
        """Has the host wait for all of it."""
        event = Event()
        event.record(self)
        event.synchronize()

    def __enter__(self) -> Stream:
        _of_thread.entered.append(self)
        self.synchronize()  # NumPy computes at once
        return self

    def __exit__(self, *_: Any) -> None:
        _of_thread.entered.pop()


class Device:
    """The device in use within the block."""

    current = threading.local()

    def __init__(self, device: int | None = None):
        self.id = device or 0

    def __enter__(self) -> Device:
        self._before = getattr(Device.current, "id", None)
        Device.current.id = self.id
        return self

    def __exit__(self, *_: Any) -> None:
        Device.current.id = self._before


class NcclError(RuntimeError):
    """What NCCL says."""


class Nccl(Namespace):
    """`cupy.cuda.nccl`; `connect(identifier, size, rank)` gives a communicator's transport."""

    available = True
    NcclError = NcclError

    def __init__(self, connect: Callable[[bytes, int, int], Transport]):
        super().__init__("cupy.cuda.nccl")
        self._connect, self.grouped = connect, threading.local()
        self.asked: list[str] = []
        for name, fact in FACTS["cupy.cuda.nccl"].items():
            if isinstance(fact, int):
                setattr(self, name, fact)

    def get_unique_id(self) -> bytes:
        """128 bytes."""
        return np.random.default_rng().bytes(128)

    def groupStart(self) -> None:
        """Messages from here on are on their way together."""
        assert getattr(self.grouped, "messages", None) is None
        self.grouped.messages = []

    def groupEnd(self) -> None:
        """Sends them off."""
        messages, self.grouped.messages = self.grouped.messages, None
        for communicator, stream in {(id(c), s): (c, s) for c, s, *_ in messages}.values():
            communicator.swap([m[2:] for m in messages if m[0] is communicator], stream)

    def NcclCommunicator(self, *args: Any, **kwargs: Any) -> Any:
        """One rank's."""
        bind("cupy.cuda.nccl", "NcclCommunicator", args, kwargs)
        size, identifier, rank = args
        assert isinstance(identifier, bytes) and len(identifier) == 128 and Device.current.id is not None
        return _Rank(self, self._connect(identifier, size, rank), size, rank)


_DTYPES = {FACTS["cupy.cuda.nccl"][f"NCCL_{name}"]: dtype for name, dtype in (
    ("INT8", np.int8), ("UINT8", np.uint8), ("INT32", np.int32), ("UINT32", np.uint32), ("INT64", np.int64),
    ("UINT64", np.uint64), ("FLOAT16", np.float16), ("FLOAT32", np.float32), ("FLOAT64", np.float64),
    ("BFLOAT16", BFLOAT16))}


class _Rank:
    """`NcclCommunicator`."""

    def __init__(self, nccl: Nccl, transport: Transport, size: int, rank: int):
        self._nccl, self._transport, self._size, self._rank = nccl, transport, size, rank
        self.wrong: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name not in FACTS["cupy.cuda.nccl"]["communicator"]:
            raise AttributeError(f"'NcclCommunicator' object has no attribute {name!r}")

        def call(*args: Any) -> Any:
            names = FACTS["cupy.cuda.nccl"]["communicator"][name]["parameters"]
            assert len(args) == len(names) and all(type(x) is int for x in args), (name, names, args)
            assert Device.current.id is not None, f"{name} without a device"
            self._nccl.asked.append(name)
            return getattr(self, f"_{name}")(**dict(zip(names, args, strict=True)))

        return call

    def check_async_error(self) -> None:
        """Raises what is wrong."""
        if self.wrong is not None:
            raise NcclError(self.wrong)

    def abort(self) -> None:
        """Nothing waits any longer."""
        self._transport.abort()

    def _queue(self, stream: int, sent: int, received: int, count: int, result_count: int, datatype: int,
               do: Callable[[list[np.ndarray]], np.ndarray | None]) -> None:
        """Exchanges an array and puts what `do` makes of all of them where the result belongs."""
        dtype = np.dtype(_DTYPES[datatype])
        if received != sent:
            _memory(received, result_count * dtype.itemsize)[:] = _GARBAGE

        def work() -> None:
            own = _memory(sent, count * dtype.itemsize).copy()
            result = do([part.view(dtype) for part in self._transport.exchange(own)])
            if result is not None:
                _memory(received, result_count * dtype.itemsize)[:] = np.ascontiguousarray(result).view(np.uint8)

        _streams[stream]._put(work)

    def _reduced(self, op: int, datatype: int) -> Callable[[list[np.ndarray]], np.ndarray]:
        number = FACTS["cupy.cuda.nccl"]
        how = {number["NCCL_SUM"]: np.sum, number["NCCL_PROD"]: np.prod, number["NCCL_MAX"]: np.max,
               number["NCCL_MIN"]: np.min, number["NCCL_AVG"]: np.mean}[op]
        dtype = np.dtype(_DTYPES[datatype])
        wide = np.float32 if dtype.itemsize == 2 else dtype
        return lambda parts: how(np.stack(parts).astype(wide), axis=0).astype(dtype)

    def _allReduce(self, sendbuf, recvbuf, count, datatype, op, stream):
        self._queue(stream, sendbuf, recvbuf, count, count, datatype, self._reduced(op, datatype))

    def _reduce(self, sendbuf, recvbuf, count, datatype, op, root, stream):
        reduced = self._reduced(op, datatype)
        self._queue(stream, sendbuf, recvbuf, count, count, datatype,
                    lambda parts: reduced(parts) if self._rank == root else None)

    def _reduceScatter(self, sendbuf, recvbuf, recvcount, datatype, op, stream):
        reduced = self._reduced(op, datatype)
        self._queue(stream, sendbuf, recvbuf, recvcount * self._size, recvcount, datatype,
                    lambda parts: reduced(parts)[recvcount * self._rank:recvcount * (self._rank + 1)])

    def _broadcast(self, sendbuff, recvbuff, count, datatype, root, stream):
        self._queue(stream, sendbuff, recvbuff, count, count, datatype, lambda parts: parts[root])

    def _allGather(self, sendbuf, recvbuf, count, datatype, stream):
        self._queue(stream, sendbuf, recvbuf, count, count * self._size, datatype, np.concatenate)

    def _send(self, sendbuf, count, datatype, peer, stream):
        self._message(("sent", sendbuf, count * np.dtype(_DTYPES[datatype]).itemsize, peer), stream)

    def _recv(self, recvbuf, count, datatype, peer, stream):
        size = count * np.dtype(_DTYPES[datatype]).itemsize
        _memory(recvbuf, size)[:] = _GARBAGE
        self._message(("received", recvbuf, size, peer), stream)

    def _message(self, message: tuple, stream: int) -> None:
        together = getattr(self._nccl.grouped, "messages", None)
        if together is None:
            self.swap([message], stream)
        else:
            together.append((self, stream, *message))

    def swap(self, messages: list[tuple], stream: int) -> None:
        """Messages that are on their way together."""
        sent = [m[1:] for m in messages if m[0] == "sent"]
        received = [m[1:] for m in messages if m[0] == "received"]

        def work() -> None:
            came = self._transport.swap([(_memory(at, size).copy(), peer) for at, size, peer in sent],
                                        [(peer, size) for _, size, peer in received])
            for (at, size, _), data in zip(received, came, strict=True):
                _memory(at, size)[:] = data

        _streams[stream]._put(work)


def _memory(at: int, size: int) -> np.ndarray:
    """Memory by its address."""
    return np.ctypeslib.as_array((ctypes.c_ubyte * size).from_address(at)) if size else np.empty(0, np.uint8)


class Threads:
    """Ranks that are threads of one process: `connect` is what `Nccl` takes."""

    def __init__(self, size: int):
        self.size, self.barrier = size, threading.Barrier(size)
        self.parts: list[Any] = [None] * size
        self.boxes = {(a, b): queue.SimpleQueue() for a in range(size) for b in range(size)}

    def connect(self, identifier: bytes, size: int, rank: int) -> Transport:
        """The transport of one of them."""
        return _Thread(self, rank)


class _Thread:
    def __init__(self, threads: Threads, rank: int):
        self._all, self._rank = threads, rank

    def exchange(self, data: np.ndarray) -> list[np.ndarray]:
        """By a list that all see."""
        self._all.parts[self._rank] = data
        self._all.barrier.wait()
        found = list(self._all.parts)
        self._all.barrier.wait()
        return found

    def swap(self, sent, received):
        """By a queue between any two."""
        for data, peer in sent:
            self._all.boxes[self._rank, peer].put(data)
        return [self._all.boxes[peer, self._rank].get(timeout=20) for peer, _ in received]

    def abort(self) -> None:
        """By the barrier."""
        self._all.barrier.abort()


class Messages:
    """Ranks that MPI connects: `connect` is what `Nccl` takes."""

    def __init__(self, ranks: Sequence[int]):
        self._ranks = ranks

    def connect(self, identifier: bytes, size: int, rank: int) -> Transport:
        """The transport of this process."""
        from mpi4py import MPI

        world = MPI.COMM_WORLD
        members = world.group.Incl(list(self._ranks))
        return _Process(world.Create_group(members, tag=int.from_bytes(identifier[:2]) & 0x3FFF))


class _Process:
    def __init__(self, communicator: Any):
        self._comm = communicator

    def exchange(self, data: np.ndarray) -> list[np.ndarray]:
        """By an all-gather of bytes."""
        found = np.empty((self._comm.Get_size(), data.size), np.uint8)
        self._comm.Allgather(data, found)
        return list(found)

    def swap(self, sent, received):
        """By messages of bytes, those to a process in their order."""
        begun = [self._comm.Isend(data, peer) for data, peer in sent]
        found = []
        for peer, size in received:
            found.append(np.empty(size, np.uint8))
            self._comm.Recv(found[-1], peer)
        for request in begun:
            request.Wait()
        return found

    def abort(self) -> None:
        """Nothing: the test ends."""


def cupy_with(nccl: Nccl, namespace: Any) -> Any:
    """CuPy with streams: what an engine of communication is given."""
    cuda = SimpleNamespace(Event=Event, Stream=Stream, Device=Device, get_current_stream=get_current_stream, nccl=nccl)
    return _With(namespace, cuda)


class _With:
    def __init__(self, namespace: Any, cuda: Any):
        self._namespace, self.cuda = namespace, cuda

    def __getattr__(self, name: str) -> Any:
        return getattr(self._namespace, name)

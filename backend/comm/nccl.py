"""NCCL as an engine of communication, through CuPy: a group of processes that have a CUDA device each.

Exchanges run on a stream of the communicator's own. It waits by an event for what the stream that computes has made so
far, and that one waits for the result: the host waits for neither. What `begin` is given runs on the communicator's
stream as a whole, and who takes its result waits, so that computing goes on meanwhile. Exchanges of one communicator
run one after the other, in the order in which its process asks for them, which must be that of all others.

What the processes must agree upon first (NCCL's unique identifier, who is there) and what is not about arrays of a
device (bytes, barriers) goes through the group's communicator on the host.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from ...core import flags
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
from .watch import Queued, watch

_Result = TypeVar("_Result")
_NAMES = {"int8": "INT8", "uint8": "UINT8", "int32": "INT32", "uint32": "UINT32", "int64": "INT64", "uint64": "UINT64",
          "float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT32", "float64": "FLOAT64"}
_WIDER = {"bool": "uint8", "int16": "int32", "uint16": "int32"}  # what NCCL does not compute with, as what it does
_PAIRS = {"complex64": "float32", "complex128": "float64"}
_OPERATIONS = {SUM: "SUM", MAX: "MAX", MIN: "MIN", PROD: "PROD", AVG: "AVG"}


class _Begun(Pending):
    """An exchange that is queued on the communicator's stream: who takes its result has its own stream wait for it."""

    def __init__(self, communicator: NCCLCommunicator, result: Any, done: Any):
        self._communicator, self._result, self.done = communicator, result, done

    def is_completed(self) -> bool:
        """Asks the device."""
        return bool(self.done.done)

    def wait(self) -> Any:
        """The result: what is computed from here on begins when it is there."""
        self._communicator.wait_for(self.done)
        return self._result


class NCCLCommunicator(Communicator):
    """A group of processes that NCCL connects, each by the device `index`.

    `cupy` is CuPy, `nccl` its module of that name, `host` the group's communicator on the host, `end` is called with an
    error that nobody waits for.
    Every process of the group makes it, at the same place among its exchanges. RuntimeError where CuPy has no NCCL.
    """

    def __init__(self, cupy: Any, nccl: Any, host: Communicator, index: int, end: Callable[[BaseException], None]):
        if not nccl.available:
            raise RuntimeError("Devices of several processes are connected by NCCL, and CuPy finds none. Install it "
                               "with pip install nvidia-nccl-cu12 (or -cu13), or start one process.")
        self._cupy, self._cuda, self._nccl = cupy, cupy.cuda, nccl
        self._host, self._index, self._end = host, index, end
        self.rank, self.ranks = host.rank, host.ranks
        self._failed: BaseException | None = None
        with self._cuda.Device(index):
            identifier = host.do(self._identifier)
            self._comm = self._nccl.NcclCommunicator(self.size, identifier, self.rank)
            self._stream = self._cuda.Stream(non_blocking=True)

    def _identifier(self) -> bytes:
        """The first process's identifier; all are there when one has it, so that none waits for ever inside NCCL."""
        own = self._nccl.get_unique_id() if self.rank == 0 else b""
        found = self._host.all_gather_bytes(own)[0]
        self._host.barrier()
        return found

    # What is on its way

    def do(self, what: Callable[[], _Result]) -> _Result:
        """At once: the device takes exchanges in the order in which they are asked for."""
        return what()

    def begin(self, what: Callable[[], Any], at_once: bool = False, name: str = "exchange") -> _Begun:
        """Queues it on the communicator's stream, with what it computes: the stream that computes now goes on."""
        self._check()
        with self._cuda.Device(self._index):
            self._stream.wait_event(self._event_on(self._cuda.get_current_stream()))
            with self._stream:
                result = what()
            done = self._event_on(self._stream)
            self._watch("exchange", done, what, result)
        return _Begun(self, result, done)

    def wait_for(self, done: Any) -> None:
        """Has the stream that computes wait for an exchange."""
        self._check()
        with self._cuda.Device(self._index):
            self._cuda.get_current_stream().wait_event(done)

    def _exchange(self, what: str, call: Callable[[int], None], *arrays: Any) -> None:
        """Queues what `call` asks NCCL for on a stream; the stream that computes waits for it."""
        self._check()
        with self._cuda.Device(self._index):
            computing = self._cuda.get_current_stream()
            self._stream.wait_event(self._event_on(computing))
            call(self._stream.ptr)
            done = self._event_on(self._stream)
            self._watch(what, done, *arrays)
            computing.wait_event(done)

    def _event_on(self, stream: Any) -> Any:
        event = self._cuda.Event(disable_timing=True)
        event.record(stream)
        return event

    def _watch(self, what: str, done: Any, *held: Any) -> None:
        watch.add(Queued(lambda: self._is_over(done), lambda error: self._fail(what, error), flags.values[TIMEOUT],
                         held))

    def _check(self) -> None:
        if self._failed is not None:
            raise self._failed

    def _is_over(self, done: Any) -> bool:
        with self._cuda.Device(self._index):
            if done.done or self._failed is not None:
                return True
            self._comm.check_async_error()
        return False

    def _fail(self, what: str, error: BaseException | float) -> None:
        """Ends what is on its way: NCCL's kernels would wait on the device for ever."""
        if self._failed is not None:
            return
        place = f"{what}: rank {self.rank} of the group of {list(self.ranks)}"
        if isinstance(error, BaseException):
            self._failed = CommunicationError(f"{place}: NCCL says {error}. NCCL_DEBUG=INFO tells more.")
        else:
            self._failed = CommunicationTimeoutError(
                f"{place} waited {error:g} s for the others. One of them has ended, is very slow, or calls other "
                f"collectives or in another order. FLAGS_communication_timeout says how long to wait.")
        with self._cuda.Device(self._index):
            self._comm.abort()
        self._end(self._failed)

    # Collectives

    def empty(self, shape: Sequence[int], dtype: Any) -> Any:
        """On the group's device."""
        with self._cuda.Device(self._index):
            return self._cupy.empty(tuple(shape), dtype)

    def all_reduce(self, array: Any, operation: int, out: Any = None) -> Any:
        """By ncclAllReduce, in place where `out` is the array itself."""
        return self._reduction("all_reduce", array, operation, lambda sent, received, kind, how, stream:
                               self._comm.allReduce(_at(sent), _at(received), *kind, how, stream), out=out)

    def reduce(self, array: Any, operation: int, root: int) -> Any:
        """By ncclReduce."""
        result = self._reduction("reduce", array, operation, lambda sent, received, kind, how, stream:
                                 self._comm.reduce(_at(sent), _at(received), *kind, how, root, stream))
        return result if self.rank == root else array

    def reduce_scatter(self, parts: Any, operation: int) -> Any:
        """By ncclReduceScatter."""
        return self._reduction("reduce_scatter", parts, operation, lambda sent, received, kind, how, stream:
                               self._comm.reduceScatter(_at(sent), _at(received), kind[0] // self.size, kind[1], how,
                                                        stream), shape=parts.shape[1:])

    def _reduction(self, what: str, array: Any, operation: int, call: Callable[..., None], out: Any = None,
                   shape: Sequence[int] | None = None) -> Any:
        """A reduction in a dtype that NCCL computes with; the result has the array's own, and lies in `out`."""
        name = array.dtype.name
        if name in _PAIRS and operation not in (SUM, AVG):
            raise TypeError(f"{what}: NCCL adds up complex numbers and nothing else. Received {name} and "
                            f"ReduceOp.{_OPERATIONS[operation]}. Reduce real and imaginary parts, or on the host.")
        if name not in _NAMES and name not in _WIDER and name not in _PAIRS:
            raise TypeError(f"{what}: NCCL does not compute with {name}. Use one of {', '.join(_NAMES)}.")
        sent = self._cupy.ascontiguousarray(array.astype(_WIDER[name]) if name in _WIDER else array)
        is_there = out is not None and out.dtype == sent.dtype and out.flags.c_contiguous
        received = out if is_there else self.empty(array.shape if shape is None else shape, sent.dtype)
        is_whole_mean = operation == AVG and array.dtype.kind in "iub"  # NCCL's own rounds in a way of its own
        how = getattr(self._nccl, f"NCCL_{_OPERATIONS[SUM if is_whole_mean else operation]}")

        self._exchange(what, lambda stream: call(sent, received, self._kind(sent), how, stream), sent, received)
        if is_whole_mean:
            received[...] = self._cupy.trunc(received / self.size).astype(received.dtype)
        result = received.astype(array.dtype, copy=False)
        if out is None or is_there:
            return result
        out[...] = result
        return out

    def _kind(self, array: Any) -> tuple[int, int]:
        """How many elements an array has for NCCL, and of which of its types."""
        name = array.dtype.name
        count = int(array.size) * (2 if name in _PAIRS else 1)
        return count, getattr(self._nccl, f"NCCL_{_NAMES[_PAIRS.get(name, name)]}")

    def broadcast(self, array: Any, root: int) -> Any:
        """By ncclBroadcast of bytes."""
        sent = self._cupy.ascontiguousarray(array).reshape(array.shape)
        result = sent if self.rank == root else self._like(array)
        self._exchange("broadcast", lambda stream: self._comm.broadcast(
            _at(sent), _at(result), int(sent.nbytes), self._nccl.NCCL_UINT8, root, stream), sent, result)
        return result

    def all_gather(self, array: Any) -> Any:
        """By ncclAllGather of bytes."""
        sent = self._cupy.ascontiguousarray(array)
        result = self.empty((self.size, *array.shape), array.dtype)
        self._exchange("all_gather", lambda stream: self._comm.allGather(
            _at(sent), _at(result), int(sent.nbytes), self._nccl.NCCL_UINT8, stream), sent, result)
        return result

    def all_gather_rows(self, rows: Any, counts: Sequence[int]) -> Any:
        """By messages between all, in one group."""
        sent = self._cupy.ascontiguousarray(rows)
        result = self.empty((int(sum(counts)), *rows.shape[1:]), rows.dtype)
        self._messages("all_gather", [(sent, place) for place in range(self.size)], _pieces(result, counts))
        return result

    def gather(self, array: Any, root: int) -> Any:
        """By messages to the process `root`, in one group."""
        sent = self._cupy.ascontiguousarray(array)
        result = self.empty((self.size, *array.shape), array.dtype) if self.rank == root else None
        parts = [] if result is None else [(result[place], place) for place in range(self.size)]
        self._messages("gather", [(sent, root)], parts)
        return result

    def scatter(self, parts: Any, like: Any, root: int) -> Any:
        """By messages from the process `root`, in one group."""
        result = self._like(like)
        sent = []
        if self.rank == root:
            whole = self._cupy.ascontiguousarray(parts)
            sent = [(whole[place], place) for place in range(self.size)]
        self._messages("scatter", sent, [(result, root)])
        return result

    def all_to_all(self, parts: Any) -> Any:
        """By messages between all, in one group."""
        sent, result = self._cupy.ascontiguousarray(parts), self._like(parts)
        self._messages("alltoall", [(sent[place], place) for place in range(self.size)],
                       [(result[place], place) for place in range(self.size)])
        return result

    def all_to_all_rows(self, rows: Any, sent: Sequence[int], received: Sequence[int]) -> Any:
        """By messages between all, in one group."""
        given, result = self._cupy.ascontiguousarray(rows), self.empty((sum(received), *rows.shape[1:]), rows.dtype)
        self._messages("alltoall_single", _pieces(given, sent), _pieces(result, received))
        return result

    # Messages

    def send(self, array: Any, to: int) -> None:
        """By ncclSend of bytes."""
        self._messages(f"send to {to}", [(self._cupy.ascontiguousarray(array), to)], [])

    def receive(self, like: Any, source: int) -> Any:
        """By ncclRecv of bytes."""
        result = self._like(like)
        self._messages(f"recv from {source}", [], [(result, source)])
        return result

    def begin_send(self, array: Any, to: int) -> Pending:
        """By ncclSend: it waits on the device for the receiver, and what is asked for later waits for it."""
        return self.begin_messages([(array, to)], [])[0]

    def begin_receive(self, like: Any, source: int) -> Pending:
        """By ncclRecv: it waits on the device for the sender, and what is asked for later waits for it."""
        return self.begin_messages([], [(like, source)])[0]

    def begin_messages(self, sent: Sequence[tuple[Any, int]], received: Sequence[tuple[Any, int]]) -> list[Pending]:
        """In one group of NCCL's, in which none waits for another."""
        given = [(self._cupy.ascontiguousarray(array), to) for array, to in sent]
        results = [(self._like(like), source) for like, source in received]
        begun = self.begin(lambda: self._messages("messages", given, results))
        return [_Begun(self, array, begun.done) for array, _ in (*given, *results)]

    def _messages(self, what: str, sent: Sequence[tuple[Any, int]], received: Sequence[tuple[Any, int]]) -> None:
        """Messages that are on their way together."""
        def call(stream: int) -> None:
            with self._group():
                for array, to in sent:
                    self._comm.send(_at(array), int(array.nbytes), self._nccl.NCCL_UINT8, to, stream)
                for array, source in received:
                    self._comm.recv(_at(array), int(array.nbytes), self._nccl.NCCL_UINT8, source, stream)

        self._exchange(what, call, *[array for array, _ in (*sent, *received)])

    @contextlib.contextmanager
    def _group(self) -> Iterator[None]:
        self._nccl.groupStart()
        try:
            yield
        finally:
            self._nccl.groupEnd()

    def _like(self, array: Any) -> Any:
        return self.empty(array.shape, array.dtype)

    # What is not about arrays of a device

    def barrier(self) -> None:
        """On the host, when this process's device has done its part."""
        with self._cuda.Device(self._index):
            self._stream.synchronize()
        self._host.do(self._host.barrier)

    def all_gather_bytes(self, data: bytes) -> list[bytes]:
        """On the host."""
        return self._host.do(lambda: self._host.all_gather_bytes(data))

    def subgroup(self, ranks: Sequence[int]) -> Communicator | None:
        """The processes with these numbers, each by the same device."""
        host = self._host.do(lambda: self._host.subgroup(ranks))
        return None if host is None else NCCLCommunicator(self._cupy, self._nccl, host, self._index, self._end)


def _at(array: Any) -> int:
    """Where an array lies on the device."""
    return array.data.ptr


def _pieces(rows: Any, counts: Sequence[int]) -> list[tuple[Any, int]]:
    """The rows of each process, by its number."""
    ends = np.cumsum([0, *counts])
    return [(rows[int(ends[place]):int(ends[place + 1])], place) for place in range(len(counts))]

"""How a message with arrays gets from a worker to its parent without the arrays being pickled.

The message is pickled with its contiguous arrays left out of band. Their bytes go into a block: a nameless file in
memory (`memfd_create`; an unlinked temporary file where there is none) that both processes map, and whose descriptor
travelled once through the connection, a Unix socket. The parent copies the arrays out and acknowledges the message,
after which the block is written to again. A nameless file cannot be left behind: the kernel frees it with its last
descriptor and mapping, however the processes end. Small messages, and all of them without `shared` or on a system
without Unix sockets, go through the connection itself.

Knows nothing of datasets, workers or Tensors.
"""

from __future__ import annotations

import collections
import dataclasses
import mmap
import os
import pickle
import tempfile
from collections.abc import Sequence
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

ALIGNMENT = 64  # bytes; an array starts on a cache line of its block
SMALL = 1 << 14  # bytes; below this the connection is as fast


def _nameless_file(size: int) -> int:
    """The descriptor of a new file of `size` bytes that has no name; OSError where there is no room for it."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("proa-batches", os.MFD_CLOEXEC)
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        if hasattr(os, "posix_fallocate"):  # takes the room now: a mapping that finds none kills the process
            os.posix_fallocate(descriptor, 0, size)
        else:
            os.truncate(descriptor, size)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _offsets(sizes: Sequence[int]) -> tuple[list[int], int]:
    """Where each of the arrays starts in a block, and the room they take together."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end


@dataclasses.dataclass(frozen=True)
class Parcel:
    """A message made ready to be sent. `descriptor` is that of the block where the receiver does not have it yet."""

    header: bytes
    inline: Sequence[memoryview]
    block: int | None
    descriptor: int | None


class Sender:
    """The worker's end. Every parcel that is packed must be sent."""

    def __init__(self, connection: Connection, shared: bool):
        self._connection = connection
        self._shared = shared and os.name == "posix"
        self._blocks: list[mmap.mmap] = []
        self._free: list[int] = []
        self._in_flight: collections.deque[tuple[int, int]] = collections.deque()  # the parcel's number and block
        self._sent = 0

    def pack(self, tag: Any, message: Any) -> Parcel:
        """Makes a message ready; what can fail on its account fails here, before anything is sent.

        `tag` is a small picklable value that the receiver sees beside the message.
        """
        out_of_band: list[pickle.PickleBuffer] = []
        payload = pickle.dumps(message, protocol=5, buffer_callback=out_of_band.append)
        arrays = [buffer.raw() for buffer in out_of_band]
        sizes = [array.nbytes for array in arrays]
        if not self._shared or sum(sizes) < SMALL:
            return Parcel(pickle.dumps((tag, payload, sizes, None, False)), arrays, None, None)
        offsets, end = _offsets(sizes)
        block, descriptor = self._take_block(end)
        with memoryview(self._blocks[block]) as room:
            for array, offset in zip(arrays, offsets, strict=True):
                room[offset : offset + array.nbytes] = array
        header = pickle.dumps((tag, payload, sizes, block, descriptor is not None))
        return Parcel(header, [], block, descriptor)

    def _take_block(self, size: int) -> tuple[int, int | None]:
        """A free block with so much room, and its descriptor if it is a new one."""
        for block in self._free:
            if len(self._blocks[block]) >= size:
                self._free.remove(block)
                return block, None
        size += size // 8  # the next batch may be a little larger
        descriptor = _nameless_file(size)
        mapping = mmap.mmap(descriptor, size)
        if self._free:  # a new one in the place of one that is too small
            block = self._free.pop()
            self._blocks[block] = mapping
        else:
            block = len(self._blocks)
            self._blocks.append(mapping)
        return block, descriptor

    def send(self, parcel: Parcel) -> None:
        """Sends a parcel; OSError when the other side is gone."""
        self._sent += 1
        if parcel.block is not None:
            self._in_flight.append((self._sent, parcel.block))
        try:
            self._connection.send_bytes(parcel.header)
            for array in parcel.inline:
                self._connection.send_bytes(array)
            if parcel.descriptor is not None:
                reduction.send_handle(self._connection, parcel.descriptor, None)
        finally:
            if parcel.descriptor is not None:
                os.close(parcel.descriptor)

    def acknowledge(self, received: int) -> None:
        """Frees the blocks of the first `received` parcels: the receiver has copied what was in them."""
        while self._in_flight and self._in_flight[0][0] <= received:
            self._free.append(self._in_flight.popleft()[1])


class Receiver:
    """The parent's end. `received` counts the parcels, for the sender's `acknowledge`."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self.received = 0
        self._blocks: dict[int, mmap.mmap] = {}

    def receive(self) -> tuple[Any, bytes, Sequence[Any]]:
        """The next parcel: its tag, and what `unpack` makes the message of.

        EOFError or OSError when the sender is gone.
        """
        tag, payload, sizes, block, is_new = pickle.loads(self.connection.recv_bytes())
        if is_new:
            self._map(block)
        arrays = self._receive_inline(sizes) if block is None else self._copy_out(block, sizes)
        self.received += 1
        return tag, payload, arrays

    def _map(self, block: int) -> None:
        descriptor = reduction.recv_handle(self.connection)
        try:
            self._blocks[block] = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)

    def _copy_out(self, block: int, sizes: Sequence[int]) -> list[np.ndarray]:
        whole = np.frombuffer(self._blocks[block], np.uint8)
        offsets, _ = _offsets(sizes)
        return [whole[offset : offset + size].copy() for offset, size in zip(offsets, sizes, strict=True)]

    def _receive_inline(self, sizes: Sequence[int]) -> list[bytearray]:
        arrays = [bytearray(size) for size in sizes]
        for array in arrays:
            if array:
                self.connection.recv_bytes_into(array)
            else:
                self.connection.recv_bytes()
        return arrays


def unpack(payload: bytes, arrays: Sequence[Any]) -> Any:
    """The message, which keeps the arrays' memory."""
    return pickle.loads(payload, buffers=arrays)

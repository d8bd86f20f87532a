"""How a message with arrays gets from a worker to its parent without the arrays being pickled, or copied there.

The message is pickled with its contiguous arrays left out of band. Their bytes lie in a block of memory that both
processes map (`blocks.py`), and whose descriptor travelled once through the connection, a Unix socket. A worker makes
its arrays in the block where it can (`Sender.allocate`); the parent uses them where they lie, and tells when no array
is left in a block, which then is written to again. What the parent keeps for long is copied, so that there are few
blocks. Small messages, and all of them without `shared` or on a system without Unix sockets, go through the connection
itself.

Knows nothing of datasets, workers or Tensors.
"""

from __future__ import annotations

import collections
import dataclasses
import math
import mmap
import os
import pickle
import weakref
from collections.abc import Iterable, Sequence
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from .blocks import ALIGNMENT, Block, aligned

__all__ = ["ALIGNMENT", "SMALL", "Parcel", "Receiver", "Sender", "unpack"]

SMALL = 1 << 14  # bytes; below this the connection is as fast
LENT = 4  # blocks whose arrays the parent may use where they lie; beyond that it copies them


@dataclasses.dataclass(frozen=True)
class Parcel:
    """A message made ready to be sent. `descriptor` is that of the block where the receiver does not have it yet."""

    header: bytes
    inline: Sequence[Any]
    descriptor: int | None


class Sender:
    """The worker's end. Every parcel that is packed must be sent."""

    def __init__(self, connection: Connection, shared: bool):
        self._connection = connection
        self._shared = shared and os.name == "posix"
        self._blocks: dict[int, Block] = {}
        self._free: list[int] = []
        self._filling: Block | None = None

    def begin(self) -> None:
        """Begins a message: what `allocate` gives from now on belongs to it."""
        self._release()
        if self._shared and self._free:
            self._filling = self._blocks[self._free.pop()]
            self._filling.used = 0

    def _release(self) -> None:
        if self._filling is not None:
            self._free.append(self._filling.number)
            self._filling = None

    def allocate(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array, not initialized, which need not be copied if it becomes part of the message."""
        block = self._filling
        if block is not None and not np.dtype(dtype).hasobject:
            if block.has_room(math.prod(shape) * np.dtype(dtype).itemsize):
                return block.array(shape, dtype)
        return np.empty(shape, dtype)

    def pack(self, tag: Any, message: Any) -> Parcel:
        """Makes a message ready; what can fail on its account fails here, before anything is sent.

        `tag` is a small picklable value that the receiver sees beside the message.
        """
        out_of_band: list[pickle.PickleBuffer] = []
        payload = pickle.dumps(message, protocol=5, buffer_callback=out_of_band.append)
        arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in out_of_band]
        sizes = [array.nbytes for array in arrays]
        if not self._shared or sum(sizes) < SMALL:
            places = [(None, size) for size in sizes]
            return Parcel(pickle.dumps((tag, payload, places, None, False)), arrays, None)
        block, offsets = self._placed(arrays)
        self._filling = None
        descriptor, block.descriptor = block.descriptor, None
        header = (tag, payload, list(zip(offsets, sizes, strict=True)), block.number, descriptor is not None)
        return Parcel(pickle.dumps(header), [], descriptor)

    def _placed(self, arrays: list[np.ndarray]) -> tuple[Block, list[int]]:
        """The block that all the arrays lie in, and where; those that do not lie in it yet are copied."""
        block = self._filling
        offsets = [None if block is None else block.offset_of(array) for array in arrays]
        missing = sum(aligned(a.nbytes) for a, offset in zip(arrays, offsets, strict=True) if offset is None)
        if block is None or not block.has_room(missing):
            total = sum(aligned(array.nbytes) for array in arrays)
            block = self._new_block(max(total, 0 if block is None else block.used + missing))
            offsets = [None] * len(arrays)
        placed = []
        for array, offset in zip(arrays, offsets, strict=True):
            if offset is None:
                offset = block.take(array.nbytes)
                block.bytes[offset : offset + array.nbytes] = array
            placed.append(offset)
        return block, placed

    def _new_block(self, size: int) -> Block:
        """A free block with so much room, in the place of the one that was being filled, if that was too small."""
        self._release()
        for number in self._free:
            if len(self._blocks[number]) >= size:
                self._free.remove(number)
                self._blocks[number].used = 0
                return self._blocks[number]
        number = self._free[-1] if self._free else len(self._blocks)
        block = Block(number, size + size // 8)  # the next batch may be a little larger
        if self._free:
            self._free.pop()
        self._blocks[number] = block
        return block

    def send(self, parcel: Parcel) -> None:
        """Sends a parcel; OSError when the other side is gone."""
        try:
            self._connection.send_bytes(parcel.header)
            for array in parcel.inline:
                self._connection.send_bytes(array)
            if parcel.descriptor is not None:
                reduction.send_handle(self._connection, parcel.descriptor, None)
        finally:
            if parcel.descriptor is not None:
                os.close(parcel.descriptor)

    def acknowledge(self, freed: Iterable[int]) -> None:
        """Frees blocks of which the receiver uses nothing any more."""
        self._free.extend(freed)


class Receiver:
    """The parent's end."""

    def __init__(self, connection: Connection):
        self.connection = connection
        self._blocks: dict[int, mmap.mmap] = {}
        self._freed: collections.deque[int] = collections.deque()
        self._lent: set[int] = set()

    def take_freed(self) -> list[int]:
        """The blocks that fell out of use since this was last asked, for the sender's `acknowledge`."""
        freed = []
        while self._freed:  # arrays may be freed meanwhile, in other threads too
            freed.append(self._freed.popleft())
        return freed

    def receive(self) -> tuple[Any, bytes, Sequence[Any]]:
        """The next parcel: its tag, and what `unpack` makes the message of.

        EOFError or OSError when the sender is gone.
        """
        tag, payload, places, block, is_new = pickle.loads(self.connection.recv_bytes())
        if is_new:
            self._map(block)
        if block is None:
            return tag, payload, self._receive_inline(size for _, size in places)
        return tag, payload, self._taken(block, places)

    def _map(self, block: int) -> None:
        descriptor = reduction.recv_handle(self.connection)
        try:
            self._blocks[block] = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)

    def _taken(self, block: int, places: Sequence[tuple[int, int]]) -> list[np.ndarray]:
        """The arrays' bytes where they lie, or copies when many blocks are in use already."""
        whole = np.frombuffer(self._blocks[block], np.uint8)
        parts = [whole[offset : offset + size] for offset, size in places]
        if len(self._lent) >= LENT:
            self._freed.append(block)
            return [part.copy() for part in parts]
        self._lent.add(block)
        weakref.finalize(whole, self._returned, block).atexit = False
        return parts

    def _returned(self, block: int) -> None:
        self._lent.discard(block)
        self._freed.append(block)

    def _receive_inline(self, sizes: Iterable[int]) -> list[bytearray]:
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

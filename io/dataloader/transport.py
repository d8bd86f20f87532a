"""How a message with arrays gets from a worker to its parent without the arrays being pickled.

The message is pickled with its contiguous arrays left out of band. Their bytes go into one nameless file in memory
(`memfd_create`; an unlinked temporary file where there is none), whose descriptor travels through the connection,
a Unix socket. A nameless file cannot be left behind: the kernel frees it with its last descriptor or mapping, however
the processes end. The parent maps it privately (copy on write), and its arrays lie in the mapping: nobody writes to
the file any more, so they behave like any array, also after a fork. Small messages, and all of them without
`use_shared_memory` or on a system without Unix sockets, go through the connection itself.

Knows nothing of datasets, workers or Tensors.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
import weakref
from collections.abc import Sequence
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

ALIGNMENT = 64  # bytes; an array starts on a cache line
SMALL = 1 << 14  # bytes; below this the connection is faster than a file of its own
MAX_MAPPINGS = 64  # each open mapping holds a descriptor: past this many, batches are copied out of theirs

_mappings: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def _nameless_file() -> int:
    """The descriptor of a new file that has no name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("proa-batch", os.MFD_CLOEXEC)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _write_all(descriptor: int, data: memoryview, offset: int) -> None:
    while data:
        written = os.pwrite(descriptor, data, offset)
        data, offset = data[written:], offset + written


def _offsets(sizes: Sequence[int]) -> tuple[list[int], int]:
    """Where each of the arrays starts in the file, and the file's size."""
    offsets, end = [], 0
    for size in sizes:
        offsets.append(end)
        end += -(-size // ALIGNMENT) * ALIGNMENT
    return offsets, end


def _file_of(buffers: Sequence[memoryview], sizes: Sequence[int]) -> int:
    """The descriptor of a nameless file that holds the buffers."""
    offsets, end = _offsets(sizes)
    descriptor = _nameless_file()
    try:
        os.truncate(descriptor, end)
        for data, offset in zip(buffers, offsets, strict=True):
            _write_all(descriptor, data, offset)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


class Parcel:
    """A message made ready to be sent: what can fail on the message's account fails here, before anything is sent.

    `tag` is a small picklable value that the receiver sees beside the message.
    """

    def __init__(self, tag: Any, message: Any, shared: bool):
        out_of_band: list[pickle.PickleBuffer] = []
        payload = pickle.dumps(message, protocol=5, buffer_callback=out_of_band.append)
        self._buffers = [buffer.raw() for buffer in out_of_band]
        sizes = [buffer.nbytes for buffer in self._buffers]
        in_file = shared and os.name == "posix" and sum(sizes) >= SMALL
        self._header = pickle.dumps((tag, payload, sizes, in_file))
        self._descriptor = _file_of(self._buffers, sizes) if in_file else None

    def send(self, connection: Connection) -> None:
        """Sends it, once; OSError when the other side is gone."""
        if self._descriptor is None:
            connection.send_bytes(self._header)
            for data in self._buffers:
                connection.send_bytes(data)
            return
        try:
            connection.send_bytes(self._header)
            reduction.send_handle(connection, self._descriptor, None)
        finally:
            os.close(self._descriptor)


def _map(descriptor: int, size: int) -> mmap.mmap | bytearray:
    """The file's bytes: mapped, or copied while many mappings are in use."""
    mapping = mmap.mmap(descriptor, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    if len(_mappings) < MAX_MAPPINGS:
        _mappings.add(mapping)
        return mapping
    with mapping:
        return bytearray(mapping)


def _receive_file(connection: Connection, sizes: Sequence[int]) -> list[memoryview]:
    offsets, end = _offsets(sizes)
    descriptor = reduction.recv_handle(connection)
    try:
        whole = memoryview(_map(descriptor, end))
    finally:
        os.close(descriptor)
    return [whole[offset : offset + size] for offset, size in zip(offsets, sizes, strict=True)]


def _receive_inline(connection: Connection, sizes: Sequence[int]) -> list[bytearray]:
    buffers = [bytearray(size) for size in sizes]
    for buffer in buffers:
        if buffer:
            connection.recv_bytes_into(buffer)
        else:
            connection.recv_bytes()
    return buffers


def receive(connection: Connection) -> tuple[Any, bytes, Sequence[Any]]:
    """The next parcel: its tag, and what `unpack` makes the message of. EOFError or OSError when the sender is gone."""
    tag, payload, sizes, in_file = pickle.loads(connection.recv_bytes())
    return tag, payload, (_receive_file if in_file else _receive_inline)(connection, sizes)


def unpack(payload: bytes, buffers: Sequence[Any]) -> Any:
    """The message; its arrays lie in the buffers."""
    return pickle.loads(payload, buffers=buffers)

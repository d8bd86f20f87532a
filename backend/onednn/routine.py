"""Routines: one or more primitives run one after the other, bound to operands whose addresses come with each call.

A routine is made once for given shapes and layouts and kept (`memoised`). Several threads may call it at a time: each
call takes a frame, a set of memory objects, from those that are free. What a call needs in between (a scratchpad, an
operand in another layout) lies in a buffer of the calling thread that all routines share.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from ...core.forks import unforked
from .. import threads
from ..memory import usual_pages
from .descriptors import Description
from .library import Argument, Library, Unimplemented, data_offset, library
from .primitives import FACTORS, SCRATCHPAD, Primitive, reorder

CAPACITY = 2048  # routines that are kept
SMALL = 2**22  # operations that one thread does as soon as several would have been woken
LEAST_ROWS = 16  # a product of fewer takes as long as of so many: reading the matrix is what it costs
KEPT = 2**26  # bytes of a thread's buffer that stay with it between calls
_ALIGNMENT = 64
_MISSING = object()
_at, _get_num_threads = ctypes.c_void_p.from_address, threads.get_num_threads


class _Thread(threading.local):
    """What a thread has for its calls: a stream and a buffer."""

    def __init__(self) -> None:
        self.stream = 0
        self.buffer = np.empty(0, np.uint8)
        self.base = self.size = 0

    def prepare(self, loaded: Library, count: int) -> None:
        """Sets the number of threads, and makes the stream."""
        loaded.set_threads(count)
        self.stream = self.stream or loaded.new_stream()

    def reserve(self, size: int) -> None:
        """Makes the buffer large enough."""
        self.buffer = np.empty(0, np.uint8)  # given back before the larger one is taken
        self.buffer = np.empty(size + _ALIGNMENT, np.uint8)
        self.base, self.size = -(-self.buffer.ctypes.data // _ALIGNMENT) * _ALIGNMENT, size


_thread = _Thread()
Prepared = Callable[..., np.ndarray]


def address_of(array: np.ndarray, _offset: int = data_offset() or 0) -> int:
    """The address of an array's data, as `array.ctypes.data` in a sixth of its time."""
    return _at(id(array) + _offset).value or 0


def are_as_long(dtype: np.dtype, count: int, *vectors: np.ndarray | None) -> bool:
    """Whether what is given of these (a bias, factors) has so many elements, of this dtype."""
    for vector in vectors:
        if vector is not None and (vector.size != count or vector.dtype != dtype):
            return False
    return True


def with_threads(loaded: Library, count: int | None = None) -> None:
    """Makes the calling thread compute on `count` threads, by default as many as are set."""
    count = count or _get_num_threads()
    if loaded.threads_now() != count or not _thread.stream:
        _thread.prepare(loaded, count)


class _Frame:
    """The memory objects of one call."""

    __slots__ = ("_library", "addresses", "base", "memories", "steps")

    def __init__(self, routine: Routine):
        self._library = routine.library
        self.memories: list[int] = []
        self.memories += [self._library.create("memory", d.handle, self._library.engine, 0) for d in routine.operands]
        self.addresses: tuple[int, ...] = (0,) * len(routine.externals)
        self.base = 0
        self.steps = []
        for primitive, operands in routine.steps:
            arguments = (Argument * len(operands))(*[Argument(what, self.memories[n]) for what, n in operands.items()])
            self.steps.append((primitive.handle, len(operands), ctypes.addressof(arguments), arguments))

    def __del__(self) -> None:
        for memory in self.memories:
            self._library.ask("memory_destroy", memory)


class Routine:
    """Primitives over operands; called with the addresses of the external operands in the order of their making.

    `work` says about how many operations it does: few are not worth waking other threads for.
    """

    def __init__(self, loaded: Library, title: str, work: int):
        self.library, self.title = loaded, title
        self.count = 1 if work < SMALL else _get_num_threads()
        with_threads(loaded, self.count)  # a primitive is made for as many threads as are set then
        self.operands: list[Description] = []
        self.externals: list[int] = []
        self.offsets: list[tuple[int, int]] = []  # operands in the buffer, and where they lie there
        self.steps: list[tuple[Primitive, dict[int, int]]] = []
        self.size = 0  # of the buffer
        self.result: tuple[int, ...] = ()  # the shape of what it computes
        self.used = 0  # when it was called last, as `memoised` counts
        self._frames: list[_Frame] = []

    # making

    def external(self, description: Description) -> int:
        """An operand whose address comes with each call."""
        self.operands.append(description)
        self.externals.append(len(self.operands) - 1)
        return len(self.operands) - 1

    def temporary(self, description: Description) -> int:
        """An operand in the buffer."""
        self.operands.append(description)
        self.offsets.append((len(self.operands) - 1, self.size))
        self.size += -(-description.size // _ALIGNMENT) * _ALIGNMENT
        return len(self.operands) - 1

    def seen_as(self, operand: int, description: Description) -> int:
        """The same place in the buffer under another description of as many bytes."""
        self.operands.append(description)
        self.offsets.append((len(self.operands) - 1, dict(self.offsets)[operand]))
        return len(self.operands) - 1

    def step(self, primitive: Primitive, operands: dict[int, int]) -> None:
        """Runs a primitive next; `operands` says which operand is what to it."""
        scratchpad = primitive.plan.operand(SCRATCHPAD)
        if scratchpad.size:
            operands = {**operands, SCRATCHPAD: self.temporary(scratchpad)}
        self.steps.append((primitive, operands))

    def brought(self, operand: int, wanted: Description) -> int:
        """The operand in another layout: itself where it lies so."""
        have = self.operands[operand]
        if have == wanted:
            return operand
        result = self.temporary(wanted)
        self.step(reorder(self.library, have, wanted), {1: operand, 17: result})
        return result

    def scaled(self, operand: int, wanted: Description, factors: int, leading: int) -> int:
        """The same, multiplied on the way by a factor for each index of the leading dimensions."""
        result = self.temporary(wanted)
        self.scale(operand, result, factors, leading)
        return result

    def scale(self, operand: int, target: int, factors: int, leading: int) -> None:
        """Writes the operand, multiplied so, to another."""
        self.step(reorder(self.library, self.operands[operand], self.operands[target], leading),
                  {1: operand, FACTORS: factors, 17: target})

    def taken(self, operand: int, given: Description) -> tuple[int, Primitive | None]:
        """Where a primitive shall write for the operand, and what then brings it there, if it lies otherwise."""
        have = self.operands[operand]
        return (operand, None) if have == given else (self.temporary(given), reorder(self.library, given, have))

    # running

    def on(self, shape: tuple[int, ...], dtype: np.dtype, *fixed: np.ndarray | None) -> Prepared:
        """The routine as a function of its first operand and of what is added; between them come the fixed ones.

        They are C-contiguous, None where there is none. It gives a new array of this shape, or fills `out`.
        """
        held = [array for array in fixed if array is not None]
        between = tuple(map(address_of, held))

        def call(x: np.ndarray, residual: np.ndarray | None, out: np.ndarray | None = None,
                 _held: Any = held) -> np.ndarray:
            if out is None:
                out = np.empty(shape, dtype)
            if residual is None:
                self(address_of(x), *between, address_of(out))
            else:
                self(address_of(x), *between, address_of(residual), address_of(out))
            return out

        return call

    def bound(self, make: Callable[..., Any], x: np.ndarray, residual: np.ndarray | None, result: np.ndarray,
              fixed: Sequence[np.ndarray | None], known: tuple, after: Any) -> Any:
        """The routine as what the compiled form makes of it (`ops/core/_routine.c`); None where it cannot.

        `x`, `residual` and `result` tell how these lie; `fixed` are the operands between them, as in `on`; `known` are
        the weight, scale and bias that calls come with, and `after` is called with the result.
        """
        functions = self.library.addresses()
        if functions is None or self.size > len(_scratch) - _ALIGNMENT or len(self.steps) > 4 or x.ndim != 4:
            return None
        frame, base = _Frame(self), -(-_scratch.ctypes.data // _ALIGNMENT) * _ALIGNMENT
        held = [array for array in fixed if array is not None]
        memories = [frame.memories[operand] for operand in self.externals]
        for memory, array in zip(memories[1:], held, strict=False):
            self.library.set_address(memory, address_of(array))
        for operand, offset in self.offsets:
            self.library.set_address(frame.memories[operand], base + offset)
        of_residual = memories[-2] if residual is not None else 0
        steps = tuple([step[:3] for step in frame.steps])
        return make(functions, _stream_of(self.library), self.count, steps, (memories[0], of_residual, memories[-1]),
                    (x, residual, result), known, after, (self, frame, held))

    def __call__(self, *addresses: int) -> None:
        """Runs with the external operands at these addresses."""
        thread, loaded = _thread, self.library
        # Run on another number than it was made for it gives wrong results, and anybody may have set that meanwhile.
        if loaded.threads_now() != self.count or not thread.stream:
            thread.prepare(loaded, self.count)
        try:
            frame = self._frames.pop()
        except IndexError:
            frame = _Frame(self)
        if frame.addresses != addresses:
            place, memories, old = loaded.set_address, frame.memories, frame.addresses
            for n, operand in enumerate(self.externals):
                if old[n] != addresses[n]:
                    place(memories[operand], addresses[n])
            frame.addresses = addresses
        if self.size:
            if thread.size < self.size:
                thread.reserve(self.size)
            if frame.base != thread.base:
                for operand, offset in self.offsets:
                    loaded.set_address(frame.memories[operand], thread.base + offset)
                frame.base = thread.base
        execute, stream = loaded.execute, thread.stream
        for primitive, number, arguments, _ in frame.steps:
            status = execute(primitive, stream, number, arguments)
            if status:
                loaded.check(self.title, status)
        self._frames.append(frame)
        if thread.size > KEPT:
            thread.reserve(0)


_scratch = np.empty(1 << 20, np.uint8)  # what bound routines need in between: one runs at a time


@functools.cache
def _stream_of(loaded: Library) -> int:
    """The stream of bound routines."""
    return loaded.new_stream()


def packed(routine: Routine, size: int, *addresses: int) -> np.ndarray:
    """So many bytes that a routine fills from these operands, and that stay: in pages of the usual size."""
    data = np.empty(size, np.uint8)
    with unforked(), usual_pages():
        routine(*addresses, address_of(data))
    return data


# keeping

_routines: dict[Hashable, Any] = {}
_clock = itertools.count(1)
_lock = threading.Lock()


def memoised(key: Hashable, build: Callable[..., Any], *arguments: Any) -> Any:
    """What `build(library, *arguments)` made for this key; None where oneDNN does not implement it.

    The key must tell apart all that `build` looks at; the number of threads is added to it.
    """
    key = (key, _get_num_threads())
    found = _routines.get(key, _MISSING)
    if found is _MISSING:
        return _made(key, build, arguments)
    if found is not None:
        found.used = next(_clock)
    return found


def made(key: Hashable) -> Any:
    """What was made for this key; None where nothing was."""
    return _routines.get((key, _get_num_threads()))


def _made(key: Hashable, build: Callable[..., Any], arguments: tuple) -> Any:
    loaded = library()
    assert loaded is not None
    with unforked(), _lock:
        try:
            made = build(loaded, *arguments)
        except Unimplemented:
            made = None
        except RuntimeError as error:
            raise RuntimeError(f"{error} It was asked for {key}.") from error
        if len(_routines) >= CAPACITY:
            _drop_oldest()
        if made is not None:
            made.used = next(_clock)  # what was just made is not the oldest
        _routines[key] = made
    return made


def _drop_oldest() -> None:
    items = sorted(list(_routines.items()), key=lambda item: getattr(item[1], "used", 0))
    for key, _ in items[:CAPACITY // 4]:
        _routines.pop(key, None)


def forget() -> None:
    """Drops all routines."""
    _routines.clear()


def _in_child() -> None:
    global _lock
    _lock = threading.Lock()  # another thread of the parent may have held it
    _thread.__init__()  # type: ignore[misc]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)

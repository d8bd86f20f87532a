"""A tape: a sequence of small computations of known sizes, run by one call, with nothing of Python in between.

    tape = Tape([(x.shape, x.dtype), (w.shape, w.dtype)])
    product = tape.product(*tape.given, False, False)
    run = tape.finished([product])
    out, = run([x, w])

A step is machine code, the one of a kernel (`Kernel.step`) or a call of BLAS, with the numbers that it takes; a
computation that many steps share is compiled once. Values in between lie in one piece of memory that a call has for
itself, and share it once they are not needed any more; results are arrays of their own. Every value lies in C's order.
The machine code looks at what it is given: for arrays of other shapes, dtypes or layouts a call gives None.

Steps run on the thread that calls. Knows arrays, not operators.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np

from .. import blas
from ..onednn.library import is_ready, library
from ..onednn.products import GAP, STRIDE
from ..onednn.routine import SMALL, with_threads
from .elementwise import ElementwiseLoop
from .kernel import Kernel
from .tape_kernels import PRODUCTS, copy_blocks, fill_all, sum_middle, sum_rows, take
from .types import OF_ARRAY

LARGEST = 1 << 16  # elements of a value: larger ones are shared among threads, and not here
LARGEST_OF_FUNCTIONS = 1 << 15  # the same where exp or the like is computed of each: there two threads are worth more
_MOST_SUMMED = 1 << 15  # terms of a sum, which is taken one by one
LARGEST_PRODUCT = 1 << 18  # multiplications: OpenBLAS takes one thread for so many; above them oneDNN is asked
_ALONE = 1 << 13  # above them it may take a lock, with which a process that forks now would hang for ever
_MOST_VALUES = 1 << 12
_ALIGNED = 64


class Declined(Exception):
    """A computation is none for a tape."""


class Value:
    """An array on a tape: `base` is the one whose memory it lies in, itself where it has its own."""

    __slots__ = ("shape", "dtype", "base", "offset", "born", "last", "index")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, base: Value | None = None, offset: int = 0):
        self.shape, self.dtype, self.base, self.offset = shape, dtype, base, offset
        self.born = self.last = 0  # steps
        self.index = -1  # of its pointer

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)


class _Step(NamedTuple):
    address: Callable[[], int]
    arguments: tuple[Any, ...]  # values and numbers


class Tape:
    """Collects the steps. `given` are the values that a call takes."""

    def __init__(self, given: Sequence[tuple[tuple[int, ...], np.dtype]] = ()):
        self.given: list[Value] = []
        self._constants: list[tuple[Value, np.ndarray]] = []
        self._steps: list[_Step] = []
        self._values: list[Value] = []
        self._alone = self._by_onednn = False
        self._spaced: dict[Value, Value] = {}  # copies with gaps between the rows
        for shape, dtype in given:
            self.give(shape, dtype)

    def __len__(self) -> int:
        return len(self._steps)

    def give(self, shape: Sequence[int], dtype: np.dtype) -> Value:
        """One more value that a call takes."""
        value = Value(tuple(shape), np.dtype(dtype))
        self.given.append(value)
        self._values.append(value)
        return value

    @contextlib.contextmanager
    def attempt(self) -> Iterator[None]:
        """Within the block what raises leaves the tape as it was before."""
        parts = self.given, self._constants, self._steps, self._values
        before, rest = [len(part) for part in parts], (self._alone, self._by_onednn, dict(self._spaced))
        try:
            yield
        except BaseException:
            for part, length in zip(parts, before, strict=True):
                del part[length:]  # type: ignore[attr-defined]
            self._alone, self._by_onednn, self._spaced = rest
            raise

    # Values

    def new(self, shape: Sequence[int], dtype: np.dtype, largest: int = LARGEST) -> Value:
        """A value that the next step fills."""
        if math.prod(shape) > largest:
            raise Declined
        return self._new(shape, dtype)

    def _new(self, shape: Sequence[int], dtype: np.dtype) -> Value:
        if len(self._values) >= _MOST_VALUES:
            raise Declined
        value = Value(tuple(shape), np.dtype(dtype))
        value.born = value.last = len(self._steps)
        self._values.append(value)
        return value

    def part(self, value: Value, first: int, shape: Sequence[int]) -> Value:
        """The elements of a value from its element `first` on, in another shape; nothing is copied."""
        found = Value(tuple(shape), value.dtype, value.base or value, value.offset + first * value.dtype.itemsize)
        self._values.append(found)
        return found

    def reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        """The value in another shape."""
        return self.part(value, 0, shape)

    # Steps

    def step(self, kernel: Kernel, *arguments: Any, types: Sequence[str] = ()) -> None:
        """Runs a kernel on values, whole numbers and floats; `types` where they are known."""
        if any(type(a) is Value and a.dtype not in OF_ARRAY for a in arguments):
            raise Declined
        kinds = tuple(types) or tuple([OF_ARRAY[a.dtype] if type(a) is Value else "real" if type(a) is float else "i64"
                                       for a in arguments])
        self._add(functools.partial(kernel.step, *kinds), arguments)

    def _add(self, address: Callable[[], int], arguments: tuple[Any, ...]) -> None:
        for value in arguments:
            if type(value) is Value:
                (value.base or value).last = len(self._steps)
        self._steps.append(_Step(address, arguments))

    def stop_if(self, wrong: Value) -> None:
        """Stops the walk where the first element, of int64, is not 0: the call then gives nothing."""
        self._add(_stop_step, (wrong,))

    def elementwise(self, loop: ElementwiseLoop, operands: Sequence[Value]) -> list[Value]:
        """The results of an elementwise loop."""
        launch = loop.launch([np.empty(value.shape, value.dtype) for value in operands])
        if launch is None:
            raise Declined
        largest = LARGEST if launch.source.weight == 1 else LARGEST_OF_FUNCTIONS
        results = [self.new(output.shape, output.dtype, largest) for output in launch.outputs]
        source = launch.source
        self.step(source.kernel, *operands, *results, *launch.numbers, types=source.types)
        return results

    def product(self, x: Value, y: Value, of_x: bool, of_y: bool) -> Value:
        """The product of two matrices, `of_x` and `of_y` say which are transposed."""
        (k, m) = x.shape if of_x else x.shape[::-1]
        (n, rows) = y.shape if of_y else y.shape[::-1]
        is_large = m * n * k > LARGEST_PRODUCT
        if rows != k or x.dtype != y.dtype or x.dtype.char not in "fd" or (is_large and not _takes(x.dtype, m * n * k)):
            raise Declined
        if not min(m, n, k):
            return self.filled((m, n), x.dtype, 0.0)
        out = self.new((m, n), x.dtype)
        if is_large:
            self._by_onednn = True
            y = self._with_gaps(y) if of_y and y.shape[1] % STRIDE == 0 else y
            self._add(_large_product_step, (x, y, out, m, n, k, ord("T" if of_x else "N"), ord("T" if of_y else "N"),
                                            x.shape[1], y.shape[1], n, _sgemm()))
            return out
        address = _gemm(x.dtype.char)
        if address is None:
            self.step(PRODUCTS[of_x, of_y], x, y, out, m, n, k)
            return out
        self._alone |= m * n * k > _ALONE
        self._add(functools.partial(_product_step, x.dtype.char), (
            x, y, out, m, n, k, 112 if of_x else 111, 112 if of_y else 111, x.shape[1], y.shape[1], n, address))
        return out

    def _with_gaps(self, rows: Value) -> Value:
        """A copy with gaps between the rows, which a product reads faster by columns (`onednn/products.py`)."""
        found = self._spaced.get(rows)
        if found is None:
            count, columns = rows.shape
            found = self._spaced[rows] = self._new((count, columns + GAP), rows.dtype)
            self.copy(rows, found, count, columns, (0, columns), (0, columns + GAP))
        return found

    def filled(self, shape: Sequence[int], dtype: np.dtype, number: float) -> Value:
        """A value of one number."""
        out = self.new(shape, dtype)
        self.step(fill_all, out, out.size, float(number) if out.dtype.kind == "f" else int(number))
        return out

    def copy(self, source: Value, out: Value, outer: int, inner: int, of_source: tuple[int, int],
             of_out: tuple[int, int]) -> None:
        """Copies `outer` times `inner` elements; (first, distance) say where they lie on both sides."""
        self.step(copy_blocks, source, out, outer, inner, *of_source, *of_out)

    def taken(self, source: Value, out: Value, numbers: np.ndarray) -> None:
        """Fills `out` with the elements of `source` that have these numbers."""
        value = Value(numbers.shape, numbers.dtype)
        self._constants.append((value, np.ascontiguousarray(numbers)))
        self._values.append(value)
        self.step(take, source, value, out, out.size)

    def summed(self, x: Value, shape: Sequence[int], outer: int, count: int, inner: int, divisor: float) -> Value:
        """The value as [outer, count, inner] summed over the middle dimension, divided by a number, in this shape."""
        if x.dtype.char not in "fd" or count > _MOST_SUMMED:
            raise Declined
        out = self.new(shape, x.dtype)
        if inner == 1:
            self.step(sum_rows, x, out, outer, count, float(divisor))
        else:
            self.step(sum_middle, x, out, outer, count, inner, float(divisor))
        return out

    # What a call runs

    def finished(self, results: Sequence[Value]) -> Run:
        """The tape as a call that gives these values."""
        own: list[Value] = []
        self.given += [value for value, _ in self._constants]
        taken = set(self.given)
        for value in results:
            if value.base is not None or value in taken:
                copied = self.new(value.shape, value.dtype)
                self.copy(value, copied, 1, value.size, (0, 0), (0, 0))
                value = copied
            taken.add(value)
            own.append(value)
        size = self._placed(set(own))
        return Run(self._numbers(own), size, [(value.shape, value.dtype) for value in own],
                   [array for _, array in self._constants], self._by_onednn)

    def _placed(self, results: set[Value]) -> int:
        """Gives every value in between the first place that is free from its step to its last; the size of all."""
        free: list[tuple[int, int]] = []  # begins and ends
        ends: dict[int, list[Value]] = {}
        sizes: dict[Value, int] = {}
        given, total = set(self.given), 0
        for value in self._values:  # in the order of their steps
            if value.base is not None or value in given or value in results:
                continue
            for step in sorted(step for step in ends if step < value.born):
                free = _joined([*free, *((v.offset, v.offset + sizes[v]) for v in ends.pop(step))])
            size = sizes[value] = -(-max(value.size * value.dtype.itemsize, 1) // _ALIGNED) * _ALIGNED
            place = next((n for n, (begin, end) in enumerate(free) if end - begin >= size), None)
            if place is None:
                value.offset, total = total, total + size
            else:
                begin, end = free.pop(place)
                value.offset = begin
                if end - begin > size:
                    free.append((begin + size, end))
            ends.setdefault(value.last, []).append(value)
        return total

    def _numbers(self, results: list[Value]) -> np.ndarray:
        """The tape as the runner reads it."""
        for index, value in enumerate([*self.given, *results], 1):
            value.index = index
        checks = [number for value in self.given for number in (_dtype_of(value), len(value.shape), *value.shape)]
        parts: list[int] = []
        count = 1 + len(self.given) + len(results)
        for value in self._values:
            if value.index < 0:
                base = value.base
                inside = base is None or base.index > len(self.given) + len(results) or base.index < 0
                parts += [0 if inside else base.index,  # type: ignore[union-attr]
                          value.offset + (base.offset if inside and base is not None else 0)]
                value.index, count = count, count + 1
        records: list[int] = []
        for step in self._steps:
            numbers = [_number(argument) for argument in step.arguments]
            records += [step.address(), 2 + len(numbers), *numbers]
        first = 7 + len(checks) + len(parts)
        head = [len(self.given), len(results), len(parts) // 2, id(np.ndarray), first, first + len(records),
                int(self._alone)]
        return np.array([*head, *checks, *parts, *records], np.int64)


def _joined(free: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for begin, end in sorted(free):
        if found and found[-1][1] == begin:
            found[-1] = found[-1][0], end
        else:
            found.append((begin, end))
    return found


def _number(argument: Any) -> int:
    if type(argument) is Value:
        return argument.index
    if type(argument) is float:
        return int(struct.unpack("<q", struct.pack("<d", argument))[0])
    return int(argument)


def _dtype_of(value: Value) -> int:
    return id(np.dtype(value.dtype.type))  # of which NumPy has one object


class Run:
    """A finished tape."""

    __slots__ = "numbers", "size", "results", "constants", "by_onednn", "_code"

    def __init__(self, numbers: np.ndarray, size: int, results: list[tuple[tuple[int, ...], np.dtype]],
                 constants: list[np.ndarray], by_onednn: bool):
        self.numbers, self.size, self.results, self.constants = numbers, size, results, constants
        self.by_onednn = by_onednn
        self._code = _runner()

    def __call__(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray] | None:
        """The results; None for arrays that the tape is not for, or where a step stopped."""
        empty = np.empty
        if self.by_onednn:
            with_threads(library(), 1)  # type: ignore[arg-type]
        results = list(starmap(empty, self.results))
        if self._code(self.numbers, empty(self.size, _BYTE), *arrays, *self.constants, *results) is not None:
            return None
        return results


_BYTE = np.dtype(np.uint8)


@functools.cache
def _runner() -> Callable[..., Any]:
    from . import compiler, loading

    offset = compiler._data_offset()
    assert offset is not None

    def module() -> str:
        from .tape_runner import runner_module

        return runner_module(offset)

    return loading.function_at(compiler.address_of("tape runner", module), "run_tape")


@functools.cache
def _stop_step() -> int:
    from . import compiler

    def module() -> str:
        from .tape_runner import stop_module

        return stop_module()

    return compiler.address_of("stop", module)


@functools.cache
def _product_step(kind: str) -> int:
    from . import compiler

    def module() -> str:
        from .tape_runner import product_module
        from .types import llvm_type

        return product_module(llvm_type("f32" if kind == "f" else "f64"))

    return compiler.address_of(f"product {kind}", module)


@functools.cache
def _large_product_step() -> int:
    from . import compiler

    def module() -> str:
        from .tape_runner import large_product_module

        return large_product_module()

    return compiler.address_of("large product", module)


def _takes(dtype: np.dtype, multiplications: int) -> bool:
    """Whether oneDNN computes such a product, and by one thread."""
    return dtype.char == "f" and 2 * multiplications < SMALL and is_ready()


@functools.cache
def _sgemm() -> int:
    loaded = library()
    assert loaded is not None
    address = ctypes.cast(loaded.sgemm, ctypes.c_void_p).value
    assert address is not None
    return address


@functools.cache
def _gemm(kind: str) -> int | None:
    return blas.address_of(f"cblas_{'s' if kind == 'f' else 'd'}gemm")

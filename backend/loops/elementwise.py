"""One loop over arrays that broadcast together, in any memory order, for a body of scalar statements.

    ElementwiseLoop(["t0 = a0 * a1", "r0 = max(t0, 0.0)"], outputs=["float32"])(x, y)

computes both statements for each element without an array for `t0`. The order of the result in memory is that of the
largest operand, so that channels-last stays channels-last.
"""

from __future__ import annotations

import functools
import math
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import threads
from ..in_order import lies_as, lying_as, turned
from .functions import Function
from .kernel import Kernel
from .passes import SAME_IN_NUMPY, passes
from .same_bits import SameBits
from .types import OF_ARRAY

KEPT_PATTERNS = 256  # launches remembered by a loop, by the shapes and strides they are for
COSTLY = re.compile(r"\b(exp|log|tanh|erf|sigmoid|expm1|log1p|pow|cosh|atan|atan2|normal_cdf)\(")

_ROUNDED_OTHERWISE = re.compile(rf"\b(?!({'|'.join(SAME_IN_NUMPY)})\()[A-Za-z_]\w*\(")  # a call of something else


class Pattern(NamedTuple):
    """How a loop walks its operands: what code it needs, and nothing that code takes as numbers."""

    outer: int  # loops around the innermost one, walked as one
    inner: tuple[str, ...]  # by operand: 'one' element for all, 'next' to each other, or 'apart'
    types: tuple[str, ...]


class _Output(NamedTuple):
    """A result: its shape in the order of memory, its dtype, and where its dimensions then lie (None: as they do)."""

    shape: tuple[int, ...]
    dtype: np.dtype
    places: tuple[int, ...] | None


def _make(output: _Output) -> np.ndarray:
    shape, dtype, places = output
    made = np.empty(shape, dtype)
    return made if places is None else made.transpose(places)


class Code:
    """The code of a body for a pattern.

    Where NumPy's functions one by one give the bits of machine code, they are called until they have taken its time
    (`same_bits.py`). Where they may not, it is due as any kernel is, and until then there is nothing here.
    """

    def __init__(self, kernel: Kernel, types: tuple[str, ...], body: tuple[str, ...], dtypes: tuple[np.dtype, ...]):
        self.kernel, self.types = kernel, types
        self.machine: Callable[..., None] | None = None
        self.weight = 1 + 4 * sum(len(COSTLY.findall(line)) for line in body)  # of an element, in NumPy
        self.passes = None if _ROUNDED_OTHERWISE.search("\n".join(body)) else passes(
            body, dtypes, [kind for kind in types[len(dtypes):] if kind.endswith("*")])
        self.same = SameBits(kernel, types)

    def by_now(self, elements: int) -> Callable[..., None] | None:
        """The machine code, where it is time for it."""
        if self.machine is None and self.passes is not None:
            self.machine = self.same.by_now(elements)
        elif self.machine is None and self.kernel.is_due(elements * self.weight):
            self.machine = self.kernel.typed(*self.types)
        return self.machine

    def fill(self, arrays: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        """Fills the results by NumPy's functions."""
        assert self.passes is not None
        begin = time.thread_time()
        self.passes(arrays, results)
        self.same.took(begin)


_AT_ONCE, _ELEMENTS = 64, 1 << 20  # calls by steps of which one is timed, at most: of so many elements together
_ROW = 32  # numbers of a row that each row of the result meets, at least


class Steps:
    """What a line of a plan calls as long as there is no machine code: steps in C, one call in some of them timed."""

    def __init__(self, source: Code, operands: int, elements: int):
        self.source, self.operands, self.elements = source, operands, elements
        self.times = max(1, min(_AT_ONCE, _ELEMENTS // max(elements, 1)))
        self.code: Any = None if source.passes is None else source.passes.code(operands, self)

    def __call__(self, threads: int, *arguments: Any) -> None:
        """One call, as it counts for all that follow."""
        machine = self.source.by_now(self.elements)
        if machine is not None:
            self.code.machine = machine
            machine(threads, *arguments)
        elif self.code.left:  # the arrays are not such as it takes
            self.source.fill(arguments[:self.operands], arguments[self.operands:self.operands + 1])
        else:
            self.code.left = 1
            begin = time.thread_time()
            self.code(threads, *arguments)
            self.source.same.took(begin, self.times)
            self.code.left = self.times - 1


class Launch:
    """What a call with certain shapes and strides runs; None, or NotImplemented, as long as that is nothing."""

    __slots__ = "source", "code", "numbers", "outputs"

    def __init__(self, source: Code, numbers: tuple[int, ...], outputs: tuple[_Output, ...]):
        self.source, self.numbers, self.outputs = source, numbers, outputs
        self.code = source.machine

    def __call__(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """The results."""
        code = self.code
        if code is None:
            return self._without_code(arrays)
        empty = np.empty
        results = tuple([empty(shape, dtype) if places is None else empty(shape, dtype).transpose(places)
                         for shape, dtype, places in self.outputs])
        code(threads.get_num_threads(), *arrays, *results, *self.numbers)
        return results

    def line(self, arrays: Sequence[np.ndarray]) -> Callable[..., Any] | None:
        """What a line of a plan calls with threads, arrays, results and numbers; None as long as there is nothing."""
        if self.code is None and len(self.outputs) == 1 and self.outputs[0].places is None:
            size = math.prod(self.outputs[0].shape)
            if all(a.flags.c_contiguous and (a.size in (1, size) or a.size == a.shape[-1] >= _ROW) for a in arrays):
                return Steps(self.source, len(arrays), size).code
        return self.code

    def single(self, arrays: Sequence[np.ndarray]) -> Any:
        """The one result."""
        code = self.code
        if code is None:
            results = self._without_code(arrays)
            return NotImplemented if results is None else results[0]
        shape, dtype, places = self.outputs[0]
        result = np.empty(shape, dtype)
        if places is not None:
            result = result.transpose(places)
        code(threads.get_num_threads(), *arrays, result, *self.numbers)
        return result

    def _without_code(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        self.code = self.source.by_now(math.prod(self.outputs[0].shape))
        if self.code is not None:
            return self(arrays)
        if self.source.passes is None:
            return None
        results = tuple([_make(output) for output in self.outputs])
        self.source.fill(arrays, results)
        return results


class TurnedLaunch(Launch):
    """A call with arrays that lie in two orders: those at some places are first copied as another one lies."""

    __slots__ = "places", "like"

    def __init__(self, launch: Launch, places: Sequence[int], like: int):
        super().__init__(launch.source, launch.numbers, launch.outputs)
        self.places, self.like = places, like

    def _aligned(self, arrays: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
        found = list(arrays)
        for place in self.places:
            found[place] = lying_as(found[place], found[self.like])
        return found

    def line(self, arrays: Sequence[np.ndarray]) -> None:
        """None: a line of a plan copies nothing."""

    def __call__(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...] | None:
        """As `Launch`."""
        return super().__call__(self._aligned(arrays))

    def single(self, arrays: Sequence[np.ndarray]) -> Any:
        """As `Launch.single`."""
        return super().single(self._aligned(arrays))


class ElementwiseLoop:
    """A compiled body; called with as many arrays as it has operands `a0, a1, …`, it gives arrays `r0, r1, …`."""

    def __init__(self, body: Sequence[str], outputs: Sequence[str], fits: Callable[..., bool] | None = None):
        self.body, self.outputs = tuple(body), tuple(np.dtype(name) for name in outputs)
        self._fits = fits  # (arrays, shape): whether the body is right for them; asked once for each pattern
        self._launches: dict[tuple, Launch | None] = {}

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...] | None:
        """The results; None for arrays that the body is not for, or not yet.

        The arrays broadcast together, and are of dtypes that loops know.
        """
        launch = self.known(arrays)
        return None if launch is None else launch(arrays)

    def known(self, arrays: Sequence[np.ndarray]) -> Launch | None:
        """As `launch`, remembered."""
        key = tuple([(a.shape, a.strides, a.dtype.num) for a in arrays])
        try:
            return self._launches[key]
        except KeyError:
            if len(self._launches) >= KEPT_PATTERNS:
                self._launches.clear()
            launch = self._launches[key] = self.launch(arrays)
            return launch

    def launch(self, arrays: Sequence[np.ndarray]) -> Launch | None:
        """What runs for arrays of these shapes, strides and dtypes; None where the body is not for them."""
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
        if self._fits is not None and not self._fits(arrays, shape):
            return None
        like, copies = _turned(arrays, shape)
        if copies:
            launch = self.launch([copies.get(k, a) for k, a in enumerate(arrays)])
            return None if launch is None else TurnedLaunch(launch, tuple(copies), like)
        order = _memory_order(arrays, shape)
        outputs = tuple([_output(shape, order, dtype) for dtype in self.outputs])
        operands = [*arrays, *map(_make, outputs)]
        sizes, strides = _collapsed(shape, order, operands)
        inner = tuple("one" if s[-1] == 0 else "next" if s[-1] == 1 else "apart" for s in strides)
        types = tuple(OF_ARRAY[a.dtype] for a in operands)
        pattern = Pattern(len(sizes) - 1, inner, types)
        numbers = [*sizes, *(n for s, kind in zip(strides, inner, strict=True)
                             for n in (s if kind == "apart" else s[:-1]))]
        code = _code(self.body, tuple([a.dtype for a in arrays]), pattern, len(numbers))
        return Launch(code, tuple(numbers), outputs)


def _turned(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> tuple[int, dict[int, np.ndarray]]:
    """Copies, by place, of the arrays that can be made to lie as the first one of this shape, and that one's place.

    A loop over arrays in two orders reads one of them number by number.
    """
    whole = [k for k, a in enumerate(arrays) if a.shape == shape]
    like = whole[0] if whole else 0
    made = {k: turned(arrays[k], arrays[like]) for k in whole[1:] if not lies_as(arrays[k], arrays[like])}
    return like, {k: copy for k, copy in made.items() if copy is not None}


def _memory_order(arrays: Sequence[np.ndarray], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """The dimensions from the outermost in memory to the innermost; None for the plain order."""
    for array in arrays:
        if array.shape == shape and not array.flags.c_contiguous:
            return tuple(sorted(range(array.ndim), key=lambda d: -abs(array.strides[d])))
        if array.shape == shape:
            return None
    return None


def _output(shape: tuple[int, ...], order: tuple[int, ...] | None, dtype: np.dtype) -> _Output:
    if order is None:
        return _Output(shape, dtype, None)
    places = sorted(range(len(order)), key=order.__getitem__)
    return _Output(tuple([shape[d] for d in order]), dtype, tuple(places))


def _collapsed(shape: tuple[int, ...], order: tuple[int, ...] | None,
               operands: Sequence[np.ndarray]) -> tuple[list[int], list[list[int]]]:
    """Sizes, and by operand strides in elements; neighbouring dimensions are one where every operand lets them."""
    dims = [d for d in (order or range(len(shape))) if shape[d] != 1]
    spread = [np.broadcast_to(a, shape) for a in operands]
    sizes: list[int] = []
    strides: list[list[int]] = [[] for _ in operands]
    for d in dims:
        steps = [a.strides[d] // a.itemsize for a in spread]
        if sizes and all(s[-1] == step * shape[d] for s, step in zip(strides, steps, strict=True)):
            sizes[-1] *= shape[d]
            for s, step in zip(strides, steps, strict=True):
                s[-1] = step
        else:
            sizes.append(shape[d])
            for s, step in zip(strides, steps, strict=True):
                s.append(step)
    if not sizes:
        return [math.prod(shape)], [[0 if a.ndim == 0 else 1] for a in operands]
    return sizes, strides


@functools.lru_cache(maxsize=1024)
def _code(body: tuple[str, ...], dtypes: tuple[np.dtype, ...], pattern: Pattern, numbers: int) -> Code:
    kernel = Kernel(Function(source=_source(body, len(dtypes), pattern), exact=True))
    return Code(kernel, (*pattern.types, *["i64"] * numbers), body, dtypes)


def _source(body: tuple[str, ...], inputs: int, pattern: Pattern) -> str:
    """The kernel for a pattern: a loop over what is outside the innermost dimension, and the innermost loop."""
    names = [f"a{k}" if k < inputs else f"r{k - inputs}" for k in range(len(pattern.inner))]
    sizes = [f"n{d}" for d in range(pattern.outer + 1)]
    steps = [f"s{k}_{d}" for k, kind in enumerate(pattern.inner)
             for d in range(pattern.outer + (kind == "apart"))]
    cost = 1 + len(body) // 4 + 8 * sum(len(COSTLY.findall(line)) for line in body)
    lines = [f"def elementwise({', '.join(['p_' + n for n in names] + sizes + steps)}):"]
    places = {}
    if pattern.outer:
        count = " * ".join(sizes[:-1])
        lines += [f"    for o in parallel({count}, {sizes[-1]} * {cost}):", "        q0 = o"]
        for level, d in enumerate(reversed(range(1, pattern.outer))):
            lines += [f"        i{d} = q{level} % n{d}", f"        q{level + 1} = q{level} // n{d}"]
        lines.append(f"        i0 = q{pattern.outer - 1}")
        for k, name in enumerate(names):
            places[name] = f"w_{name}"
            offset = " + ".join(f"i{d} * s{k}_{d}" for d in range(pattern.outer))
            lines.append(f"        w_{name} = p_{name} + ({offset})")
        lines.append(f"        for j in range({sizes[-1]}):")
        indent = " " * 12
    else:
        places = {name: f"p_{name}" for name in names}
        lines.append(f"    for j in parallel({sizes[-1]}, {cost}):")
        indent = " " * 8
    index = {"one": "0", "next": "j"}
    at = {name: index.get(kind, f"j * s{k}_{pattern.outer}")
          for k, (name, kind) in enumerate(zip(names, pattern.inner, strict=True))}
    lines += [f"{indent}{name} = {places[name]}[{at[name]}]" for name in names[:inputs]]
    lines += [indent + line for line in body]
    lines += [f"{indent}{places[name]}[{at[name]}] = {name}" for name in names[inputs:]]
    return "\n".join(lines)


def is_known(array: np.ndarray) -> bool:
    """Whether loops know the array's dtype, and its memory is aligned to it."""
    return array.dtype in OF_ARRAY and array.flags.aligned

"""Maxima and means of windows over NumPy arrays [n, c, *sizes], and their gradients.

The input may lie in any order; results lie with their channels side by side, the order that oneDNN has fast code for.
An input in another order is brought into it, which costs less than the slower code. The gradient of maxima goes to the
first of equal ones. Every function gives NotImplemented for what it leaves to NumPy; maxima among NaNs belong to that,
because oneDNN passes them over.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .descriptors import (
    channels_last,
    element_strides,
    image_last,
    strided,
    type_number,
    window_dims,
)
from .library import Library, Unimplemented
from .primitives import DIFF_DST, DIFF_SRC, DST, SRC, WORKSPACE, Plan, Primitive, attributes_of
from .routine import Routine, address_of, made, memoised

_TRAINING, _INFERENCE = 64, 96
_FLOAT32, _LOWEST = np.dtype(np.float32), np.finfo(np.float32).min
_READING = 16  # what reading an element takes, in operations: pooling does little else
_MOST_IMAGES = 16  # that are computed one by one, until there is code for so many
_HOT = 3  # times that so many images have come, for which that is made
_KEPT = 256
_apart: dict[Any, int] = {}  # how often images were computed one by one
MAX, MEAN_WITH_PADDING, MEAN = 0x1FF, 0x2FF, 0x3FF

Numbers = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]


def pooling(x: np.ndarray, kind: int, kernel: Numbers, strides: Numbers, pads: Pairs, out: Numbers,
            into: np.ndarray | None = None) -> Any:
    """[n, c, *out]: the maxima (MAX) or means of windows; MEAN counts the elements of x, the other the padding too.

    `into` receives the result; it lies channels last.
    """
    what = kind, kernel, strides, pads, out
    single = _for_one_image(x, *what) if 1 < len(x) <= _MOST_IMAGES else None
    routine = single or memoised(_key(x, *what), _forward, x, *what)
    if routine is None:
        return NotImplemented
    result = into if into is not None else channels_last((x.shape[0], x.shape[1], *out), x.dtype)
    for n in range(len(x) if single else 0):
        routine(address_of(x[n:n + 1]), address_of(result[n:n + 1]))
    if not single:
        routine(address_of(x), address_of(result))
    return result if kind != MAX or _are_true(x, result) else NotImplemented


def _key(x: np.ndarray, *what: Any) -> tuple:
    return "pooling", x.shape, x.strides, x.dtype.char, *what


def _for_one_image(x: np.ndarray, *what: Any) -> Routine | None:
    """The routine for one of these images, where there is one, and so many have not come often: they are computed one
    by one then, as making code for them takes as long as many calls."""
    key = _key(x, *what)
    if made(key) is not None or (single := made(_key(x[:1], *what))) is None:
        return None
    if len(_apart) >= _KEPT:
        _apart.clear()
    _apart[key] = times = _apart.get(key, 0) + 1
    return single if times < _HOT else None


def _are_true(x: np.ndarray, maxima: np.ndarray) -> bool:
    """Whether oneDNN found the maxima: it starts from the lowest number, and then takes what is greater."""
    greatest = x.max()
    return bool(greatest == greatest) and bool(maxima.min() > _LOWEST)


def pooling_grad(x: np.ndarray, g: np.ndarray, kind: int, kernel: Numbers, strides: Numbers, pads: Pairs,
                 into: np.ndarray | None = None) -> Any:
    """The gradient [n, c, *sizes] of x, of whose pooling `g` is the gradient; of means only the shape of x counts.

    `into` receives the result; it lies channels last.
    """
    key = ("pooling_grad", x.shape, x.strides, x.dtype.char, g.shape, g.strides, g.dtype.char, kind, kernel, strides,
           pads)
    routine = memoised(key, _backward, x, g, kind, kernel, strides, pads)
    if routine is None:
        return NotImplemented
    result = into if into is not None else channels_last(x.shape, x.dtype)
    if kind == MAX:
        routine(address_of(x), address_of(g), address_of(result))
    else:
        routine(address_of(g), address_of(result))
    return result


class _Layouts:
    """The layouts and windows of one pooling."""

    def __init__(self, library: Library, x: np.ndarray, kernel: Numbers, strides: Numbers, pads: Pairs):
        number = type_number(x.dtype)
        if number is None or x.dtype != _FLOAT32 or x.size == 0:
            raise Unimplemented(str(x.dtype))
        self.library, self.number, self.engine = library, number, library.engine
        self.windows = (window_dims(tuple(strides), 1), window_dims(tuple(kernel), 1), window_dims((0,) * len(kernel)),
                        window_dims(tuple([p[0] for p in pads])), window_dims(tuple([p[1] for p in pads])))

    def described(self, array: np.ndarray) -> Any:
        """An array as it lies."""
        steps = element_strides(array)
        if steps is None:
            raise Unimplemented("strides")
        return strided(self.library, array.shape, steps, self.number)

    def last(self, shape: Numbers) -> Any:
        """An array with its channels last."""
        return image_last(self.library, tuple(shape), self.number)

    def forward(self, shape: Numbers, out: Numbers, kind: int, prop: int) -> Plan:
        """How the pooling would be computed."""
        plan = Plan(self.library, "pooling_forward", self.engine, prop, kind, self.last(shape), self.last(out),
                    *self.windows, attributes_of(self.library))
        if plan.rank == 0:
            raise Unimplemented("no fast code")
        return plan


def _forward(library: Library, x: np.ndarray, kind: int, kernel: Numbers, strides: Numbers, pads: Pairs,
             out: Numbers) -> Routine:
    lay = _Layouts(library, x, kernel, strides, pads)
    shape = (*x.shape[:2], *out)
    routine = Routine(library, f"pooling of {list(x.shape)} with windows {list(kernel)}", _READING * x.size)
    source = routine.external(lay.described(x))
    target = routine.external(lay.last(shape))
    plan = lay.forward(x.shape, shape, kind, _INFERENCE)
    routine.step(Primitive(library, plan), {SRC: routine.brought(source, lay.last(x.shape)), DST: target})
    return routine


def _backward(library: Library, x: np.ndarray, g: np.ndarray, kind: int, kernel: Numbers, strides: Numbers,
              pads: Pairs) -> Routine:
    """Maxima are found once more: the primitive wants to know where they were."""
    lay = _Layouts(library, x, kernel, strides, pads)
    if g.dtype != x.dtype:
        raise Unimplemented("dtypes")
    routine = Routine(library, f"gradient of the pooling of {list(x.shape)} with windows {list(kernel)}",
                      _READING * x.size)
    forward = lay.forward(x.shape, g.shape, kind, _TRAINING)
    backward = Plan(library, "pooling_backward", lay.engine, kind, lay.last(x.shape), lay.last(g.shape),
                    *lay.windows, forward, attributes_of(library))
    if backward.rank == 0:
        raise Unimplemented("no fast code")
    operands = {}
    if kind == MAX:
        source = routine.brought(routine.external(lay.described(x)), lay.last(x.shape))
        maxima, places = routine.temporary(lay.last(g.shape)), routine.temporary(forward.operand(WORKSPACE))
        routine.step(Primitive(library, forward), {SRC: source, DST: maxima, WORKSPACE: places})
        operands[WORKSPACE] = places
    gradient = routine.brought(routine.external(lay.described(g)), lay.last(g.shape))
    target = routine.external(lay.last(x.shape))
    routine.step(Primitive(library, backward), {**operands, DIFF_DST: gradient, DIFF_SRC: target})
    return routine

"""The routines of convolutions: which layouts they use, and in which order oneDNN's primitives run."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...core.processors import halves_wide_vectors
from . import blocked
from .columns import Columns, are_fewer
from .descriptors import (
    Description,
    dense_strides,
    element_strides,
    free,
    image_dims,
    image_last,
    strided,
    type_number,
    window_dims,
)
from .library import Library, Unimplemented
from .primitives import (
    BIAS,
    DIFF_DST,
    DIFF_SRC,
    DIFF_WEIGHTS,
    DST,
    SRC,
    WEIGHTS,
    Attributes,
    Plan,
    Primitive,
    attributes_of,
    best,
    post_operation,
    reorder,
)
from .routine import LEAST_ROWS, Routine, address_of, memoised, packed

_TRAINING, _INFERENCE, _DIRECT = 64, 96, 1
_FEW_CHANNELS = 8  # with fewer, the gradient of the input is faster in an order that oneDNN chooses
_MANY_CHANNELS = 64  # from so many on it is as fast by oneDNN's own code for it, whose windows may lie anywhere
_FLOAT32 = np.dtype(np.float32)
_OF_DEPTHWISE = 4  # an operation of a depthwise convolution takes as long as so many of a product
_LAYOUTS = 256  # that are kept
_PLANS = 8  # that are kept: a filter is packed as the convolution wants it that is made next
_WIDTH = 16  # channels that are computed at a time
_NARROW, _DEPTHWISE = ":avx2", "jit_dw:avx512"
_MOST_NARROW = (56, 256)  # filters, and channels of each, up to which vectors of half the width are as fast
_AT_HAND = 3 << 17  # elements of images that lie in a core's cache

Pairs = tuple[tuple[int, int], ...]
Numbers = tuple[int, ...]


class PackedWeight:
    """Filters in the order that convolutions of given images want, made once by `pack_weight`: multiplied by `scale`.

    Images of other sizes often want the same order, and code for those that do not takes it, too, where it is as fast.
    `others` are the same filters in the orders that the rest has asked for, so that shapes in turn need not pack them
    again and again.
    """

    __slots__ = ("plain", "scale", "shape", "strides", "dtype", "source", "description", "data", "others", "in_vain")

    def __init__(self, plain: np.ndarray, scale: np.ndarray | None, source: Description, description: Description,
                 data: np.ndarray, layout: tuple):
        self.plain: np.ndarray | None = plain
        self.scale, self.source, self.description, self.data = scale, source, description, data
        self.others: tuple[PackedWeight, ...] = ()  # replaced as a whole: several threads may run at once
        self.in_vain = 0  # how often an order did not serve the images that it was made for
        self.shape, self.dtype = plain.shape, plain.dtype
        self.strides = layout  # of the description: it tells routines apart, as the strides of an array do

    def release(self) -> bool:
        """Lets the filters go that it was made of, unless they are as it wants them: False then."""
        if self.data is self.plain:
            return False
        self.plain = None
        return True

    def unpacked_and_scale(self) -> tuple[np.ndarray, np.ndarray | None]:
        """The filters in the order of an array, and what is left to multiply them by."""
        return (self.unpacked(), None) if self.plain is None else (self.plain, self.scale)

    def unpacked(self) -> np.ndarray:
        """The filters as they were, C-contiguous, but multiplied by `scale`."""
        if self.data.dtype == self.dtype:
            return self.data
        routine = memoised(("unpack", self.shape, self.strides, self.source.layout(len(self.strides[0])),
                            self.dtype.char), unpacking, self)
        plain = np.empty(self.shape, self.dtype)
        routine(address_of(self.data), address_of(plain))
        return plain


def _whole(channels: int) -> int:
    """Channels, as many as are computed."""
    return -(-channels // _WIDTH) * _WIDTH


class Layouts:
    """The descriptions that the routines of one convolution need, and how much work it is."""

    def __init__(self, library: Library, dtype: np.dtype, strides: Numbers, pads: Pairs, dilations: Numbers,
                 groups: int):
        number = type_number(dtype)
        if number is None:
            raise Unimplemented(str(dtype))
        if groups < 1:
            raise Unimplemented("groups")
        self.library, self.number, self.groups = library, number, groups
        self.windows = (window_dims(strides, 1), window_dims(tuple([d - 1 for d in dilations])),
                        window_dims(tuple([p[0] for p in pads])), window_dims(tuple([p[1] for p in pads])))

    def routine(self, title: str, result: Numbers, windows: int, filters: Sequence[int]) -> Routine:
        """A routine for so many windows."""
        routine = Routine(self.library, title, self._work(windows, filters))
        routine.result = result
        return routine

    def _work(self, windows: int, filters: Sequence[int]) -> int:
        """About how many operations it takes, at the speed of a large product."""
        count, channels, *kernel = filters
        if channels == 1 and self.groups > 1:
            return 2 * windows * count * math.prod(kernel) * _OF_DEPTHWISE
        return 2 * max(windows, LEAST_ROWS) * _whole(count) * _whole(channels) * math.prod(kernel)

    def image(self, array: np.ndarray) -> Description:
        """An image as it lies."""
        steps = element_strides(array)
        if steps is None or array.size == 0:
            raise Unimplemented("strides")
        return strided(self.library, array.shape, steps, self.number)

    def image_last(self, shape: Sequence[int]) -> Description:
        """An image with its channels last."""
        return image_last(self.library, tuple(shape), self.number)

    def image_free(self, shape: Sequence[int]) -> Description:
        """An image as a primitive will have it."""
        return free(self.library, tuple(image_dims(shape)), self.number)

    def grouped(self, shape: Sequence[int]) -> list[int]:
        """The shape of filters, divided into groups where there are several."""
        if self.groups == 1:
            return list(shape)
        if shape[0] % self.groups:
            raise Unimplemented("groups")
        return [self.groups, shape[0] // self.groups, *shape[1:]]

    def filters(self, w: Any) -> Description:
        """Filters as they lie."""
        if type(w) is PackedWeight:
            return w.description
        steps = element_strides(w)
        if steps is None or w.size == 0:
            raise Unimplemented("strides")
        if self.groups > 1:
            steps = [steps[0] * (w.shape[0] // self.groups), *steps]
        return strided(self.library, self.grouped(w.shape), steps, self.number)

    def filters_plain(self, shape: Sequence[int]) -> Description:
        """C-contiguous filters."""
        shape = self.grouped(shape)
        return strided(self.library, shape, dense_strides(shape), self.number)

    def filters_free(self, shape: Sequence[int]) -> Description:
        """Filters as a primitive will have them."""
        return free(self.library, tuple(self.grouped(shape)), self.number)

    def factors(self, count: int) -> Description:
        """A number for each filter."""
        return strided(self.library, [count], [1], self.number)

    @property
    def leading(self) -> int:
        """How many dimensions of described filters number them."""
        return 1 if self.groups == 1 else 2

    def out_sizes(self, sizes: Sequence[int], kernel: Sequence[int]) -> tuple[int, ...]:
        """How many windows there are along each dimension."""
        strides, gaps, before, after = self.windows
        return tuple((size + before[n] + after[n] - (gaps[n] + 1) * (kernel[n] - 1) - 1) // strides[n] + 1
                     for n, size in enumerate(sizes))

    def are_blocks(self, windows: Sequence[int], filters: Sequence[int], sizes: Numbers) -> bool:
        """Whether windows lie side by side and cover the images, which have two dimensions and not many channels."""
        strides, gaps, before, after = (each[:2] for each in self.windows)
        kernel = list(filters[2:])
        return (len(kernel) == 2 and max(kernel) > 1 and self.groups == 1 and filters[1] < _MANY_CHANNELS
                and strides == kernel
                and windows[1] == filters[0] and not any(gaps + before + after)
                and [count * size for count, size in zip(windows[2:], kernel, strict=True)] == list(sizes))

    def forward(self, src: Description, weights: Description, dst: Description, bias: Description | None = None,
                attributes: Attributes | None = None, prop: int = _TRAINING, shapes: Any = None) -> Plan:
        """How the convolution would be computed; of images and filters of these shapes by the code that suits them."""
        def plan() -> Plan:
            return Plan(self.library, "convolution_forward", self.library.engine, prop, _DIRECT, src, weights, bias,
                        dst, *self.windows, attributes or attributes_of(self.library))

        code = None if shapes is None else self._better_code(*shapes)
        if code is not None and (better := plan()).goes_on_to(code):
            return better
        return plan()

    def _better_code(self, images: Sequence[int], filters: Sequence[int]) -> str | None:
        """Which code is faster than what oneDNN takes first, where that is known: see docs/performance_history.md."""
        if self.number != type_number(_FLOAT32) or len(images) != 4 or not halves_wide_vectors():
            return None
        (count, channels, *kernel), (most_filters, most_channels) = filters, _MOST_NARROW
        if self.groups == 1:  # half of the last wide vector would be empty, and take as long
            few = 0 < count % _WIDTH <= _WIDTH // 2 and count <= most_filters and channels <= most_channels
            return _NARROW if few else None
        if self.groups == count and channels == 1:
            return _DEPTHWISE if math.prod(kernel) > 9 or math.prod(images) <= _AT_HAND else None
        return None


@functools.lru_cache(_LAYOUTS)
def layouts(library: Library, dtype: np.dtype, strides: Numbers, pads: Pairs, dilations: Numbers,
            groups: int) -> Layouts:
    """The Layouts of convolutions whose windows slide so, whatever the sizes."""
    return Layouts(library, dtype, strides, pads, dilations, groups)


_NOTHING, _READ, _WRITTEN = "nothing", "an array", "where it writes"


class Behind(NamedTuple):
    """What follows the product of a convolution: whether a bias, which function, and what is added."""

    has_bias: bool = False
    epilogue: str | None = None
    adds: str = _NOTHING


def _planned(lay: Layouts, images: Numbers, filters: Numbers, weights: Description, behind: Behind) -> Plan:
    """How a convolution of images and filters of these shapes would be computed, where the filters lie so."""
    shape = (images[0], filters[0], *lay.out_sizes(images[2:], filters[2:]))
    last, bias = lay.image_last(shape), lay.factors(filters[0]) if behind.has_bias else None
    attributes = attributes_of(lay.library, behind.epilogue) if behind.adds == _NOTHING else Attributes(
        lay.library, last if behind.adds == _READ else None, behind.epilogue, accumulates=behind.adds == _WRITTEN)
    return best([
        lambda: lay.forward(lay.image_last(images), weights, last, bias, attributes, shapes=(images, filters)),
        lambda: lay.forward(lay.image_free(images), weights, lay.image_free(shape), bias, attributes)])


@functools.lru_cache(_PLANS)
def _wanted(lay: Layouts, count: int, images: Numbers, filters: Numbers, behind: Behind) -> Plan:
    """The same, by so many threads, where the filters lie as oneDNN wants them."""
    return _planned(lay, images, filters, lay.filters_free(filters), behind)


def behind_of(bias: Any, residual: Any, epilogue: str | None) -> Behind:
    """What follows a convolution that is given these."""
    return Behind(bias is not None, epilogue, _NOTHING if residual is None else _READ)


def forward(library: Library, x: np.ndarray, w: Any, strides: Numbers, pads: Pairs, dilations: Numbers, groups: int,
             bias: Any, residual: Any, epilogue: str | None, out: Any, scale: Any) -> Any:
    """The routine of a convolution, with what follows it; or Columns."""
    lay = layouts(library, x.dtype, strides, pads, dilations, groups)
    sizes = lay.out_sizes(x.shape[2:], w.shape[2:])
    shape = (x.shape[0], w.shape[0], *sizes)
    plain = type(w) is not PackedWeight and bias is residual is epilogue is out is scale
    routine = lay.routine(f"convolution of images {list(x.shape)} with filters {list(w.shape)}", shape,
                          x.shape[0] * math.prod(sizes), w.shape)
    image, filters = routine.external(lay.image(x)), routine.external(lay.filters(w))
    if plain and groups == 1 and x.dtype == _FLOAT32 and are_fewer(shape) and x.shape[1] == w.shape[1]:
        return Columns(x.shape, w.shape, strides, pads, dilations, sizes)
    operands, last = {}, lay.image_last(shape)
    if bias is not None:
        operands[BIAS] = routine.external(lay.factors(w.shape[0]))
    added = None if residual is None else routine.external(lay.image(residual))
    factors = None if scale is None else routine.external(lay.factors(w.shape[0]))
    target = routine.external(last if out is None else lay.image(out))

    def chosen(behind: Behind) -> Plan:
        plan = _wanted(lay, routine.count, x.shape, w.shape, behind)
        if type(w) is not PackedWeight or plan.operand(WEIGHTS) == w.description:
            return plan
        as_packed = _planned(lay, x.shape, w.shape, w.description, behind)
        if as_packed.rank < plan.rank:
            raise Unimplemented("these images want another order of the filters")
        return as_packed

    behind = behind_of(bias, residual, epilogue)
    try:
        plan = chosen(behind)
    except Unimplemented:
        if added is None:
            raise
        plan = chosen(behind._replace(adds=_WRITTEN))
    else:
        if added is not None:
            operands[post_operation(0)], added = routine.brought(added, last), None
    weights = plan.operand(WEIGHTS)
    operands[SRC] = routine.brought(image, plan.operand(SRC))
    operands[WEIGHTS] = routine.brought(filters, weights) if factors is None else routine.scaled(
        filters, weights, factors, lay.leading)
    _finish(routine, plan, operands, DST, target, added)
    return routine


def _finish(routine: Routine, plan: Plan, operands: dict[int, int], result: int, target: int,
            added: int | None = None) -> None:
    """The step of the plan, which writes its result to where it belongs, or adds it to what is put there first."""
    place, last = routine.taken(target, plan.operand(result))
    if added is not None:
        routine.step(reorder(routine.library, routine.operands[added], routine.operands[place]), {1: added, 17: place})
    routine.step(Primitive(routine.library, plan), {**operands, result: place})
    if last is not None:
        routine.step(last, {1: place, 17: target})


def input_grad(library: Library, g: np.ndarray, w: np.ndarray, sizes: Numbers, strides: Numbers, pads: Pairs,
                dilations: Numbers, groups: int) -> Any:
    """The routine of the gradient of the images; or Columns."""
    lay = layouts(library, g.dtype, strides, pads, dilations, groups)
    shape = (g.shape[0], w.shape[1] * groups, *sizes)
    routine = lay.routine(f"gradient of images from {list(g.shape)} and filters {list(w.shape)}", shape,
                          g.shape[0] * math.prod(g.shape[2:]), w.shape)
    image, filters = routine.external(lay.image(g)), routine.external(lay.filters(w))
    target = routine.external(lay.image_last(shape))
    if groups == 1 and g.dtype == _FLOAT32 and are_fewer(g.shape) and g.shape[1] == w.shape[0]:
        return Columns(shape, w.shape, strides, pads, dilations, g.shape[2:])
    if lay.are_blocks(g.shape, w.shape, sizes) and _blocks(lay, routine, image, filters, target, g.shape, w):
        return routine

    def plan(src: Description, dst: Description) -> Plan:
        weights = lay.filters_free(w.shape)
        return Plan(library, "convolution_backward_data", library.engine, _DIRECT, src, weights, dst,
                    *lay.windows, lay.forward(src, weights, dst), attributes_of(library))

    attempts = [lambda: plan(lay.image_last(shape), lay.image_last(g.shape)),
                lambda: plan(lay.image_free(shape), lay.image_free(g.shape))]
    chosen = best(attempts[::-1] if shape[1] < _FEW_CHANNELS else attempts)
    weights = routine.brought(filters, chosen.operand(WEIGHTS))
    source = routine.brought(image, chosen.operand(DIFF_DST))
    _finish(routine, chosen, {DIFF_DST: source, WEIGHTS: weights}, DIFF_SRC, target)
    return routine


def _blocks(lay: Layouts, routine: Routine, image: int, filters: int, target: int, windows: Sequence[int],
            w: np.ndarray) -> bool:
    """The gradient of images whose windows lie side by side as a product; False where oneDNN has no fast code for it.

    A row of windows gives as many rows of the images as a window is high, each where it belongs: their elements, and
    the channels of these, are the columns of a matrix of filters [row in the window, filter, column, channel].
    """
    (n, count, height, width), (_, channels, high, wide) = windows, w.shape
    over_filters, over_channels, down, across = element_strides(w) or dense_strides(w.shape)
    side = wide * channels
    rows, matrices = [n * height, 1, width, count], [1, high, count, side]
    result = [n * height, high, width, side]
    source, weights, given = [strided(lay.library, dims, dense_strides(dims), lay.number)
                              for dims in (rows, matrices, result)]
    try:
        plan = best([lambda: Plan(lay.library, "matmul", lay.library.engine, source, weights, None, given,
                                  Attributes(lay.library))])
    except Unimplemented:
        return False
    turned = [high, count, wide, channels]
    steps = [down, over_filters, across, over_channels]
    brought = routine.temporary(strided(lay.library, turned, dense_strides(turned), lay.number))
    routine.step(reorder(lay.library, strided(lay.library, turned, steps, lay.number), routine.operands[brought]),
                 {1: filters, 17: brought})
    last = routine.brought(image, lay.image_last(windows))
    routine.step(Primitive(lay.library, plan), {SRC: last, WEIGHTS: routine.seen_as(brought, weights), DST: target})
    return True


def filter_grad(library: Library, x: np.ndarray, g: np.ndarray, kernel: Numbers, strides: Numbers, pads: Pairs,
                 dilations: Numbers, groups: int) -> Any:
    """The routine of the gradient of the filters; or Columns."""
    lay = layouts(library, x.dtype, strides, pads, dilations, groups)
    shape = (g.shape[1], x.shape[1] // groups, *kernel)
    routine = lay.routine(f"gradient of filters {list(shape)} from images {list(x.shape)}", shape,
                          g.shape[0] * math.prod(g.shape[2:]), shape)
    image, gradient = routine.external(lay.image(x)), routine.external(lay.image(g))
    target = routine.external(lay.filters_plain(shape))
    if groups == 1 and x.dtype == _FLOAT32 and are_fewer(g.shape):
        return Columns(x.shape, shape, strides, pads, dilations, g.shape[2:])

    def plan(src: Description, dst: Description) -> Plan:
        weights = lay.filters_free(shape)
        return Plan(library, "convolution_backward_weights", library.engine, _DIRECT, src, weights, None, dst,
                    *lay.windows, lay.forward(src, weights, dst), attributes_of(library))

    chosen = best([lambda: plan(lay.image_last(x.shape), lay.image_last(g.shape)),
                         lambda: plan(lay.image_free(x.shape), lay.image_free(g.shape))])
    source, gradient = routine.brought(image, chosen.operand(SRC)), routine.brought(gradient, chosen.operand(DIFF_DST))
    _finish(routine, chosen, {SRC: source, DIFF_DST: gradient}, DIFF_WEIGHTS, target)
    return routine


def unpacking(library: Library, packed: Any) -> Routine:
    """The routine that brings a packed weight back into the order that it had."""
    routine = Routine(library, f"unpacking of {list(packed.shape)}", math.prod(packed.shape))
    source, target = routine.external(packed.description), routine.external(packed.source)
    routine.step(reorder(library, packed.description, packed.source), {1: source, 17: target})
    return routine


class Packing:
    """How filters of one kind are packed: the layouts that they have and get, and what brings them there.

    That is a routine, or, for what is small, NumPy; neither where they lie well as they are.
    """

    __slots__ = ("source", "target", "layout", "routine", "blocks", "shape", "used")

    def __init__(self, source: Description, target: Description, shape: Sequence[int]):
        self.source, self.target, self.shape = source, target, shape
        self.layout = target.layout(len(shape))
        self.routine: Routine | None = None
        self.blocks: blocked.Blocked | None = None
        self.used = 0

    def packed(self, w: np.ndarray, scale: np.ndarray | None) -> np.ndarray:
        """The filters as they are wanted, multiplied by `scale` where it was said that there is one."""
        if self.blocks is not None:
            return self.blocks.filled(blocked.scaled(w, scale, self.shape), self.target.size)
        if self.routine is None:
            return w
        factors = () if scale is None else (address_of(scale),)
        return packed(self.routine, self.target.size, address_of(w), *factors)


def packing(library: Library, x: np.ndarray, w: np.ndarray, strides: Numbers, pads: Pairs, dilations: Numbers,
            groups: int, is_scaled: bool, behind: Behind) -> Packing:
    """How filters are packed for images as `x`."""
    lay = layouts(library, x.dtype, strides, pads, dilations, groups)
    shape = (x.shape[0], w.shape[0], *lay.out_sizes(x.shape[2:], w.shape[2:]))
    routine = lay.routine(f"packing of filters {list(w.shape)}", shape, x.shape[0] * math.prod(shape[2:]), w.shape)
    plan = _wanted(lay, routine.count, x.shape, w.shape, behind)
    source, target = lay.filters(w), plan.operand(WEIGHTS)
    made = Packing(source, target, lay.grouped(w.shape))
    if not is_scaled and source == target:
        return made
    if w.size <= blocked.MOST and w.dtype == _FLOAT32:
        made.blocks = blocked.blocked(made.layout)
        return made
    made.routine, place = routine, routine.external(source)
    if is_scaled:
        factors = routine.external(lay.factors(w.shape[0]))
        routine.scale(place, routine.external(target), factors, lay.leading)
    else:
        routine.step(reorder(library, source, target), {1: place, 17: routine.external(target)})
    return made

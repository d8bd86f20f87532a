"""Sliding windows over the last dimensions of an array: sizes, padding, and views, for convolution and pooling.

It knows arrays and ints only; the channels come before the dimensions along which the windows slide.
"""


import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

_WIDEST = 1024
"""Windows wider than an input and than this hold padding: a stranger's file asks for hours of it."""


class Geometry(NamedTuple):
    """Where windows lie: their sizes, strides and dilations, the padding (before, after), the sizes in and out."""

    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    sizes: tuple[int, ...]
    out: tuple[int, ...]

    @property
    def is_padded(self) -> bool:
        """True when some padding is not 0."""
        return any(before or after for before, after in self.pads)

    @property
    def padded(self) -> tuple[int, ...]:
        """The sizes with the padding."""
        return tuple(before + size + after for size, (before, after) in zip(self.sizes, self.pads, strict=True))

    @property
    def inner(self) -> tuple[slice, ...]:
        """Where the unpadded part lies in the padded one."""
        return tuple(slice(before, before + size) for size, (before, _) in zip(self.sizes, self.pads, strict=True))

    @property
    def is_pointwise(self) -> bool:
        """True when every window is one element, and each element a window."""
        return set(self.kernel) | set(self.strides) == {1} and not self.is_padded

    def place(self, offsets: Sequence[int]) -> tuple[slice, ...]:
        """The elements that stand at `offsets` in the windows, one for each window."""
        return tuple(
            slice(offset * dilation, offset * dilation + (count - 1) * stride + 1, stride)
            for offset, dilation, stride, count in zip(offsets, self.dilations, self.strides, self.out, strict=True))


def pad_pairs(paddings: Sequence[int], rank: int) -> tuple[tuple[int, int], ...]:
    """The attribute `paddings`, one number or two for each dimension, as pairs."""
    if len(paddings) == rank:
        return tuple((int(p), int(p)) for p in paddings)
    return tuple((int(paddings[2 * n]), int(paddings[2 * n + 1])) for n in range(rank))


def _same_pads(size: int, kernel: int, stride: int) -> tuple[int, int]:
    if size < 0 or kernel < 0:
        return 0, 0
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def _count(size: int, pads: tuple[int, int], kernel: int, stride: int, dilation: int, ceil: bool, cut: bool) -> int:
    if size < 0 or kernel < 0:
        return -1
    span = size + sum(pads) - dilation * (kernel - 1) - 1
    if ceil:
        span += stride - 1
    return (-(-span // stride) if cut and span < 0 else span // stride) + 1


def geometry(what: str, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
             dilations: Sequence[int], algorithm: str = "EXPLICIT", ceil: bool = False, cut: bool = False) -> Geometry:
    """Where the windows lie; a size of -1 is not known. Raises ValueError, naming `what`, when no window fits.

    The algorithm SAME pads so that each stride begins a window, and takes windows without dilation. `cut`: an input
    that a window exceeds by less than a stride still has one, as PaddlePaddle counts, whose division rounds towards 0.
    """
    return _geometry(what, tuple(sizes), tuple(kernel), tuple(strides), tuple(paddings), tuple(dilations), algorithm,
                     ceil, cut)


@functools.lru_cache(1024)
def _geometry(what: str, sizes: tuple, kernel: tuple, strides: tuple, paddings: tuple, dilations: tuple,
              algorithm: str, ceil: bool, cut: bool) -> Geometry:
    rank = len(sizes)
    if min(strides) < 1 or min(dilations) < 1:
        raise ValueError(
            f"{what}: strides and dilations must be at least 1. Received strides={list(strides)}, "
            f"dilations={list(dilations)}."
        )
    if cut and any(own < 1 or own > max(size, _WIDEST) and size >= 0
                   for own, size in zip(kernel, sizes, strict=True)):
        raise ValueError(
            f"{what}: a window must hold an element, and one of more than {_WIDEST} be no larger than the input. "
            f"Received windows of size {list(kernel)} over an input of size {list(sizes)}."
        )
    if 0 in kernel:
        raise ValueError(f"{what}: a window must hold an element. Received windows of size {list(kernel)}.")
    if algorithm == "SAME":
        dilations = (1,) * rank
        pads = tuple(_same_pads(*one) for one in zip(sizes, kernel, strides, strict=True))
        out = tuple(-1 if size < 0 else -(-size // stride) for size, stride in zip(sizes, strides, strict=True))
    else:
        pads = ((0, 0),) * rank if algorithm == "VALID" else pad_pairs(paddings, rank)
        out = tuple(_count(*one, ceil, cut) for one in zip(sizes, pads, kernel, strides, dilations, strict=True))
    if any(count < (1 if size or cut else 0) for count, size, own in zip(out, sizes, kernel, strict=True)
           if size >= 0 and own >= 0):  # an image of no rows has as many windows
        raise ValueError(
            f"{what}: no window fits. Received an input of size {list(sizes)} with padding {[list(p) for p in pads]}, "
            f"windows of size {list(kernel)} with dilation {list(dilations)}. Use a smaller window or more padding."
        )
    return Geometry(kernel, strides, dilations, pads, sizes, out)


def windows(xp: Any, x: Any, geo: Geometry) -> Any:
    """The windows of a padded array as a view of shape [*leading, *kernel, *out]."""
    rank = len(geo.kernel)
    lead, steps = x.strides[:-rank], x.strides[-rank:]
    within = tuple(step * dilation for step, dilation in zip(steps, geo.dilations, strict=True))
    between = tuple(step * stride for step, stride in zip(steps, geo.strides, strict=True))
    return xp.lib.stride_tricks.as_strided(
        x, (*x.shape[:-rank], *geo.kernel, *geo.out), (*lead, *within, *between))


def padded(xp: Any, x: Any, geo: Geometry, fill: float = 0.0) -> Any:
    """The array with its padding; itself where there is none."""
    if not geo.is_padded:
        return x
    rank = len(geo.sizes)
    shape = (*x.shape[:-rank], *geo.padded)
    result = xp.zeros(shape, x.dtype) if fill == 0 else xp.full(shape, fill, x.dtype)
    result[(..., *geo.inner)] = x
    return result


def padded_parts(xp: Any, x: Any, geo: Geometry, chunk: int) -> Iterator[tuple[slice, Any]]:
    """Padded parts of `chunk` samples each, with where they lie; the next part overwrites the one before."""
    count = x.shape[0]
    buffer = xp.zeros((min(chunk, count), x.shape[1], *geo.padded), x.dtype) if geo.is_padded else None
    for start in range(0, count, chunk):
        where = slice(start, min(start + chunk, count))
        if buffer is None:
            yield where, x[where]
        else:
            part = buffer[:where.stop - start]
            part[(..., *geo.inner)] = x[where]
            yield where, part


def parts_of(xp: Any, count: int, elements: int) -> int:
    """How many of `count` samples to take at once, each making `elements` elements that should stay in the cache."""
    budget = 2**19 if xp is np else 2**27
    return max(1, min(count, budget // max(elements, 1)))

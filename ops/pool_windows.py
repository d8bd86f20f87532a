"""Windows that slide over spatial dimensions: paddings as files and users write them, output sizes, strided views.

What convolution and pooling share. Works on arrays with batch and channels in front and the spatial dimensions last.
"""


from collections.abc import Sequence
from typing import Any

Pads = list[tuple[int, int]]


def explicit_pads(paddings: Sequence[int], rank: int) -> Pads:
    """(before, after) for each spatial dimension, from one number a dimension or two."""
    if len(paddings) == rank:
        return [(p, p) for p in paddings]
    if len(paddings) == 1:
        return [(paddings[0], paddings[0])] * rank
    return [(paddings[2 * n], paddings[2 * n + 1]) for n in range(rank)]


def resolve_pads(algorithm: str, paddings: Sequence[int], sizes: Sequence[int], kernel: Sequence[int],
                 strides: Sequence[int]) -> Pads:
    """The padding of each spatial dimension; 'SAME' makes the output ceil(size / stride), the odd one behind."""
    rank = len(kernel)
    if algorithm == "VALID":
        return [(0, 0)] * rank
    if algorithm == "SAME":
        totals = [max((-(-size // s) - 1) * s + k - size, 0) if size >= 0 else 0
                  for size, k, s in zip(sizes, kernel, strides, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    return explicit_pads(paddings, rank)


def window_count(size: int, kernel: int, stride: int, pads: tuple[int, int], dilation: int = 1,
                 ceil: bool = False) -> int:
    """How many windows fit along a dimension; -1 where its size is not known."""
    if size < 0:
        return -1
    room = size + pads[0] + pads[1] - (dilation * (kernel - 1) + 1)
    return (room + (stride - 1 if ceil else 0)) // stride + 1 if room >= 0 or ceil else 0


def padded(xp: Any, x: Any, pads: Pads, value: float = 0) -> Any:
    """x with `value` around its last dimensions (x itself where there is nothing to add)."""
    if not any(before or after for before, after in pads):
        return x
    rank = len(pads)
    sizes = tuple(n + before + after for n, (before, after) in zip(x.shape[-rank:], pads, strict=True))
    shape = x.shape[:-rank] + sizes
    result = xp.zeros(shape, x.dtype) if value == 0 else xp.full(shape, value, x.dtype)
    inner = tuple(slice(before, before + n) for n, (before, _) in zip(x.shape[-rank:], pads, strict=True))
    result[(..., *inner)] = x
    return result


def window_slices(offsets: Sequence[int], counts: Sequence[int], strides: Sequence[int],
                  dilations: Sequence[int] | None = None) -> tuple:
    """The index of the elements that stand at `offsets` in each of the windows, along the last dimensions."""
    starts = offsets if dilations is None else [o * d for o, d in zip(offsets, dilations, strict=True)]
    return (..., *(slice(o, o + s * (n - 1) + 1, s) for o, n, s in zip(starts, counts, strides, strict=True)))


def window_view(xp: Any, x: Any, kernel: Sequence[int], counts: Sequence[int], strides: Sequence[int],
                dilations: Sequence[int]) -> Any:
    """A view [channels, *kernel, batch, *counts] of x [channels, batch, *sizes]: every window's elements, uncopied."""
    inner = x.strides[2:]
    steps = tuple(step * s for step, s in zip(inner, strides, strict=True))
    dilated = tuple(step * d for step, d in zip(inner, dilations, strict=True))
    return xp.lib.stride_tricks.as_strided(
        x, (x.shape[0], *kernel, x.shape[1], *counts), (x.strides[0], *dilated, x.strides[1], *steps))

"""Padding: pad3d and pad, and the operator of their gradient.

Modes: 'constant' (a value), 'reflect' (mirrored without the edge), 'replicate' (the edge again), 'circular' (from the
other end). pad3d pads the three spatial dimensions of [N, C, D, H, W] (or channels last), the last dimension first.
"""


import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.kernels.padding import framed
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .gather import add_at
from .reshape import squeeze, unsqueeze

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""The modes, and what the array namespace calls them."""

_Widths = list[tuple[int, int]]


def _widths(paddings: Sequence[int], data_format: str) -> _Widths:
    """(before, after) of all five dimensions."""
    pairs = [(int(paddings[n]), int(paddings[n + 1])) for n in range(0, len(paddings), 2)][::-1]
    return [(0, 0), *pairs, (0, 0)] if data_format == "NDHWC" else [(0, 0), (0, 0), *pairs]


def _padded(xp: Any, x: Any, widths: _Widths, mode: str, value: float) -> Any:
    if mode == "constant":
        return _surrounded(xp, x, widths, value)
    _check_mirrored("pad(x, pad)", x.shape, widths, mode)
    if x.ndim > 2 and x.size and any(widths[-1]) and not any(map(any, widths[:-2])):
        rows, columns = (_positions(n, *width, mode) for n, width in zip(x.shape[-2:], widths[-2:], strict=True))
        found = framed(x, rows, columns, widths[-1][0])
        if found is not NotImplemented:
            return found
    for axis, (before, after) in enumerate(widths):
        if before or after:
            x = xp.take(x, _sources(xp, x.shape[axis], before, after, mode), axis)
    return x


def _check_mirrored(what: str, shape: Sequence[int], widths: _Widths, mode: str) -> None:
    """ValueError where a mirror image would need more than there is: programs rely on it to pad in another way."""
    for size, (before, after) in zip(shape, widths, strict=True):
        if mode == "reflect" and 0 <= size <= max(before, after) and (before or after):
            raise ValueError(f"{what}: with mode='reflect' a width must be at most {max(size - 1, 0)}, for "
                             f"x.shape={list(shape)}. Received {widths}; mode='replicate' takes any width.")


def _sources(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """Where the elements along a padded dimension come from."""
    return xp.asarray(_positions(size, before, after, mode))


@functools.lru_cache(256)
def _positions(size: int, before: int, after: int, mode: str) -> np.ndarray:
    how: Any = MODES[mode]
    found = np.pad(np.arange(size), (before, after), how)
    found.flags.writeable = False
    return found


def _surrounded(xp: Any, x: Any, widths: _Widths, value: float) -> Any:
    """x in the middle of an array of `value`; ValueError for a negative width."""
    sizes, inside = [], []
    for n, (before, behind) in zip(x.shape, widths, strict=True):
        if before < 0 or behind < 0:
            raise ValueError("pad(x): the widths of the padding must not be negative, nor an array be put into a "
                             f"smaller one. Received {widths} for x.shape={list(x.shape)}.")
        sizes.append(n + before + behind)
        inside.append(slice(before, before + n))
    result = xp.zeros(sizes, x.dtype) if value == 0 else xp.full(sizes, value, x.dtype)
    result[tuple(inside)] = x
    return result


def _unpadded(xp: Any, g: Any, widths: _Widths, mode: str) -> Any:
    """Each element of g added where the element in its place came from."""
    if mode == "constant":
        return g[tuple(slice(a, n - b) for n, (a, b) in zip(g.shape, widths, strict=True))]
    for axis, (before, after) in enumerate(widths):
        if before or after:
            g = _unpadded_along(xp, g, axis, before, after, mode)
    return g


def _unpadded_along(xp: Any, g: Any, axis: int, before: int, after: int, mode: str) -> Any:
    """What one edge holds comes from different elements, but where the edge's element is repeated."""
    size = g.shape[axis] - before - after
    g = xp.moveaxis(g, axis, 0)
    result = g[before:before + size].copy()
    sources = _sources(xp, size, before, after, mode)
    for edge in (slice(0, before), slice(before + size, None)):
        if mode == "replicate":
            result[sources[edge][:1]] += g[edge].sum(0, dtype=g.dtype)
        elif max(before, after) < size or mode == "circular" and max(before, after) <= size:
            result[sources[edge]] += g[edge]
        else:
            add_at(xp, result, sources[edge], g[edge])
    return xp.moveaxis(result, 0, axis)


def _pad3d(xp, x, paddings_tensor=None, *, paddings: Ints = (), mode: str = "constant", value: float = 0.0,
           data_format: str = "NCDHW"):
    given = paddings if paddings_tensor is None else [int(n) for n in paddings_tensor]
    return _padded(xp, x, _widths(given, data_format), mode, value)


def _unpad3d(xp, g, paddings_tensor=None, *, paddings: Ints = (), mode: str = "constant", data_format: str = "NCDHW"):
    given = paddings if paddings_tensor is None else [int(n) for n in paddings_tensor]
    return _unpadded(xp, g, _widths(given, data_format), mode)


def _grown(what: str, x: Spec, widths: _Widths, mode: str = "constant") -> Spec:
    for before, after in widths:
        if min(before, after) < 0:
            raise ValueError(f"{what}: widths must not be negative. Received {widths}; take a part with a slice.")
    _check_mirrored(what, x.shape, widths, mode)
    return Spec(tuple(n + a + b if n >= 0 else -1 for n, (a, b) in zip(x.shape, widths, strict=True)), x.dtype)


def _unknown(x: Spec, data_format: str) -> Spec:
    if data_format == "NDHWC":
        return Spec((x.shape[0], -1, -1, -1, x.shape[4]), x.dtype)
    return Spec((*x.shape[:2], -1, -1, -1), x.dtype)


def _infer_pad3d(x, paddings_tensor=None, *, paddings=(), mode="constant", value=0.0, data_format="NCDHW"):
    if x.rank != 5 or mode not in MODES:
        raise ValueError(f"pad(x, pad, mode): mode must be one of {', '.join(MODES)}, and x have 3, 4 or 5 dimensions. "
                         f"Received mode={mode!r}, x.shape={list(x.shape)}.")
    if paddings_tensor is not None:
        return _unknown(x, data_format)
    return _grown("pad(x, pad)", x, _widths(paddings, data_format), mode)


def _infer_unpad3d(g, paddings_tensor=None, *, paddings=(), mode="constant", data_format="NCDHW"):
    if paddings_tensor is not None:
        return _unknown(g, data_format)
    return _shrunk(g, _widths(paddings, data_format))


def _shrunk(g: Spec, widths: _Widths) -> Spec:
    return Spec(tuple(n - a - b if n >= 0 else -1 for n, (a, b) in zip(g.shape, widths, strict=True)), g.dtype)


unpad3d_op = operator("unpad3d", "G, Paddings? -> XGrad~G", kernel=_unpad3d, infer=_infer_unpad3d, grad={
    "G": lambda g, Paddings, paddings, mode, data_format: apply(
        pad3d_op, g, Paddings, paddings=paddings, mode=mode, data_format=data_format)}, only_here=True)
pad3d_op = operator("pad3d", "X, Paddings? -> Out", kernel=_pad3d, infer=_infer_pad3d, grad={
    "X": lambda g, Paddings, paddings, mode, data_format: apply(
        unpad3d_op, g, Paddings, paddings=paddings, mode=mode, data_format=data_format)}, moves=True)


# pad: a constant around any dimension, the first one first

def _pairs(paddings: Sequence[int]) -> _Widths:
    return [(int(paddings[n]), int(paddings[n + 1])) for n in range(0, len(paddings), 2)]


def _pad(xp, x, *, paddings: Ints, pad_value: float = 0.0):
    return _padded(xp, x, _pairs(paddings), "constant", pad_value)


def _unpad(xp, g, *, paddings: Ints):
    return _unpadded(xp, g, _pairs(paddings), "constant")


unpad_op = operator(
    "unpad", "G -> XGrad~G", kernel=_unpad,
    infer=lambda g, *, paddings: _shrunk(g, _pairs(paddings)),
    grad={"G": lambda g, paddings: apply(pad_op, g, paddings=paddings)}, moves=True, only_here=True)
pad_op = operator(
    "pad", "X -> Out", kernel=_pad, compiled="pad",
    infer=lambda x, *, paddings, pad_value=0.0: _grown("pad(x, pad)", x, _pairs(paddings)),
    grad={"X": lambda g, paddings: apply(unpad_op, g, paddings=paddings)}, moves=True)


# the same around sequences and images [N, C, ...]; Programs hold pad3d between dimensions of size 1

def _image_widths(paddings: Sequence[int], data_format: str) -> _Widths:
    pairs = _pairs(paddings)[::-1]
    return [(0, 0), *pairs, (0, 0)] if data_format[-1] == "C" else [(0, 0), (0, 0), *pairs]


def _pad_image(xp, x, *, paddings: Ints, value: float = 0.0, data_format: str = "NCHW"):
    return _surrounded(xp, x, _image_widths(paddings, data_format), value)


def padded_as_volume(x: Any, *, paddings: Sequence[int], mode: str = "constant", value: float = 0.0,
                     data_format: str = "NCHW", tensor: Any = None) -> Any:
    """By pad3d, with dimensions of size 1 put in before and taken out after; `tensor` holds six widths, or is None."""
    last = data_format[-1] == "C"
    added = [1 if last else 2] * (5 - len(x.shape))
    for axis in added:
        x = unsqueeze(x, axis)
    widths = [*paddings, *[0] * (6 - len(paddings))] if tensor is None else []
    result = apply(pad3d_op, x, tensor, paddings=widths, mode=mode, value=value,
                   data_format="NDHWC" if last else "NCDHW")
    for axis in added:
        result = squeeze(result, axis)
    return result


pad_image_op = operator(
    "pad_image", "X -> Out", kernel=_pad_image, composed=padded_as_volume, compiled="pad_image",
    infer=lambda x, *, paddings, value=0.0, data_format="NCHW": _grown(
        "pad(x, pad)", x, _image_widths(paddings, data_format)),
    grad={"X": lambda g, paddings, data_format: apply(
        unpad_op, g, paddings=[n for pair in _image_widths(paddings, data_format) for n in pair])}, moves=True)

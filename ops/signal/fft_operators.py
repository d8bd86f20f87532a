"""The operators of Fourier transforms: complex to complex, real to complex, complex to real.

Of a real signal's spectrum one half says all: a `onesided` result has n // 2 + 1 elements along the last of the axes.
A transform's gradient is a transform in the other direction.
"""


from typing import Any

from ...core.dtype import complex64, float32
from ..array.full import full_of_shape
from ..array.rearrange import real_op
from ..array.slices import Ranges
from ..array.unknown_sizes import size_at
from ..core.infer import normalize_axis
from ..core.operator import Long, Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrices import COMPLEX, REAL

SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The normalization of the transform in the other direction that divides where this one does."""


def _as_wide(found: Any, x: Any) -> Any:
    """A transform in the width of what it was made of: NumPy 1 computes all of them in double precision."""
    width = x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1)
    return found if width > 4 else found.astype("complex64" if found.dtype.kind == "c" else "float32", copy=False)


def _c2c(xp, x, *, axes: Longs, normalization: str, forward: bool):
    return _as_wide((xp.fft.fftn if forward else xp.fft.ifftn)(x, axes=tuple(axes), norm=normalization), x)


def _r2c(xp, x, *, axes: Longs, normalization: str, forward: bool, onesided: bool):
    if not onesided:
        return _c2c(xp, x, axes=axes, normalization=normalization, forward=forward)
    if forward:
        return _as_wide(xp.fft.rfftn(x, axes=tuple(axes), norm=normalization), x)
    return _as_wide(xp.fft.rfftn(x, axes=tuple(axes), norm=SWAPPED[normalization]).conj(), x)


def _c2r(xp, x, *, axes: Longs, normalization: str, forward: bool, last_dim_size: Long = 0):
    sizes = [x.shape[n] for n in axes]
    sizes[-1] = last_dim_size if last_dim_size > 0 else 2 * (sizes[-1] - 1)
    if forward:
        return _as_wide(xp.fft.irfftn(x.conj(), s=sizes, axes=tuple(axes), norm=SWAPPED[normalization]), x)
    return _as_wide(xp.fft.irfftn(x, s=sizes, axes=tuple(axes), norm=normalization), x)


def _check(x: Spec, axes: Any, normalization: str) -> None:
    for n in axes:
        normalize_axis("fft(x, axis)", n, x.rank)
    if normalization not in SWAPPED:
        raise ValueError(f"fft(x, norm=...): must be 'backward', 'ortho' or 'forward'. Received {normalization!r}.")


def _infer_c2c(x, *, axes, normalization, forward):
    _check(x, axes, normalization)
    if not x.dtype.is_complex:
        raise ValueError(f"fft_c2c(x): x must be complex. Received {x.dtype.name}.")
    return x


def _with_size(x: Spec, axis: int, size: int) -> tuple[int, ...]:
    axis %= x.rank
    return (*x.shape[:axis], size, *x.shape[axis + 1:])


def _infer_r2c(x, *, axes, normalization, forward, onesided):
    _check(x, axes, normalization)
    if not x.dtype.is_floating:
        raise ValueError(f"rfft(x), ihfft(x): x must be real. Received {x.dtype.name}; use fft() or ifft() for complex "
                         "values.")
    size = x.shape[axes[-1]]
    size = size // 2 + 1 if onesided and size >= 0 else size
    return Spec(_with_size(x, axes[-1], size), COMPLEX.get(x.dtype, complex64))


def _infer_c2r(x, *, axes, normalization, forward, last_dim_size=0):
    _check(x, axes, normalization)
    size = x.shape[axes[-1]]
    size = last_dim_size if last_dim_size > 0 else 2 * (size - 1) if size >= 0 else -1
    if size == 0:
        raise ValueError("irfft(x), hfft(x): of one element the length of the result is not known; give it with n=1.")
    return Spec(_with_size(x, axes[-1], size), REAL.get(x.dtype, float32))


def _r2c_gradient(g: Any, shape: Any, axes: Any, normalization: str, forward: bool, onesided: bool) -> Any:
    if not onesided:
        return apply(real_op, apply(c2c_op, g, axes=axes, normalization=SWAPPED[normalization], forward=not forward))
    size = (shape if type(shape) is tuple else shape.shape)[axes[-1]]
    if size == -1:  # only a run tells how much of the whole the half is
        half = Ranges()
        half.add(axes[-1] % len(g.shape), 0, size_at(g, axes[-1]))
        whole = half.put(full_of_shape(shape, 0.0, g.dtype), g)
        return _r2c_gradient(whole, shape, axes, normalization, forward, onesided=False)
    halved = apply(scale_paired_op, g, None, axis=axes[-1], size=size, factor=0.5)
    return apply(c2r_op, halved, axes=axes, normalization=SWAPPED[normalization], forward=not forward,
                 last_dim_size=size)


def _c2r_gradient(g: Any, axes: Any, normalization: str, forward: bool) -> Any:
    size = g.shape[axes[-1]]
    result = apply(r2c_op, g, axes=axes, normalization=SWAPPED[normalization], forward=not forward, onesided=True)
    return apply(scale_paired_op, result, g if size == -1 else None, axis=axes[-1], size=size, factor=2.0)


def _scale_paired(xp, x, whole=None, *, axis: int, size: int, factor: float):
    size = size if whole is None else whole.shape[axis]
    weights = xp.full(x.shape[axis], factor, "float32" if x.dtype.itemsize == 8 else "float64")
    weights[:1] = 1
    if size % 2 == 0:
        weights[size // 2:] = 1
    return x * weights.reshape(-1, *(1,) * (x.ndim - 1 - axis % x.ndim))


c2c_op = operator("fft_c2c", "X -> Out", kernel=_c2c, infer=_infer_c2c, grad={
    "X": lambda g, axes, normalization, forward: apply(
        c2c_op, g, axes=axes, normalization=SWAPPED[normalization], forward=not forward)})
r2c_op = operator("fft_r2c", "X -> Out", kernel=_r2c, infer=_infer_r2c, grad={
    "X": lambda g, X_shape, axes, normalization, forward, onesided: _r2c_gradient(
        g, X_shape, axes, normalization, forward, onesided)}, lod="drop")
c2r_op = operator("fft_c2r", "X -> Out", kernel=_c2r, infer=_infer_c2r, grad={
    "X": lambda g, axes, normalization, forward: _c2r_gradient(g, axes, normalization, forward)}, lod="drop")
scale_paired_op = operator(
    "scale_paired", "X, Whole? -> Out", kernel=_scale_paired, infer=lambda x, whole=None, **_: x, grad={
        "X": lambda g, Whole, axis, size, factor: apply(scale_paired_op, g, Whole, axis=axis, size=size,
                                                        factor=factor)}, only_here=True)
"""Half a spectrum times a factor, except for what has no counterpart in the other half: the first element, and that of
the highest frequency of an even size, which is that of `Whole` where `size` is not known (-1)."""

"""Fourier transforms as the user calls them: fft and its relatives in one, two and n dimensions, shifts, frequencies.

`n` or `s` give sizes to which the input is first cut, or filled up with zeros; `norm` says which direction divides by
the number of elements: 'backward', 'forward', or both by its root ('ortho').
"""


from collections.abc import Sequence
from typing import Any

from ...core.dtype import convert_dtype, get_default_dtype_object
from ..array.concat_split import stack
from ..array.creation import arange
from ..array.full import is_value, value_of
from ..array.pad import pad_op
from ..array.rearrange import real_op, roll, roll_op
from ..array.reshape import ints_of, numbers_of, reshape, shape
from ..array.slices import Ranges
from ..array.unknown_sizes import surrounded
from ..core.infer import normalize_axis
from ..core.trace import apply
from ..linalg.matrices import COMPLEX
from ..math.casting import as_floating, cast
from .fft_operators import SWAPPED, c2c_op, c2r_op, r2c_op


def _resized(what: str, x: Any, axes: Sequence[int], sizes: Sequence[Any]) -> Any:
    """x cut, or filled up with zeros, to sizes along axes."""
    ranges, paddings = Ranges(), [0] * (2 * x.ndim)
    for axis, size in zip(axes, sizes, strict=True):
        have = x.shape[axis]
        is_known = not is_value(size)
        if is_known and size <= 0:
            raise ValueError(f"{what}: the length of a transform must be positive. Received {size}.")
        if not is_known or size < have or have == -1:
            ranges.add(axis, 0, size)
        paddings[2 * axis + 1] = max(size - have, 0) if is_known and have >= 0 else size  # enough for any size of a run
    if any(map(is_value, paddings)):
        return ranges.take(surrounded(x, paddings, 0.0))
    if any(x.shape[axis] == -1 for axis in axes):
        return ranges.take(apply(pad_op, x, paddings=paddings))
    x = ranges.take(x) if ranges.axes else x
    return apply(pad_op, x, paddings=paddings) if any(paddings) else x


def _axes_and_sizes(what: str, x: Any, s: Any, axes: Any) -> tuple[list[int], list[Any] | None]:
    sizes = None if s is None else numbers_of(s)
    if axes is None:
        found = list(range(x.ndim if sizes is None else len(sizes)))
        found = [n + x.ndim - len(found) for n in found]
    else:
        found = ints_of(axes)
    if not found or len(found) > x.ndim:
        raise ValueError(f"{what}: x must have a dimension for each of the axes, at least one. "
                         f"Received x.shape={list(x.shape)}, {len(found)} axes.")
    found = [normalize_axis(what, n, x.ndim) for n in found]
    if len(set(found)) < len(found):
        raise ValueError(f"{what}: the axes must differ. Received {axes}.")
    if sizes is not None and len(sizes) != len(found):
        raise ValueError(f"{what}: s and axes must be of one length. Received s={sizes}, axes={found}.")
    return found, sizes


def _pair(what: str, axes: Any) -> Any:
    if axes is not None and len(ints_of(axes)) != 2:
        raise ValueError(f"{what}: takes two axes. Received {axes}; fftn and its kin take any number.")
    return axes


def _checked_norm(what: str, norm: str) -> str:
    if norm not in SWAPPED:
        raise ValueError(f"{what}: norm must be 'backward', 'ortho' or 'forward'. Received {norm!r}.")
    return norm


def _complex(what: str, x: Any, s: Any, axes: Any, norm: str, forward: bool) -> Any:
    """A transform with a complex result of all elements."""
    x = value_of(x)
    found, sizes = _axes_and_sizes(what, x, s, axes)
    x = as_floating(x)
    x = x if sizes is None else _resized(what, x, found, sizes)
    given = {"axes": found, "normalization": _checked_norm(what, norm), "forward": forward}
    return apply(c2c_op, x, **given) if x.dtype.is_complex else apply(r2c_op, x, onesided=False, **given)


def _half(what: str, x: Any, s: Any, axes: Any, norm: str, forward: bool) -> Any:
    """A transform of real values: half of its result."""
    x = value_of(x)
    found, sizes = _axes_and_sizes(what, x, s, axes)
    x = as_floating(x)
    if x.dtype.is_complex:  # of which a device would take the real part
        raise ValueError(f"{what}: x must be real. Received x.dtype={x.dtype.name}. Take fft of complex numbers.")
    x = x if sizes is None else _resized(what, x, found, sizes)
    return apply(r2c_op, x, axes=found, normalization=_checked_norm(what, norm), forward=forward, onesided=True)


def _real(what: str, x: Any, s: Any, axes: Any, norm: str, forward: bool) -> Any:
    """A transform of half of a spectrum, with a real result."""
    x = value_of(x)
    found, sizes = _axes_and_sizes(what, x, s, axes)
    x = as_floating(x)
    x = x if x.dtype.is_complex else cast(x, COMPLEX.get(x.dtype, "complex64"))
    if sizes is not None and is_value(sizes[-1]):
        return _real_of_unknown(what, x, found, sizes, {"normalization": _checked_norm(what, norm), "forward": forward})
    last = x.shape[found[-1]]
    last = 2 * (last - 1) if last >= 0 else 0
    if sizes is not None:
        last = sizes[-1]
        x = _resized(what, x, found, [*sizes[:-1], last // 2 + 1 if last > 0 else 0])
    return apply(c2r_op, x, axes=found, normalization=_checked_norm(what, norm), forward=forward, last_dim_size=last)


def _real_of_unknown(what: str, x: Any, axes: Sequence[int], sizes: Sequence[Any], given: dict[str, Any]) -> Any:
    """As `_real`, of a size that only a run tells: elements that have a counterpart in the other half count twice."""
    *others, last = axes
    size = sizes[-1]
    x = _resized(what, x, axes, [*sizes[:-1], size // 2 + 1])
    x = apply(c2c_op, x, axes=others, **given) if others else x
    places = arange(size // 2 + 1)
    times = cast(places > 0, x.dtype) + cast(places * 2 < size, x.dtype)
    x = x * reshape(times, [-1, *[1] * (x.ndim - 1 - last)])
    return apply(real_op, apply(c2c_op, _resized(what, x, [last], [size]), axes=[last], **given))


def _one(n: Any) -> list[Any] | None:
    return None if n is None else [n]


def _along(axis: int | None) -> list[int]:
    """The axis in a list; the last one for None, as Paddle takes it."""
    return [-1 if axis is None else axis]


# complex values to complex values

def fft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The discrete Fourier transform along `axis`: sum over t of x[t] exp(-2πi k t / n), complex.

    x is first cut, or filled up with zeros, to n elements. Raises ValueError for an axis, n or norm that cannot be.

    >>> import proa as paddle
    >>> paddle.fft.fft(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return _complex("fft(x, n, axis)", x, _one(n), _along(axis), norm, True)


def fft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """The discrete Fourier transform, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.fft2(paddle.ones([4, 4])).shape
    [4, 4]
    """
    return _complex("fft2(x, s, axes)", x, s, _pair("fft2(x, s, axes)", axes), norm, True)


def fftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """The discrete Fourier transform, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.fftn(paddle.ones([4, 4])).shape
    [4, 4]
    """
    return _complex("fftn(x, s, axes)", x, s, axes, norm, True)


def ifft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `fft`: sum over k of x[k] exp(2πi k t / n), divided by n.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], "float64")
    >>> paddle.fft.ifft(x).numpy().round(3).tolist()
    [(2.5+0j), (-0.5-0.5j), (-0.5+0j), (-0.5+0.5j)]
    """
    return _complex("ifft(x, n, axis)", x, _one(n), _along(axis), norm, False)


def ifft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """The inverse discrete Fourier transform, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.ifft2(paddle.ones([4, 4])).shape
    [4, 4]
    """
    return _complex("ifft2(x, s, axes)", x, s, _pair("ifft2(x, s, axes)", axes), norm, False)


def ifftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse discrete Fourier transform, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.ifftn(paddle.ones([4, 4])).shape
    [4, 4]
    """
    return _complex("ifftn(x, s, axes)", x, s, axes, norm, False)



# real values and half of a spectrum

def rfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The first n // 2 + 1 elements of the `fft` of real values: the others are their conjugates.

    x is first cut, or filled up with zeros, to n elements. Raises ValueError for an axis, n or norm that cannot be.

    >>> import proa as paddle
    >>> paddle.fft.rfft(paddle.to_tensor([1.0, 2.0, 3.0, 4.0])).tolist()
    [(10+0j), (-2+2j), (-2+0j)]
    """
    return _half("rfft(x, n, axis)", x, _one(n), _along(axis), norm, True)


def rfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """Half of the Fourier transform of real values, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.rfft2(paddle.ones([4, 4])).shape
    [4, 3]
    """
    return _half("rfft2(x, s, axes)", x, s, _pair("rfft2(x, s, axes)", axes), norm, True)


def rfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """Half of the Fourier transform of real values, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.rfftn(paddle.ones([4, 4])).shape
    [4, 3]
    """
    return _half("rfftn(x, s, axes)", x, s, axes, norm, True)


def irfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `rfft`: n real values, by default 2 * (size - 1), from half of their spectrum.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], "float64")
    >>> paddle.fft.irfft(x).numpy().round(3).tolist()
    [2.5, -0.667, 0.0, -0.167, 0.0, -0.667]
    """
    return _real("irfft(x, n, axis)", x, _one(n), _along(axis), norm, False)


def irfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `rfft2`, real, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.irfft2(paddle.ones([4, 4])).shape
    [4, 6]
    """
    return _real("irfft2(x, s, axes)", x, s, _pair("irfft2(x, s, axes)", axes), norm, False)


def irfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `rfftn`, real, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.irfftn(paddle.ones([4, 4])).shape
    [4, 6]
    """
    return _real("irfftn(x, s, axes)", x, s, axes, norm, False)



# half of a signal and a real spectrum

def hfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The real `fft` of a signal with x[-t] = conj(x[t]), of which the first half is given.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], "float64")
    >>> paddle.fft.hfft(x).numpy().round(3).tolist()
    [15.0, -4.0, 0.0, -1.0, 0.0, -4.0]
    """
    return _real("hfft(x, n, axis)", x, _one(n), _along(axis), norm, True)


def hfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """The real Fourier transform of a signal given by half, as `hfft`, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.hfft2(paddle.ones([4, 4])).shape
    [4, 6]
    """
    return _real("hfft2(x, s, axes)", x, s, _pair("hfft2(x, s, axes)", axes), norm, True)


def hfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """The real Fourier transform of a signal given by half, as `hfft`, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.hfftn(paddle.ones([4, 4])).shape
    [4, 6]
    """
    return _real("hfftn(x, s, axes)", x, s, axes, norm, True)


def ihfft(x: Any, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `hfft`: the first half of a signal, from its real spectrum.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0], "float64")
    >>> paddle.fft.ihfft(x).numpy().round(3).tolist()
    [(2.5-0j), (-0.5-0.5j), (-0.5-0j)]
    """
    return _half("ihfft(x, n, axis)", x, _one(n), _along(axis), norm, False)


def ihfft2(x: Any, s: Any = None, axes: Any = (-2, -1), norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `hfft2`: half of a signal from its real spectrum, along two axes.

    >>> import proa as paddle
    >>> paddle.fft.ihfft2(paddle.ones([4, 4])).shape
    [4, 3]
    """
    return _half("ihfft2(x, s, axes)", x, s, _pair("ihfft2(x, s, axes)", axes), norm, False)


def ihfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward", name: str | None = None) -> Any:
    """The inverse of `hfftn`: half of a signal from its real spectrum, along `axes`: all, or the last len(s).

    >>> import proa as paddle
    >>> paddle.fft.ihfftn(paddle.ones([4, 4])).shape
    [4, 3]
    """
    return _half("ihfftn(x, s, axes)", x, s, axes, norm, False)


# shifts and frequencies

def _rolled(x: Any, axes: Any, back: bool) -> Any:
    x = value_of(x)
    found = list(range(x.ndim)) if axes is None else [normalize_axis("fftshift(x, axes)", n, x.ndim)
                                                      for n in ints_of(axes)]
    sizes = [x.shape[n] for n in found]
    if -1 not in sizes:
        return roll(x, [-(size // 2) if back else size // 2 for size in sizes], found)
    all_sizes = shape(x)
    halves = stack([all_sizes[n] for n in found]) // 2
    return apply(roll_op, x, halves * -1 if back else halves, shifts=[], axis=found)


def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """The halves of x exchanged along `axes`, by default all: frequency 0 comes to the middle.

    >>> import proa as paddle
    >>> paddle.fft.fftshift(paddle.to_tensor([0, 1, 2, -2, -1])).tolist()
    [-2, -1, 0, 1, 2]
    """
    return _rolled(x, axes, back=False)


def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Any:
    """The inverse of `fftshift`.

    >>> import proa as paddle
    >>> paddle.fft.ifftshift(paddle.to_tensor([-2, -1, 0, 1])).tolist()
    [0, 1, -2, -1]
    """
    return _rolled(x, axes, back=True)


def _frequencies(what: str, n: int, d: float, dtype: Any, first: int, last: int) -> Any:
    if n <= 0 or d == 0:
        raise ValueError(f"{what}: n must be positive and d not be 0. Received n={n}, d={d}.")
    found = get_default_dtype_object() if dtype is None else convert_dtype(dtype)
    return arange(first, last, 1, found if found.is_floating else get_default_dtype_object()) * (1.0 / (n * d))


def fftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Any:
    """The frequencies of the elements of an `fft` of n samples at distances d, in cycles per unit of d.

    >>> import proa as paddle
    >>> paddle.fft.fftfreq(4, 0.5).tolist()
    [0.0, 0.5, -1.0, -0.5]
    """
    return ifftshift(_frequencies("fftfreq(n, d)", n, d, dtype, -(n // 2), (n + 1) // 2))


def rfftfreq(n: int, d: float = 1.0, dtype: Any = None, name: str | None = None) -> Any:
    """The frequencies of the elements of an `rfft` of n samples at distances d, in cycles per unit of d.

    >>> import proa as paddle
    >>> paddle.fft.rfftfreq(4, 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    return _frequencies("rfftfreq(n, d)", n, d, dtype, 0, n // 2 + 1)

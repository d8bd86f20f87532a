"""The short-time Fourier transform, a spectrum of each frame of a signal, and its inverse: stft, istft."""


from typing import Any

from ...core.errors import AssertedError
from ..array.expand import expand
from ..array.full import full_of_shape, is_value, value_of
from ..array.gradient_shapes import sum_to
from ..array.pad import pad_op, padded_as_volume
from ..array.rearrange import real
from ..array.reshape import squeeze, unsqueeze
from ..array.slices import Ranges
from ..array.unknown_sizes import size_at
from ..core.infer import promoting, same
from ..core.operator import operator
from ..core.trace import apply
from ..linalg.matrices import REAL, as_like, transposed
from ..math.elementwise import conj_of
from .fft import fft, ifft, irfft, rfft
from .frames import frame, overlap_add

_LEAST = 1e-11
"""The least sum of squares of windows by which a signal is divided."""
_END = 2**31 - 1
"""The end of a range that reaches to the end."""


def _lengths(what: str, n_fft: int, hop_length: int | None, win_length: int | None) -> tuple[int, int]:
    """The hop and the window's length: a quarter of n_fft, and n_fft, by default."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if hop <= 0:
        raise AssertedError(f"{what}: hop_length must be positive. Received {hop}.")
    if not 0 < length <= n_fft:
        raise AssertedError(f"{what}: win_length must lie between 1 and n_fft={n_fft}. Received {length}.")
    return hop, length


def _window(what: str, window: Any, length: int, n_fft: int, dtype: Any) -> Any:
    """The window with zeros around it to n_fft elements; ones where there is none."""
    if window is None:
        window = full_of_shape((length,), 1.0, dtype)
    elif not is_value(window) or tuple(window.shape) not in ((length,), (-1,)):
        raise AssertedError(f"{what}: window must be a 1-D tensor of win_length={length} elements. "
                            f"Received {list(window.shape) if is_value(window) else type(window).__name__}.")
    before = (n_fft - length) // 2
    around = [before, n_fft - length - before]
    return apply(pad_op, window, paddings=around) if any(around) else window


def _inner(x: Any, margin: int, length: int | None) -> Any:
    """x without a margin at both ends, or so many elements behind the first margin."""
    ranges = Ranges()
    end = _END if margin == 0 else -margin
    ranges.add(x.ndim - 1, margin, end if length is None else margin + length)
    return ranges.take(x)


def _divide(xp, x, weights):
    if weights.size and not bool((xp.abs(weights) > _LEAST).all()):
        raise ValueError("istft(x): the windows leave elements out: the sum of their squares is 0 somewhere. Use "
                         "center=True, a smaller hop_length, or a window without zeros.")
    return x / weights


def _divided(x: Any, weights: Any) -> Any:
    return x / weights


_divide_op = operator(
    "divide_by_windows", "X, Weights -> Out", kernel=_divide, composed=_divided, infer=promoting(same),
    grad={"X": lambda g, Weights: g / Weights,
          "Weights": lambda g, Out, Weights, Weights_shape: sum_to(g * conj_of(Out) / Weights * -1.0, Weights_shape)},
          fails="values")


def stft(x: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
         center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool = True,
         name: str | None = None) -> Any:
    """The spectra of frames of signals x, [T] or [N, T], one each `hop_length` elements: [..., frequencies, frames].

    A frame has n_fft elements, times `window`, which has win_length (by default n_fft) and stands in the middle. With
    `center` x is first lengthened by n_fft // 2 on both sides, by its mirror image or zeros (pad_mode 'reflect' or
    'constant'), so that frame k is around element k * hop_length. `onesided` keeps the first n_fft // 2 + 1
    frequencies, which is all that real signals need; `normalized` divides by the root of n_fft. Raises ValueError where
    lengths, window or dtypes do not fit.

    >>> import proa as paddle
    >>> paddle.signal.stft(paddle.ones([2, 64]), n_fft=16).shape
    [2, 9, 17]
    """
    what, x = "stft(x)", value_of(x)
    if x.ndim not in (1, 2):
        raise AssertedError(f"{what}: x must have 1 or 2 dimensions, [T] or [N, T]. Received shape {list(x.shape)}.")
    hop, length = _lengths(what, n_fft, hop_length, win_length)
    if n_fft <= 0 or 0 <= x.shape[-1] < n_fft:
        raise AssertedError(f"{what}: n_fft must lie between 1 and the length {x.shape[-1]} of x. Received {n_fft}.")
    if pad_mode not in ("reflect", "constant"):
        raise AssertedError(f"{what}: pad_mode must be 'reflect' or 'constant'. Received {pad_mode!r}.")
    window = _window(what, window, length, n_fft, REAL.get(x.dtype, x.dtype))
    if onesided and (x.dtype.is_complex or window.dtype.is_complex):
        raise AssertedError(f"{what}: of complex values both halves of a spectrum are needed. Give onesided=False.")
    signals = unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        widths = [n_fft // 2, n_fft // 2]
        signals = squeeze(padded_as_volume(unsqueeze(signals, 1), paddings=widths, mode=pad_mode, data_format="NCL"), 1)
    frames = transposed(frame(signals, n_fft, hop)) * window
    transform = rfft if onesided else fft
    result = transposed(transform(frames, norm="ortho" if normalized else "backward"))
    return squeeze(result, 0) if x.ndim == 1 else result


def istft(x: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
          center: bool = True, normalized: bool = False, onesided: bool = True, length: int | None = None,
          return_complex: bool = False, name: str | None = None) -> Any:
    """The inverse of `stft`, with the same arguments: signals [T] or [N, T] from [..., frequencies, frames].

    The frames, times the window, are added up, and divided by the sum of the windows' squares. `length` cuts the
    result. With `return_complex`, which needs onesided=False, it is complex. Raises ValueError where lengths, window or
    dtypes do not fit, and where windows leave elements out, whose values cannot be known.

    >>> import proa as paddle
    >>> x = paddle.rand([2, 64])
    >>> y = paddle.signal.istft(paddle.signal.stft(x, n_fft=16), n_fft=16)
    >>> bool(paddle.allclose(x, y, atol=1e-5))
    True
    """
    what, x = "istft(x)", value_of(x)
    if x.ndim not in (2, 3):
        raise AssertedError(f"{what}: x must have 2 or 3 dimensions, [..., frequencies, frames]. "
                            f"Received shape {list(x.shape)}.")
    hop, size = _lengths(what, n_fft, hop_length, win_length)
    if hop > size:
        raise AssertedError(f"{what}: hop_length must not exceed win_length={size}, or elements are left out. "
                            f"Received {hop}.")
    frequencies = n_fft // 2 + 1 if onesided else n_fft
    if x.shape[-2] not in (frequencies, -1):
        raise AssertedError(f"{what}: for n_fft={n_fft} and onesided={onesided} x must have {frequencies} frequencies. "
                         f"Received x.shape={list(x.shape)}.")
    if onesided and (return_complex or (window is not None and window.dtype.is_complex)):
        raise AssertedError(f"{what}: complex signals need both halves of a spectrum. Give onesided=False.")
    spectra = unsqueeze(x, 0) if x.ndim == 2 else x
    norm = "ortho" if normalized else "backward"
    frames = transposed(spectra)
    frames = irfft(frames, n_fft, norm=norm) if onesided else ifft(frames, norm=norm)
    if not onesided and not return_complex:
        frames = real(frames)
    window = _window(what, window, size, n_fft, REAL.get(frames.dtype, frames.dtype))
    signals = overlap_add(transposed(frames * window), hop)
    squares = window * window
    weights = overlap_add(transposed(expand(squares, [size_at(spectra, -1), n_fft])), hop)
    margin = n_fft // 2 if center else 0
    signals = apply(_divide_op, _inner(signals, margin, length), as_like(_inner(weights, margin, length), signals))
    return squeeze(signals, 0) if x.ndim == 2 else signals

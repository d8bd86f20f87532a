"""The mel scale of pitch, and banks of triangular filters on it.

By default Slaney's scale: linear below 1000 Hz, logarithmic above (Auditory Toolbox, 1998); with `htk` that of the HTK
toolkit, 2595 · log10(1 + f / 700).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...ops.array.creation import linspace
from ...ops.array.full import is_value
from ...ops.array.reshape import unsqueeze
from ...ops.array.where import where
from ...ops.math.clip import clip
from ...ops.math.elementwise import maximum, minimum
from ...ops.math.statistics import norm as vector_norm
from ...ops.math.unary import exp, log, log10

_STEP = 200.0 / 3  # hertz a mel, below the break
_BREAK = 1000.0
_BREAK_MEL = _BREAK / _STEP
_LOG_STEP = math.log(6.4) / 27


def hz_to_mel(freq: Any, htk: bool = False) -> Any:
    """Frequencies in hertz on the mel scale: a number of a number, a tensor of a tensor.

    >>> import proa as paddle
    >>> round(paddle.audio.functional.hz_to_mel(4400.0), 3)
    36.55
    """
    if not is_value(freq):
        if htk:
            return 2595.0 * math.log10(1.0 + freq / 700.0)
        return freq / _STEP if freq < _BREAK else _BREAK_MEL + math.log(freq / _BREAK) / _LOG_STEP
    if htk:
        return log10(freq / 700.0 + 1.0) * 2595.0
    above = log(clip(freq, min=_BREAK) / _BREAK) / _LOG_STEP + _BREAK_MEL
    return where(freq < _BREAK, freq / _STEP, above)


def mel_to_hz(mel: Any, htk: bool = False) -> Any:
    """Pitches on the mel scale in hertz: a number of a number, a tensor of a tensor.

    >>> import proa as paddle
    >>> round(paddle.audio.functional.mel_to_hz(36.55), 1)
    4400.0
    """
    if not is_value(mel):
        if htk:
            return 700.0 * (10.0 ** (mel / 2595.0) - 1.0)
        return mel * _STEP if mel < _BREAK_MEL else _BREAK * math.exp(_LOG_STEP * (mel - _BREAK_MEL))
    if htk:
        return (exp(mel * (math.log(10.0) / 2595.0)) - 1.0) * 700.0
    above = exp((clip(mel, min=_BREAK_MEL) - _BREAK_MEL) * _LOG_STEP) * _BREAK
    return where(mel < _BREAK_MEL, mel * _STEP, above)


def mel_frequencies(n_mels: int = 64, f_min: float = 0.0, f_max: float = 11025.0, htk: bool = False,
                    dtype: str = "float32") -> Any:
    """`n_mels` frequencies in hertz from f_min to f_max, at equal distances on the mel scale: [n_mels].

    >>> import proa as paddle
    >>> paddle.audio.functional.mel_frequencies(3, 0.0, 1000.0).round().tolist()
    [0.0, 500.0, 1000.0]
    """
    return mel_to_hz(linspace(hz_to_mel(f_min, htk), hz_to_mel(f_max, htk), n_mels, dtype), htk)


def fft_frequencies(sr: int, n_fft: int, dtype: str = "float32") -> Any:
    """The frequencies of a spectrum of `n_fft` samples of a signal of rate `sr`: [n_fft // 2 + 1].

    >>> import proa as paddle
    >>> paddle.audio.functional.fft_frequencies(16000, 8).tolist()
    [0.0, 2000.0, 4000.0, 6000.0, 8000.0]
    """
    return linspace(0, sr / 2, n_fft // 2 + 1, dtype)


def compute_fbank_matrix(sr: int, n_fft: int, n_mels: int = 64, f_min: float = 0.0, f_max: float | None = None,
                         htk: bool = False, norm: str | float | None = "slaney", dtype: str = "float32") -> Any:
    """Triangular filters at equal distances on the mel scale, as weights of a spectrum: [n_mels, n_fft // 2 + 1].

    `f_max`: half of the rate by default. `norm="slaney"` gives each filter the area 1; a number, that norm 1.

    >>> import proa as paddle
    >>> paddle.audio.functional.compute_fbank_matrix(8000, 16, 4).shape
    [4, 9]
    """
    f_max = sr / 2.0 if f_max is None else f_max
    centres = mel_frequencies(n_mels + 2, f_min, f_max, htk, dtype)
    widths = centres[1:] - centres[:-1]
    ramps = unsqueeze(centres, 1) - unsqueeze(fft_frequencies(sr, n_fft, dtype), 0)
    rising = ramps[:-2] * -1.0 / unsqueeze(widths[:-1], 1)
    falling = ramps[2:] / unsqueeze(widths[1:], 1)
    weights = maximum(minimum(rising, falling), falling.zeros_like())
    if norm == "slaney":
        return weights * unsqueeze(2.0 / (centres[2:] - centres[:-2]), 1)
    if isinstance(norm, (int, float)):
        return weights / clip(vector_norm(weights, norm, -1, True), min=1e-12)
    if norm is not None:
        warnings.warn(f"audio.functional.compute_fbank_matrix(norm): 'slaney', a number or None. Received {norm!r}, "
                      "which is taken for None.", stacklevel=2)
    return weights

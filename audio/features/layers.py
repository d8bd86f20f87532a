"""Spectrograms, on the mel scale, in decibels, and cepstra: one made of the other."""

from __future__ import annotations

from typing import Any

from ...nn.layer import Layer
from ...ops.array.reshape import transpose
from ...ops.linalg.matrix_product import matmul
from ...ops.math.elementwise import pow
from ...ops.math.unary import abs as magnitude
from ...ops.signal.stft import stft
from ..functional import compute_fbank_matrix, create_dct, get_window, power_to_db


class Spectrogram(Layer):
    """The magnitudes of short-time spectra to a power: [batch, time] gives [batch, n_fft // 2 + 1, frames].

    `power` is 1 for magnitudes, 2 for powers. `hop_length` is a quarter of the window's length where it is None; the
    other settings are those of `paddle.signal.stft` and `get_window`.

    >>> import proa as paddle
    >>> paddle.audio.features.Spectrogram(n_fft=8, hop_length=4)(paddle.ones([1, 20])).shape
    [1, 5, 6]
    """

    def __init__(self, n_fft: int = 512, hop_length: int | None = 512, win_length: int | None = None,
                 window: Any = "hann", power: float = 1.0, center: bool = True, pad_mode: str = "reflect",
                 dtype: str = "float32") -> None:
        super().__init__()
        if power <= 0:
            raise ValueError(f"audio.features.Spectrogram(power): must be positive. Received {power}.")
        self.n_fft, self.power, self.center, self.pad_mode = n_fft, power, center, pad_mode
        self.win_length = n_fft if win_length is None else win_length
        self.hop_length = self.win_length // 4 if hop_length is None else hop_length
        self.register_buffer("fft_window", get_window(window, self.win_length, fftbins=True, dtype=dtype))

    def forward(self, x: Any) -> Any:
        """The spectrogram of signals."""
        spectra = stft(x, self.n_fft, self.hop_length, self.win_length, self.fft_window, self.center, self.pad_mode)
        return pow(magnitude(spectra), self.power)


class MelSpectrogram(Layer):
    """A spectrogram on the mel scale: [batch, time] gives [batch, n_mels, frames].

    `compute_fbank_matrix` says what f_min to norm mean.

    >>> import proa as paddle
    >>> paddle.audio.features.MelSpectrogram(sr=8000, n_fft=64, n_mels=8)(paddle.rand([1, 800])).shape
    [1, 8, 2]
    """

    def __init__(self, sr: int = 22050, n_fft: int = 2048, hop_length: int | None = 512, win_length: int | None = None,
                 window: Any = "hann", power: float = 2.0, center: bool = True, pad_mode: str = "reflect",
                 n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None, htk: bool = False,
                 norm: str | float = "slaney", dtype: str = "float32") -> None:
        super().__init__()
        self._spectrogram = Spectrogram(n_fft, hop_length, win_length, window, power, center, pad_mode, dtype)
        self.n_mels, self.f_min, self.htk, self.norm = n_mels, f_min, htk, norm
        self.f_max = sr // 2 if f_max is None else f_max
        filters = compute_fbank_matrix(sr, n_fft, n_mels, f_min, self.f_max, htk, norm, dtype)
        self.register_buffer("fbank_matrix", filters)

    def forward(self, x: Any) -> Any:
        """The spectrogram of signals."""
        return matmul(self.fbank_matrix, self._spectrogram(x))


class LogMelSpectrogram(Layer):
    """A spectrogram on the mel scale, in decibels (`power_to_db`).

    >>> import proa as paddle
    >>> paddle.audio.features.LogMelSpectrogram(sr=8000, n_fft=64, n_mels=8)(paddle.rand([1, 800])).shape
    [1, 8, 51]
    """

    def __init__(self, sr: int = 22050, n_fft: int = 512, hop_length: int | None = None, win_length: int | None = None,
                 window: Any = "hann", power: float = 2.0, center: bool = True, pad_mode: str = "reflect",
                 n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None, htk: bool = False,
                 norm: str | float = "slaney", ref_value: float = 1.0, amin: float = 1e-10,
                 top_db: float | None = None, dtype: str = "float32") -> None:
        super().__init__()
        self._melspectrogram = MelSpectrogram(sr, n_fft, hop_length, win_length, window, power, center, pad_mode,
                                              n_mels, f_min, f_max, htk, norm, dtype)
        self.ref_value, self.amin, self.top_db = ref_value, amin, top_db

    def forward(self, x: Any) -> Any:
        """The spectrogram of signals."""
        return power_to_db(self._melspectrogram(x), self.ref_value, self.amin, self.top_db)


class MFCC(Layer):
    """Mel-frequency cepstral coefficients: [batch, time] gives [batch, n_mfcc, frames].

    The cosine transform of the mel spectrogram in decibels. Davis and Mermelstein, Comparison of Parametric
    Representations for Monosyllabic Word Recognition, 1980.

    >>> import proa as paddle
    >>> layer = paddle.audio.features.MFCC(sr=8000, n_mfcc=3, n_fft=16, n_mels=4)
    >>> layer(paddle.ones([1, 40])).shape
    [1, 3, 11]
    """

    def __init__(self, sr: int = 22050, n_mfcc: int = 40, n_fft: int = 512, hop_length: int | None = None,
                 win_length: int | None = None, window: Any = "hann", power: float = 2.0, center: bool = True,
                 pad_mode: str = "reflect", n_mels: int = 64, f_min: float = 50.0, f_max: float | None = None,
                 htk: bool = False, norm: str | float = "slaney", ref_value: float = 1.0, amin: float = 1e-10,
                 top_db: float | None = None, dtype: str = "float32") -> None:
        super().__init__()
        if n_mfcc > n_mels:
            raise ValueError(f"audio.features.MFCC(n_mfcc): must not be larger than n_mels. Received n_mfcc={n_mfcc}, "
                             f"n_mels={n_mels}.")
        self._log_melspectrogram = LogMelSpectrogram(
            sr, n_fft, hop_length, win_length, window, power, center, pad_mode, n_mels, f_min, f_max, htk, norm,
            ref_value, amin, top_db, dtype)
        self.register_buffer("dct_matrix", create_dct(n_mfcc, n_mels, dtype=dtype))

    def forward(self, x: Any) -> Any:
        """The coefficients of signals."""
        decibels = self._log_melspectrogram(x)
        return transpose(matmul(transpose(decibels, [0, 2, 1]), self.dct_matrix), [0, 2, 1])

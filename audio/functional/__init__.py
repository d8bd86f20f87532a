"""`paddle.audio.functional`: windows, the mel scale, filter banks, decibels."""

from ...core.absent import asked_of
from .mel import compute_fbank_matrix, fft_frequencies, hz_to_mel, mel_frequencies, mel_to_hz
from .spectra import create_dct, power_to_db
from .window import get_window

__all__ = ["compute_fbank_matrix", "create_dct", "fft_frequencies", "get_window", "hz_to_mel", "mel_frequencies",
           "mel_to_hz", "power_to_db"]
__getattr__ = asked_of(__name__)

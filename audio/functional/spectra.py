"""Decibels of power spectra, and the cosine transform that makes cepstra of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value
from ...ops.math.clip import clip
from ...ops.math.elementwise import maximum
from ...ops.math.reduce import max as largest
from ...ops.math.unary import log10


def power_to_db(spect: Any, ref_value: float = 1.0, amin: float = 1e-10, top_db: float | None = 80.0) -> Any:
    """10 · log10(spect / ref_value) of a power spectrum, in decibels, of at least `amin`.

    With `top_db` nothing lies more than that below the maximum of all.

    >>> import proa as paddle
    >>> paddle.audio.functional.power_to_db(paddle.to_tensor([1.0, 0.1, 0.0])).tolist()
    [0.0, -10.0, -80.0]
    """
    if amin <= 0 or ref_value <= 0:
        raise ValueError(f"audio.functional.power_to_db: amin and ref_value must be positive. Received amin={amin}, "
                         f"ref_value={ref_value}.")
    if top_db is not None and top_db < 0:
        raise ValueError(f"audio.functional.power_to_db(top_db): must not be negative. Received {top_db}.")
    spect = spect if is_value(spect) else to_tensor(spect)
    decibels = log10(clip(spect, min=amin)) * 10.0 - 10.0 * math.log10(max(ref_value, amin))
    return decibels if top_db is None else maximum(decibels, largest(decibels) - top_db)


def create_dct(n_mfcc: int, n_mels: int, norm: str | None = "ortho", dtype: str = "float32") -> Any:
    """The matrix of the discrete cosine transform (type 2) that takes n_mels values to n_mfcc: [n_mels, n_mfcc].

    >>> import proa as paddle
    >>> (paddle.audio.functional.create_dct(2, 2) * 10).round().tolist()
    [[7.0, 7.0], [7.0, -7.0]]
    """
    if norm not in ("ortho", None):
        raise ValueError(f"audio.functional.create_dct(norm): must be 'ortho' or None. Received {norm!r}.")
    if n_mels < 1 or n_mfcc < 1:
        raise ValueError(f"audio.functional.create_dct(n_mfcc, n_mels): must be at least 1. Received {n_mfcc} and "
                         f"{n_mels}.")
    places, orders = np.arange(n_mels)[:, None] + 0.5, np.arange(n_mfcc)
    matrix = np.cos(math.pi / n_mels * places * orders)
    if norm is None:
        return to_tensor(matrix * 2.0, dtype)
    matrix *= math.sqrt(2.0 / n_mels)
    matrix[:, :1] *= math.sqrt(0.5)
    return to_tensor(matrix, dtype)

"""get_window: the windows of signal processing, by name.

Each formula gives the symmetric window of a length; a periodic one is the symmetric one of one more, without its end.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ops.array.creation import to_tensor

_Window = np.ndarray


def _general_cosine(length: int, a: Sequence[float]) -> _Window:
    angles = np.linspace(-np.pi, np.pi, length)
    return sum((weight * np.cos(k * angles) for k, weight in enumerate(a)), np.zeros(length))


def _general_hamming(length: int, alpha: float) -> _Window:
    return _general_cosine(length, [alpha, 1.0 - alpha])


def _general_gaussian(length: int, p: float, sig: float) -> _Window:
    places = np.arange(length) - (length - 1) / 2
    return np.exp(-0.5 * np.abs(places / sig) ** (2 * p))


def _gaussian(length: int, std: float) -> _Window:
    return _general_gaussian(length, 1, std)


def _exponential(length: int, center: float | None = None, tau: float = 1.0) -> _Window:
    center = (length - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(length) - center) / tau)


def _triang(length: int) -> _Window:
    places = np.arange(1, (length + 1) // 2 + 1)
    rising = 2 * places / (length + 1) if length % 2 else (2 * places - 1) / length
    return np.concatenate([rising, rising[::-1][length % 2:]])


def _bohman(length: int) -> _Window:
    places = np.abs(np.linspace(-1, 1, length)[1:-1])
    inner = (1 - places) * np.cos(np.pi * places) + np.sin(np.pi * places) / np.pi
    return np.concatenate([[0.0], inner, [0.0]])


def _cosine(length: int) -> _Window:
    return np.sin(np.pi / length * (np.arange(length) + 0.5))


def _tukey(length: int, alpha: float = 0.5) -> _Window:
    if alpha <= 0:
        return np.ones(length)
    if alpha >= 1:
        return _general_hamming(length, 0.5)
    places = np.arange(length)
    width = alpha * (length - 1) / 2
    edge = np.minimum(places, length - 1 - places) / width
    return np.where(edge < 1, 0.5 * (1 + np.cos(np.pi * (edge - 1))), 1.0)


def _taylor(length: int, nbar: int = 4, sll: float = 30, norm: bool = True) -> _Window:
    """Carrara and Goodman, Synthetic Aperture Radar, 1995: nearly equal side lobes, `sll` decibels below the main."""
    a = np.arccosh(10 ** (sll / 20)) / np.pi
    squared_width = nbar ** 2 / (a ** 2 + (nbar - 0.5) ** 2)
    orders = np.arange(1, nbar)
    weights = []
    for m in orders:
        others = orders[orders != m]
        top = (-1) ** (m + 1) * np.prod(1 - m ** 2 / squared_width / (a ** 2 + (orders - 0.5) ** 2))
        weights.append(top / (2 * np.prod(1 - m ** 2 / others ** 2)))

    def at(places: Any) -> Any:
        return 1 + 2 * sum(w * np.cos(2 * np.pi * m * (places - length / 2 + 0.5) / length)
                           for m, w in zip(orders, weights, strict=True))

    window = at(np.arange(length)) * np.ones(length)
    return window / at((length - 1) / 2) if norm else window


_WINDOWS: dict[str, Callable[..., _Window]] = {
    "hamming": lambda length: _general_hamming(length, 0.54),
    "hann": lambda length: _general_hamming(length, 0.5),
    "blackman": lambda length: _general_cosine(length, [0.42, 0.50, 0.08]),
    "bohman": _bohman, "cosine": _cosine, "exponential": _exponential, "gaussian": _gaussian,
    "general_cosine": _general_cosine, "general_gaussian": _general_gaussian, "general_hamming": _general_hamming,
    "taylor": _taylor, "triang": _triang, "tukey": _tukey,
}
_NEEDS_PARAMETERS = ("exponential", "gaussian", "general_cosine", "general_gaussian", "general_hamming")


def get_window(window: str | tuple[Any, ...], win_length: int, fftbins: bool = True, dtype: str = "float64") -> Any:
    """A window by name, or by a tuple of name and parameters: [win_length].

    "hamming", "hann", "blackman", "bohman", "cosine", "triang", ("tukey", alpha=0.5), ("taylor", nbar=4, sll=30,
    norm=True), ("gaussian", std), ("general_gaussian", p, sig), ("exponential", center=None, tau=1.0),
    ("general_hamming", alpha), ("general_cosine", weights). Periodic with `fftbins`, for spectra; else symmetric.

    >>> import proa as paddle
    >>> paddle.audio.functional.get_window("hann", 4).tolist()
    [0.0, 0.5, 1.0, 0.5]
    """
    what = "audio.functional.get_window(window)"
    name, *parameters = (window,) if isinstance(window, str) else window if isinstance(window, tuple) else (None,)
    if name not in _WINDOWS:
        raise ValueError(f"{what}: must be a name, or a tuple of a name and parameters; the names are "
                         f"{', '.join(_WINDOWS)}. Received {window!r}.")
    function = _WINDOWS[name]
    if not parameters and name in _NEEDS_PARAMETERS:
        raise ValueError(f"{what}: {name!r} needs parameters: ({name!r}, "
                         f"{', '.join(list(inspect.signature(function).parameters)[1:])}).")
    if win_length <= 1:
        return to_tensor(np.ones(max(win_length, 0)), dtype)
    made = function(win_length + 1, *parameters)[:-1] if fftbins else function(win_length, *parameters)
    return to_tensor(made, dtype)

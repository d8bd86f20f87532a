"""Thresholds of what passes through a Program: the magnitude above which whole numbers of so many bits show no more.

A `Method` looks at the values of one variable, batch by batch, in as many passes over the data as it says, and then
gives the threshold. Migacz, 8-bit inference with TensorRT, 2017 (KL); Lin et al., FQ-ViT, 2022 (ptf).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_BINS = 2048


def largest(values: np.ndarray) -> float:
    """The largest magnitude; 0 of none."""
    return float(np.abs(values).max()) if values.size else 0.0


class Method:
    """The largest magnitude of all batches."""

    passes = 1

    def __init__(self, bits: int, whole: bool, share: float):
        """`whole`: whether zero is one of the levels on both sides, as in files of quantize_linear."""
        self.bits, self.whole, self.share, self.found = bits, whole, share, 0.0
        self.most = (1 << (bits - 1)) - 1

    def look(self, values: np.ndarray, turn: int) -> None:
        """Looks at a batch, in the pass `turn`."""
        self.found = max(self.found, largest(values))

    def threshold(self) -> float:
        """What was found."""
        return self.found


class AverageOfRows(Method):
    """The mean over batches of the mean over rows of their largest magnitude."""

    def __init__(self, *how: Any):
        super().__init__(*how)
        self.means: list[float] = []

    def look(self, values: np.ndarray, turn: int) -> None:
        """Looks at a batch: its first dimension is that of the rows."""
        rows = np.abs(values.reshape(values.shape[0] if values.ndim else 1, -1))
        self.means.append(float(rows.max(axis=1).mean()))

    def threshold(self) -> float:
        """The mean over batches."""
        return float(np.mean(self.means))


class LeastSquares(Method):
    """Among shares of a batch's largest magnitude, 0.3, 0.32 and so on to 1, the one that changes values least."""

    def __init__(self, *how: Any):
        super().__init__(*how)
        self.least = math.inf

    def look(self, values: np.ndarray, turn: int) -> None:
        """Tries the shares."""
        most, share = largest(values) or 1e-8, 0.3
        while share <= 1.0:
            scale = share * most
            share += 0.02
            loss = self.loss(values, self.shown(values, scale))
            if loss <= self.least:
                self.least, self.found = loss, scale

    def shown(self, values: np.ndarray, scale: float) -> np.ndarray:
        """What whole numbers of this scale make of values."""
        if self.whole:
            return np.clip(np.round(values / scale * self.most), -self.most - 1, self.most) / self.most * scale
        return np.round(np.clip(values, 0.0, scale) / scale * self.most) / self.most * scale

    def loss(self, values: np.ndarray, shown: np.ndarray) -> float:
        """The mean of squared differences."""
        return float(((values - shown) ** 2).mean())


class LeastMoved(LeastSquares):
    """The same by how far the mean and the deviation are moved."""

    def loss(self, values: np.ndarray, shown: np.ndarray) -> float:
        """The differences of the means and of the deviations."""
        return float(abs(np.mean(values) - np.mean(shown)) + abs(np.std(values) - np.std(shown)))


class PowerOfTwoFactor(Method):
    """The largest magnitude, halved up to three times where that changes a batch's values less."""

    def look(self, values: np.ndarray, turn: int) -> None:
        """Tries the four scales; the last batch decides."""
        scales = [largest(values) / self.most / 2 ** n for n in (3, 2, 1, 0)]
        if not scales[-1]:
            return
        losses = [((values - np.clip(np.round(values / scale), 0, self.most) * scale) ** 2).mean() for scale in scales]
        self.found = self.most * scales[int(np.argmin(losses))]


class ShareOfHistogram(Method):
    """The magnitude below which a share of all values lies, by a histogram."""

    passes = 2

    def __init__(self, *how: Any):
        super().__init__(*how)
        self.least, self.counts, self.edges = math.inf, np.zeros(_BINS, np.int64), np.zeros(_BINS + 1)

    def look(self, values: np.ndarray, turn: int) -> None:
        """The first pass finds the ends, the second one counts."""
        values = np.abs(values)
        if turn == 0:
            self.least, self.found = min(self.least, float(values.min())), max(self.found, float(values.max()))
        else:
            counts, self.edges = np.histogram(values, bins=_BINS, range=(self.least, self.found))
            self.counts += counts

    def threshold(self) -> float:
        """The middle of the bin in which the share is reached."""
        shares = np.cumsum(self.counts / self.counts.sum())
        return float((np.argmax(shares >= self.share) + 0.5) * (self.edges[1] - self.edges[0]))


class LeastDivergence(ShareOfHistogram):
    """The threshold at which whole numbers lose least information: Kullback and Leibler's divergence is smallest."""

    def threshold(self) -> float:
        """That of the histogram."""
        return least_divergence(self.counts, float(self.edges[1] - self.edges[0]), self.bits)


METHODS: dict[str, type[Method]] = {
    "KL": LeastDivergence, "hist": ShareOfHistogram, "avg": AverageOfRows, "mse": LeastSquares, "emd": LeastMoved,
    "abs_max": Method, "ptf": PowerOfTwoFactor,
}


def least_divergence(counts: np.ndarray, width: float, bits: int) -> float:
    """The threshold, among the ends of the upper half of a histogram's bins, with the least divergence."""
    first, levels, total = int((len(counts) - 1) * 0.5), 2 ** (bits - 1) - 1, float(np.sum(counts))
    found, least = 0, math.inf
    for end in range(first, len(counts)):
        if end == 0 or counts[end - 1] == 0:
            continue
        divergence = _divergence(counts.astype(np.float64), end, levels, total)
        if divergence < least or found == 0:
            found, least = end, divergence
    if found == 0:
        found = next((n for n in range(first, 0, -1) if counts[n] != 0), 0)
    return (found + 0.5) * width


def _divergence(counts: np.ndarray, end: int, levels: int, total: float) -> float:
    """That of the values, those above `end` taken down to it, from what so many levels make of the ones below."""
    below, clipped = counts[:end], counts[:end].copy()
    clipped[-1] += counts[end:].sum()
    starts = np.minimum(np.arange(levels) * (end // levels), end)
    sums = np.array([below[start:stop].sum() for start, stop in _bins(starts, end)])
    shown = np.zeros(end)
    for value, (start, stop) in zip(sums, _bins(starts, end), strict=True):
        filled = clipped[start:stop] != 0
        if filled.any():
            shown[start:stop] = np.where(filled, value / filled.sum(), 0.0)
    there = clipped != 0
    expected, given = clipped[there], shown[there]
    with np.errstate(divide="ignore"):
        return float((expected * (np.log(shown.sum() * expected) - np.log(total * given))).sum() / total)


def _bins(starts: np.ndarray, end: int) -> list[tuple[int, int]]:
    return list(zip(starts.tolist(), [*starts[1:].tolist(), end], strict=True))

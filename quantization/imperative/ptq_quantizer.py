"""Thresholds by what passes: the largest magnitude, a share of a histogram, or the least loss of information (KL)."""

from __future__ import annotations

import abc
import math
from typing import Any

import numpy as np

from ... import nn
from ...nn.layer import Layer
from ...static.quantization.thresholds import largest, least_divergence


class BaseQuantizer(metaclass=abc.ABCMeta):
    """Looks at tensors, and gives a threshold for each place among them; of `quant_bits` bits, 1 to 16."""

    def __init__(self, quant_bits: int = 8):
        if not (isinstance(quant_bits, int) and 0 < quant_bits <= 16):
            raise ValueError(f"{type(self).__name__}(quant_bits): must be an int from 1 to 16. "
                             f"Received {quant_bits!r}.")
        self.quant_bits = quant_bits
        self.abs_max_vals: list = []
        self.thresholds: list = []

    @abc.abstractmethod
    def sample_data(self, layer: Layer | None, tensors: tuple[Any, ...]) -> None:
        """Looks at tensors of a layer."""

    @abc.abstractmethod
    def cal_thresholds(self) -> None:
        """Puts what was found into `thresholds`."""


class AbsmaxQuantizer(BaseQuantizer):
    """The largest magnitude so far."""

    def sample_data(self, layer: Layer | None, tensors: tuple[Any, ...]) -> None:
        """Keeps the largest magnitude of each."""
        found = [largest(tensor.numpy()) for tensor in tensors]
        known = self.abs_max_vals or found
        self.abs_max_vals = [max(one, other) for one, other in zip(known, found, strict=True)]

    def cal_thresholds(self) -> None:
        """The largest magnitudes."""
        self.thresholds = self.abs_max_vals


class PerChannelAbsmaxQuantizer(BaseQuantizer):
    """The largest magnitude of each channel of a weight."""

    def sample_data(self, layer: Layer | None, tensors: tuple[Any, ...]) -> None:
        """Keeps the largest magnitudes; channels are the second dimension of Linear and Conv2DTranspose."""
        axis = 1 if isinstance(layer, (nn.Conv2DTranspose, nn.Linear)) else 0
        found = [np.abs(np.moveaxis(tensor.numpy(), axis, 0)).reshape(tensor.shape[axis], -1).max(1)
                 for tensor in tensors]
        known = self.abs_max_vals or found
        self.abs_max_vals = [np.maximum(one, other).tolist() for one, other in zip(known, found, strict=True)]

    def cal_thresholds(self) -> None:
        """The largest magnitudes, a list for each tensor."""
        self.thresholds = self.abs_max_vals


class BaseHistQuantizer(BaseQuantizer, metaclass=abc.ABCMeta):
    """Keeps a histogram of magnitudes, of `bins` bins, which is widened as larger ones come."""

    def __init__(self, quant_bits: int = 8, bins: int = 1024, upsample_bins: int = 64):
        super().__init__(quant_bits)
        self.bins, self.upsample_bins = bins, upsample_bins
        self.hists: list[np.ndarray | None] = []

    def sample_data(self, layer: Layer | None, tensors: tuple[Any, ...]) -> None:
        """Counts the magnitudes of each tensor."""
        if not self.hists:
            self.hists, self.abs_max_vals = [None] * len(tensors), [0.0] * len(tensors)
        for n, (tensor, known) in enumerate(zip(tensors, self.hists, strict=True)):
            self.abs_max_vals[n], self.hists[n] = self._joined(np.abs(tensor.numpy()), self.abs_max_vals[n], known)

    def _counted(self, values: np.ndarray, most: float) -> np.ndarray:
        return np.histogram(values, bins=self.bins, range=(0.0, most))[0].astype(np.float32)

    def _joined(self, values: np.ndarray, most: float, known: np.ndarray | None) -> tuple[float, np.ndarray | None]:
        """The largest magnitude and the histogram, with these values in it."""
        here = largest(values)
        if here == 0.0:
            return most, known
        if known is None:
            return here, self._counted(values, here)
        if here > most:
            most, known = self._widened(here, most, known)
        return most, self._counted(values, most) + known

    def _widened(self, here: float, most: float, known: np.ndarray) -> tuple[float, np.ndarray]:
        """The histogram up to at least `here`: each bin is split into equal parts, of which so many make a new one."""
        width = most / (self.bins * self.upsample_bins)
        parts = math.ceil(here / (self.bins * width))
        finer = np.zeros(self.bins * parts, np.float32)
        finer[:self.bins * self.upsample_bins] = np.repeat(known, self.upsample_bins)
        ends = np.cumsum(finer, dtype=np.float64)[parts - 1::parts]
        counts = np.diff(ends, prepend=0.0) / self.upsample_bins
        return self.bins * width * parts, counts.astype(np.float32)

    def cal_thresholds(self) -> None:
        """The thresholds by the histograms; of what was 0 throughout, 0."""
        self.thresholds = [most if counts is None else self._threshold(most, counts)
                           for most, counts in zip(self.abs_max_vals, self.hists, strict=True)]

    @abc.abstractmethod
    def _threshold(self, most: float, counts: np.ndarray) -> float:
        """The threshold by the counts of magnitudes up to `most`."""


class HistQuantizer(BaseHistQuantizer):
    """The magnitude that a share `hist_percent` of all lies below.

    >>> import proa as paddle
    >>> quantizer = paddle.quantization.HistQuantizer(hist_percent=0.5)
    >>> quantizer.sample_data(None, (paddle.linspace(0, 1, 101),))
    >>> quantizer.cal_thresholds()
    >>> round(quantizer.thresholds[0], 2)
    0.5
    """

    def __init__(self, quant_bits: int = 8, bins: int = 1024, upsample_bins: int = 64, hist_percent: float = 0.99999):
        super().__init__(quant_bits, bins, upsample_bins)
        if not hist_percent < 1.0:
            raise ValueError(f"HistQuantizer(hist_percent): must be below 1. Received {hist_percent}.")
        self.hist_percent = hist_percent

    def _threshold(self, most: float, counts: np.ndarray) -> float:
        shares = np.cumsum(counts / counts.sum(dtype=np.float64))
        return float((np.argmax(shares >= self.hist_percent) - 0.5) * (most / len(counts)))


class KLQuantizer(BaseHistQuantizer):
    """The threshold at which whole numbers lose least information: Kullback and Leibler's divergence is smallest.

    Migacz, 8-bit inference with TensorRT, 2017.
    """

    def _threshold(self, most: float, counts: np.ndarray) -> float:
        return least_divergence(counts, most / len(counts), self.quant_bits)


SUPPORT_ACT_QUANTIZERS = [AbsmaxQuantizer, HistQuantizer, KLQuantizer]
SUPPORT_WT_QUANTIZERS = [AbsmaxQuantizer, PerChannelAbsmaxQuantizer]

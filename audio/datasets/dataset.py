"""What sets of labelled recordings have in common: files, labels, and the feature that a sample is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...io.dataset import Dataset
from ...io.local_files import HOME
from ...nn.layer import Layer
from ..backends.wave_backend import load
from ..features import MFCC, LogMelSpectrogram, MelSpectrogram, Spectrogram

feat_funcs: dict[str, Callable[..., Layer] | None] = {
    "raw": None, "melspectrogram": MelSpectrogram, "mfcc": MFCC, "logmelspectrogram": LogMelSpectrogram,
    "spectrogram": Spectrogram,
}
"""The features of a recording, by name."""


class AudioClassificationDataset(Dataset):
    """Recordings and their labels: a sample is (samples [time], label), or (a feature of them, label).

    `feat_type`: "raw", or a feature of `paddle.audio.features` by its name in small letters, made with `kwargs`.
    `sample_rate` is that of the recording that was read last.
    """

    def __init__(self, files: list[str], labels: list[int], feat_type: str = "raw", sample_rate: int | None = None,
                 **kwargs: Any):
        super().__init__()
        if feat_type not in feat_funcs:
            raise ValueError(f"{type(self).__name__}(feat_type): must be one of {list(feat_funcs)}. "
                             f"Received {feat_type!r}.")
        self.files, self.labels, self.feat_type = files, labels, feat_type
        self.sample_rate, self.feat_config = sample_rate, kwargs
        self._feature: tuple[int, Layer] | None = None

    def __getitem__(self, idx: int) -> tuple[Any, int]:
        samples, self.sample_rate = load(self.files[idx])
        channel = samples.squeeze(0) if samples.shape[0] == 1 else samples
        made = feat_funcs[self.feat_type]
        if made is None:
            return channel, self.labels[idx]
        if self._feature is None or self._feature[0] != self.sample_rate:
            rate = {} if self.feat_type == "spectrogram" else {"sr": self.sample_rate}
            self._feature = self.sample_rate, made(**rate, **self.feat_config)
        return self._feature[1](samples).squeeze(0), self.labels[idx]

    def __len__(self) -> int:
        return len(self.files)


def unpacked(caller: str, folder: str, archive: dict[str, str]) -> str:
    """The path of an unpacked set's folder; FileNotFoundError that says where to put what."""
    path = os.path.join(os.path.expanduser(HOME), folder)
    if not os.path.isdir(path):
        raise FileNotFoundError(f"audio.datasets.{caller}: nothing is downloaded, and {path} is not there. Fetch "
                                f"{archive['url']} and unpack it, so that this folder is there.")
    return path


def check_split(caller: str, split: Any, count: int) -> int:
    """The number of a fold, from 1; ValueError where there is none."""
    if not isinstance(split, int) or not 1 <= split <= count:
        raise ValueError(f"audio.datasets.{caller}(split): must be an integer from 1 to {count}. Received {split!r}.")
    return split

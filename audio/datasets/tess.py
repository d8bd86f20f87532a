"""TESS: 2,800 recordings of two actresses who say 200 words in seven emotions."""

from __future__ import annotations

import os
from collections import namedtuple
from typing import Any

from .dataset import AudioClassificationDataset, check_split, unpacked


class TESS(AudioClassificationDataset):
    """Emotional speech. `paddle.audio.datasets.TESS`.

    A sample is (samples [time], label), or with `feat_type` a feature instead, as of `ESC50`. The files, in the order
    of their paths, are dealt out to `n_folds` folds; `mode="train"` takes the folds other than `split`, any other mode
    that fold. The archive is unpacked in ~/.cache/paddle/dataset, as folder TESS_Toronto_emotional_speech_set. Nothing
    is downloaded: FileNotFoundError says where to put what. Pichora-Fuller and Dupuis, Toronto emotional speech set,
    2020.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> from unittest import mock
    >>> home = tempfile.mkdtemp()  # stands for ~
    >>> folder = os.path.join(home, ".cache/paddle/dataset/TESS_Toronto_emotional_speech_set")
    >>> os.makedirs(folder)
    >>> for name in ("OAF_back_angry.wav", "OAF_back_happy.wav"):
    ...     paddle.audio.save(os.path.join(folder, name), paddle.zeros([1, 800]), 8000)
    >>> with mock.patch.dict(os.environ, HOME=home):
    ...     recordings = paddle.audio.datasets.TESS(mode="train", n_folds=2, split=1)
    >>> samples, label = recordings[0]
    >>> len(recordings), samples.shape, recordings.label_list[label]
    (1, [800], 'happy')
    """

    archive = {"url": "https://bj.bcebos.com/paddleaudio/datasets/TESS_Toronto_emotional_speech_set.zip",
               "md5": "1465311b24d1de704c4c63e4ccc470c7"}
    label_list = ["angry", "disgust", "fear", "happy", "neutral", "ps", "sad"]
    meta_info = namedtuple("meta_info", ("speaker", "word", "emotion"))
    audio_path = "TESS_Toronto_emotional_speech_set"

    def __init__(self, mode: str = "train", n_folds: int = 5, split: int = 1, feat_type: str = "raw",
                 archive: dict[Any, Any] | None = None, **kwargs: Any):
        if not isinstance(n_folds, int) or n_folds < 1:
            raise ValueError(f"audio.datasets.TESS(n_folds): must be a positive integer. Received {n_folds!r}.")
        check_split("TESS", split, n_folds)
        folder = unpacked("TESS", self.audio_path, archive or self.archive)
        paths = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
                       if name.endswith(".wav") and self._told(name) is not None)
        files, labels = [], []
        for number, path in enumerate(paths):
            if (number % n_folds + 1 != split) == (mode == "train"):
                told = self._told(os.path.basename(path))
                assert told is not None
                files.append(path)
                labels.append(self.label_list.index(told.emotion))
        super().__init__(files, labels, feat_type, **kwargs)

    def _told(self, name: str) -> Any:
        """Who says which word in which emotion, as a file's name tells; None of others."""
        parts = os.path.splitext(name)[0].split("_")
        return self.meta_info(*parts) if len(parts) == 3 and parts[2] in self.label_list else None

"""ESC-50: 2,000 recordings of five seconds, of 50 kinds of sounds around us, in five folds."""

from __future__ import annotations

import csv
import os
from collections import namedtuple
from typing import Any

from ...core.files import CorruptFileError
from .dataset import AudioClassificationDataset, check_split, unpacked


class ESC50(AudioClassificationDataset):
    """Environmental sounds of 50 kinds. `paddle.audio.datasets.ESC50`.

    A sample is (samples [time], label), or with `feat_type` ("melspectrogram", "mfcc", "logmelspectrogram",
    "spectrogram") a feature instead, made with `kwargs`. `mode="train"` takes the folds other than `split`, any other
    mode that fold. The archive is unpacked in ~/.cache/paddle/dataset, as folder ESC-50-master. Nothing is downloaded:
    FileNotFoundError says where to put what. Piczak, ESC: Dataset for Environmental Sound Classification, 2015.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> from unittest import mock
    >>> home = tempfile.mkdtemp()  # stands for ~
    >>> folder = os.path.join(home, ".cache/paddle/dataset/ESC-50-master")
    >>> os.makedirs(os.path.join(folder, "audio"))
    >>> os.makedirs(os.path.join(folder, "meta"))
    >>> paddle.audio.save(os.path.join(folder, "audio", "1-1-A-0.wav"), paddle.zeros([1, 4000]), 8000)
    >>> with open(os.path.join(folder, "meta", "esc50.csv"), "w") as file:
    ...     _ = file.write("filename,fold,target,category,esc10,src_file,take\\n1-1-A-0.wav,2,0,dog,True,1,A\\n")
    >>> with mock.patch.dict(os.environ, HOME=home):
    ...     sounds = paddle.audio.datasets.ESC50(mode="train", split=1, feat_type="spectrogram", n_fft=64)
    >>> feature, label = sounds[0]
    >>> len(sounds), feature.shape[0], sounds.label_list[label]
    (1, 33, 'Dog')
    """

    archive = {"url": "https://paddleaudio.bj.bcebos.com/datasets/ESC-50-master.zip",
               "md5": "7771e4b9d86d0945acce719c7a59305a"}
    label_list = [
        "Dog", "Rooster", "Pig", "Cow", "Frog", "Cat", "Hen", "Insects (flying)", "Sheep", "Crow",
        "Rain", "Sea waves", "Crackling fire", "Crickets", "Chirping birds", "Water drops", "Wind", "Pouring water",
        "Toilet flush", "Thunderstorm",
        "Crying baby", "Sneezing", "Clapping", "Breathing", "Coughing", "Footsteps", "Laughing", "Brushing teeth",
        "Snoring", "Drinking, sipping",
        "Door knock", "Mouse click", "Keyboard typing", "Door, wood creaks", "Can opening", "Washing machine",
        "Vacuum cleaner", "Clock alarm", "Clock tick", "Glass breaking",
        "Helicopter", "Chainsaw", "Siren", "Car horn", "Engine", "Train", "Church bells", "Airplane", "Fireworks",
        "Hand saw",
    ]
    meta = os.path.join("ESC-50-master", "meta", "esc50.csv")
    meta_info = namedtuple("meta_info", ("filename", "fold", "target", "category", "esc10", "src_file", "take"))
    audio_path = os.path.join("ESC-50-master", "audio")

    def __init__(self, mode: str = "train", split: int = 1, feat_type: str = "raw",
                 archive: dict[Any, Any] | None = None, **kwargs: Any):
        check_split("ESC50", split, 5)
        home = os.path.dirname(unpacked("ESC50", "ESC-50-master", archive or self.archive))
        path = os.path.join(home, self.meta)
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))[1:]
        files, labels = [], []
        for number, row in enumerate(rows, 2):
            if len(row) != len(self.meta_info._fields) or not (row[1].isdigit() and row[2].isdigit()):
                raise CorruptFileError(path, f"line {number}", f"must hold {', '.join(self.meta_info._fields)}")
            sample = self.meta_info(*row)
            if (int(sample.fold) != split) == (mode == "train"):
                files.append(os.path.join(home, self.audio_path, os.path.basename(sample.filename)))
                labels.append(int(sample.target))
        super().__init__(files, labels, feat_type, **kwargs)

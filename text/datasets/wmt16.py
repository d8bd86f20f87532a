"""WMT16: captions of images in English and German (Multi30K)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, check_positive, pairs

_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
_FIRST, _LAST = "<s>", "<e>"
_LANGUAGES = ("en", "de")  # the columns of the files


class WMT16(Dataset):
    """Pairs of captions to translate, from `lang` into the other language. `paddle.text.WMT16`.

    A sample is (source, target, next): int64 numbers of words; the source between the marks "<s>" and "<e>", the target
    after "<s>", and the same before "<e>". The dictionaries are the marks, "<unk>" and the words of the part train of
    their own language, the most frequent first, at most so many. `data_file` is wmt16.tar.gz; None looks for it in
    ~/.cache/paddle/dataset/wmt16. Nothing is downloaded: FileNotFoundError says where to put which file.
    "Multi30K: Multilingual English-German Image Descriptions", Elliott et al. 2016.
    """

    def __init__(self, data_file: Any = None, mode: str = "train", src_dict_size: int = -1, trg_dict_size: int = -1,
                 lang: str = "en", download: bool = True):
        self.mode = check_mode(mode, "WMT16", ("train", "test", "val"))
        if lang not in _LANGUAGES:
            raise ValueError(f"WMT16(lang): must be 'en' or 'de'. Received {lang!r}.")
        self.lang = lang
        self.data_file = local_file(data_file, "WMT16", "data_file", "wmt16", _URL, download)
        self.src_dict_size = check_positive(src_dict_size, "WMT16", "src_dict_size")
        self.trg_dict_size = check_positive(trg_dict_size, "WMT16", "trg_dict_size")
        archive = Archive(self.data_file)
        learnt = list(self._pairs(archive, "train"))
        self.src_dict = self._dictionary((source for source, _ in learnt), src_dict_size)
        self.trg_dict = self._dictionary((target for _, target in learnt), trg_dict_size)
        self.src_ids: list[list[int]] = []
        self.trg_ids: list[list[int]] = []
        self.trg_ids_next: list[list[int]] = []
        for source, target in learnt if self.mode == "train" else self._pairs(archive, self.mode):
            self._add(source, target)

    def _pairs(self, archive: Archive, part: str) -> Any:
        name = f"wmt16/{part}"
        found = pairs(archive.read(name), f"{self.data_file}: {name}")
        return found if self.lang == "en" else ((german, english) for english, german in found)

    @staticmethod
    def _dictionary(sentences: Any, size: int) -> dict[str, int]:
        counts = Counter(word for words in sentences for word in words)
        words = [_FIRST, _LAST, MISSING, *(word for word, _ in counts.most_common())]
        return {word: n for n, word in enumerate(words[:max(size, 3)])}

    def _add(self, source: list[str], target: list[str]) -> None:
        first, last, unknown = (self.src_dict[mark] for mark in (_FIRST, _LAST, MISSING))
        targets = [self.trg_dict.get(word, unknown) for word in target]
        self.src_ids.append([first, *(self.src_dict.get(word, unknown) for word in source), last])
        self.trg_ids.append([first, *targets])
        self.trg_ids_next.append([*targets, last])

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (np.array(self.src_ids[idx], np.int64), np.array(self.trg_ids[idx], np.int64),
                np.array(self.trg_ids_next[idx], np.int64))

    def __len__(self) -> int:
        return len(self.src_ids)

    def get_dict(self, lang: str, reverse: bool = False) -> dict:
        """The dictionary of a language: word -> number, or with `reverse` number -> word."""
        if lang not in _LANGUAGES:
            raise ValueError(f"WMT16.get_dict(lang): must be 'en' or 'de'. Received {lang!r}.")
        found = self.src_dict if lang == self.lang else self.trg_dict
        return {n: word for word, n in found.items()} if reverse else found

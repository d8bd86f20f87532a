"""WMT14: English sentences and their French translations, a small part of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, check_positive, pairs, text_of

_URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
_FIRST, _LAST = "<s>", "<e>"
_LONGEST = 80


class WMT14(Dataset):
    """Pairs of sentences to translate. `paddle.text.WMT14`.

    A sample is (source, target, next): int64 numbers of words; the source between the marks "<s>" and "<e>", the target
    after "<s>", and the same before "<e>". Pairs with more than 80 words on a side are left out. The dictionaries are
    the first `dict_size` lines of those in the archive. `data_file` is wmt14.tgz; None looks for it in
    ~/.cache/paddle/dataset/wmt14. Nothing is downloaded: FileNotFoundError says where to put which file;
    CorruptFileError where it is damaged.
    """

    def __init__(self, data_file: Any = None, mode: str = "train", dict_size: int = -1, download: bool = True):
        self.mode = check_mode(mode, "WMT14", ("train", "test", "gen"))
        self.data_file = local_file(data_file, "WMT14", "data_file", "wmt14", _URL, download)
        self.dict_size = check_positive(dict_size, "WMT14", "dict_size")
        archive = Archive(self.data_file)
        self.src_dict, self.trg_dict = (self._dictionary(archive, end) for end in ("src.dict", "trg.dict"))
        self.src_ids: list[list[int]] = []
        self.trg_ids: list[list[int]] = []
        self.trg_ids_next: list[list[int]] = []
        archive.read_all([n for n in archive.members if n.endswith(f"{self.mode}/{self.mode}")], self._add_all)

    def _dictionary(self, archive: Archive, end: str) -> dict[str, int]:
        names = [name for name in archive.members if name.endswith(end)]
        if len(names) != 1:
            raise CorruptFileError(self.data_file, end, f"must be the end of one member's name. It is of {len(names)}")
        place = f"{self.data_file}: {names[0]}"
        lines = text_of(archive.read(names[0]), place).split("\n")[:self.dict_size]
        found = {line.strip(): n for n, line in enumerate(lines) if line.strip()}
        for mark in (_FIRST, _LAST, MISSING):
            if mark not in found:
                raise CorruptFileError(place, mark, f"is not among the first {self.dict_size} words")
        return found

    def _add_all(self, name: str, data: bytes) -> None:
        for source, target in pairs(data, f"{self.data_file}: {name}"):
            self._add(source, target)

    def _add(self, source: list[str], target: list[str]) -> None:
        sources = [self.src_dict.get(word, self.src_dict[MISSING]) for word in [_FIRST, *source, _LAST]]
        targets = [self.trg_dict.get(word, self.trg_dict[MISSING]) for word in target]
        if max(len(sources), len(targets)) <= _LONGEST:
            self.src_ids.append(sources)
            self.trg_ids.append([self.trg_dict[_FIRST], *targets])
            self.trg_ids_next.append([*targets, self.trg_dict[_LAST]])

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (np.array(self.src_ids[idx], np.int64), np.array(self.trg_ids[idx], np.int64),
                np.array(self.trg_ids_next[idx], np.int64))

    def __len__(self) -> int:
        return len(self.src_ids)

    def get_dict(self, reverse: bool = False) -> tuple[dict, dict]:
        """The dictionaries of the source and of the target: word -> number, or with `reverse` number -> word."""
        if reverse:
            return {n: w for w, n in self.src_dict.items()}, {n: w for w, n in self.trg_dict.items()}
        return self.src_dict, self.trg_dict

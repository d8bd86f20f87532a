"""The Penn Treebank as Tomas Mikolov prepared it for language models."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, numbered

_URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
_FIRST, _LAST = "<s>", "<e>"
_PLACE = "simple-examples/data/ptb.{}.txt"


class Imikolov(Dataset):
    """Sentences for a language model. `paddle.text.Imikolov`.

    With data_type "NGRAM" a sample is `window_size` numbers of words that follow each other, arrays () each; with
    "SEQ" it is (sentence after "<s>", sentence before "<e>"), of those not longer than `window_size` if that is more
    than 0. `word_idx` numbers the words (bytes, and the marks) that occur more than `min_word_freq` times in the parts
    train and valid, the most frequent first, and "<unk>" last. `data_file` is simple-examples.tgz; None looks for it in
    ~/.cache/paddle/dataset/imikolov. Nothing is downloaded: FileNotFoundError says where to put which file.
    """

    def __init__(self, data_file: Any = None, data_type: str = "NGRAM", window_size: int = -1, mode: str = "train",
                 min_word_freq: int = 50, download: bool = True):
        if not isinstance(data_type, str) or data_type.upper() not in ("NGRAM", "SEQ"):
            raise ValueError(f"Imikolov(data_type): must be 'NGRAM' or 'SEQ'. Received {data_type!r}.")
        self.data_type = data_type.upper()
        if self.data_type == "NGRAM" and window_size < 1:
            raise ValueError(f"Imikolov(window_size): 'NGRAM' needs at least 1. Received {window_size}.")
        self.mode = check_mode(mode, "Imikolov", ("train", "test"))
        self.window_size, self.min_word_freq = window_size, min_word_freq
        self.data_file = local_file(data_file, "Imikolov", "data_file", "imikolov", _URL, download)
        parts: dict[str, bytes] = {}
        names = {part: _PLACE.format(part) for part in dict.fromkeys(("train", "valid", self.mode))}
        Archive(self.data_file).read_all(list(names.values()), lambda name, data: parts.update({name: data}))
        sentences = {part: [line.split() for line in parts[name].splitlines()] for part, name in names.items()}
        self.word_idx = numbered(self._counts([*sentences["train"], *sentences["valid"]]), min_word_freq)
        self.data: list[tuple] = []
        for words in sentences[self.mode]:
            self._add(words)

    @staticmethod
    def _counts(sentences: list[list[bytes]]) -> Counter:
        counts: Counter = Counter(word for words in sentences for word in words if word != MISSING.encode())
        counts.update({_FIRST: len(sentences), _LAST: len(sentences)})
        return counts

    def _add(self, words: list[bytes]) -> None:
        unknown, size = self.word_idx[MISSING], self.window_size
        first, last = (self.word_idx.get(mark, unknown) for mark in (_FIRST, _LAST))
        numbers = [self.word_idx.get(word, unknown) for word in words]
        if self.data_type == "SEQ":
            if size <= 0 or len(words) < size:
                self.data.append(([first, *numbers], [*numbers, last]))
            return
        marked = [first, *numbers, last]
        self.data += [tuple(marked[end - size:end]) for end in range(size, len(marked) + 1)]

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part, np.int64) for part in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)

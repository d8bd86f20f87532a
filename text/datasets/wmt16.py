"""WMT16: captions of images in English and German (Multi30K)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, check_positive, pairs

URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt16.tar.gz"
FIRST, LAST = "<s>", "<e>"
_LANGUAGES = ("en", "de")  # the columns of the files


class WMT16(Dataset):
    """Pairs of captions to translate, from `lang` into the other language. `paddle.text.WMT16`.

    A sample is (source, target, next): int64 numbers of words; the source between the marks "<s>" and "<e>", the target
    after "<s>", and the same before "<e>". The dictionaries are the marks, "<unk>" and the words of the part train of
    their own language, the most frequent first, at most so many. `data_file` is wmt16.tar.gz; None looks for it in
    ~/.cache/paddle/dataset/wmt16. Nothing is downloaded: FileNotFoundError says where to put which file.
    "Multi30K: Multilingual English-German Image Descriptions", Elliott et al. 2016.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"wmt16/train": "a cat\\teine Katze\\n"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> pairs = paddle.text.WMT16(path, mode="train", src_dict_size=5, trg_dict_size=5, lang="en")
    >>> [len(part) for part in pairs[0]]
    [4, 3, 3]
    >>> sorted(pairs.get_dict("de"))
    ['<e>', '<s>', '<unk>', 'Katze', 'eine']
    """

    def __init__(self, data_file: Any = None, mode: str = "train", src_dict_size: int = -1, trg_dict_size: int = -1,
                 lang: str = "en", download: bool = True):
        self.mode = check_mode(mode, "WMT16", ("train", "test", "val"))
        self.lang = check_language(lang, "WMT16(lang)")
        self.data_file = local_file(data_file, "WMT16", "data_file", "wmt16", URL, download)
        self.src_dict_size = check_positive(src_dict_size, "WMT16", "src_dict_size")
        self.trg_dict_size = check_positive(trg_dict_size, "WMT16", "trg_dict_size")
        archive = Archive(self.data_file)
        learnt = list(read_captions(archive, "wmt16/train", lang))
        self.src_dict = dictionary((source for source, _ in learnt), src_dict_size)
        self.trg_dict = dictionary((target for _, target in learnt), trg_dict_size)
        self.src_ids: list[list[int]] = []
        self.trg_ids: list[list[int]] = []
        self.trg_ids_next: list[list[int]] = []
        captions = learnt if self.mode == "train" else read_captions(archive, f"wmt16/{self.mode}", lang)
        for source, target, following in samples(captions, self.src_dict, self.trg_dict):
            self.src_ids.append(source)
            self.trg_ids.append(target)
            self.trg_ids_next.append(following)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return (np.array(self.src_ids[idx], np.int64), np.array(self.trg_ids[idx], np.int64),
                np.array(self.trg_ids_next[idx], np.int64))

    def __len__(self) -> int:
        return len(self.src_ids)

    def get_dict(self, lang: str, reverse: bool = False) -> dict[Any, Any]:
        """The dictionary of a language: word -> number, or with `reverse` number -> word."""
        found = self.src_dict if check_language(lang, "WMT16.get_dict(lang)") == self.lang else self.trg_dict
        return {n: word for word, n in found.items()} if reverse else found


def check_language(lang: str, what: str) -> str:
    """The language; ValueError if it is not one of the two."""
    if lang not in _LANGUAGES:
        raise ValueError(f"{what}: must be 'en' or 'de'. Received {lang!r}.")
    return lang


def read_captions(archive: Archive, name: str, lang: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each caption in a member, in `lang` first and then in the other language."""
    found = pairs(archive.read(name), f"{archive.path}: {name}")
    return found if lang == "en" else ((german, english) for english, german in found)


def dictionary(captions: Iterable[list[str]], size: int) -> dict[str, int]:
    """The numbers of the marks and of the most frequent words, `size` together."""
    counts = Counter(word for words in captions for word in words)
    words = [FIRST, LAST, MISSING, *(word for word, _ in counts.most_common())]
    return {word: n for n, word in enumerate(words[:max(size, 3)])}


def samples(captions: Iterable[tuple[list[str], list[str]]], src_dict: dict[str, int],
            trg_dict: dict[str, int]) -> Iterator[tuple[list[int], list[int], list[int]]]:
    """(source, target, next) of each pair of captions."""
    first, last, unknown = (src_dict[mark] for mark in (FIRST, LAST, MISSING))
    for source, target in captions:
        targets = [trg_dict.get(word, unknown) for word in target]
        yield [first, *(src_dict.get(word, unknown) for word in source), last], [first, *targets], [*targets, last]

"""WMT14: English sentences and their French translations, a small part of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, check_positive, pairs, text_of

URL = "http://paddlemodels.bj.bcebos.com/wmt/wmt14.tgz"
FIRST, LAST = "<s>", "<e>"
_LONGEST = 80


class WMT14(Dataset):
    """Pairs of sentences to translate. `paddle.text.WMT14`.

    A sample is (source, target, next): int64 numbers of words; the source between the marks "<s>" and "<e>", the target
    after "<s>", and the same before "<e>". Pairs with more than 80 words on a side are left out. The dictionaries are
    the first `dict_size` lines of those in the archive. `data_file` is wmt14.tgz; None looks for it in
    ~/.cache/paddle/dataset/wmt14. Nothing is downloaded: FileNotFoundError says where to put which file;
    CorruptFileError where it is damaged.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"src.dict": "<s>\\n<e>\\n<unk>\\ncat\\n", "trg.dict": "<s>\\n<e>\\n<unk>\\nchat\\n",
    ...                        "train/train": "cat\\tchat\\n"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> pairs = paddle.text.WMT14(path, mode="train", dict_size=4)
    >>> [part.tolist() for part in pairs[0]]
    [[0, 3, 1], [0, 3], [3, 1]]
    """

    def __init__(self, data_file: Any = None, mode: str = "train", dict_size: int = -1, download: bool = True):
        self.mode = check_mode(mode, "WMT14", ("train", "test", "gen"))
        self.data_file = local_file(data_file, "WMT14", "data_file", "wmt14", URL, download)
        self.dict_size = check_positive(dict_size, "WMT14", "dict_size")
        archive = Archive(self.data_file)
        self.src_dict, self.trg_dict = read_dictionaries(archive, self.dict_size)
        self.src_ids: list[list[int]] = []
        self.trg_ids: list[list[int]] = []
        self.trg_ids_next: list[list[int]] = []
        for source, target, following in read_samples(archive, f"{self.mode}/{self.mode}", self.src_dict,
                                                      self.trg_dict):
            self.src_ids.append(source)
            self.trg_ids.append(target)
            self.trg_ids_next.append(following)

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


def read_dictionaries(archive: Archive, size: int) -> tuple[dict[str, int], dict[str, int]]:
    """The numbers of the first `size` words of the source and of the target."""
    return _dictionary(archive, "src.dict", size), _dictionary(archive, "trg.dict", size)


def _dictionary(archive: Archive, end: str, size: int) -> dict[str, int]:
    names = [name for name in archive.members if name.endswith(end)]
    if len(names) != 1:
        raise CorruptFileError(archive.path, end, f"must be the end of one member's name. It is of {len(names)}")
    place = f"{archive.path}: {names[0]}"
    lines = text_of(archive.read(names[0]), place).split("\n")[:size]
    found = {line.strip(): n for n, line in enumerate(lines) if line.strip()}
    for mark in (FIRST, LAST, MISSING):
        if mark not in found:
            raise CorruptFileError(place, mark, f"is not among the first {size} words")
    return found


def read_samples(archive: Archive, end: str, src_dict: dict, trg_dict: dict) -> Iterator[tuple[list[int], ...]]:
    """(source, target, next) of the members whose names end so."""
    for name, data in archive.read_all([name for name in archive.members if name.endswith(end)]):
        for source, target in pairs(data, f"{archive.path}: {name}"):
            sources = [src_dict.get(word, src_dict[MISSING]) for word in [FIRST, *source, LAST]]
            targets = [trg_dict.get(word, trg_dict[MISSING]) for word in target]
            if max(len(sources), len(targets)) <= _LONGEST:
                yield sources, [trg_dict[FIRST], *targets], [*targets, trg_dict[LAST]]

"""IMDB: reviews of films, of which half are favourable."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, numbered

URL = "https://dataset.bj.bcebos.com/imdb%2FaclImdb_v1.tar.gz"
_PUNCTUATION = string.punctuation.encode()
_REVIEW = re.compile(r"aclImdb/(train|test)/(pos|neg)/.*\.txt$")


class Imdb(Dataset):
    """25,000 reviews to train and 25,000 to test. `paddle.text.Imdb`.

    A sample is (words, label): int64 arrays (length,) and (1,); the label is 0 for a favourable review, 1 for the other
    kind. `word_idx` numbers the words (bytes) that occur more than `cutoff` times in both parts, the most frequent
    first, and "<unk>" last, which stands for all others. `data_file` is aclImdb_v1.tar.gz; None looks for it in
    ~/.cache/paddle/dataset/imdb. Nothing is downloaded: FileNotFoundError says where to put which file;
    CorruptFileError where it is damaged. "Learning Word Vectors for Sentiment Analysis", Maas et al. 2011.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"aclImdb/train/pos/0_9.txt": "A good, good film!",
    ...                        "aclImdb/train/neg/1_2.txt": "bad"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> reviews = paddle.text.Imdb(path, mode="train", cutoff=0)
    >>> words, label = reviews[0]
    >>> len(reviews), words.tolist(), label.tolist(), reviews.word_idx[b"good"]
    (2, [1, 0, 0, 3], [0], 0)
    """

    def __init__(self, data_file: Any = None, mode: str = "train", cutoff: int = 150, download: bool = True):
        self.mode = check_mode(mode, "Imdb", ("train", "test"))
        self.data_file = local_file(data_file, "Imdb", "data_file", "imdb", URL, download)
        reviews = [(match[1], match[2], words) for match, words in read_reviews(self.data_file, _REVIEW)]
        self.word_idx = numbered(Counter(word for _, _, words in reviews for word in words), cutoff)
        unknown = self.word_idx[MISSING]
        self.docs: list[list[int]] = []
        self.labels: list[int] = []
        for label, kind in enumerate(("pos", "neg")):
            chosen = [words for part, k, words in reviews if (part, k) == (self.mode, kind)]
            self.docs += [[self.word_idx.get(word, unknown) for word in words] for words in chosen]
            self.labels += [label] * len(chosen)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.docs[idx], np.int64), np.array([self.labels[idx]], np.int64)

    def __len__(self) -> int:
        return len(self.docs)


def read_reviews(path: str, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], list[bytes]]]:
    """(match, words) of each review whose name in the archive matches: small letters, without punctuation."""
    archive = Archive(path)
    matches = {name: match for name in archive.members if (match := pattern.match(name))}
    for name, data in archive.read_all(list(matches)):
        yield matches[name], data.rstrip(b"\n\r").translate(None, _PUNCTUATION).lower().split()

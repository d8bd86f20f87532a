"""The Penn Treebank as Tomas Mikolov prepared it for language models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from .words import MISSING, numbered

URL = "https://dataset.bj.bcebos.com/imikolov%2Fsimple-examples.tgz"
FIRST, LAST = "<s>", "<e>"
PLACE = "simple-examples/data/ptb.{}.txt"


class Imikolov(Dataset):
    """Sentences for a language model. `paddle.text.Imikolov`.

    With data_type "NGRAM" a sample is `window_size` numbers of words that follow each other, arrays () each; with
    "SEQ" it is (sentence after "<s>", sentence before "<e>"), of those not longer than `window_size` if that is more
    than 0. `word_idx` numbers the words (bytes, and the marks) that occur more than `min_word_freq` times in the parts
    train and valid, the most frequent first, and "<unk>" last, for all others; the treebank's own b"<unk>" is a word
    beside it, as in Paddle. `data_file` is simple-examples.tgz; None looks for it in
    ~/.cache/paddle/dataset/imikolov. Nothing is downloaded: FileNotFoundError says where to put which file.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"./simple-examples/data/ptb.train.txt": " the cat sat \\n the dog \\n",
    ...                        "./simple-examples/data/ptb.valid.txt": " the dog \\n"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> pairs = paddle.text.Imikolov(path, "NGRAM", window_size=2, min_word_freq=1)
    >>> {word: number for word, number in pairs.word_idx.items() if word in (b"the", b"dog", "<unk>")}
    {b'the': 2, b'dog': 3, '<unk>': 4}
    >>> [int(number) for number in pairs[0]]
    [1, 2]
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
        self.data_file = local_file(data_file, "Imikolov", "data_file", "imikolov", URL, download)
        train, valid, chosen = (PLACE.format(part) for part in ("train", "valid", self.mode))
        sentences = read_sentences(self.data_file, {train, valid, chosen})
        self.word_idx = numbered(count_words([*sentences[train], *sentences[valid]]), min_word_freq)
        samples_of = ngrams if self.data_type == "NGRAM" else sequences
        self.data: list[tuple] = list(samples_of(sentences[chosen], self.word_idx, window_size))

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        return tuple(np.array(part, np.int64) for part in self.data[idx])

    def __len__(self) -> int:
        return len(self.data)


def read_sentences(path: str, names: Iterable[str]) -> dict[str, list[list[bytes]]]:
    """The words of each sentence in members of the archive, which are parts of the treebank."""
    return {name: [line.split() for line in data.splitlines()] for name, data in Archive(path).read_all(list(names))}


def count_words(sentences: Iterable[list[Any]]) -> Counter:
    """How often each word occurs, and each mark, of which every sentence has one."""
    counts: Counter = Counter()
    for words in sentences:
        counts.update((*words, FIRST, LAST))
    return counts


def ngrams(sentences: Iterable[list[bytes]], word_idx: dict, size: int) -> Iterator[tuple[int, ...]]:
    """The numbers of `size` words that follow each other, marks among them."""
    for first, numbers, last in _numbers(sentences, word_idx):
        marked = [first, *numbers, last]
        yield from (tuple(marked[end - size:end]) for end in range(size, len(marked) + 1))


def sequences(sentences: Iterable[list[bytes]], word_idx: dict, longest: int) -> Iterator[tuple[list[int], list[int]]]:
    """(after "<s>", before "<e>"): sentences that with a mark have up to `longest` words, or all where that is 0."""
    for first, numbers, last in _numbers(sentences, word_idx):
        if longest <= 0 or len(numbers) < longest:
            yield [first, *numbers], [*numbers, last]


def _numbers(sentences: Iterable[list[bytes]], word_idx: dict) -> Iterator[tuple[int, list[int], int]]:
    unknown = word_idx[MISSING]
    first, last = (word_idx.get(mark, unknown) for mark in (FIRST, LAST))
    for words in sentences:
        yield first, [word_idx.get(word, unknown) for word in words], last

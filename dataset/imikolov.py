"""Readers of the Penn Treebank for language models: `paddle.dataset.imikolov`. New code has `paddle.text.Imikolov`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..text.datasets.imikolov import PLACE, URL, count_words, ngrams, read_sentences, sequences
from ..text.datasets.words import numbered
from . import common

__all__ = ["DataType", "build_dict", "fetch", "test", "train", "word_count"]
__dir__ = listed(__name__)

MD5 = "30177ea32e27c525793142b6bf2c8e2d"
_TRAIN, _TEST = PLACE.format("train"), PLACE.format("valid")


class DataType:
    """What a sample is: words that follow each other, or a sentence."""

    NGRAM = 1
    SEQ = 2


def word_count(f: Iterable[Any], word_freq: dict[Any, int] | None = None) -> dict[Any, int]:
    """How often each word of the lines occurs, and "<s>" and "<e>", once a line; added to `word_freq`, if given.

    >>> import proa as paddle
    >>> sorted(paddle.dataset.imikolov.word_count(["the cat", "the dog"]).items())
    [('<e>', 2), ('<s>', 2), ('cat', 1), ('dog', 1), ('the', 2)]
    """
    found = Counter() if word_freq is None else word_freq
    for word, count in count_words(line.split() for line in f).items():
        found[word] = found.get(word, 0) + count
    return found


def build_dict(min_word_freq: int = 50) -> dict[Any, Any]:
    """The numbers of the words (bytes, and the marks) that occur more often in the parts train and valid.

    The most frequent is first; "<unk>", for all others, is last, and the treebank's own b"<unk>" is a word beside it.

    >>> from proa.dataset import common, imikolov
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imikolov.build_dict(min_word_freq=50)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imikolov/imikolov%2Fsimple-examples.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    sentences = read_sentences(common.download(URL, "imikolov", MD5), (_TRAIN, _TEST))
    return numbered(count_words([*sentences[_TRAIN], *sentences[_TEST]]), min_word_freq)


def reader_creator(filename: str, word_idx: dict[Any, Any], n: int, data_type: int) -> Reader:
    """A reader of the samples of one of the archive's files; see `train`.

    >>> from proa.dataset import common, imikolov
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> name = "./simple-examples/data/ptb.test.txt"
    >>> list(imikolov.reader_creator(name, {"<unk>": 0}, 5, imikolov.DataType.NGRAM)())
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imikolov/imikolov%2Fsimple-examples.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    if data_type not in (DataType.NGRAM, DataType.SEQ):
        raise ValueError(f"imikolov(data_type): must be DataType.NGRAM or DataType.SEQ. Received {data_type!r}.")
    if data_type == DataType.NGRAM and n < 1:
        raise ValueError(f"imikolov(n): DataType.NGRAM needs at least 1. Received {n}.")
    samples_of = ngrams if data_type == DataType.NGRAM else sequences
    name = filename.removeprefix("./")

    def reader() -> Iterator[tuple[Any, ...]]:
        path = common.download(URL, "imikolov", MD5)
        yield from samples_of(read_sentences(path, (name,))[name], word_idx, n)

    return reader


def train(word_idx: dict[Any, Any], n: int, data_type: int = DataType.NGRAM) -> Reader:
    """A reader of the part to train, as numbers of words of `build_dict`'s dictionary.

    With DataType.NGRAM a sample is a tuple of `n` words that follow each other; with DataType.SEQ it is the lists
    (sentence after "<s>", sentence before "<e>"), of those with up to `n` words and marks, if `n` is more than 0.

    >>> from proa.dataset import common, imikolov
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> next(imikolov.train({"<unk>": 0}, 5)())
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imikolov/imikolov%2Fsimple-examples.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(_TRAIN, word_idx, n, data_type)


def test(word_idx: dict[Any, Any], n: int, data_type: int = DataType.NGRAM) -> Reader:
    """A reader of the part "valid", in the form of `train`.

    >>> from proa.dataset import common, imikolov
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> next(imikolov.test({"<unk>": 0}, 5)())
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imikolov/imikolov%2Fsimple-examples.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(_TEST, word_idx, n, data_type)


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not.

    >>> from proa.dataset import common, imikolov
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imikolov.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imikolov/imikolov%2Fsimple-examples.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    common.download(URL, "imikolov", MD5)

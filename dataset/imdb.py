"""Readers of IMDB, reviews of films: `paddle.dataset.imdb`. New code has `paddle.text.Imdb`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..text.datasets.imdb import URL, read_reviews
from ..text.datasets.words import MISSING, numbered
from . import common

__all__ = ["build_dict", "fetch", "test", "tokenize", "train", "word_dict"]
__dir__ = listed(__name__)

MD5 = "7c2ac02c03563afcf9b574c7e56c153a"


def tokenize(pattern: re.Pattern[str]) -> Iterator[list[bytes]]:
    """The words of each review whose name in the archive matches: small letters, without punctuation.

    >>> import re
    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> favourable = re.compile("aclImdb/train/pos/.*")
    >>> next(imdb.tokenize(favourable))
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    for _, words in read_reviews(common.download(URL, "imdb", MD5), pattern):
        yield words


def build_dict(pattern: re.Pattern[str], cutoff: int) -> dict[Any, Any]:
    """The numbers of the words (bytes) that occur more than `cutoff` times, from the most frequent on; "<unk>" last.

    >>> import re
    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> pattern = re.compile("aclImdb/train/.*")
    >>> imdb.build_dict(pattern, cutoff=150)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return numbered(Counter(word for words in tokenize(pattern) for word in words), cutoff)


def word_dict() -> dict[Any, Any]:
    """The dictionary of the words that occur more than 150 times in the reviews to train and to test.

    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imdb.word_dict()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return build_dict(re.compile(r"aclImdb/((train)|(test))/((pos)|(neg))/.*\.txt$"), 150)


def reader_creator(pos_pattern: re.Pattern[str], neg_pattern: re.Pattern[str], word_idx: dict[Any, Any]) -> Reader:
    """A reader of (numbers of words, label) of reviews by their names: 0 those of the first pattern, 1 the others.

    >>> import re
    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> favourable, other = re.compile("aclImdb/train/pos/.*"), re.compile("aclImdb/train/neg/.*")
    >>> imdb.reader_creator(favourable, other, {"<unk>": 0})
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    unknown = word_idx[MISSING]
    samples = [([word_idx.get(word, unknown) for word in words], label)
               for label, pattern in enumerate((pos_pattern, neg_pattern)) for words in tokenize(pattern)]
    return lambda: iter(samples)


def _part(part: str, word_idx: dict) -> Reader:
    positive, negative = (re.compile(rf"aclImdb/{part}/{kind}/.*\.txt$") for kind in ("pos", "neg"))
    return reader_creator(positive, negative, word_idx)


def train(word_idx: dict[Any, Any]) -> Reader:
    """A reader of the 25,000 reviews to train: (numbers of words, label), 0 for a favourable one and 1 for others.

    The reviews are read now; `word_idx` is a dictionary of `word_dict`.

    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imdb.train({"<unk>": 0})
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("train", word_idx)


def test(word_idx: dict[Any, Any]) -> Reader:
    """A reader of the 25,000 reviews to test, in the form of those of `train`.

    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imdb.test({"<unk>": 0})
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("test", word_idx)


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not.

    >>> from proa.dataset import common, imdb
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> imdb.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/imdb/imdb%2FaclImdb_v1.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    common.download(URL, "imdb", MD5)

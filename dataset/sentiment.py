"""Readers of NLTK's reviews of films: `paddle.dataset.sentiment` of Paddle 1.x. NLTK is not needed.

Its words are those that NLTK makes of the files: runs of letters and digits, and of what is neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from ..core.lazy import listed
from ..io.local_files import read_zip
from ..text.datasets.words import text_of
from . import common

__all__ = ["fetch", "get_word_dict", "test", "train"]
__dir__ = listed(__name__)

URL = "https://corpora.bj.bcebos.com/movie_reviews%2Fmovie_reviews.zip"
MD5 = "155de2b77c6834dd8eea7cbe88e93acb"
NUM_TRAINING_INSTANCES = 1600
NUM_TOTAL_INSTANCES = 2000
_WORD = re.compile(r"\w+|[^\w\s]+")
_REVIEW = re.compile(r"movie_reviews/((?:neg|pos)/[^/]+\.txt)$")


def _reviews() -> dict[str, list[str]]:
    """The words of each review by its name, unfavourable ones ("neg/…") first."""
    path = common.download(URL, "corpora", MD5, "movie_reviews.zip")
    files = read_zip(path, lambda name: bool(_REVIEW.match(name)), "movie_reviews/neg/*.txt, movie_reviews/pos/*.txt")
    found = {name.partition("/")[2]: _words(data, f"{path}: {name}") for name, data in files}
    return dict(sorted(found.items()))


def _words(data: bytes, place: str) -> list[str]:
    return _WORD.findall(text_of(data, place, "ascii").lower())


def _numbers(reviews: dict[str, list[str]]) -> dict[str, int]:
    counts = Counter(word for words in reviews.values() for word in words)
    return {word: number for number, (word, _) in enumerate(counts.most_common())}


def _alternating(names: Iterable[str]) -> list[str]:
    """An unfavourable one, a favourable one, and so on."""
    names = list(names)
    return list(chain.from_iterable(zip(*([name for name in names if name.startswith(kind)] for kind in ("neg", "pos")),
                                        strict=False)))


def get_word_dict() -> list[tuple[str, int]]:
    """(word, number) of all words, the most frequent first."""
    return list(_numbers(_reviews()).items())


def sort_files() -> list[str]:
    """The names of the reviews, unfavourable ("neg/…") and favourable ("pos/…") by turns."""
    return _alternating(_reviews())


def load_sentiment_data() -> list[tuple[list[int], int]]:
    """(numbers of words, label) of all reviews by turns: 0 for an unfavourable one, 1 for a favourable one."""
    reviews = _reviews()
    numbers = _numbers(reviews)
    return [([numbers[word] for word in reviews[name]], int(name.startswith("pos")))
            for name in _alternating(reviews)]


def reader_creator(data: Iterable[tuple[list[int], int]]) -> Iterator[tuple[list[int], int]]:
    """The samples, one after the other: unlike other sets' it is no reader, but what a reader gives."""
    yield from data


def train() -> Iterator[tuple[list[int], int]]:
    """The first 1600 samples, (numbers of words, label): 0 for an unfavourable review, 1 for a favourable one.

    As in Paddle it is what a reader gives: `lambda: sentiment.train()` is the reader.
    """
    return reader_creator(load_sentiment_data()[:NUM_TRAINING_INSTANCES])


def test() -> Iterator[tuple[list[int], int]]:
    """The other 400 samples, in the form of those of `train`."""
    return reader_creator(load_sentiment_data()[NUM_TRAINING_INSTANCES:])


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not."""
    common.download(URL, "corpora", MD5, "movie_reviews.zip")

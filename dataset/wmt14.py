"""Readers of WMT14, English sentences in French: `paddle.dataset.wmt14`. New code has `paddle.text.WMT14`."""

from __future__ import annotations

from collections.abc import Iterator

from ..io.local_files import Archive
from ..reader.decorator import Reader
from ..text.datasets.wmt14 import FIRST, LAST, URL, read_dictionaries, read_samples
from ..text.datasets.words import MISSING, check_positive
from . import common

__all__ = ["fetch", "gen", "get_dict", "test", "train"]

URL_DEV_TEST = "http://www-lium.univ-lemans.fr/~schwenk/cslm_joint_paper/data/dev+test.tgz"
MD5_DEV_TEST = "7d7897317ddd8ba0ae5c5fa7248d3ff5"
URL_TRAIN = URL
MD5_TRAIN = "0791583d57d5beb693b9414c5b36798c"
URL_MODEL = "http://paddlemodels.bj.bcebos.com/wmt%2Fwmt14.tgz"
MD5_MODEL = "0cb4a5366189b6acba876491c8724fa3"
START, END, UNK = FIRST, LAST, MISSING
#: The number of UNK in the published dictionaries.
UNK_IDX = 2


def reader_creator(tar_file: str, file_name: str, dict_size: int) -> Reader:
    """A reader of (source, target, next) of the archive's members whose names end with `file_name`; see `train`."""
    check_positive(dict_size, "wmt14", "dict_size")

    def reader() -> Iterator[tuple[list[int], ...]]:
        archive = Archive(tar_file)
        yield from read_samples(archive, file_name, *read_dictionaries(archive, dict_size))

    return reader


def _part(name: str, dict_size: int) -> Reader:
    return reader_creator(common.download(URL_TRAIN, "wmt14", MD5_TRAIN), f"{name}/{name}", dict_size)


def train(dict_size: int) -> Reader:
    """A reader of the pairs of sentences to train: the lists (source, target, next) of numbers of words.

    The source stands between "<s>" and "<e>", the target after "<s>", and the same before "<e>" is next. Pairs with
    more than 80 words on a side are left out. The dictionaries are the first `dict_size` lines of those in the archive.
    """
    return _part("train", dict_size)


def test(dict_size: int) -> Reader:
    """A reader of the pairs to test, in the form of those of `train`."""
    return _part("test", dict_size)


def gen(dict_size: int) -> Reader:
    """A reader of the pairs to translate, in the form of those of `train`."""
    return _part("gen", dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict, dict]:
    """The dictionaries of the source and of the target: number -> word, or without `reverse` word -> number."""
    check_positive(dict_size, "wmt14.get_dict", "dict_size")
    found = read_dictionaries(Archive(common.download(URL_TRAIN, "wmt14", MD5_TRAIN)), dict_size)
    if reverse:
        return {n: word for word, n in found[0].items()}, {n: word for word, n in found[1].items()}
    return found


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not."""
    common.download(URL_TRAIN, "wmt14", MD5_TRAIN)
    common.download(URL_MODEL, "wmt14", MD5_MODEL)

"""Readers of WMT14, English sentences in French: `paddle.dataset.wmt14`. New code has `paddle.text.WMT14`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.lazy import listed
from ..io.local_files import Archive
from ..reader.decorator import Reader
from ..text.datasets.wmt14 import FIRST, LAST, URL, read_dictionaries, read_samples
from ..text.datasets.words import MISSING, check_positive
from . import common

__all__ = ["fetch", "gen", "get_dict", "test", "train"]
__dir__ = listed(__name__)

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
    """A reader of (source, target, next) of the archive's members whose names end with `file_name`; see `train`.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"src.dict": "<s>\\n<e>\\n<unk>\\ncat\\n", "trg.dict": "<s>\\n<e>\\n<unk>\\nchat\\n",
    ...                        "train/train": "cat\\tchat\\n"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> list(paddle.dataset.wmt14.reader_creator(path, "train/train", 4)())
    [([0, 3, 1], [0, 3], [3, 1])]
    """
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

    >>> from proa.dataset import common, wmt14
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt14.train(30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt14/wmt14.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("train", dict_size)


def test(dict_size: int) -> Reader:
    """A reader of the pairs to test, in the form of those of `train`.

    >>> from proa.dataset import common, wmt14
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt14.test(30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt14/wmt14.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("test", dict_size)


def gen(dict_size: int) -> Reader:
    """A reader of the pairs to translate, in the form of those of `train`.

    >>> from proa.dataset import common, wmt14
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt14.gen(30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt14/wmt14.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("gen", dict_size)


def get_dict(dict_size: int, reverse: bool = True) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """The dictionaries of the source and of the target: number -> word, or without `reverse` word -> number.

    >>> from proa.dataset import common, wmt14
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt14.get_dict(30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt14/wmt14.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    check_positive(dict_size, "wmt14.get_dict", "dict_size")
    found = read_dictionaries(Archive(common.download(URL_TRAIN, "wmt14", MD5_TRAIN)), dict_size)
    if reverse:
        return {n: word for word, n in found[0].items()}, {n: word for word, n in found[1].items()}
    return found


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common, wmt14
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt14.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt14/wmt14.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    common.download(URL_TRAIN, "wmt14", MD5_TRAIN)
    common.download(URL_MODEL, "wmt14", MD5_MODEL)

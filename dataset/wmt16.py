"""Readers of WMT16, captions in English and German: `paddle.dataset.wmt16`. New code has `paddle.text.WMT16`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..core.lazy import listed
from ..io.local_files import Archive
from ..reader.decorator import Reader
from ..text.datasets.wmt16 import FIRST, LAST, URL, check_language, dictionary, read_captions, samples
from ..text.datasets.words import MISSING, check_positive
from . import common

__all__ = ["fetch", "get_dict", "test", "train", "validation"]
__dir__ = listed(__name__)

DATA_URL = URL
DATA_MD5 = "0c38be43600334966403524a40dcd81e"
TOTAL_EN_WORDS = 11250
TOTAL_DE_WORDS = 19220
START_MARK, END_MARK, UNK_MARK = FIRST, LAST, MISSING


def _archive() -> str:
    return common.download(DATA_URL, "wmt16", DATA_MD5, "wmt16.tar.gz")


def _size(lang: str, size: int, what: str) -> int:
    return min(check_positive(size, "wmt16", what), TOTAL_EN_WORDS if lang == "en" else TOTAL_DE_WORDS)


def reader_creator(tar_file: str, file_name: str, src_dict_size: int, trg_dict_size: int, src_lang: str) -> Reader:
    """A reader of (source, target, next) of one of the archive's members; see `train`.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"wmt16/train": "a cat\\teine Katze\\n"}.items():
    ...         member = tarfile.TarInfo(name)
    ...         member.size = len(text)
    ...         archive.addfile(member, io.BytesIO(text.encode()))
    >>> source, target, following = next(paddle.dataset.wmt16.reader_creator(path, "wmt16/train", 5, 5, "en")())
    >>> len(source), len(target), len(following)
    (4, 3, 3)
    """
    def reader() -> Iterator[tuple[list[int], list[int], list[int]]]:
        archive = Archive(tar_file)
        learnt = list(read_captions(archive, "wmt16/train", src_lang))
        dictionaries = (dictionary((source for source, _ in learnt), src_dict_size),
                        dictionary((target for _, target in learnt), trg_dict_size))
        captions = learnt if file_name == "wmt16/train" else read_captions(archive, file_name, src_lang)
        yield from samples(captions, *dictionaries)

    return reader


def _part(name: str, src_dict_size: int, trg_dict_size: int, src_lang: str) -> Reader:
    other = "de" if check_language(src_lang, "wmt16(src_lang)") == "en" else "en"
    return reader_creator(_archive(), f"wmt16/{name}", _size(src_lang, src_dict_size, "src_dict_size"),
                          _size(other, trg_dict_size, "trg_dict_size"), src_lang)


def train(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """A reader of the captions to train: the lists (source, target, next) of numbers of words.

    The source, in `src_lang` ("en" or "de"), stands between "<s>" and "<e>", the target after "<s>", and the same
    before "<e>" is next. A dictionary holds these marks, "<unk>" and the most frequent words of the part to train, at
    most so many together.

    >>> from proa.dataset import common, wmt16
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt16.train(30000, 30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt16/wmt16.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("train", src_dict_size, trg_dict_size, src_lang)


def test(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """A reader of the captions to test, in the form of those of `train`.

    >>> from proa.dataset import common, wmt16
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt16.test(30000, 30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt16/wmt16.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("test", src_dict_size, trg_dict_size, src_lang)


def validation(src_dict_size: int, trg_dict_size: int, src_lang: str = "en") -> Reader:
    """A reader of the captions to validate, in the form of those of `train`.

    >>> from proa.dataset import common, wmt16
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt16.validation(30000, 30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt16/wmt16.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("val", src_dict_size, trg_dict_size, src_lang)


def get_dict(lang: str, dict_size: int, reverse: bool = False) -> dict[Any, Any]:
    """The dictionary of a language: word -> number, or with `reverse` number -> word.

    >>> from proa.dataset import common, wmt16
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt16.get_dict("en", 30000)
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt16/wmt16.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    captions = read_captions(Archive(_archive()), "wmt16/train", check_language(lang, "wmt16.get_dict(lang)"))
    found = dictionary((words for words, _ in captions), _size(lang, dict_size, "dict_size"))
    return {n: word for word, n in found.items()} if reverse else found


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not.

    >>> from proa.dataset import common, wmt16
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> wmt16.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/wmt16/wmt16.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    _archive()

"""Readers of CoNLL-2005, roles of words: `paddle.dataset.conll05`. New code has `paddle.text.Conll05st`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..text.datasets.conll05 import ROLES, UNKNOWN, URL_PREFIX, WORDS, nine_columns, read_corpus, read_roles, read_words
from . import common

__all__ = ["corpus_reader", "fetch", "get_dict", "get_embedding", "load_dict", "load_label_dict", "test"]
__dir__ = listed(__name__)

DATA_URL = URL_PREFIX + "/conll05st-tests.tar.gz"
DATA_MD5 = "387719152ae52d60422c016e92a742fc"
WORDDICT_URL = URL_PREFIX + "%2FwordDict.txt"
WORDDICT_MD5 = "ea7fb7d4c75cc6254716f0177a506baa"
VERBDICT_URL = URL_PREFIX + "%2FverbDict.txt"
VERBDICT_MD5 = "0d2977293bbb6cbefab5b0f97db1e77c"
TRGDICT_URL = URL_PREFIX + "%2FtargetDict.txt"
TRGDICT_MD5 = "d8c7f03ceb5fc2e5a0fa7503a4353751"
EMB_URL = URL_PREFIX + "%2Femb"
EMB_MD5 = "bf436eb0faa1f6f9103017f8be57cdb7"
#: The number of words that are not in the dictionary.
UNK_IDX = UNKNOWN

Sentence = tuple[list[str], str, list[str]]
"""Words, a verb, and the role that each word has for it."""


def load_dict(filename: str) -> dict[str, int]:
    """The numbers of a file's lines.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "list")
    >>> with open(path, "w") as file:
    ...     _ = file.write("<unk>\\nDogs\\nbark\\n")
    >>> paddle.dataset.conll05.load_dict(path)
    {'<unk>': 0, 'Dogs': 1, 'bark': 2}
    """
    return read_words(filename)


def load_label_dict(filename: str) -> dict[str, int]:
    """The numbers of the roles in a file: in the order of their letters, "B-" before "I-", and "O" last.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "list")
    >>> with open(path, "w") as file:
    ...     _ = file.write("B-A0\\nI-A0\\nB-V\\nI-V\\nO\\n")
    >>> paddle.dataset.conll05.load_label_dict(path)
    {'B-A0': 0, 'I-A0': 1, 'B-V': 2, 'I-V': 3, 'O': 4}
    """
    return read_roles(filename)


def corpus_reader(data_path: str, words_name: str, props_name: str) -> Callable[[], Iterable[Sentence]]:
    """A reader of (words, verb, roles), one for each verb of each sentence, from two members of the archive.

    >>> import proa as paddle
    >>> import gzip, io, os, tarfile, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path, root = os.path.join(folder, "tests.tar.gz"), "conll05st-release/test.wsj/"
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     for name, text in {"words/test.wsj.words.gz": "Dogs\\nbark\\n\\n",
    ...                        "props/test.wsj.props.gz": "- (A0*)\\nbark (V*)\\n\\n"}.items():
    ...         data = gzip.compress(text.encode())
    ...         member = tarfile.TarInfo(root + name)
    ...         member.size = len(data)
    ...         archive.addfile(member, io.BytesIO(data))
    >>> names = root + "words/test.wsj.words.gz", root + "props/test.wsj.props.gz"
    >>> list(paddle.dataset.conll05.corpus_reader(path, *names)())
    [(['Dogs', 'bark'], 'bark', ['B-A0', 'B-V'])]
    """
    return lambda: read_corpus(data_path, words_name, props_name)


def reader_creator(corpus_reader: Callable[[], Iterable[Sentence]], word_dict: dict[str, int],
                   predicate_dict: dict[str, int], label_dict: dict[str, int]) -> Reader:
    """A reader of nine columns for each (words, verb, roles); see `test`.

    >>> import proa as paddle
    >>> sentences = lambda: iter([(["Dogs", "bark"], "bark", ["B-A0", "B-V"])])
    >>> roles = {"B-A0": 0, "B-V": 1}
    >>> reader = paddle.dataset.conll05.reader_creator(sentences, {"Dogs": 1, "bark": 2}, {"bark": 0}, roles)
    >>> words, *around, verb, marks, roles = next(reader())
    >>> words, verb, marks, roles
    ([1, 2], [0, 0], [1, 1], [0, 1])
    """
    def reader() -> Iterator[tuple[list[int], ...]]:
        for sentence, verb, labels in corpus_reader():
            yield nine_columns(sentence, verb, labels, (word_dict, predicate_dict, label_dict),
                               ("corpus_reader", "predicate_dict", "label_dict"))

    return reader


def get_dict() -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """The dictionaries of words, verbs and roles.

    >>> from proa.dataset import common, conll05
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> conll05.get_dict()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/conll05st/conll05st%2FwordDict.txt is not there...
    >>> common.DATA_HOME = kept
    """
    return (load_dict(common.download(WORDDICT_URL, "conll05st", WORDDICT_MD5)),
            load_dict(common.download(VERBDICT_URL, "conll05st", VERBDICT_MD5)),
            load_label_dict(common.download(TRGDICT_URL, "conll05st", TRGDICT_MD5)))


def get_embedding() -> str:
    """The path of a file of word vectors.

    >>> from proa.dataset import common, conll05
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> conll05.get_embedding()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/conll05st/conll05st%2Femb is not there...
    >>> common.DATA_HOME = kept
    """
    return common.download(EMB_URL, "conll05st", EMB_MD5)


def test() -> Reader:
    """A reader of the part to test, which is the one that is free.

    A sample is nine lists of numbers, each as long as the sentence: the words; the words two before, one before, at,
    one after and two after the verb; the verb; 1 at those five places; the roles.

    >>> from proa.dataset import common, conll05
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> conll05.test()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/conll05st/conll05st-tests.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(corpus_reader(common.download(DATA_URL, "conll05st", DATA_MD5), WORDS, ROLES), *get_dict())


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common, conll05
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> conll05.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/conll05st/conll05st%2FwordDict.txt is not there...
    >>> common.DATA_HOME = kept
    """
    for url, md5 in ((WORDDICT_URL, WORDDICT_MD5), (VERBDICT_URL, VERBDICT_MD5), (TRGDICT_URL, TRGDICT_MD5),
                     (EMB_URL, EMB_MD5), (DATA_URL, DATA_MD5)):
        common.download(url, "conll05st", md5)

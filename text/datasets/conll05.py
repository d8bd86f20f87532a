"""CoNLL-2005: who does what to whom, the test part of its sentences of the Wall Street Journal."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import Archive, local_file
from .words import text_of

URL_PREFIX = "http://paddlemodels.bj.bcebos.com/conll05st"
WORDS, ROLES = (f"conll05st-release/test.wsj/{part}/test.wsj.{part}.gz" for part in ("words", "props"))
_MAXIMUM = 1 << 28
UNKNOWN = 0
_BEGIN = re.compile(r"\(([^()*]+)\*(\)?)")


class Conll05st(Dataset):
    """Sentences with a verb each and the roles that their words have for it. `paddle.text.Conll05st`.

    A sample is nine int64 arrays (length,): the words; the words two before, one before, at, one after and two after
    the verb, each as often as the sentence is long; the verb; 1 at those five places; the roles. `data_file` is
    conll05st-tests.tar.gz; `word_dict_file`, `verb_dict_file` and `target_dict_file` are lists of words, verbs and
    roles, a line each, and `emb_file` is a file of word vectors, of which only the path is kept. Roles are numbered in
    the order of their letters, "B-" before "I-", and "O" last. None looks for a file in
    ~/.cache/paddle/dataset/conll05st. Nothing is downloaded: FileNotFoundError says where to put which file;
    CorruptFileError where it is damaged.

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
    >>> def lines(name, text):
    ...     with open(os.path.join(folder, name), "w") as file:
    ...         _ = file.write(text)
    ...     return os.path.join(folder, name)
    >>> sentences = paddle.text.Conll05st(path, lines("words", "<unk>\\nDogs\\nbark\\n"), lines("verbs", "bark\\n"),
    ...                                   lines("roles", "B-A0\\nI-A0\\nB-V\\nI-V\\nO\\n"), lines("vectors", ""))
    >>> words, *around, verb, marks, roles = sentences[0]
    >>> words.tolist(), verb.tolist(), marks.tolist(), roles.tolist()
    ([1, 2], [0, 0], [1, 1], [0, 2])
    """

    def __init__(self, data_file: Any = None, word_dict_file: Any = None, verb_dict_file: Any = None,
                 target_dict_file: Any = None, emb_file: Any = None, download: bool = True):
        def there(path: Any, argument: str, name: str) -> str:
            return local_file(path, "Conll05st", argument, "conll05st", URL_PREFIX + name, download)

        self.data_file = there(data_file, "data_file", "/conll05st-tests.tar.gz")
        self.word_dict_file = there(word_dict_file, "word_dict_file", "%2FwordDict.txt")
        self.verb_dict_file = there(verb_dict_file, "verb_dict_file", "%2FverbDict.txt")
        self.target_dict_file = there(target_dict_file, "target_dict_file", "%2FtargetDict.txt")
        self.emb_file = there(emb_file, "emb_file", "%2Femb")
        self.word_dict = read_words(self.word_dict_file)
        self.predicate_dict = read_words(self.verb_dict_file)
        self.label_dict = read_roles(self.target_dict_file)
        self.sentences: list[list[str]] = []
        self.predicates: list[str] = []
        self.labels: list[list[str]] = []
        for sentence, verb, labels in read_corpus(self.data_file, WORDS, ROLES):
            self.sentences.append(sentence)
            self.predicates.append(verb)
            self.labels.append(labels)

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        columns = nine_columns(self.sentences[idx], self.predicates[idx], self.labels[idx], self.get_dict(),
                               (self.data_file, self.verb_dict_file, self.target_dict_file))
        return tuple(np.array(column, np.int64) for column in columns)

    def __len__(self) -> int:
        return len(self.sentences)

    def get_dict(self) -> tuple[dict, dict, dict]:
        """The dictionaries of words, verbs and roles."""
        return self.word_dict, self.predicate_dict, self.label_dict

    def get_embedding(self) -> str:
        """The path of the file of word vectors."""
        return self.emb_file


def nine_columns(sentence: list[str], verb: str, labels: list[str], dictionaries: tuple[dict, dict, dict],
                 places: tuple[str, str, str]) -> tuple[list[int], ...]:
    """The numbers of words, of those around the verb, of the verb, marks and roles; `places` is for errors."""
    words, verbs, roles = dictionaries
    if "B-V" not in labels:
        raise CorruptFileError(places[0], " ".join(sentence[:5]), "has a verb without a place")
    at, count = labels.index("B-V"), len(labels)
    near = [at + step for step in (-2, -1, 0, 1, 2)]
    around = ["bos" if n < 0 else "eos" if n >= count else sentence[n] for n in near]
    return ([words.get(word, UNKNOWN) for word in sentence], *([words.get(word, UNKNOWN)] * count for word in around),
            [_known(verbs, verb, places[1])] * count, [int(n in near) for n in range(count)],
            [_known(roles, label, places[2]) for label in labels])


def read_corpus(path: str, words: str, roles: str) -> Iterator[tuple[list[str], str, list[str]]]:
    """(sentence, verb, roles of its words) for each verb of each sentence, from two members of the archive."""
    archive, place = Archive(path), f"{path}: {roles}"
    word_lines, role_lines = (_text(archive, name).split("\n") for name in (words, roles))
    for sentence, (heads, *columns) in _sentences(word_lines, role_lines, place):
        verbs = [verb for verb in heads if verb != "-"]
        if len(verbs) != len(columns):
            raise CorruptFileError(place, " ".join(sentence[:5]), f"{len(verbs)} verbs and {len(columns)} columns")
        for verb, brackets in zip(verbs, columns, strict=True):
            yield sentence, verb, _labels(brackets, place)


def _text(archive: Archive, name: str) -> str:
    place = f"{archive.path}: {name}"
    unpacking = zlib.decompressobj(wbits=31)
    try:
        data = unpacking.decompress(archive.read(name), _MAXIMUM)
    except zlib.error as error:
        raise CorruptFileError(place, 0, f"cannot be decompressed: {error}") from error
    if not unpacking.eof:
        raise CorruptFileError(place, len(data), "ends early, or is larger than it may be")
    if unpacking.unused_data:
        raise CorruptFileError(place, len(data), "more follows behind the end of what is compressed")
    return text_of(data, place)


def _known(numbers: dict[str, int], name: str, path: str) -> int:
    if name not in numbers:
        raise CorruptFileError(path, name, "is used in the sentences and not listed")
    return numbers[name]


def _lines(path: str) -> list[str]:
    with open(path, "rb") as file:
        return [line.strip() for line in text_of(file.read(), path).removesuffix("\n").split("\n")]


def read_words(path: str) -> dict[str, int]:
    """The numbers of the lines of a file."""
    return {line: n for n, line in enumerate(_lines(path))}


def read_roles(path: str) -> dict[str, int]:
    """The numbers of the roles in a file: in the order of their letters, "B-" before "I-", and "O" last."""
    names = sorted({line[2:] for line in _lines(path) if line.startswith(("B-", "I-"))})
    return {label: n for n, label in enumerate([*(f"{mark}-{name}" for name in names for mark in "BI"), "O"])}


def _sentences(words: list[str], rows: list[str], place: str) -> Iterator[tuple[list[str], list[tuple[str, ...]]]]:
    """The words of a sentence and the columns beside them; an empty line is between sentences."""
    if len(words) != len(rows):
        raise CorruptFileError(place, f"line {len(rows)}", f"must have as many lines as the words, {len(words)}")
    sentence: list[str] = []
    beside: list[list[str]] = []
    for number, (word, row) in enumerate(zip([*words, ""], [*rows, ""], strict=True), 1):
        found = row.split()
        if found:
            if beside and len(found) != len(beside[0]):
                raise CorruptFileError(place, f"line {number}", f"must have {len(beside[0])} columns")
            sentence.append(word.strip())
            beside.append(found)
        elif beside:
            yield sentence, list(zip(*beside, strict=True))
            sentence, beside = [], []


def _labels(brackets: tuple[str, ...], place: str) -> list[str]:
    """"(A0*", "*", "*)" as "B-A0", "I-A0", "I-A0"; "*" outside of brackets as "O"."""
    found, inside, name = [], False, ""
    for mark in brackets:
        if begin := _BEGIN.fullmatch(mark):
            name, inside = begin[1], not begin[2]
            found.append(f"B-{name}")
        elif mark in ("*", "*)"):
            found.append(f"I-{name}" if inside or mark == "*)" else "O")
            inside = inside and mark == "*"
        else:
            raise CorruptFileError(place, mark, "is no mark of a role: (NAME*, *, *) or (NAME*)")
    return found

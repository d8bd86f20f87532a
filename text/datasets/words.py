"""What the sets of texts share: words in the order of how often they occur, and lines of text in files of strangers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.files import CorruptFileError

MISSING = "<unk>"
"""What stands for a word that is not in the dictionary."""


def numbered(counts: Counter, more_than: int) -> dict[Any, int]:
    """The words that occur more than so often, from the most frequent on (ties by their letters), then "<unk>"."""
    kept = sorted((word for word, count in counts.items() if count > more_than and word != MISSING),
                  key=lambda word: (-counts[word], word if isinstance(word, bytes) else word.encode()))
    return {word: n for n, word in enumerate([*kept, MISSING])}


def text_of(data: bytes, place: str, encoding: str = "utf-8") -> str:
    """The bytes as text; CorruptFileError that says where they are none."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise CorruptFileError(place, error.start, f"is no text in {encoding}: {error.reason}") from error


def fields(lines: Iterable[str], separator: str, count: int, place: str) -> Iterator[list[str]]:
    """The fields of every line that is not empty; CorruptFileError names the line that has another number of them."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = line.strip().split(separator)
        if len(found) != count:
            raise CorruptFileError(place, f"line {number}", f"must have {count} fields. It has {len(found)}")
        yield found


def pairs(data: bytes, place: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words of both sentences of every line that has two, with a tab between them."""
    for line in text_of(data, place).split("\n"):
        parts = line.strip().split("\t")
        if len(parts) == 2:
            yield parts[0].split(), parts[1].split()


def check_positive(value: int, caller: str, argument: str) -> int:
    """The value; ValueError unless it is more than 0."""
    if value <= 0:
        raise ValueError(f"{caller}({argument}): must be more than 0. Received {value}.")
    return value

"""MovieLens 1M: what six thousand people thought of four thousand films."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import check_mode, local_file, read_zip
from .words import fields, text_of

URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
AGES = (1, 18, 25, 35, 45, 50, 56)
_SEPARATOR = "::"


class Movielens(Dataset):
    """A million ratings. `paddle.text.Movielens`.

    A sample is (user, gender, age, job, film, categories, title, rating): int64 arrays of one number, but several
    categories and words of the title; the gender is 0 for men, the age one of seven groups, and the rating
    2 * stars - 5 in float64. `categories_dict` and `movie_title_dict` number categories and words in the order of their
    letters. A rating is one to test with probability `test_ratio`; `rand_seed` seeds the draws. `data_file` is
    ml-1m.zip; None looks for it in ~/.cache/paddle/dataset/sentiment, where Paddle puts it. Nothing is downloaded:
    FileNotFoundError says where to put which file; CorruptFileError names the member and the line that is damaged.

    >>> import proa as paddle
    >>> import os, tempfile, zipfile
    >>> path = os.path.join(tempfile.mkdtemp(), "ml-1m.zip")
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("ml-1m/movies.dat", "1::A Film (1999)::Comedy|Drama\\n")
    ...     archive.writestr("ml-1m/users.dat", "1::F::25::4::55117\\n")
    ...     archive.writestr("ml-1m/ratings.dat", "1::1::5::978300760\\n")
    >>> ratings = paddle.text.Movielens(path, mode="train", test_ratio=0.0)
    >>> [part.tolist() for part in ratings[0]]
    [[1], [1], [2], [4], [1], [0, 1], [0, 1], [5.0]]
    """

    def __init__(self, data_file: Any = None, mode: str = "train", test_ratio: float = 0.1, rand_seed: int = 0,
                 download: bool = True):
        self.mode = check_mode(mode, "Movielens", ("train", "test"))
        self.data_file = local_file(data_file, "Movielens", "data_file", "sentiment", URL, download)
        self.test_ratio, self.rand_seed = test_ratio, rand_seed
        tables = Tables(self.data_file)
        self.movie_title_dict, self.categories_dict = tables.words, tables.categories
        self.data = [self._sample(tables, user, film, rating)
                     for user, film, rating in tables.ratings(self.mode == "test", test_ratio, rand_seed)]

    @staticmethod
    def _sample(tables: Tables, user: int, film: int, rating: float) -> list[list]:
        gender, age, job = tables.users[user]
        return [[user], [int(gender != "M")], [AGES.index(age)], [job], [film], *tables.numbers(*tables.films[film]),
                [rating]]

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        *facts, rating = self.data[idx]
        return (*(np.array(part, np.int64) for part in facts), np.array(rating))

    def __len__(self) -> int:
        return len(self.data)


class Tables:
    """What an archive ml-1m.zip says of films and users, and who rated what.

    `films` are {number: (title without the year, categories)}, `users` {number: (gender, age, job)}; `words` and
    `categories` number the words of the titles, in small letters, and the categories.
    """

    def __init__(self, path: str):
        self.path = path
        self.films = self._films()
        self.users = self._users()
        self.words = _numbered(word for title, _ in self.films.values() for word in title.lower().split())
        self.categories = _numbered(kind for _, kinds in self.films.values() for kind in kinds)

    def numbers(self, title: str, kinds: list[str]) -> tuple[list[int], list[int]]:
        """The numbers of the categories and of the title's words."""
        return [self.categories[kind] for kind in kinds], [self.words[word] for word in title.lower().split()]

    def ratings(self, of_test: bool, test_ratio: float, rand_seed: int) -> Iterator[tuple[int, int, float]]:
        """(user, film, 2 * stars - 5) of one part; a rating is one to test with probability `test_ratio`."""
        member = "ml-1m/ratings.dat"
        draws = np.random.RandomState(rand_seed)
        for *numbers, _ in self._rows(member, 4):
            if (draws.random_sample() < test_ratio) != of_test:
                continue
            user, film, stars = (self._number(text, member, "a rating") for text in numbers)
            for number, known, what in ((user, self.users, "user"), (film, self.films, "film")):
                if number not in known:
                    raise CorruptFileError(f"{self.path}: {member}", f"{what} {number}", "is not described")
            yield user, film, stars * 2 - 5.0

    def _films(self) -> dict[int, tuple[str, list[str]]]:
        member = "ml-1m/movies.dat"
        return {self._number(number, member, "a film's number"): (re.sub(r"\(\d+\)$", "", title), kinds.split("|"))
                for number, title, kinds in self._rows(member, 3)}

    def _users(self) -> dict[int, tuple[str, int, int]]:
        member, found = "ml-1m/users.dat", {}
        for user, gender, age, job, _ in self._rows(member, 5):
            years = self._number(age, member, "an age")
            if years not in AGES:
                raise CorruptFileError(f"{self.path}: {member}", f"user {user}", f"the age must be one of {AGES}")
            found[self._number(user, member, "a user's number")] = gender, years, self._number(job, member, "a job")
        return found

    def _rows(self, member: str, count: int) -> Iterator[list[str]]:
        return fields(self._lines(member), _SEPARATOR, count, f"{self.path}: {member}")

    def _lines(self, member: str) -> list[str]:
        found = dict(read_zip(self.path, lambda name: name == member, member))
        return text_of(found[member], f"{self.path}: {member}", "latin-1").split("\n")

    def _number(self, text: str, member: str, what: str) -> int:
        try:
            return int(text)
        except ValueError as error:
            raise CorruptFileError(f"{self.path}: {member}", what, f"must be a number. It is {text!r}") from error


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: n for n, name in enumerate(sorted(set(names)))}

"""MovieLens 1M: what six thousand people thought of four thousand films."""

from __future__ import annotations

import re
import zipfile
import zlib
from typing import Any

import numpy as np

from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import check_mode, local_file
from .words import fields, text_of

_URL = "https://dataset.bj.bcebos.com/movielens%2Fml-1m.zip"
_AGES = (1, 18, 25, 35, 45, 50, 56)
_MAXIMUM_MEMBER = 1 << 28
_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_SEPARATOR = "::"


class Movielens(Dataset):
    """A million ratings. `paddle.text.Movielens`.

    A sample is (user, gender, age, job, film, categories, title, rating): int64 arrays of one number, but several
    categories and words of the title; the gender is 0 for men, the age one of seven groups, and the rating
    2 * stars - 5 in float64. `categories_dict` and `movie_title_dict` number categories and words in the order of their
    letters. A rating is one to test with probability `test_ratio`; `rand_seed` seeds the draws. `data_file` is
    ml-1m.zip; None looks for it in ~/.cache/paddle/dataset/sentiment, where Paddle puts it. Nothing is downloaded:
    FileNotFoundError says where to put which file; CorruptFileError names the member and the line that is damaged.
    """

    def __init__(self, data_file: Any = None, mode: str = "train", test_ratio: float = 0.1, rand_seed: int = 0,
                 download: bool = True):
        self.mode = check_mode(mode, "Movielens", ("train", "test"))
        self.data_file = local_file(data_file, "Movielens", "data_file", "sentiment", _URL, download)
        self.test_ratio, self.rand_seed = test_ratio, rand_seed
        self._films = self._read_films()
        self.movie_title_dict = self._numbered(word for _, _, words in self._films.values() for word in words)
        self.categories_dict = self._numbered(kind for _, kinds, _ in self._films.values() for kind in kinds)
        self._users = {user: [[user], [int(gender != "M")], [_AGES.index(age)], [job]]
                       for user, gender, age, job in self._read_users()}
        self.data = self._ratings()

    @staticmethod
    def _numbered(names: Any) -> dict[str, int]:
        return {name: n for n, name in enumerate(sorted(set(names)))}

    def _lines(self, member: str) -> list[str]:
        place = f"{self.data_file}: {member}"
        try:
            with zipfile.ZipFile(self.data_file) as archive:
                about = archive.getinfo(member)
                if about.file_size > _MAXIMUM_MEMBER:
                    raise CorruptFileError(place, 0, f"declares {about.file_size} bytes, more than {_MAXIMUM_MEMBER}")
                if about.compress_type not in _COMPRESSIONS:
                    raise CorruptFileError(place, 0, f"is compressed in the way {about.compress_type}, which "
                                           "may unpack to more than it declares")
                with archive.open(about) as file:  # read() without a size would unpack first and cut then
                    return text_of(file.read(about.file_size), place, "latin-1").split("\n")
        except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
            raise CorruptFileError(place, member, f"cannot be read from the archive: {error}") from error

    def _rows(self, member: str, count: int) -> Any:
        return fields(self._lines(member), _SEPARATOR, count, f"{self.data_file}: {member}")

    def _number(self, text: str, member: str, what: str) -> int:
        try:
            return int(text)
        except ValueError as error:
            raise CorruptFileError(f"{self.data_file}: {member}", what, f"must be a number. It is {text!r}") from error

    def _read_films(self) -> dict[int, tuple[int, list[str], list[str]]]:
        """Number -> (number, categories, words of the title in small letters, without the year)."""
        member, found = "ml-1m/movies.dat", {}
        for number, title, kinds in self._rows(member, 3):
            film = self._number(number, member, "a film's number")
            words = re.sub(r"\(\d+\)$", "", title).lower().split()
            found[film] = (film, kinds.split("|"), words)
        return found

    def _read_users(self) -> Any:
        member = "ml-1m/users.dat"
        for user, gender, age, job, _ in self._rows(member, 5):
            years = self._number(age, member, "an age")
            if years not in _AGES:
                raise CorruptFileError(f"{self.data_file}: {member}", f"user {user}", f"the age must be one of {_AGES}")
            yield self._number(user, member, "a user's number"), gender, years, self._number(job, member, "a job")

    def _ratings(self) -> list[list[list]]:
        member, found = "ml-1m/ratings.dat", []
        rows = list(self._rows(member, 4))
        to_test = np.random.RandomState(self.rand_seed).random_sample(len(rows)) < self.test_ratio
        for (user, film, stars, _), tests in zip(rows, to_test, strict=True):
            if bool(tests) == (self.mode == "test"):
                found.append(self._sample(*(self._number(text, member, "a rating") for text in (user, film, stars))))
        return found

    def _sample(self, user: int, film: int, stars: int) -> list[list]:
        for number, known, what in ((user, self._users, "user"), (film, self._films, "film")):
            if number not in known:
                raise CorruptFileError(f"{self.data_file}: ml-1m/ratings.dat", f"{what} {number}", "is not described")
        _, kinds, words = self._films[film]
        return [*self._users[user], [film], [self.categories_dict[kind] for kind in kinds],
                [self.movie_title_dict[word] for word in words], [stars * 2 - 5.0]]

    def __getitem__(self, idx: int) -> tuple[np.ndarray, ...]:
        *facts, rating = self.data[idx]
        return (*(np.array(part, np.int64) for part in facts), np.array(rating))

    def __len__(self) -> int:
        return len(self.data)

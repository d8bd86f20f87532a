"""Readers of MovieLens 1M, ratings of films: `paddle.dataset.movielens`. New code has `paddle.text.Movielens`."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from typing import Any

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..text.datasets.movielens import AGES, URL, Tables
from . import common

__all__ = ["MovieInfo", "UserInfo", "age_table", "fetch", "get_movie_title_dict", "max_job_id", "max_movie_id",
           "max_user_id", "movie_categories", "movie_info", "test", "train", "user_info"]
__dir__ = listed(__name__)

MD5 = "c4d9eecfca2ab87c1945afe126590906"
#: The first year of each group of ages.
age_table = list(AGES)


class MovieInfo:
    """A film: its number, its categories and its title, without the year.

    >>> import proa as paddle
    >>> paddle.dataset.movielens.MovieInfo("1", ["Comedy"], "A Film (1999)").title
    'A Film (1999)'
    """

    def __init__(self, index: int | str, categories: list[str], title: str):
        self.index = int(index)
        self.categories = categories
        self.title = title

    def value(self) -> list[Any]:
        """[number, numbers of the categories, numbers of the title's words]."""
        return [self.index, *_tables().numbers(self.title, self.categories)]

    def __repr__(self) -> str:
        return f"<MovieInfo id({self.index}), title({self.title}), categories({self.categories})>"


class UserInfo:
    """Who rates: number, gender, the group of the age, and job. `gender` is "M" or "F", `age` one of `age_table`.

    >>> import proa as paddle
    >>> user = paddle.dataset.movielens.UserInfo("1", "F", "25", "4")
    >>> user, user.value()
    (<UserInfo id(1), gender(F), age(25), job(4)>, [1, 1, 2, 4])
    """

    def __init__(self, index: int | str, gender: str, age: int | str, job_id: int | str):
        self.index = int(index)
        self.is_male = gender == "M"
        self.age = age_table.index(int(age))
        self.job_id = int(job_id)

    def value(self) -> list[int]:
        """[number, 0 for men and 1 for women, group of the age, job]."""
        return [self.index, 0 if self.is_male else 1, self.age, self.job_id]

    def __repr__(self) -> str:
        gender = "M" if self.is_male else "F"
        return f"<UserInfo id({self.index}), gender({gender}), age({age_table[self.age]}), job({self.job_id})>"


def _tables() -> Tables:
    path = common.download(URL, "movielens", MD5)
    return _read(path, os.stat(path).st_mtime_ns)


@functools.lru_cache(maxsize=1)
def _read(path: str, changed: int) -> Tables:
    return Tables(path)


def _reader(of_test: bool, rand_seed: int, test_ratio: float) -> Reader:
    def reader() -> Iterator[list[Any]]:
        tables, users = _tables(), user_info()
        for user, film, rating in tables.ratings(of_test, test_ratio, rand_seed):
            title, categories = tables.films[film]
            yield [*users[user].value(), film, *tables.numbers(title, categories), [rating]]

    return reader


def train(rand_seed: int = 0, test_ratio: float = 0.1) -> Reader:
    """A reader of the ratings to train.

    A sample is [user, gender, group of the age, job, film, [categories], [words of the title], [2 * stars - 5]], all
    numbers. A rating is one to test with probability `test_ratio`, drawn from `rand_seed`.
    """
    return _reader(False, rand_seed, test_ratio)


def test(rand_seed: int = 0, test_ratio: float = 0.1) -> Reader:
    """A reader of the ratings to test, in the form of those of `train`."""
    return _reader(True, rand_seed, test_ratio)


def movie_info() -> dict[int, MovieInfo]:
    """The films by their numbers.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.movie_info()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return {film: MovieInfo(film, kinds, title) for film, (title, kinds) in _tables().films.items()}


def user_info() -> dict[int, UserInfo]:
    """The users by their numbers.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.user_info()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return {user: UserInfo(user, *facts) for user, facts in _tables().users.items()}


def get_movie_title_dict() -> dict[str, int]:
    """The numbers of the words of the titles, in the order of their letters.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.get_movie_title_dict()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return _tables().words


def movie_categories() -> dict[str, int]:
    """The numbers of the categories, in the order of their letters.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.movie_categories()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return _tables().categories


def max_movie_id() -> int:
    """The largest number of a film.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.max_movie_id()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return max(_tables().films)


def max_user_id() -> int:
    """The largest number of a user.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.max_user_id()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return max(_tables().users)


def max_job_id() -> int:
    """The largest number of a job.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.max_job_id()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    return max(job for _, _, job in _tables().users.values())


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not.

    >>> from proa.dataset import common, movielens
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> movielens.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/movielens/movielens%2Fml-1m.zip is not there...
    >>> common.DATA_HOME = kept
    """
    common.download(URL, "movielens", MD5)

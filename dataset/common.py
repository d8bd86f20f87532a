"""`paddle.dataset.common`: the local cache of published data sets, files of samples, and what is where.

`DATA_HOME` is looked at when a file is asked for, so that a program may set it.
"""

from __future__ import annotations

import functools
import glob
import importlib
import os
import pickle
import re
from collections.abc import Callable, Iterator
from typing import IO, Any

from ..core.files import CorruptFileError
from ..core.lazy import listed
from ..core.safe_pickle import load_state
from ..io import local_files
from ..reader.decorator import Reader
from ..utils.download import md5file

__all__ = ["DATA_HOME", "cluster_files_reader", "download", "fetch_all", "md5file", "must_mkdirs", "split"]
__dir__ = listed(__name__)

#: The folder of the data sets, one folder in it for each.
DATA_HOME = os.path.expanduser(local_files.HOME)
_SETS = ("cifar", "conll05", "flowers", "imdb", "imikolov", "mnist", "movielens", "sentiment", "uci_housing",
         "voc2012", "wmt14", "wmt16")
_FOLDER = re.compile(r"(?!/)[a-zA-Z0-9_/-]+")
_FILE = re.compile(r"(?!/)(?:(?!\.\.)[a-zA-Z0-9_/.-])+")


def must_mkdirs(path: str) -> None:
    """Makes a folder, and those above it, unless it is there.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> folder = os.path.join(tempfile.mkdtemp(), "a", "b")
    >>> paddle.dataset.common.must_mkdirs(folder)
    >>> os.path.isdir(folder)
    True
    """
    os.makedirs(path, exist_ok=True)


def download(url: str, module_name: str, md5sum: str | None, save_name: str | None = None) -> str:
    """The path of a data set's file in the cache, DATA_HOME/module_name/(`save_name` or the last part of `url`).

    Nothing is fetched: FileNotFoundError says where to put which file. CorruptFileError (a ValueError) where its MD5
    sum is another one; None is not compared.

    >>> import os, tempfile
    >>> from proa.dataset import common
    >>> kept, common.DATA_HOME = common.DATA_HOME, tempfile.mkdtemp()
    >>> common.must_mkdirs(os.path.join(common.DATA_HOME, "mine"))
    >>> with open(os.path.join(common.DATA_HOME, "mine", "words.txt"), "w") as file:
    ...     _ = file.write("the\\n")
    >>> path = common.download("https://example.com/words.txt", "mine", None)
    >>> os.path.basename(path)
    'words.txt'
    >>> common.DATA_HOME = kept
    """
    for value, form, argument in ((module_name, _FOLDER, "module_name"), (save_name, _FILE, "save_name")):
        if value is not None and not form.fullmatch(value):
            raise ValueError(f"download({argument}): must be a plain name of a folder or file. Received {value!r}.")
    place = os.path.join(DATA_HOME, module_name, url.rsplit("/", 1)[-1] if save_name is None else save_name)
    local_files.downloaded_file(place, f"paddle.dataset ({module_name})", url)
    about = os.stat(place)
    if md5sum is not None and (found := _md5_of(place, about.st_size, about.st_mtime_ns)) != md5sum:
        raise CorruptFileError(place, "its MD5 sum", f"is {found}, and that of the published file {md5sum}. Fetch "
                               f"{url} anew")
    return place


@functools.lru_cache(maxsize=64)
def _md5_of(place: str, size: int, changed: int) -> str:
    """The sum of a file of this size that was changed then: it is read again when either is another."""
    return md5file(place)


def _check_exists_and_download(path: str | None, url: str, md5: str, module_name: str, download: bool = True) -> str:
    """`path` if there is such a file, or that of the cache; packages of Paddle's import it."""
    if path and os.path.exists(path):
        return path
    if not download:
        raise ValueError(f"There is no file {path}, and download=False does not look for that of {url}.")
    return globals()["download"](url, module_name, md5)


def fetch_all() -> None:
    """Looks whether the files of all data sets are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> common.fetch_all()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-10-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    for name in _SETS:
        importlib.import_module(f".{name}", __package__).fetch()


def split(reader: Reader, line_count: int, suffix: str = "%05d.pickle",
          dumper: Callable[[list[Any], Any], object] = pickle.dump) -> None:
    """Writes the samples of a reader to files `suffix % 0`, `suffix % 1`, …, `line_count` in each.

    `dumper(samples, file)` writes a list; `pickle.dump` gets a binary file, any other a text file, as `json.dump`
    wants it.

    >>> import os, tempfile
    >>> from proa.dataset import common
    >>> folder = tempfile.mkdtemp()
    >>> common.split(lambda: range(5), 2, os.path.join(folder, "part-%d"))
    >>> sorted(os.listdir(folder))
    ['part-0', 'part-1', 'part-2']
    >>> list(common.cluster_files_reader(os.path.join(folder, "part-*"), trainer_count=2, trainer_id=0)())
    [0, 1, 4]
    """
    _check_callable(dumper, "split(dumper)")
    if line_count < 1:
        raise ValueError(f"split(line_count): must be at least 1. Received {line_count}.")
    samples, number = [], 0
    for sample in reader():
        samples.append(sample)
        if len(samples) == line_count:
            _dump(samples, suffix % number, dumper)
            samples, number = [], number + 1
    if samples:
        _dump(samples, suffix % number, dumper)


def _dump(samples: list, path: str, dumper: Callable[[list, Any], object]) -> None:
    with _opened(path, "wb" if dumper is pickle.dump else "w") as file:
        dumper(samples, file)


def cluster_files_reader(files_pattern: str, trainer_count: int, trainer_id: int,
                         loader: Callable[[Any], Any] = pickle.load) -> Reader:
    """A reader of the samples in every `trainer_count`-th of the files that match, beginning with `trainer_id`.

    Files are taken in the order of their names. `loader(file)` gives the samples of one, which it gets as a text file.
    For `pickle.load`, which runs what a file says, plain data is read instead by what reads checkpoints: a pickle of
    anything but numbers, text, arrays and containers is an UnsafePickleError.

    >>> import proa as paddle
    >>> import json, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for number in range(3):
    ...     with open(os.path.join(folder, f"part-{number}.json"), "w") as file:
    ...         json.dump([10 * number, 10 * number + 1], file)
    >>> reader = paddle.dataset.common.cluster_files_reader(folder + "/part-*", 2, trainer_id=0, loader=json.load)
    >>> list(reader())  # of the first and the third file
    [0, 1, 20, 21]
    """
    _check_callable(loader, "cluster_files_reader(loader)")

    def reader() -> Iterator[Any]:
        for path in sorted(glob.glob(files_pattern))[trainer_id::trainer_count]:
            if loader is pickle.load:
                yield from load_state(path)
                continue
            with _opened(path, "r") as file:
                samples = loader(file)
            yield from samples

    return reader


def _opened(path: str, mode: str) -> IO[Any]:
    return open(path, mode) if "b" in mode else open(path, mode, encoding="utf-8")


def _check_callable(value: Any, what: str) -> None:
    if not callable(value):
        raise TypeError(f"{what}: must be callable. Received {value!r}.")

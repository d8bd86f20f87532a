"""Readers of Boston housing: `paddle.dataset.uci_housing`. New code has `paddle.text.UCIHousing`."""

from __future__ import annotations

import tempfile

import numpy as np

from ..core.lazy import listed
from ..io.local_files import Archive
from ..reader.decorator import Reader
from ..text.datasets.uci_housing import URL, normalized_parts
from . import common

__all__ = ["feature_names", "fetch", "fluid_model", "load_data", "predict_reader", "test", "train"]
__dir__ = listed(__name__)

MD5 = "d4accdce7a25600298819f8e28e8d593"
FLUID_URL_MODEL = "https://github.com/PaddlePaddle/book/raw/develop/01.fit_a_line/fluid/fit_a_line.fluid.tar"
FLUID_MD5_MODEL = "6e6dd637ccd5993961f68bfbde46090b"
feature_names = ["CRIM", "ZN", "INDUS", "CHAS", "NOX", "RM", "AGE", "DIS", "RAD", "TAX", "PTRATIO", "B", "LSTAT"]


def load_data(filename: str, feature_num: int = 14, ratio: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """The rows to train, so large a part of all, and those to test, float64 (rows, feature_num).

    The last number of a row is the price; of each other the mean is taken away, and it is divided by its range.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> import numpy as np
    >>> path = os.path.join(tempfile.mkdtemp(), "housing.data")
    >>> np.savetxt(path, np.arange(70.0).reshape(5, 14))  # five districts
    >>> training, held_out = paddle.dataset.uci_housing.load_data(path)
    >>> training.shape, held_out.shape
    ((4, 14), (1, 14))
    """
    return normalized_parts(filename, feature_num, ratio)


def _part(index: int) -> np.ndarray:
    return load_data(common.download(URL, "uci_housing", MD5))[index]


def _reader(rows: np.ndarray) -> Reader:
    return lambda: ((row[:-1], row[-1:]) for row in rows)


def train() -> Reader:
    """A reader of the first four fifths of 506 districts: (features (13,), price (1,)), both float64.

    >>> from proa.dataset import common, uci_housing
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> uci_housing.train()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/uci_housing/housing.data is not there...
    >>> common.DATA_HOME = kept
    """
    return _reader(_part(0))


def test() -> Reader:
    """A reader of the other districts, in the form of those of `train`.

    >>> from proa.dataset import common, uci_housing
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> uci_housing.test()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/uci_housing/housing.data is not there...
    >>> common.DATA_HOME = kept
    """
    return _reader(_part(1))


def predict_reader() -> tuple[np.ndarray]:
    """The features of the first district to test, alone in a tuple.

    >>> from proa.dataset import common, uci_housing
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> uci_housing.predict_reader()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/uci_housing/housing.data is not there...
    >>> common.DATA_HOME = kept
    """
    return (_part(1)[0][:-1],)


def fluid_model() -> str:
    """A new folder in which the archive of a trained model, fit_a_line.fluid.tar, is unpacked.

    CorruptFileError for an archive with a member that would lie outside of the folder.

    >>> from proa.dataset import common, uci_housing
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> uci_housing.fluid_model()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/uci_housing/fit_a_line.fluid.tar is not there...
    >>> common.DATA_HOME = kept
    """
    archive = common.download(FLUID_URL_MODEL, "uci_housing", FLUID_MD5_MODEL, "fit_a_line.fluid.tar")
    folder = tempfile.mkdtemp()
    Archive(archive).unpack(folder)
    return folder


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not.

    >>> from proa.dataset import common, uci_housing
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> uci_housing.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/uci_housing/housing.data is not there...
    >>> common.DATA_HOME = kept
    """
    common.download(URL, "uci_housing", MD5)

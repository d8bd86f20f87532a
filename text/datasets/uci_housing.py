"""Boston housing: what houses cost, by thirteen facts about where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import check_mode, local_file

URL = "http://paddlemodels.bj.bcebos.com/uci_housing/housing.data"


class UCIHousing(Dataset):
    """506 districts, the first four fifths of them to train. `paddle.text.UCIHousing`.

    A sample is (features (13,), price (1,)) in the default dtype; each feature less its mean, by its range.
    `data_file` is housing.data, 14 numbers a district; None looks for it in ~/.cache/paddle/dataset/uci_housing.
    Nothing is downloaded: FileNotFoundError says where to put which file; CorruptFileError where it is damaged.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> import numpy as np
    >>> path = os.path.join(tempfile.mkdtemp(), "housing.data")
    >>> np.savetxt(path, np.arange(70.0).reshape(5, 14))  # five districts
    >>> districts = paddle.text.UCIHousing(path, mode="train")
    >>> features, price = districts[0]
    >>> len(districts), features.shape, price.tolist()
    (4, (13,), [13.0])
    """

    def __init__(self, data_file: Any = None, mode: str = "train", download: bool = True):
        self.mode = check_mode(mode, "UCIHousing", ("train", "test"))
        self.data_file = local_file(data_file, "UCIHousing", "data_file", "uci_housing", URL, download)
        train, test = normalized_parts(self.data_file)
        self.data = train if self.mode == "train" else test
        self.dtype = get_default_dtype()

    def __getitem__(self, idx: int) -> tuple[np.ndarray, np.ndarray]:
        row = self.data[idx].astype(self.dtype)
        return row[:-1], row[-1:]

    def __len__(self) -> int:
        return len(self.data)


def normalized_parts(path: str, columns: int = 14, ratio: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    """The rows to train, so large a part of all, and those to test: each feature less its mean, by its range."""
    rows = _rows(path, columns)
    features = rows[:, :-1]
    spread = features.max(0) - features.min(0)
    rows[:, :-1] = (features - features.mean(0)) / np.where(spread == 0, 1.0, spread)
    first = int(len(rows) * ratio)
    return rows[:first], rows[first:]


def _rows(path: str, columns: int) -> np.ndarray:
    with open(path, "rb") as file:
        words = file.read().split()
    try:
        values = np.array([float(word) for word in words])
    except ValueError as error:
        raise CorruptFileError(path, "its numbers", str(error)) from error
    if not len(values) or len(values) % columns:
        raise CorruptFileError(path, "its end", f"must hold {columns} numbers a row. It has {len(values)} numbers")
    return values.reshape(-1, columns)

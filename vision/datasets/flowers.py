"""The 102 flowers of Oxford: an archive of photographs and two files of MATLAB's with labels and parts."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.files import CorruptFileError, atomic_write
from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from ..image import check_backend, opened
from .matlab import load_arrays

URL_PREFIX = "http://paddlemodels.bj.bcebos.com/flowers/"
#: In Paddle the part that is called "test" by its authors, the largest, is the one to train on.
_PARTS = {"train": "tstid", "test": "trnid", "valid": "valid"}


class Flowers(Dataset):
    """Photographs of flowers in 102 classes. `paddle.vision.datasets.Flowers`.

    A sample is (image, label): a Pillow image (backend "pil") or an array (height, width, 3) that becomes float32 after
    `transform` ("cv2"), and an int64 array (1,) from 1 to 102. The files are 102flowers.tgz, imagelabels.mat and
    setid.mat, looked for in ~/.cache/paddle/dataset/flowers where they are None. Nothing is downloaded:
    FileNotFoundError says where to put which file. The photographs of the part that `mode` asks for are unpacked beside
    the archive, in a folder of its name, unless they are there. SciPy is not needed. "Automated Flower Classification
    over a Large Number of Classes", Nilsback and Zisserman 2008.

    >>> import proa as paddle
    >>> photographs = paddle.vision.datasets.Flowers("my/102flowers.tgz", "my/imagelabels.mat", "my/setid.mat")
    Traceback (most recent call last):
        ...
    FileNotFoundError: Flowers(data_file): there is no file my/102flowers.tgz. It is published as...
    """

    def __init__(self, data_file: Any = None, label_file: Any = None, setid_file: Any = None, mode: str = "train",
                 transform: Callable[[Any], Any] | None = None, download: bool = True, backend: str | None = None):
        part = _PARTS[check_mode(mode, "Flowers", ("train", "valid", "test"))]
        self.backend = check_backend(backend, "Flowers", ("pil", "cv2"))
        self.transform = transform
        data_file, label_file, setid_file = (
            local_file(path, "Flowers", argument, "flowers", URL_PREFIX + name, download) for path, argument, name in (
                (data_file, "data_file", "102flowers.tgz"), (label_file, "label_file", "imagelabels.mat"),
                (setid_file, "setid_file", "setid.mat")))
        self.labels, self.indexes = labels_and_images(label_file, setid_file, part)
        self.data_path = os.path.splitext(data_file)[0]
        if self.data_path == data_file:
            self.data_path += ".unpacked"
        self._unpack(data_file)

    def _unpack(self, data_file: str) -> None:
        """Writes the photographs that are not there yet; the names are ours, not the archive's."""
        names = map(photograph, self.indexes)
        missing = [name for name in names if not os.path.exists(os.path.join(self.data_path, name))]
        if not missing:
            return
        os.makedirs(os.path.join(self.data_path, "jpg"), exist_ok=True)
        for name, data in Archive(data_file).read_all(missing):
            with atomic_write(os.path.join(self.data_path, name)) as file:
                file.write(data)

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        index = self.indexes[idx]
        image: Any = opened(os.path.join(self.data_path, photograph(index)), "Flowers")
        as_arrays = self.backend == "cv2"
        image = np.array(image) if as_arrays else image
        image = image if self.transform is None else self.transform(image)
        return (image.astype(get_default_dtype()) if as_arrays else image), self.labels[index - 1 : index]

    def __len__(self) -> int:
        return len(self.indexes)


def photograph(index: int) -> str:
    """The name in the archive of the photograph of a number."""
    return f"jpg/image_{index:05d}.jpg"


def labels_and_images(label_file: str, setid_file: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    """The labels 1 … 102 of all images, and the numbers, from 1 on, of those of a part, as the authors call it."""
    labels, indexes = _numbers(label_file, "labels"), _numbers(setid_file, part)
    if len(indexes) and not 1 <= indexes.min() <= indexes.max() <= len(labels):
        raise CorruptFileError(setid_file, part, f"the numbers of images must be from 1 to {len(labels)}")
    return labels, indexes


def _numbers(path: str, name: str) -> np.ndarray:
    arrays = load_arrays(path)
    if name not in arrays:
        raise CorruptFileError(path, name, f"is not there; the file has {sorted(arrays)}")
    return arrays[name].reshape(-1).astype(np.int64)

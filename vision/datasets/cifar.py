"""CIFAR-10 and CIFAR-100: small colour images, in archives of Python's pickles, of which nothing is run."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.files import CorruptFileError
from ...core.safe_pickle import load_state
from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from ..image import check_backend, pillow

URL_PREFIX = "https://dataset.bj.bcebos.com/cifar/"
_PIXELS = 3 * 32 * 32


class Cifar10(Dataset):
    """60,000 images of 32 x 32 pixels in 10 classes, 10,000 of them to test. `paddle.vision.datasets.Cifar10`.

    A sample is (image, label): a Pillow image (backend "pil") or an array (32, 32, 3) that becomes float32 after
    `transform` ("cv2"), and an int64 array (). `data_file` is cifar-10-python.tar.gz; None looks for it in
    ~/.cache/paddle/dataset/cifar. Nothing is downloaded: FileNotFoundError says where to put which file. The pickles in
    it may hold plain data only: UnsafePickleError for anything else. "Learning Multiple Layers of Features from Tiny
    Images", Krizhevsky 2009.

    >>> import proa as paddle
    >>> import numpy as np
    >>> import io, os, pickle, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> data = pickle.dumps({b"data": np.zeros((1, 3072), "uint8"), b"labels": [6]}, 2)
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     member = tarfile.TarInfo("data_batch_1")
    ...     member.size = len(data)
    ...     archive.addfile(member, io.BytesIO(data))
    >>> images = paddle.vision.datasets.Cifar10(path, transform=paddle.vision.transforms.ToTensor())
    >>> image, label = images[0]
    >>> image.shape, int(label)
    ([3, 32, 32], 6)
    """

    _url = URL_PREFIX + "cifar-10-python.tar.gz"
    _batches = {"train": "data_batch", "test": "test_batch"}

    def __init__(self, data_file: Any = None, mode: str = "train", transform: Callable[[Any], Any] | None = None,
                 download: bool = True, backend: str | None = None):
        caller = type(self).__name__
        self.mode = check_mode(mode, caller, ("train", "test"))
        self.backend = check_backend(backend, caller, ("pil", "cv2"))
        self.data_file = local_file(data_file, caller, "data_file", "cifar", self._url, download)
        self.transform = transform
        flag = self._batches[self.mode]
        batches = read_batches(self.data_file, lambda name: posixpath.basename(name).startswith(flag), flag)
        self.data: list[tuple[np.ndarray, int]] = []
        for _, pixels, labels in sorted(batches, key=lambda batch: batch[0]):
            self.data.extend(zip(pixels, labels, strict=True))
        self.dtype = get_default_dtype()

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        pixels, label = self.data[idx]
        image: Any = pixels.reshape(3, 32, 32).transpose(1, 2, 0)
        as_arrays = self.backend == "cv2"
        if not as_arrays:
            image = pillow(type(self).__name__).fromarray(np.ascontiguousarray(image))
        image = image if self.transform is None else self.transform(image)
        return (image.astype(self.dtype) if as_arrays else image), np.array(label, np.int64)

    def __len__(self) -> int:
        return len(self.data)


class Cifar100(Cifar10):
    """The same in 100 classes ("fine labels"), from cifar-100-python.tar.gz. `paddle.vision.datasets.Cifar100`.

    >>> import proa as paddle
    >>> import numpy as np
    >>> import io, os, pickle, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> data = pickle.dumps({b"data": np.zeros((1, 3072), "uint8"), b"fine_labels": [6]}, 2)
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     member = tarfile.TarInfo("train")
    ...     member.size = len(data)
    ...     archive.addfile(member, io.BytesIO(data))
    >>> image, label = paddle.vision.datasets.Cifar100(path, backend="cv2")[0]
    >>> image.shape, int(label)
    ((32, 32, 3), 6)
    """

    _url = URL_PREFIX + "cifar-100-python.tar.gz"
    _batches = {"train": "train", "test": "test"}


def read_batches(path: str, chosen: Callable[[str], bool], name: str) -> Iterator[tuple[str, np.ndarray, list[int]]]:
    """(name, pixels (count, 3072), labels) of the pickles in an archive whose names are chosen, in its order."""
    archive = Archive(path)
    names = [member for member in archive.members if chosen(member)]
    if not names:
        raise CorruptFileError(path, name, "the archive has no file whose name begins so")
    for member, data in archive.read_all(names):
        yield member, *_batch(data, f"{path}: {member}")


def _batch(data: bytes, place: str) -> tuple[np.ndarray, list[int]]:
    batch = load_state(data, place)
    found = {key.decode("latin1") if isinstance(key, bytes) else key: value
             for key, value in (batch.items() if isinstance(batch, dict) else ())}
    pixels, labels = found.get("data"), found.get("labels", found.get("fine_labels"))
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.shape[1:] != (_PIXELS,):
        raise CorruptFileError(place, "data", f"must be an array of bytes, {_PIXELS} an image")
    if not isinstance(labels, list) or len(labels) != len(pixels):
        raise CorruptFileError(place, "labels", f"must be a list of {len(pixels)} labels")
    return pixels, labels

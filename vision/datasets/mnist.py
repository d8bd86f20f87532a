"""MNIST and Fashion-MNIST: greyscale images of digits and of clothes, in files of the idx format."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...core.files import CorruptFileError
from ...io.dataset import Dataset
from ...io.local_files import check_mode, local_file, read_gzip
from ..image import check_backend, pillow

_IMAGES, _LABELS = 2051, 2049  # the first number of an idx file: bytes, of 3 and of 1 dimension


class MNIST(Dataset):
    """Handwritten digits: 60,000 images of 28 x 28 pixels to train, 10,000 to test. `paddle.vision.datasets.MNIST`.

    A sample is (image, label): a Pillow image (backend "pil") or a float32 array (28, 28) of 0 … 255 ("cv2"), passed
    through `transform`, and an int64 array (1,). `image_path` and `label_path` are the idx files, compressed by gzip or
    not; where they are None, Paddle's downloads are looked for in ~/.cache/paddle/dataset/mnist. Nothing is downloaded:
    FileNotFoundError says where to put which file. CorruptFileError for a damaged file. "Gradient-Based Learning
    Applied to Document Recognition", LeCun et al. 1998.

    >>> import proa as paddle
    >>> import os, struct, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> images, labels = os.path.join(folder, "images"), os.path.join(folder, "labels")
    >>> with open(images, "wb") as file:  # two images of 28 x 28
    ...     _ = file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 28 * 28))
    >>> with open(labels, "wb") as file:
    ...     _ = file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
    >>> digits = paddle.vision.datasets.MNIST(images, labels, transform=paddle.vision.transforms.ToTensor())
    >>> image, label = digits[0]
    >>> len(digits), image.shape, label.tolist()
    (2, [1, 28, 28], [7])
    >>> batch, numbers = next(iter(paddle.io.DataLoader(digits, batch_size=2)))
    >>> batch.shape, numbers.tolist()
    ([2, 1, 28, 28], [[7], [3]])
    """

    NAME = "mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/mnist/"

    def __init__(self, image_path: Any = None, label_path: Any = None, mode: str = "train",
                 transform: Callable[[Any], Any] | None = None, download: bool = True, backend: str | None = None):
        caller = type(self).__name__
        self.mode = check_mode(mode, caller, ("train", "test"))
        self.backend = check_backend(backend, caller, ("pil", "cv2"))
        stem = self.URL_PREFIX + ("train" if self.mode == "train" else "t10k")
        self.image_path = local_file(
            image_path, caller, "image_path", self.NAME, stem + "-images-idx3-ubyte.gz", download)
        self.label_path = local_file(
            label_path, caller, "label_path", self.NAME, stem + "-labels-idx1-ubyte.gz", download)
        self.transform = transform
        self.images, labels = images_and_labels(self.image_path, self.label_path, caller)
        self.labels = labels.astype(np.int64)[:, None]
        self.dtype = get_default_dtype()

    def __getitem__(self, idx: int) -> tuple[Any, np.ndarray]:
        pixels = self.images[idx]
        as_arrays = self.backend == "cv2"
        image = pixels.astype(np.float32) if as_arrays else pillow(type(self).__name__).fromarray(pixels)
        image = image if self.transform is None else self.transform(image)
        return (image.astype(self.dtype) if as_arrays else image), self.labels[idx]

    def __len__(self) -> int:
        return len(self.labels)


class FashionMNIST(MNIST):
    """Pictures of clothes in the form of MNIST; ~/.cache/paddle/dataset/fashion-mnist.

    `paddle.vision.datasets.FashionMNIST`; "Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning
    Algorithms", Xiao et al. 2017.

    >>> import proa as paddle
    >>> import os, struct, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> images, labels = os.path.join(folder, "images"), os.path.join(folder, "labels")
    >>> with open(images, "wb") as file:  # two images of 28 x 28
    ...     _ = file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 28 * 28))
    >>> with open(labels, "wb") as file:
    ...     _ = file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
    >>> clothes = paddle.vision.datasets.FashionMNIST(images, labels, mode="test", backend="cv2")
    >>> image, label = clothes[1]
    >>> image.shape, label.tolist()
    ((28, 28), [3])
    """

    NAME = "fashion-mnist"
    URL_PREFIX = "https://dataset.bj.bcebos.com/fashion_mnist/"


def images_and_labels(image_path: str, label_path: str, caller: str) -> tuple[np.ndarray, np.ndarray]:
    """The bytes of two idx files: images (count, rows, columns) and labels (count,)."""
    images, labels = _read_idx(image_path, _IMAGES), _read_idx(label_path, _LABELS)
    if len(images) != len(labels):
        raise ValueError(f"{caller}: {image_path} has {len(images)} images and {label_path} {len(labels)} labels. "
                         "They do not belong together.")
    return images, labels


def _read_idx(path: str, magic: int) -> np.ndarray:
    """The bytes of an idx file in their shape."""
    rank = magic % 256
    shape: list[int] = []

    def size_of(head: bytes) -> int:
        found, *sizes = struct.unpack(f">{1 + rank}I", head)
        if found != magic:
            raise CorruptFileError(path, 0, f"begins with the number {found}; an idx file of {rank} dimensions with "
                                   f"{magic}")
        shape.extend(sizes)
        return int(np.prod(sizes, dtype=object))

    data = read_gzip(path, 4 + 4 * rank, size_of)
    return np.frombuffer(data, np.uint8).reshape(shape)

"""Readers of MNIST, handwritten digits: `paddle.dataset.mnist`. New code has `paddle.vision.datasets.MNIST`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..vision.datasets.mnist import MNIST, images_and_labels
from . import common

__all__ = ["fetch", "test", "train"]
__dir__ = listed(__name__)

URL_PREFIX = MNIST.URL_PREFIX
TEST_IMAGE_URL = URL_PREFIX + "t10k-images-idx3-ubyte.gz"
TEST_IMAGE_MD5 = "9fb629c4189551a2d022fa330f9573f3"
TEST_LABEL_URL = URL_PREFIX + "t10k-labels-idx1-ubyte.gz"
TEST_LABEL_MD5 = "ec29112dd5afa0611ce80d1b7f02629c"
TRAIN_IMAGE_URL = URL_PREFIX + "train-images-idx3-ubyte.gz"
TRAIN_IMAGE_MD5 = "f68b3c2dcbeaaa9fbdd348bbdeb94873"
TRAIN_LABEL_URL = URL_PREFIX + "train-labels-idx1-ubyte.gz"
TRAIN_LABEL_MD5 = "d53e105ee54ea40749a09fcbcd1e9432"


def reader_creator(image_filename: str, label_filename: str, buffer_size: int) -> Reader:
    """A reader of (pixels, label): float32 (784,) from -1 to 1, and an int; `buffer_size` changes nothing.

    >>> import proa as paddle
    >>> import os, struct, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> images, labels = os.path.join(folder, "images"), os.path.join(folder, "labels")
    >>> with open(images, "wb") as file:  # two images of 28 x 28
    ...     _ = file.write(struct.pack(">4I", 2051, 2, 28, 28) + bytes(2 * 28 * 28))
    >>> with open(labels, "wb") as file:
    ...     _ = file.write(struct.pack(">2I", 2049, 2) + bytes([7, 3]))
    >>> reader = paddle.dataset.mnist.reader_creator(images, labels, 100)
    >>> [(pixels.shape, label) for pixels, label in reader()]
    [((784,), 7), ((784,), 3)]
    """
    def reader() -> Iterator[tuple[np.ndarray, int]]:
        images, labels = images_and_labels(image_filename, label_filename, "paddle.dataset.mnist")
        for image, label in zip(images, labels, strict=True):
            yield image.reshape(-1).astype(np.float32) / 255.0 * 2.0 - 1.0, int(label)

    return reader


def train() -> Reader:
    """A reader of the 60,000 digits to train: (pixels float32 (784,) from -1 to 1, label 0 … 9).

    >>> from proa.dataset import common, mnist
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> mnist.train()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/mnist/train-images-idx3-ubyte.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(TRAIN_IMAGE_URL, "mnist", TRAIN_IMAGE_MD5),
                          common.download(TRAIN_LABEL_URL, "mnist", TRAIN_LABEL_MD5), 100)


def test() -> Reader:
    """A reader of the 10,000 digits to test, in the form of those of `train`.

    >>> from proa.dataset import common, mnist
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> mnist.test()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/mnist/t10k-images-idx3-ubyte.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(TEST_IMAGE_URL, "mnist", TEST_IMAGE_MD5),
                          common.download(TEST_LABEL_URL, "mnist", TEST_LABEL_MD5), 100)


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common, mnist
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> mnist.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/mnist/train-images-idx3-ubyte.gz is not there...
    >>> common.DATA_HOME = kept
    """
    train(), test()

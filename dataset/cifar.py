"""Readers of CIFAR-10 and CIFAR-100: `paddle.dataset.cifar`. New code has `paddle.vision.datasets.Cifar10`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.lazy import listed
from ..reader.decorator import Reader
from ..vision.datasets.cifar import URL_PREFIX, read_batches
from . import common

__all__ = ["fetch", "test10", "test100", "train10", "train100"]
__dir__ = listed(__name__)

CIFAR10_URL = URL_PREFIX + "cifar-10-python.tar.gz"
CIFAR10_MD5 = "c58f30108f718f92721af3b95e74349a"
CIFAR100_URL = URL_PREFIX + "cifar-100-python.tar.gz"
CIFAR100_MD5 = "eb9058c3a382ffc7106e4002c42a8d85"


def reader_creator(filename: str, sub_name: str, cycle: bool = False) -> Reader:
    """A reader of (pixels, label): float32 (3072,) from 0 to 1, all red first, and an int.

    It reads the archive's pickles whose names have `sub_name` in them, in the archive's order; with `cycle` without
    end. UnsafePickleError for a pickle of anything but plain data, of which nothing is run.

    >>> import proa as paddle
    >>> import numpy as np
    >>> import io, os, pickle, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "small.tar.gz")
    >>> data = pickle.dumps({b"data": np.zeros((1, 3072), "uint8"), b"labels": [6]}, 2)
    >>> with tarfile.open(path, "w:gz") as archive:
    ...     member = tarfile.TarInfo("data_batch_1")
    ...     member.size = len(data)
    ...     archive.addfile(member, io.BytesIO(data))
    >>> pixels, label = next(paddle.dataset.cifar.reader_creator(path, "data_batch")())
    >>> pixels.shape, label
    ((3072,), 6)
    """
    def reader() -> Iterator[tuple[np.ndarray, int]]:
        while True:
            for _, images, labels in read_batches(filename, lambda name: sub_name in name, sub_name):
                for image, label in zip(images, labels, strict=True):
                    yield (image / 255.0).astype(np.float32), int(label)
            if not cycle:
                return

    return reader


def train10(cycle: bool = False) -> Reader:
    """A reader of the 50,000 images to train of CIFAR-10: (pixels float32 (3072,) from 0 to 1, label 0 … 9).

    >>> from proa.dataset import common, cifar
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> cifar.train10()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-10-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(CIFAR10_URL, "cifar", CIFAR10_MD5), "data_batch", cycle)


def test10(cycle: bool = False) -> Reader:
    """A reader of the 10,000 images to test of CIFAR-10, in the form of those of `train10`.

    >>> from proa.dataset import common, cifar
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> cifar.test10()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-10-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(CIFAR10_URL, "cifar", CIFAR10_MD5), "test_batch", cycle)


def train100() -> Reader:
    """A reader of the 50,000 images to train of CIFAR-100: (pixels float32 (3072,) from 0 to 1, label 0 … 99).

    >>> from proa.dataset import common, cifar
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> cifar.train100()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-100-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(CIFAR100_URL, "cifar", CIFAR100_MD5), "train")


def test100() -> Reader:
    """A reader of the 10,000 images to test of CIFAR-100, in the form of those of `train100`.

    >>> from proa.dataset import common, cifar
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> cifar.test100()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-100-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    return reader_creator(common.download(CIFAR100_URL, "cifar", CIFAR100_MD5), "test")


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common, cifar
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> cifar.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/cifar/cifar-10-python.tar.gz is not there...
    >>> common.DATA_HOME = kept
    """
    train10(), train100()

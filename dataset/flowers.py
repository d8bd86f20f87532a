"""Readers of the 102 flowers of Oxford: `paddle.dataset.flowers`. New code has `paddle.vision.datasets.Flowers`."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..core.lazy import listed
from ..io.local_files import Archive
from ..reader.decorator import Reader, map_readers, xmap_readers
from ..vision.datasets.flowers import URL_PREFIX, labels_and_images, photograph
from . import common
from .image import load_image_bytes, simple_transform

__all__ = ["fetch", "test", "train", "valid"]
__dir__ = listed(__name__)

DATA_URL = URL_PREFIX + "102flowers.tgz"
LABEL_URL = URL_PREFIX + "imagelabels.mat"
SETID_URL = URL_PREFIX + "setid.mat"
DATA_MD5 = "52808999861908f626f3c1f4e79d11fa"
LABEL_MD5 = "e0620be6f572b9609742df49c70aed4d"
SETID_MD5 = "a5357ecc9cb78c4bef273ce3793fc85c"
#: What the authors call the part: the one that they test on is the largest, and here the one to train on.
TRAIN_FLAG, TEST_FLAG, VALID_FLAG = "tstid", "trnid", "valid"
_THREADS = 4

Sample = tuple[Any, int]


def default_mapper(is_train: bool, sample: Sample) -> Sample:
    """(bytes of a photograph, label) -> (pixels float32 (150528,), label): blue first, less the mean colour.

    The shorter side becomes 256 pixels long; of the image 224 x 224 are taken, at random and half of the time mirrored
    to train, and from the middle otherwise.

    >>> import proa as paddle
    >>> import io
    >>> from PIL import Image
    >>> photograph = io.BytesIO()
    >>> Image.new("RGB", (300, 400)).save(photograph, "JPEG")
    >>> pixels, label = paddle.dataset.flowers.default_mapper(False, (photograph.getvalue(), 5))
    >>> pixels.shape, label
    ((150528,), 5)
    """
    data, label = sample
    pixels = simple_transform(load_image_bytes(data), 256, 224, is_train, mean=[103.94, 116.78, 123.68])
    return pixels.flatten().astype(np.float32), label


train_mapper = functools.partial(default_mapper, True)
test_mapper = functools.partial(default_mapper, False)


def reader_creator(data_file: str, label_file: str, setid_file: str, dataset_name: str,
                   mapper: Callable[[Sample], Any], buffered_size: int = 1024, use_xmap: bool = True,
                   cycle: bool = False) -> Reader:
    """A reader of `mapper((bytes of a photograph, label 0 … 101))`, in the archive's order.

    `dataset_name` is what the authors call the part. With `use_xmap` up to four threads compute, `buffered_size`
    samples ahead, and samples come as they are ready. With `cycle` it has no end.

    >>> from proa.dataset import flowers
    >>> files = "my/102flowers.tgz", "my/imagelabels.mat", "my/setid.mat"
    >>> next(flowers.reader_creator(*files, "trnid", lambda sample: sample)())
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'my/imagelabels.mat'
    """
    def reader() -> Iterator[Sample]:
        labels, images = labels_and_images(label_file, setid_file, dataset_name)
        label_of = {photograph(number): int(labels[number - 1]) - 1 for number in images}
        archive = Archive(data_file)
        while True:
            for name, data in archive.read_all(list(label_of)):
                yield data, label_of[name]
            if not cycle:
                return

    if use_xmap:
        return xmap_readers(mapper, reader, min(_THREADS, os.cpu_count() or 1), buffered_size)
    return map_readers(mapper, reader)


def _part(name: str, mapper: Callable[[Sample], Any], buffered_size: int, use_xmap: bool, cycle: bool) -> Reader:
    return reader_creator(*_files(), name, mapper, buffered_size, use_xmap, cycle)


def _files() -> tuple[str, str, str]:
    return (common.download(DATA_URL, "flowers", DATA_MD5), common.download(LABEL_URL, "flowers", LABEL_MD5),
            common.download(SETID_URL, "flowers", SETID_MD5))


def train(mapper: Callable[[Sample], Any] = train_mapper, buffered_size: int = 1024, use_xmap: bool = True,
          cycle: bool = False) -> Reader:
    """A reader of the photographs to train: (pixels float32 (150528,), label 0 … 101); see `default_mapper`.

    `mapper` makes a sample of (bytes, label). With `use_xmap` up to four threads compute, `buffered_size` samples
    ahead, and samples come as they are ready, not in the archive's order. With `cycle` the reader has no end.

    >>> from proa.dataset import common, flowers
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> flowers.train()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/flowers/102flowers.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part(TRAIN_FLAG, mapper, buffered_size, use_xmap, cycle)


def test(mapper: Callable[[Sample], Any] = test_mapper, buffered_size: int = 1024, use_xmap: bool = True,
         cycle: bool = False) -> Reader:
    """A reader of the photographs to test, in the form of those of `train`.

    >>> from proa.dataset import common, flowers
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> flowers.test()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/flowers/102flowers.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part(TEST_FLAG, mapper, buffered_size, use_xmap, cycle)


def valid(mapper: Callable[[Sample], Any] = test_mapper, buffered_size: int = 1024, use_xmap: bool = True) -> Reader:
    """A reader of the photographs to validate, in the form of those of `train`.

    >>> from proa.dataset import common, flowers
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> flowers.valid()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/flowers/102flowers.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    return _part(VALID_FLAG, mapper, buffered_size, use_xmap, False)


def fetch() -> None:
    """Looks whether the files are in the cache; FileNotFoundError for the first that is not.

    >>> from proa.dataset import common, flowers
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> flowers.fetch()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/flowers/102flowers.tgz is not there...
    >>> common.DATA_HOME = kept
    """
    _files()

"""Readers of PASCAL VOC 2012, for segmentation: `paddle.dataset.voc2012`.

New code has `paddle.vision.datasets.VOC2012`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.lazy import listed
from ..io.local_files import Archive
from ..reader.decorator import Reader
from ..vision.datasets.voc2012 import DATA_FILE, LABEL_FILE, SET_FILE, image_in, segmented
from . import common

__all__ = ["DATA_FILE", "LABEL_FILE", "SET_FILE", "fetch", "test", "train", "val"]
__dir__ = listed(__name__)

VOC_URL = "http://host.robots.ox.ac.uk/pascal/VOC/voc2012/VOCtrainval_11-May-2012.tar"
VOC_MD5 = "6cd6e144f989b92b3379bac3b3de84fd"
CACHE_DIR = "voc2012"


def reader_creator(filename: str, sub_name: str) -> Reader:
    """A reader of (image, classes) of a list in the archive: uint8 (height, width, 3), red first, and (height, width).

    The class of a pixel is the index of its colour in the palette; 255 is the border between objects.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> from PIL import Image
    >>> path, root = os.path.join(tempfile.mkdtemp(), "voc.tar"), "VOCdevkit/VOC2012/"
    >>> photograph, classes = io.BytesIO(), io.BytesIO()
    >>> Image.new("RGB", (5, 4)).save(photograph, "JPEG")
    >>> Image.new("P", (5, 4), 15).save(classes, "PNG")
    >>> with tarfile.open(path, "w") as archive:
    ...     for name, data in {"ImageSets/Segmentation/trainval.txt": b"a\\n",
    ...                        "JPEGImages/a.jpg": photograph.getvalue(),
    ...                        "SegmentationClass/a.png": classes.getvalue()}.items():
    ...         member = tarfile.TarInfo(root + name)
    ...         member.size = len(data)
    ...         archive.addfile(member, io.BytesIO(data))
    >>> image, label = next(paddle.dataset.voc2012.reader_creator(path, "trainval")())
    >>> image.shape, label.shape, int(label.max())
    ((4, 5, 3), (4, 5), 1)
    """
    archive = Archive(filename)

    def reader() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        for name in segmented(archive, sub_name):
            yield (np.array(image_in(archive, DATA_FILE.format(name))),
                   np.array(image_in(archive, LABEL_FILE.format(name))))

    return reader


def _part(name: str) -> Reader:
    return reader_creator(common.download(VOC_URL, CACHE_DIR, VOC_MD5), name)


def train() -> Reader:
    """A reader of all 2913 images, which are the list "trainval"; see `reader_creator`.

    >>> from proa.dataset import common, voc2012
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> voc2012.train()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/voc2012/VOCtrainval_11-May-2012.tar is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("trainval")


def test() -> Reader:
    """A reader of the 1464 images of the list "train".

    >>> from proa.dataset import common, voc2012
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> voc2012.test()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/voc2012/VOCtrainval_11-May-2012.tar is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("train")


def val() -> Reader:
    """A reader of the 1449 images of the list "val".

    >>> from proa.dataset import common, voc2012
    >>> kept, common.DATA_HOME = common.DATA_HOME, "no-such-folder"
    >>> voc2012.val()
    Traceback (most recent call last):
        ...
    FileNotFoundError: ...no-such-folder/voc2012/VOCtrainval_11-May-2012.tar is not there...
    >>> common.DATA_HOME = kept
    """
    return _part("val")


def fetch() -> None:
    """Looks whether the file is in the cache; FileNotFoundError if it is not."""
    common.download(VOC_URL, CACHE_DIR, VOC_MD5)

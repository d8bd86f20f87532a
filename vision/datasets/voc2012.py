"""PASCAL VOC 2012, for segmentation: photographs, and images of the class of each pixel, in a tar archive."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...io.dataset import Dataset
from ...io.local_files import Archive, check_mode, local_file
from ..image import check_backend, pillow

_URL = "https://dataset.bj.bcebos.com/voc/VOCtrainval_11-May-2012.tar"
SET_FILE = "VOCdevkit/VOC2012/ImageSets/Segmentation/{}.txt"
DATA_FILE = "VOCdevkit/VOC2012/JPEGImages/{}.jpg"
LABEL_FILE = "VOCdevkit/VOC2012/SegmentationClass/{}.png"
_LISTS = {"train": "trainval", "test": "train", "valid": "val"}  # which list Paddle reads for a mode


class VOC2012(Dataset):
    """Photographs and the class of each of their pixels. `paddle.vision.datasets.VOC2012`.

    A sample is (image, label), two Pillow images (backend "pil"; the label's pixels are indices of a palette) or two
    float32 arrays ("cv2"); `transform` takes the image. `data_file` is VOCtrainval_11-May-2012.tar; None looks for it
    in ~/.cache/paddle/dataset/voc2012. Nothing is downloaded: FileNotFoundError says where to put which file. Nothing
    is unpacked either; an archive that is compressed works, and each sample then reads it from the beginning. "The
    Pascal Visual Object Classes Challenge: A Retrospective", Everingham et al. 2014.

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
    >>> image, label = paddle.vision.datasets.VOC2012(path, mode="train", backend="cv2")[0]
    >>> image.shape, label.shape, int(label.max())
    ((4, 5, 3), (4, 5), 1)
    """

    def __init__(self, data_file: Any = None, mode: str = "train", transform: Callable[[Any], Any] | None = None,
                 download: bool = True, backend: str | None = None):
        self.flag = _LISTS[check_mode(mode, "VOC2012", ("train", "valid", "test"))]
        self.backend = check_backend(backend, "VOC2012", ("pil", "cv2"))
        self.data_file = local_file(data_file, "VOC2012", "data_file", "voc2012", _URL, download)
        self.transform = transform
        self._archive = Archive(self.data_file)
        names = segmented(self._archive, self.flag)
        self.data = [DATA_FILE.format(name) for name in names]
        self.labels = [LABEL_FILE.format(name) for name in names]
        self.dtype = get_default_dtype()

    def __getitem__(self, idx: int) -> tuple[Any, Any]:
        image, label = (image_in(self._archive, name) for name in (self.data[idx], self.labels[idx]))
        as_arrays = self.backend == "cv2"
        if as_arrays:
            image, label = np.array(image), np.array(label)
        image = image if self.transform is None else self.transform(image)
        return (image.astype(self.dtype), label.astype(self.dtype)) if as_arrays else (image, label)

    def __len__(self) -> int:
        return len(self.data)


def segmented(archive: Archive, part: str) -> list[str]:
    """The names of the photographs of a part ("train", "val", "trainval") that have an image of classes."""
    return archive.read(SET_FILE.format(part)).decode("utf-8").split()


def image_in(archive: Archive, name: str) -> Any:
    """The Pillow image that is a member of the archive."""
    return pillow("VOC2012").open(io.BytesIO(archive.read(name)))

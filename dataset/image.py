"""Images as arrays of bytes, loaded, scaled, cropped and flipped: `paddle.dataset.image`.

What OpenCV computes there, Pillow and NumPy do here. An array is (height, width, 3) with blue first, or grey (height,
width). Pixels are OpenCV's, of PNG, JPEG, BMP, PNM, TIFF and WebP files. Of a scaled image a rare byte is another one,
by one level, where OpenCV rounds floats; some are where its build has Intel's IPP.
"""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.files import atomic_write
from ..core.lazy import listed
from ..io.local_files import Archive
from ..vision.image import pillow
from ..vision.transforms.resample import resize

__all__ = ["batch_images_from_tar", "center_crop", "left_right_flip", "load_and_transform", "load_image",
           "load_image_bytes", "random_crop", "resize_short", "simple_transform", "to_chw"]
__dir__ = listed(__name__)

_EXIF_TURNED = 0x0112
#: For each kind of file how OpenCV mixes red, green and blue: whole weights, what is added, and the bits dropped.
_GREY = {"PNG": ((9797, 19234, 3737), 0, 15), "WEBP": ((9798, 19235, 3735), 1 << 14, 15)}
_GREY_OF_OTHERS = ((4899, 9617, 1868), 1 << 13, 14)


def load_image_bytes(bytes: bytes, is_color: bool = True) -> np.ndarray:
    """The image in the bytes of a file: uint8 (height, width, 3), blue first, or grey (height, width).

    A photograph is turned as its EXIF data say; transparency is dropped, and 16 bits become 8. Pillow's error for what
    is no image.

    >>> import io
    >>> from PIL import Image
    >>> from proa.dataset import image
    >>> file = io.BytesIO()
    >>> Image.new("RGB", (3, 2), "red").save(file, "PNG")
    >>> image.load_image_bytes(file.getvalue())[0, 0].tolist()
    [0, 0, 255]
    >>> int(image.load_image_bytes(file.getvalue(), False)[0, 0])
    76
    """
    return _decoded(io.BytesIO(bytes), is_color, "load_image_bytes")


def load_image(file: str, is_color: bool = True) -> np.ndarray:
    """The image in a file; see `load_image_bytes`. FileNotFoundError where there is none.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> from PIL import Image
    >>> path = os.path.join(tempfile.mkdtemp(), "red.png")
    >>> Image.new("RGB", (3, 2), "red").save(path)
    >>> image = paddle.dataset.image.load_image(path)
    >>> image.shape, image[0, 0].tolist()  # blue, green, red
    ((2, 3, 3), [0, 0, 255])
    """
    return _decoded(file, is_color, "load_image")


def _decoded(file: Any, is_color: bool, caller: str) -> np.ndarray:
    with pillow(caller).open(file) as opened:
        form = opened.format
        if form == "JPEG" and opened.mode != "CMYK" and not is_color:
            opened.draft("L", opened.size)  # the brightness that the file holds, instead of one made of its colours
        opened.load()
        image = _turned(opened)
        if image.mode == "L":
            grey = np.array(image)
            return np.repeat(grey[:, :, None], 3, 2) if is_color else grey
        if image.mode.startswith("I"):
            return _eight_bits(np.array(image), is_color)
        rgb = _without_ink(np.array(image)) if image.mode == "CMYK" else np.array(image.convert("RGB"))
    if is_color:
        return np.ascontiguousarray(rgb[:, :, ::-1])
    weights, added, bits = _GREY.get(form or "", _GREY_OF_OTHERS)
    return ((rgb.astype(np.int32) @ np.array(weights, np.int32) + added) >> bits).astype(np.uint8)


def _turned(image: Any) -> Any:
    from PIL import ImageOps  # Pillow itself is there by now

    return ImageOps.exif_transpose(image) if _EXIF_TURNED in image.getexif() else image


def _eight_bits(grey: np.ndarray, is_color: bool) -> np.ndarray:
    pixels = (grey >> 8).astype(np.uint8)
    return np.repeat(pixels[:, :, None], 3, 2) if is_color else pixels


def _without_ink(cmyk: np.ndarray) -> np.ndarray:
    light = 255 - cmyk.astype(np.int32)
    colours, black = light[:, :, :3], light[:, :, 3:]
    return (black - ((255 - colours) * black >> 8)).astype(np.uint8)


def resize_short(im: np.ndarray, size: int) -> np.ndarray:
    """The image scaled so that its shorter side is `size` long, by cubic interpolation.

    >>> import numpy as np
    >>> from proa.dataset import image
    >>> image.resize_short(np.zeros((20, 30, 3), "uint8"), 10).shape
    (10, 15, 3)
    """
    height, width = im.shape[:2]
    if height > width:
        return resize(im, size * height // width, size, "bicubic")
    return resize(im, size, size * width // height, "bicubic")


def to_chw(im: np.ndarray, order: Sequence[int] = (2, 0, 1)) -> np.ndarray:
    """The image with its dimensions in another order: channels first.

    >>> import proa as paddle
    >>> import numpy as np
    >>> image = np.arange(48, dtype="uint8").reshape(4, 4, 3)
    >>> paddle.dataset.image.to_chw(image).shape
    (3, 4, 4)
    """
    if im.ndim != len(order):
        raise ValueError(f"to_chw(order): must name each dimension of the image. Received {order=}, {im.shape=}.")
    return im.transpose(order)


def center_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """The middle of the image, `size` x `size`.

    >>> import proa as paddle
    >>> import numpy as np
    >>> image = np.arange(48, dtype="uint8").reshape(4, 4, 3)
    >>> paddle.dataset.image.center_crop(image, 2).shape
    (2, 2, 3)
    """
    height, width = im.shape[:2]
    return _cropped(im, (height - size) // 2, (width - size) // 2, size, "center_crop")


def random_crop(im: np.ndarray, size: int, is_color: bool = True) -> np.ndarray:
    """A part of the image, `size` x `size`, at a place that NumPy's global generator draws.

    >>> import proa as paddle
    >>> import numpy as np
    >>> image = np.arange(48, dtype="uint8").reshape(4, 4, 3)
    >>> paddle.dataset.image.random_crop(image, 2).shape
    (2, 2, 3)
    """
    height, width = im.shape[:2]
    _check_size(im, size, "random_crop")
    return _cropped(im, np.random.randint(0, height - size + 1), np.random.randint(0, width - size + 1), size,
                    "random_crop")


def _cropped(im: np.ndarray, top: int, left: int, size: int, caller: str) -> np.ndarray:
    _check_size(im, size, caller)
    return im[top:top + size, left:left + size]


def _check_size(im: np.ndarray, size: int, caller: str) -> None:
    if size > min(im.shape[:2]):
        raise ValueError(f"{caller}(size): the image must be at least as large. Received {size=}, {im.shape=}. "
                         "resize_short makes it larger.")


def left_right_flip(im: np.ndarray, is_color: bool = True) -> np.ndarray:
    """The image mirrored: left and right exchanged.

    >>> import proa as paddle
    >>> import numpy as np
    >>> image = np.arange(48, dtype="uint8").reshape(4, 4, 3)
    >>> paddle.dataset.image.left_right_flip(image)[0, 0].tolist()
    [9, 10, 11]
    """
    return im[:, ::-1]


def simple_transform(im: np.ndarray, resize_size: int, crop_size: int, is_train: bool, is_color: bool = True,
                     mean: Any = None) -> np.ndarray:
    """The image scaled, cropped and with channels first, float32 (3, crop_size, crop_size), less `mean`.

    Its shorter side becomes `resize_size` long. To train, a part is taken at random, and mirrored half of the time;
    otherwise the middle. `mean` has a number a channel, or one for each element. A grey image stays (height, width).

    >>> import numpy as np
    >>> from proa.dataset import image
    >>> found = image.simple_transform(np.full((20, 30, 3), 9, "uint8"), 10, 8, False, mean=[1, 2, 3])
    >>> found.shape, found.dtype, found[:, 0, 0].tolist()
    ((3, 8, 8), dtype('float32'), [8.0, 7.0, 6.0])
    """
    im = resize_short(im, resize_size)
    if is_train:
        im = random_crop(im, crop_size, is_color)
        if np.random.randint(2) == 0:
            im = left_right_flip(im, is_color)
    else:
        im = center_crop(im, crop_size, is_color)
    im = (to_chw(im) if im.ndim == 3 else im).astype(np.float32)
    if mean is None:
        return im
    mean = np.array(mean, np.float32)
    return im - (mean[:, None, None] if mean.ndim == 1 and is_color else mean)


def load_and_transform(filename: str, resize_size: int, crop_size: int, is_train: bool, is_color: bool = True,
                       mean: Any = None) -> np.ndarray:
    """The image in a file, as `simple_transform` makes it.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> from PIL import Image
    >>> path = os.path.join(tempfile.mkdtemp(), "red.png")
    >>> Image.new("RGB", (300, 200), "red").save(path)
    >>> paddle.dataset.image.load_and_transform(path, 256, 224, is_train=False).shape
    (3, 224, 224)
    """
    return simple_transform(load_image(filename, is_color), resize_size, crop_size, is_train, is_color, mean)


def batch_images_from_tar(data_file: str, dataset_name: str, img2label: Mapping[str, Any],
                          num_per_batch: int = 1024) -> str:
    """Writes the members of an archive that have a label to files of many, and gives the path of a list of these.

    `img2label` is {name in the archive: label}. The files are pickles {"label": labels, "data": bytes of the images} in
    a folder beside the archive, data_file_batch/dataset_name_PID; the list has the path of one in each line.

    >>> import proa as paddle
    >>> import io, os, tarfile, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "images.tar")
    >>> with tarfile.open(path, "w") as archive:
    ...     for name in ("a.jpg", "b.jpg", "notes.txt"):
    ...         archive.addfile(tarfile.TarInfo(name), io.BytesIO())
    >>> listed = paddle.dataset.image.batch_images_from_tar(path, "train", {"a.jpg": 0, "b.jpg": 1}, num_per_batch=1)
    >>> with open(listed) as file:
    ...     len(file.read().split())  # files of one image each
    2
    """
    folder = f"{data_file}_batch/{dataset_name}_{os.getpid()}"
    listing = f"{folder}.txt"
    if os.path.exists(listing):
        return listing
    os.makedirs(folder, exist_ok=True)
    archive = Archive(data_file)
    paths: list[str] = []
    batch: list[tuple[Any, bytes]] = []
    for name, data in archive.read_all([name for name in archive.members if name in img2label]):
        batch.append((img2label[name], data))
        if len(batch) == num_per_batch:
            paths.append(_write_batch(folder, len(paths), batch))
            batch = []
    if batch:
        paths.append(_write_batch(folder, len(paths), batch))
    with atomic_write(listing) as file:
        file.write("".join(f"{path}\n" for path in paths).encode())
    return listing


def _write_batch(folder: str, number: int, batch: list[tuple[Any, bytes]]) -> str:
    path = os.path.abspath(f"{folder}/batch_{number}")
    with atomic_write(path) as file:
        pickle.dump({"label": [label for label, _ in batch], "data": [data for _, data in batch]}, file, protocol=2)
    return path

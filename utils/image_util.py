"""`paddle.utils.image_util`: pictures as arrays of channels by rows by columns, cut, turned and averaged, as Paddle 1.x
has them. Readers of that time import everything from here, `np` and `Image` too.

Needs Pillow. Draws by NumPy's own generator, so that `numpy.random.seed` says what is cut.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image


def resize_image(img: Image.Image, target_size: int) -> Image.Image:
    """A picture of Pillow's whose shorter side has `target_size` pixels.

    >>> from PIL import Image
    >>> from proa.utils.image_util import resize_image
    >>> resize_image(Image.new("RGB", (20, 40)), 10).size
    (10, 20)
    """
    factor = target_size / float(min(img.size))
    width, height = (round(side * factor) for side in img.size)
    return img.resize((int(width), int(height)), Image.Resampling.LANCZOS)


def flip(im: np.ndarray) -> np.ndarray:
    """A picture seen in a mirror: its columns, which are its last dimension, from right to left.

    >>> import numpy
    >>> from proa.utils.image_util import flip
    >>> flip(numpy.array([[1, 2, 3]])).tolist()
    [[3, 2, 1]]
    """
    return im[..., ::-1]


def crop_img(im: np.ndarray, inner_size: int, color: bool = True, test: bool = True) -> np.ndarray:
    """A square of `inner_size` pixels: the middle one where it is to `test`, else one that is drawn, and half the time
    mirrored. What is smaller stands in the middle of zeros first.

    >>> import numpy
    >>> from proa.utils.image_util import crop_img
    >>> crop_img(numpy.arange(16).reshape(4, 4), 2, color=False).tolist()
    [[5.0, 6.0], [9.0, 10.0]]
    """
    sides = im.shape[1:3] if color else im.shape[:2]
    large = [max(inner_size, side) for side in sides]
    top, left = ((side - own) // 2 for side, own in zip(large, sides, strict=True))
    whole = np.zeros((3, *large)) if color else np.zeros(large)
    whole[..., top:top + sides[0], left:left + sides[1]] = im if color else im.astype("float32")
    rest = [side - inner_size for side in large]
    row, column = (each // 2 if test else np.random.randint(0, each + 1) for each in rest)
    cut = whole[..., row:row + inner_size, column:column + inner_size]
    return flip(cut) if not test and np.random.randint(2) == 0 else cut


def decode_jpeg(jpeg_string: bytes) -> np.ndarray:
    """The bytes of a file of a picture as an array, its channels first."""
    array = np.array(Image.open(io.BytesIO(jpeg_string)))
    return array.transpose(2, 0, 1) if array.ndim == 3 else array


def preprocess_img(im: np.ndarray, img_mean: Any, crop_size: int, is_train: bool, color: bool = True) -> np.ndarray:
    """A square of a picture less the mean, as one row: drawn and half the time mirrored to train, else the middle."""
    return (crop_img(im.astype("float32"), crop_size, color, not is_train) - img_mean).flatten()


def load_meta(meta_path: str, mean_img_size: int, crop_size: int, color: bool = True) -> np.ndarray:
    """The middle square of the mean picture that the file of an archive of NumPy's holds as `data_mean`, float32.

    ValueError where the mean is of another size.
    """
    mean = np.load(meta_path)["data_mean"]
    begin = (mean_img_size - crop_size) // 2
    shape = (3, mean_img_size, mean_img_size) if color else (mean_img_size, mean_img_size)
    if mean.size != np.prod(shape):
        raise ValueError(f"load_meta({meta_path!r}, mean_img_size): the mean has {mean.size} values, and {shape} asks "
                         f"for {np.prod(shape)}. Give the size that the mean was taken of.")
    inner = slice(begin, begin + crop_size)
    return mean.reshape(shape)[..., inner, inner].astype("float32")


def load_image(img_path: str, is_color: bool = True) -> Image.Image:
    """A picture of Pillow's, read from a file."""
    img = Image.open(img_path)
    img.load()
    return img


def oversample(img: Sequence[np.ndarray], crop_dims: Sequence[int]) -> np.ndarray:
    """Ten parts of each picture: its corners and its middle, and the same in a mirror; rows by columns by channels.

    >>> import numpy
    >>> from proa.utils.image_util import oversample
    >>> oversample([numpy.zeros((4, 6, 3))], (2, 2)).shape
    (10, 2, 2, 3)
    """
    rows, columns = img[0].shape[:2]
    height, width = crop_dims
    begins = [(r, c) for r in (0, rows - height) for c in (0, columns - width)]
    begins.append((int(rows / 2.0 - height / 2.0), int(columns / 2.0 - width / 2.0)))
    parts = []
    for each in img:
        cut = [each[r:r + height, c:c + width] for r, c in begins]
        parts += [*cut, *(part[:, ::-1] for part in cut)]
    return np.array(parts, "float32")


class ImageTransformer:
    """Orders dimensions and channels of a picture, and takes a mean from it, where each is given.

    >>> import numpy
    >>> from proa.utils.image_util import ImageTransformer
    >>> change = ImageTransformer(transpose=(2, 0, 1), channel_swap=(2, 1, 0), mean=numpy.array([1.0, 2.0, 3.0]))
    >>> change.transformer(numpy.array([[[4.0, 5.0, 6.0]]])).ravel().tolist()
    [5.0, 3.0, 1.0]
    """

    def __init__(self, transpose: Sequence[int] | None = None, channel_swap: Sequence[int] | None = None,
                 mean: np.ndarray | None = None, is_color: bool = True):
        self.is_color = is_color
        self.set_transpose(transpose)
        self.set_channel_swap(channel_swap)
        self.set_mean(mean)

    def set_transpose(self, order: Sequence[int] | None) -> None:
        """The order of the dimensions; three of them in a picture of colours."""
        self._check("set_transpose(order)", order)
        self.transpose = order

    def set_channel_swap(self, order: Sequence[int] | None) -> None:
        """The order of the channels; three of them in a picture of colours."""
        self._check("set_channel_swap(order)", order)
        self.channel_swap = order

    def set_mean(self, mean: np.ndarray | None) -> None:
        """What is taken away: a number a channel, or a picture."""
        self.mean = mean[:, np.newaxis, np.newaxis] if mean is not None and mean.ndim == 1 else mean

    def transformer(self, data: np.ndarray) -> np.ndarray:
        """The picture in that order, less the mean."""
        data = data if self.transpose is None else data.transpose(self.transpose)
        data = data if self.channel_swap is None else data[list(self.channel_swap)]
        return data if self.mean is None else data - self.mean

    def _check(self, what: str, order: Sequence[int] | None) -> None:
        if order is not None and self.is_color and len(order) != 3:
            raise ValueError(f"ImageTransformer.{what}: a picture of colours has three. Received {order}. "
                             "Or make it with is_color=False.")


__all__ = ["Image", "ImageTransformer", "crop_img", "decode_jpeg", "flip", "load_image", "load_meta", "np",
           "oversample", "preprocess_img", "resize_image"]

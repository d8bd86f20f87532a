"""Images in files: which library reads them, read_file, decode_jpeg. Pillow is an extra, imported when it is needed."""

from __future__ import annotations

import os
from types import ModuleType
from typing import Any

import numpy as np

from ..ops.core.trace import apply
from ..ops.vision.image_files import MODES, decode_jpeg_op, read_file_op

_BACKENDS = ("pil", "cv2", "tensor")
_chosen = {"backend": "pil"}


def pillow(caller: str) -> ModuleType:
    """Pillow's module of images; ImportError that says how to get it."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(f"{caller} needs Pillow, which is not installed: pip install 'proa[vision]', or pip install "
                          "pillow.") from error
    return Image


def check_backend(backend: str | None, caller: str, known: tuple[str, ...] = _BACKENDS) -> str:
    """The backend that is meant; ValueError if it is not one of `known`."""
    backend = _chosen["backend"] if backend is None else backend
    if backend not in known:
        raise ValueError(f"{caller}(backend): must be one of {list(known)}. Received {backend!r}.")
    return backend


def set_image_backend(backend: str) -> None:
    """Says what datasets and `image_load` give: "pil", Pillow's images; "cv2", arrays as OpenCV has them.

    "tensor" is accepted, as in Paddle, but nothing here loads Tensors: `transforms.ToTensor` makes them.
    Both read with Pillow; OpenCV is not needed. ValueError for another name. `paddle.vision.set_image_backend`.

    >>> import proa as paddle
    >>> paddle.vision.set_image_backend("pil")
    """
    _chosen["backend"] = check_backend(backend if backend is not None else "None", "set_image_backend")


def get_image_backend() -> str:
    """The name that `set_image_backend` set, "pil" at first. `paddle.vision.get_image_backend`.

    >>> import proa as paddle
    >>> paddle.vision.get_image_backend()
    'pil'
    """
    return _chosen["backend"]


def image_load(path: str | os.PathLike[str], backend: str | None = None) -> Any:
    """The image in a file: for "pil" a Pillow image, for "cv2" an array uint8 (height, width, 3) with blue first.

    None is the backend of `set_image_backend`. FileNotFoundError, or Pillow's error for what is no image.
    `paddle.vision.image_load`.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> import proa as paddle
    >>> path = os.path.join(tempfile.mkdtemp(), "red.png")
    >>> Image.new("RGB", (3, 2), "red").save(path)
    >>> paddle.vision.image_load(path, "cv2")[0, 0].tolist()
    [0, 0, 255]
    """
    if check_backend(backend, "image_load") == "tensor":
        raise NotImplementedError("image_load(backend='tensor'): Tensors are not loaded. Load with 'pil' and apply "
                                  "vision.transforms.ToTensor().")
    image = opened(path, "image_load")
    return image if check_backend(backend, "image_load") == "pil" else array_of(image)[..., ::-1].copy()


def opened(path: str | os.PathLike[str], caller: str) -> Any:
    """The Pillow image in a file, which is read at once, so that the file is not kept open."""
    image = pillow(caller).open(path)
    image.load()
    return image


def array_of(image: Any) -> np.ndarray:
    """A Pillow image as an array uint8 (height, width, 3), red first."""
    return np.array(image.convert("RGB"))


def read_file(filename: str, name: str | None = None) -> Any:
    """The bytes of a file, 1-D, uint8.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "a.bin")
    >>> with open(path, "wb") as file:
    ...     _ = file.write(bytes([7, 0, 255]))
    >>> paddle.vision.ops.read_file(path).tolist()
    [7, 0, 255]
    """
    return apply(read_file_op, filename=str(filename))


def decode_jpeg(x: Any, mode: str = "unchanged", name: str | None = None) -> Any:
    """The image [C, H, W], uint8, in the bytes of a JPEG file x, 1-D: as it is, or with mode 'gray' or 'rgb' made so.

    Pillow must be installed. Raises ValueError where the bytes are no JPEG image.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> from PIL import Image
    >>> path = os.path.join(tempfile.mkdtemp(), "grey.jpg")
    >>> Image.new("RGB", (4, 2), (128, 128, 128)).save(path)
    >>> image = paddle.vision.ops.decode_jpeg(paddle.vision.ops.read_file(path), mode="gray")
    >>> image.shape, image.dtype.name, image.max().item()
    ([1, 2, 4], 'uint8', 128)
    """
    if mode not in MODES:
        raise ValueError(f"decode_jpeg(mode): 'unchanged', 'gray' or 'rgb'. Received {mode!r}.")
    return apply(decode_jpeg_op, x, mode=mode)

"""Images in folders: with a folder for each class, or without classes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...core.dtype import get_default_dtype
from ...io.dataset import Dataset
from ..image import array_of, get_image_backend, opened

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")

Test = Callable[[str], bool]


def has_valid_extension(filename: str, extensions: Sequence[str]) -> bool:
    """True where the name ends with one of the extensions, in small letters or large ones."""
    return filename.lower().endswith(tuple(extension.lower() for extension in extensions))


def default_loader(path: str) -> Any:
    """The image of three channels in a file, for the backend that is set: a Pillow image, or an array, red first."""
    image = opened(path, "DatasetFolder")
    return array_of(image) if get_image_backend() == "cv2" else image.convert("RGB")


def _test(extensions: Sequence[str] | None, is_valid_file: Test | None, caller: str) -> Test:
    if is_valid_file is not None:
        if extensions is not None:
            raise ValueError(f"{caller}(extensions, is_valid_file): only one of the two may say which files count.")
        return is_valid_file
    return lambda path: has_valid_extension(path, IMG_EXTENSIONS if extensions is None else extensions)


def _files(folder: str, is_valid_file: Test) -> Iterator[str]:
    """The files that count, in this folder and those in it, in the order of their names."""
    for root, _, names in sorted(os.walk(os.path.expanduser(folder), followlinks=True)):
        for path in (os.path.join(root, name) for name in sorted(names)):
            if is_valid_file(path):
                yield path


def _none_found(caller: str, root: str, extensions: Sequence[str] | None) -> RuntimeError:
    endings = ", ".join(IMG_EXTENSIONS if extensions is None else extensions)
    return RuntimeError(f"{caller}(root): no file under {root} counts as an image. Names end with {endings}, or "
                        "is_valid_file says which count.")


class DatasetFolder(Dataset):
    """Images in a folder for each class: root/class_a/x.png, root/class_b/y/z.png. `paddle.vision.DatasetFolder`.

    A sample is (image, class index), the image from `loader(path)` (`default_loader`: backend "pil" a Pillow image,
    "cv2" an array, red first) through `transform`; classes are counted in the order of their names. `extensions` or
    `is_valid_file(path)` says which files count. RuntimeError where there are none. Attributes: `classes`,
    `class_to_idx`, `samples` (path, index) and `targets`.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> import proa as paddle
    >>> root = tempfile.mkdtemp()
    >>> for name in ("cat", "dog"):
    ...     os.mkdir(os.path.join(root, name))
    ...     Image.new("RGB", (4, 3)).save(os.path.join(root, name, "1.png"))
    >>> data = paddle.vision.DatasetFolder(root)
    >>> len(data), data.classes, data[1][0].size, data[1][1]
    (2, ['cat', 'dog'], (4, 3), 1)
    """

    def __init__(self, root: str, loader: Callable[[str], Any] | None = None, extensions: Sequence[str] | None = None,
                 transform: Callable[[Any], Any] | None = None, is_valid_file: Test | None = None):
        self.root = root
        self.transform = transform
        counts = _test(extensions, is_valid_file, "DatasetFolder")
        self.classes = sorted(entry.name for entry in os.scandir(os.path.expanduser(root)) if entry.is_dir())
        self.class_to_idx = {name: index for index, name in enumerate(self.classes)}
        self.samples = [(path, index) for name, index in self.class_to_idx.items()
                        for path in _files(os.path.join(root, name), counts)]
        if not self.samples:
            raise _none_found("DatasetFolder", root, extensions)
        self.loader = default_loader if loader is None else loader
        self.extensions = extensions if extensions is not None or is_valid_file else IMG_EXTENSIONS
        self.targets = [index for _, index in self.samples]
        self.dtype = get_default_dtype()

    def __getitem__(self, index: int) -> tuple[Any, int]:
        path, target = self.samples[index]
        sample = self.loader(path)
        return (sample if self.transform is None else self.transform(sample)), target

    def __len__(self) -> int:
        return len(self.samples)


class ImageFolder(Dataset):
    """All images in a folder and the folders in it, without classes. `paddle.vision.ImageFolder`.

    A sample is the list [image]. The arguments are those of `DatasetFolder`; `samples` holds the paths.

    >>> import os, tempfile
    >>> from PIL import Image
    >>> import proa as paddle
    >>> root = tempfile.mkdtemp()
    >>> Image.new("RGB", (4, 3)).save(os.path.join(root, "1.png"))
    >>> paddle.vision.ImageFolder(root)[0][0].size
    (4, 3)
    """

    def __init__(self, root: str, loader: Callable[[str], Any] | None = None, extensions: Sequence[str] | None = None,
                 transform: Callable[[Any], Any] | None = None, is_valid_file: Test | None = None):
        self.root = root
        self.samples = list(_files(root, _test(extensions, is_valid_file, "ImageFolder")))
        if not self.samples:
            raise _none_found("ImageFolder", root, extensions)
        self.loader = default_loader if loader is None else loader
        self.extensions = extensions if extensions is not None or is_valid_file else IMG_EXTENSIONS
        self.transform = transform

    def __getitem__(self, index: int) -> list[Any]:
        sample = self.loader(self.samples[index])
        return [sample if self.transform is None else self.transform(sample)]

    def __len__(self) -> int:
        return len(self.samples)

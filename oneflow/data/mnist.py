"""`flow.data.load_mnist`: the handwritten digits, from files that are there."""

from __future__ import annotations

import hashlib
import os
import zipfile
import zlib

import numpy as np

from ...core.files import CorruptFileError
from ...io.local_files import HOME
from ...vision.datasets.mnist import images_and_labels

ARCHIVE = "mnist.npz"
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")
_ARRAYS = ("x_train", "y_train", "x_test", "y_test")
_URL = "https://oneflow-public.oss-cn-beijing.aliyuncs.com/datasets/mnist.npz"
_SHA256 = "63d4344077849053dc3036b247fa012b2b381de53fd055a66b539dffd76cf08e"
_Digits = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def load_mnist(train_batch_size: int = 100, test_batch_size: int = 100, data_format: str = "NCHW", url: str = _URL,
               hash_check: str | None = _SHA256, out_dir: str | os.PathLike[str] = ".") -> _Digits:
    """The digits of MNIST in batches: `(train_images, train_labels), (test_images, test_labels)`.

    Images are float32 from 0 to 1, of shape (batches, batch_size, 1, 28, 28), with `data_format` "NHWC" (batches,
    batch_size, 28, 28, 1); labels int32 (batches, batch_size). They are read from the folder `out_dir`: from
    `mnist.npz`, OneFlow's own download (`hash_check` is its SHA-256; None for an archive of your own), or from the four
    idx files that MNIST is published as, compressed by gzip or not. Where the folder has none of these, the four are
    looked for where `paddle.vision.datasets.MNIST` has them, ~/.cache/paddle/dataset/mnist.

    Nothing is downloaded: FileNotFoundError says which files are missing, and where they were looked for. ValueError
    where the batches do not take all samples up, CorruptFileError for a damaged file.

    >>> import os, struct, tempfile, numpy as np, proa.oneflow as flow
    >>> folder = tempfile.mkdtemp()
    >>> for stem in ("train", "t10k"):
    ...     with open(os.path.join(folder, stem + "-images-idx3-ubyte"), "wb") as file:
    ...         _ = file.write(struct.pack(">4I", 2051, 6, 28, 28) + bytes(6 * 28 * 28))
    ...     with open(os.path.join(folder, stem + "-labels-idx1-ubyte"), "wb") as file:
    ...         _ = file.write(struct.pack(">2I", 2049, 6) + bytes(6))
    >>> (images, labels), test = flow.data.load_mnist(3, 2, out_dir=folder)
    >>> images.shape, labels.shape, test[0].shape
    ((2, 3, 1, 28, 28), (2, 3), (3, 2, 1, 28, 28))
    """
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"load_mnist(data_format): must be 'NCHW' or 'NHWC'. Received {data_format!r}.")
    folder = os.path.expanduser(os.fspath(out_dir))
    archive = os.path.join(folder, ARCHIVE)
    if os.path.isfile(archive):
        x_train, y_train, x_test, y_test = _read_archive(archive, hash_check)
    else:
        train_x, train_y, test_x, test_y = _find_files(folder, url)
        x_train, y_train = images_and_labels(train_x, train_y, "load_mnist")
        x_test, y_test = images_and_labels(test_x, test_y, "load_mnist")
    return (_batches(x_train, y_train, "train_batch_size", train_batch_size, data_format),
            _batches(x_test, y_test, "test_batch_size", test_batch_size, data_format))


def _batches(x: np.ndarray, y: np.ndarray, argument: str, size: int,
             data_format: str) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1 or len(x) % size:
        raise ValueError(f"load_mnist({argument}): there are {len(x)} samples, which batches of one size have to take "
                         f"up without a rest. Received {size!r}.")
    rows, columns = x.shape[1:]
    image = (1, rows, columns) if data_format == "NCHW" else (rows, columns, 1)
    images = x.astype(np.float32)
    images /= np.float32(255)
    return images.reshape(-1, size, *image), y.astype(np.int32).reshape(-1, size)


def _find_files(folder: str, url: str) -> list[str]:
    """The four files' paths, from one folder; FileNotFoundError says what is missing."""
    cache = os.path.join(os.path.expanduser(HOME), "mnist")
    for place in (folder, cache):
        found = [_find(place, name) for name in FILES]
        missing = [name for name, path in zip(FILES, found, strict=True) if path is None]
        if not missing:
            return [path for path in found if path is not None]
        if len(missing) < len(FILES):
            there = ", ".join(os.path.basename(path) for path in found if path is not None)
            raise FileNotFoundError(f"load_mnist: in {os.path.abspath(place)} these files are missing: "
                                    f"{', '.join(missing)} (with .gz behind the name or without). There is {there}.")
    raise FileNotFoundError(
        f"load_mnist: nothing is downloaded, and there is neither {ARCHIVE} nor one of the files {', '.join(FILES)} "
        f"(with .gz behind the name or without) in {os.path.abspath(folder)}, nor such files in {cache}. Fetch {url} "
        "or the four files, put them into the first folder, or pass the folder that has them as out_dir.")


def _find(folder: str, name: str) -> str | None:
    """The file of this name, which some unpack as `train-images.idx3-ubyte`."""
    stem, kind = name.rsplit("-idx", 1)
    for candidate in (name, f"{name}.gz", f"{stem}.idx{kind}", f"{stem}.idx{kind}.gz"):
        path = os.path.join(folder, candidate)
        if os.path.isfile(path):
            return path
    return None


def _read_archive(path: str, sha256: str | None) -> list[np.ndarray]:
    if sha256 is not None:
        with open(path, "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest()
        if found != sha256:
            raise CorruptFileError(path, 0, f"its SHA-256 is {found}, and {sha256} was expected. Fetch it again; for "
                                   "an archive of your own, pass hash_check=None or its sum")
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            missing = [name for name in _ARRAYS if name not in arrays]
            if missing:
                raise CorruptFileError(path, missing[0], "is not in the archive")
            x_train, y_train, x_test, y_test = (arrays[name] for name in _ARRAYS)
    except CorruptFileError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise CorruptFileError(path, 0, f"cannot be read as an archive of arrays: {error}") from error
    for name, x, y in (("x_train", x_train, y_train), ("x_test", x_test, y_test)):
        if x.ndim != 3 or y.shape != x.shape[:1] or x.dtype.kind not in "ui" or y.dtype.kind not in "ui":
            raise CorruptFileError(path, name, f"images are (count, rows, columns) and labels (count,), whole "
                                   f"numbers. Received {x.dtype} {list(x.shape)} and {y.dtype} {list(y.shape)}")
    return [x_train, y_train, x_test, y_test]

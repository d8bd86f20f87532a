"""The digits are read from files that are there, and what is missing is named."""

import gzip
import hashlib
import os
import struct

import numpy as np
import proa.oneflow as flow
import pytest
from proa.core.files import CorruptFileError

FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def digits():
    rng = np.random.default_rng(0)
    return [rng.integers(0, 256, (12, 28, 28), np.uint8), rng.integers(0, 10, 12, np.uint8),
            rng.integers(0, 256, (6, 28, 28), np.uint8), rng.integers(0, 10, 6, np.uint8)]


def idx(array):
    return struct.pack(f">I{array.ndim}I", 2048 + array.ndim, *array.shape) + array.tobytes()


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


def write(folder, suffix="", pack=bytes, names=FILES):
    os.makedirs(folder, exist_ok=True)
    for name, array in zip(FILES, digits(), strict=True):
        if name in names:
            (folder / (name + suffix)).write_bytes(pack(idx(array)))


def check(loaded, batch=3, test_batch=2):
    (images, labels), (test_images, test_labels) = loaded
    x, y, test_x, test_y = digits()
    assert images.dtype == np.float32 and labels.dtype == np.int32 and test_images.dtype == np.float32
    np.testing.assert_array_equal(images, x.astype("float32").reshape(-1, batch, 1, 28, 28) / np.float32(255))
    np.testing.assert_array_equal(labels, y.reshape(-1, batch))
    np.testing.assert_array_equal(test_images,
                                  test_x.astype("float32").reshape(-1, test_batch, 1, 28, 28) / np.float32(255))
    np.testing.assert_array_equal(test_labels, test_y.reshape(-1, test_batch))


@pytest.mark.parametrize("suffix, pack", [("", bytes), (".gz", gzip.compress)])
def test_the_four_files_of_the_working_folder(tmp_path, suffix, pack):
    write(tmp_path, suffix, pack)
    check(flow.data.load_mnist(3, 2))


def test_another_folder_and_other_names(tmp_path):
    write(tmp_path / "data")
    for name in FILES:
        os.rename(tmp_path / "data" / name, tmp_path / "data" / name.replace("-idx", ".idx"))
    check(flow.data.load_mnist(train_batch_size=3, test_batch_size=2, out_dir="data"))


def test_where_paddle_keeps_them(tmp_path):
    write(tmp_path / "home" / ".cache" / "paddle" / "dataset" / "mnist", ".gz", gzip.compress)
    check(flow.data.load_mnist(3, 2))


def test_channels_last(tmp_path):
    write(tmp_path)
    (images, _), _ = flow.data.load_mnist(4, 6, data_format="NHWC")
    assert images.shape == (3, 4, 28, 28, 1)
    with pytest.raises(ValueError, match="'NCHW' or 'NHWC'. Received 'NCWH'"):
        flow.data.load_mnist(4, 6, "NCWH")


def test_the_archive(tmp_path):
    np.savez(tmp_path / "mnist.npz", **dict(zip(("x_train", "y_train", "x_test", "y_test"), digits(), strict=True)))
    with pytest.raises(CorruptFileError, match="its SHA-256 is .* hash_check=None"):
        flow.data.load_mnist(3, 2)
    check(flow.data.load_mnist(3, 2, hash_check=None))
    check(flow.data.load_mnist(3, 2, hash_check=hashlib.sha256((tmp_path / "mnist.npz").read_bytes()).hexdigest()))


@pytest.mark.parametrize("make", [
    lambda path: path.write_bytes(b"no archive"), lambda path: path.write_bytes(b""),
    lambda path: np.savez(path, x_train=np.zeros(3)), lambda path: path.write_bytes(b"PK\3\4" + bytes(50)),
    lambda path: np.savez(path, x_train=np.array([{}]), y_train=np.zeros(3), x_test=np.zeros(3), y_test=np.zeros(3)),
    lambda path: np.savez(path, x_train=np.zeros((3, 2)), y_train=np.zeros(3), x_test=np.zeros(3), y_test=np.zeros(3)),
])
def test_a_damaged_archive(tmp_path, make):
    make(tmp_path / "mnist.npz")
    with pytest.raises(CorruptFileError, match="mnist.npz"):
        flow.data.load_mnist(3, 2, hash_check=None)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        flow.data.load_mnist(3, 2)
    for expected in ("nothing is downloaded", *FILES, "mnist.npz", str(tmp_path), ".cache/paddle/dataset/mnist",
                     "https://", "out_dir"):
        assert expected in str(caught.value)
    write(tmp_path, names=FILES[:3])
    with pytest.raises(FileNotFoundError, match=f"{tmp_path} these files are missing: t10k-labels-idx1-ubyte "):
        flow.data.load_mnist(3, 2)


@pytest.mark.parametrize("train, test, argument", [(5, 2, "train"), (3, 4, "test"), (0, 2, "train"), (-3, 2, "train"),
                                                   (True, 2, "train"), (3.0, 2, "train"), (13, 2, "train")])
def test_batches_that_leave_a_rest(tmp_path, train, test, argument):
    write(tmp_path)
    with pytest.raises(ValueError, match=rf"load_mnist\({argument}_batch_size\): there are \d+ samples"):
        flow.data.load_mnist(train, test)


def test_damaged_files(tmp_path):
    write(tmp_path)
    (tmp_path / FILES[0]).write_bytes(idx(digits()[0])[:-1])
    with pytest.raises(CorruptFileError, match=FILES[0]):
        flow.data.load_mnist(3, 2)
    (tmp_path / FILES[0]).write_bytes(idx(digits()[0][:-1]))
    with pytest.raises(ValueError, match="11 images and .* 12 labels"):
        flow.data.load_mnist(3, 2)

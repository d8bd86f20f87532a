"""Datasets: small files in the published formats, what is not there, and files that mean harm."""

import gzip
import os
import pathlib
import pickle
import tarfile
import tracemalloc

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from PIL import Image
from proa.core.files import CorruptFileError
from proa.core.safe_pickle import UnsafePickleError
from proa.io.local_files import Archive
from proa.vision import datasets
from proa.vision.datasets.matlab import load_arrays

MATLAB = pathlib.Path(__file__).parents[1] / "fixtures" / "vision_datasets"
cases = module_at(MATLAB / "cases.py")
digits, write_idx, write_tar, encoded = cases.digits, cases.write_idx, cases.write_tar, cases.encoded
batch, flowers, voc = cases.batch, cases.flowers, cases.voc


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Where downloads would be."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    yield tmp_path / "home" / ".cache" / "paddle" / "dataset"
    paddle.vision.set_image_backend("pil")


@pytest.mark.parametrize("compress", [True, False])
def test_mnist(tmp_path, compress):
    images, labels = digits(), np.arange(5)
    paths = write_idx(tmp_path / "i", images, compress), write_idx(tmp_path / "l", labels, compress)
    data = datasets.MNIST(*paths)
    image, label = data[3]
    assert len(data) == 5 and image.mode == "L" and label.dtype == np.int64 and label.tolist() == [3]
    np.testing.assert_array_equal(np.asarray(image), images[3])
    image, _ = datasets.MNIST(*paths, mode="TEST", backend="cv2", transform=lambda x: x / 2)[1]
    assert image.dtype == np.float32
    np.testing.assert_array_equal(image, images[1] / 2)


def test_mnist_in_batches(tmp_path):
    paths = write_idx(tmp_path / "i", digits(8)), write_idx(tmp_path / "l", np.arange(8))
    data = paddle.vision.MNIST(*paths, transform=paddle.vision.transforms.ToTensor())
    images, labels = next(iter(paddle.io.DataLoader(data, batch_size=8, num_workers=2)))
    np.testing.assert_allclose(images.numpy()[:, 0] * 255, digits(8), rtol=1e-6)
    assert labels.tolist() == [[n] for n in range(8)]


@pytest.mark.parametrize("make, folder, name", [
    (datasets.MNIST, "mnist", "train-images-idx3-ubyte.gz"),
    (lambda **more: datasets.FashionMNIST(mode="test", **more), "fashion-mnist", "t10k-images-idx3-ubyte.gz"),
    (datasets.Cifar10, "cifar", "cifar-10-python.tar.gz"), (datasets.Cifar100, "cifar", "cifar-100-python.tar.gz"),
    (datasets.Flowers, "flowers", "102flowers.tgz"), (datasets.VOC2012, "voc2012", "VOCtrainval_11-May-2012.tar"),
])
def test_nothing_is_downloaded(home, make, folder, name):
    with pytest.raises(FileNotFoundError, match="nothing is downloaded") as caught:
        make()
    assert str(home / folder / name) in str(caught.value) and "http" in str(caught.value)
    with pytest.raises(ValueError, match="with download=False the file must be named"):
        make(download=False)


def test_files_are_found_where_paddle_keeps_them(home):
    (home / "mnist").mkdir(parents=True)
    write_idx(home / "mnist" / "t10k-images-idx3-ubyte.gz", digits(2))
    write_idx(home / "mnist" / "t10k-labels-idx1-ubyte.gz", np.arange(2))
    assert len(datasets.MNIST(mode="test")) == 2


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        datasets.MNIST(str(tmp_path / "no"))
    with pytest.raises(ValueError, match=r"MNIST\(mode\): must be one of"):
        datasets.MNIST(mode="valid")
    with pytest.raises(ValueError, match=r"Cifar10\(backend\)"):
        datasets.Cifar10(backend="tensor")


@pytest.mark.parametrize("damage, message", [
    (lambda data: data[:-3], "bytes are declared"), (lambda data: b"\0" * 16, "begins with the number 0"),
    (lambda data: data[:7], "its head alone"), (lambda data: data[:4] + b"\xff" * 12, "more than"),
    (lambda data: gzip.compress(data)[:-30], "cannot be decompressed"),
    (lambda data: gzip.compress(data)[:-8] + bytes(8), "cannot be decompressed"),
    (lambda data: data + b"x", "more follows"),
])
def test_damaged_mnist(tmp_path, damage, message):
    whole = write_idx(tmp_path / "i", digits(), compress=False)
    whole.write_bytes(damage(whole.read_bytes()))
    with pytest.raises(CorruptFileError, match=message):
        datasets.MNIST(whole, write_idx(tmp_path / "l", np.arange(5)))


def test_mnist_of_two_kinds(tmp_path):
    with pytest.raises(ValueError, match="5 images and .* 4 labels"):
        datasets.MNIST(write_idx(tmp_path / "i", digits()), write_idx(tmp_path / "l", np.arange(4)))


def test_cifar(tmp_path):
    first, second, test = batch(3), batch(2, start=3), batch(2, start=9)
    parts = {"c/data_batch_2": second, "c/data_batch_1": first, "c/test_batch": test}
    files = {"c/readme.html": b"<p>", **{name: pickle.dumps(part, 2) for name, part in parts.items()}}
    path = write_tar(tmp_path / "c.tar.gz", files)
    data = datasets.Cifar10(path)
    assert [int(label) for _, label in data] == [0, 1, 2, 3, 4] and data[0][1].shape == ()
    wanted = first[b"data"][1].reshape(3, 32, 32).transpose(1, 2, 0)
    np.testing.assert_array_equal(np.asarray(data[1][0]), wanted)
    image, label = datasets.Cifar10(path, "test", backend="cv2")[0]
    assert image.dtype == np.float32 and image.shape == (32, 32, 3) and label == 9


def test_cifar100_has_fine_labels(tmp_path):
    fine = {**batch(2, "fine_labels", 50), b"coarse_labels": [0, 1]}
    path = write_tar(tmp_path / "c.tar.gz", {"cifar-100-python/train": pickle.dumps(fine, 2)})
    assert [int(label) for _, label in datasets.Cifar100(path)] == [50, 51]
    with pytest.raises(CorruptFileError, match="no file whose name begins so"):
        datasets.Cifar100(path, mode="test")


class Harm:
    def __reduce__(self):
        return os.mkdir, ("harm",)


def test_a_pickle_that_asks_for_code_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_tar(tmp_path / "c.tar.gz", {"data_batch_1": pickle.dumps({b"data": Harm()}, 2)})
    with pytest.raises(UnsafePickleError, match="mkdir"):
        datasets.Cifar10(path)
    assert not os.path.exists("harm")


@pytest.mark.parametrize("content", [{b"data": 3, b"labels": []}, [1], {b"data": np.zeros((2, 3072), np.uint8)},
                                     {b"data": np.zeros((2, 7), np.uint8), b"labels": [1, 2]}])
def test_cifar_of_another_form(tmp_path, content):
    path = write_tar(tmp_path / "c.tar.gz", {"data_batch_1": pickle.dumps(content, 2)})
    with pytest.raises(CorruptFileError, match="must be"):
        datasets.Cifar10(path)


def test_an_archive_cannot_leave_its_place(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        for name, kind, to in (("link", tarfile.SYMTYPE, "/etc/passwd"), ("hard", tarfile.LNKTYPE, "../x"),
                               ("pipe", tarfile.FIFOTYPE, "")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, to
            tar.addfile(info)
    archive = Archive(str(path))
    assert not archive.members
    with pytest.raises(CorruptFileError, match="no regular file of this name"):
        archive.read("link")


def test_archives_that_declare_too_much(tmp_path):
    info = tarfile.TarInfo("data_batch_1")
    info.size = 1 << 40
    (tmp_path / "a").write_bytes(info.tobuf(tarfile.GNU_FORMAT))
    with pytest.raises(CorruptFileError, match="declares 1099511627776 bytes"):
        Archive(str(tmp_path / "a"))
    info.size, info.type, info.name = 64 << 20, tarfile.GNUTYPE_LONGNAME, "x"
    (tmp_path / "b").write_bytes(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(64 << 20), 1))
    tracemalloc.start()
    try:
        with pytest.raises(CorruptFileError, match="a header asks for|empty header"):  # Python 3.14 says the second
            Archive(str(tmp_path / "b"))
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("data", [b"", b"no archive at all" * 100, gzip.compress(b"neither" * 100, mtime=0)[:-4]],
                         ids=["empty", "text", "cut short"])
def test_what_is_no_archive(tmp_path, data):
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(CorruptFileError):
        datasets.Cifar10(tmp_path / "a")


def test_flowers(tmp_path):
    files = flowers(tmp_path)
    data = datasets.Flowers(*files)
    assert len(data) == 2 and [label.tolist() for _, label in data] == [[102], [77]]
    assert abs(int(np.asarray(data[0][0])[0, 0, 0]) - 60) < 3 and data[0][1].dtype == np.int64
    assert sorted(os.listdir(tmp_path)) == ["102flowers", "102flowers.tgz"]
    assert sorted(os.listdir(tmp_path / "102flowers" / "jpg")) == ["image_00001.jpg", "image_00003.jpg"]
    image, _ = datasets.Flowers(*files, mode="test", backend="cv2")[0]
    assert image.dtype == np.float32 and image.shape == (4, 5, 3)
    files[0].write_bytes(b"")  # what is unpacked is not read again
    assert len(datasets.Flowers(*files)) == 2


def test_flowers_with_numbers_that_are_not_there(tmp_path):
    path, labels, parts = flowers(tmp_path)
    with pytest.raises(CorruptFileError, match="'tstid'|tstid"):
        datasets.Flowers(path, labels, labels)
    with pytest.raises(CorruptFileError, match="labels"):
        datasets.Flowers(path, parts, parts)


def test_matlab_files(tmp_path):
    found = load_arrays(str(MATLAB / "imagelabels.mat"))
    assert set(found) == {"labels"} and found["labels"].tolist() == [[77, 3, 102, 5, 3]]
    found = load_arrays(str(MATLAB / "setid.mat"))
    assert {name: array.tolist() for name, array in found.items()} == {
        "trnid": [[2, 4]], "valid": [[5]], "tstid": [[3, 1]], "doubles": [[0.5, -1e300], [2.0, 3.0]]}
    whole = (MATLAB / "setid.mat").read_bytes()
    for cut in range(128, len(whole), 5):  # whatever is missing, it is seen or the array is not there
        (tmp_path / "cut.mat").write_bytes(whole[:cut])
        try:
            assert len(load_arrays(str(tmp_path / "cut.mat"))) < 4
        except CorruptFileError:
            pass
    with pytest.raises(CorruptFileError, match="no MAT-file"):
        load_arrays(__file__)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_voc2012(tmp_path, mode):
    path = voc(tmp_path / "voc.tar", mode)
    data = datasets.VOC2012(path)
    assert len(data) == 3 and len(datasets.VOC2012(path, "valid")) == 2 and len(datasets.VOC2012(path, "test")) == 1
    image, label = data[2]
    assert image.size == (5, 4) and np.asarray(label).max() == 2
    image, label = datasets.VOC2012(path, backend="cv2", transform=lambda x: x[:2])[1]
    assert image.dtype == label.dtype == np.float32 and image.shape == (2, 5, 3) and label.shape == (4, 5)


def test_workers_share_an_archive(tmp_path):
    data = datasets.VOC2012(voc(tmp_path / "voc.tar"), backend="cv2")
    loader = paddle.io.DataLoader(data, batch_size=1, num_workers=3)
    for _ in range(3):
        assert [float(label.max()) for _, label in loader] == [0.0, 1.0, 2.0]
    assert len(pickle.loads(pickle.dumps(data))) == 3


def folder(root):
    for name in ("b/2.png", "b/x/1.PNG", "a/3.jpg", "a/notes.txt", "top.png"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(encoded(np.full((2, 3), 9, np.uint8), "PNG"))
    return str(root)


def test_folders(tmp_path):
    root = folder(tmp_path / "r")
    data = datasets.DatasetFolder(root, transform=paddle.vision.transforms.ToTensor())
    assert data.classes == ["a", "b"] and data.class_to_idx == {"a": 0, "b": 1} and data.targets == [0, 1, 1]
    assert data[0][0].shape == [3, 2, 3] and data[0][1] == 0
    assert [os.path.relpath(path, root) for path in datasets.ImageFolder(root).samples] == [
        "top.png", "a/3.jpg", "b/2.png", "b/x/1.PNG"]
    assert datasets.ImageFolder(root)[0][0].mode == "RGB"
    only = datasets.DatasetFolder(root, loader=os.path.basename, is_valid_file=lambda path: path.endswith(".txt"))
    assert list(only) == [("notes.txt", 0)]
    assert len(datasets.ImageFolder(root, extensions=[".txt"])) == 1
    with pytest.raises(ValueError, match="only one of the two"):
        datasets.ImageFolder(root, extensions=[".txt"], is_valid_file=bool)
    for kind in (datasets.DatasetFolder, datasets.ImageFolder):
        with pytest.raises(RuntimeError, match="no file under"):
            kind(root, extensions=(".gif",))


def test_backends(tmp_path):
    root = folder(tmp_path / "r")
    path = str(tmp_path / "red.png")
    Image.new("RGB", (3, 2), (200, 10, 0)).save(path)
    assert paddle.vision.get_image_backend() == "pil" and paddle.vision.image_load(path).size == (3, 2)
    paddle.vision.set_image_backend("cv2")
    assert paddle.vision.image_load(path)[0, 0].tolist() == [0, 10, 200]
    assert datasets.ImageFolder(root)[0][0].shape == (2, 3, 3)
    assert paddle.vision.image_load(path, "pil").mode == "RGB"
    with pytest.raises(NotImplementedError, match="ToTensor"):
        paddle.vision.image_load(path, "tensor")
    for bad in ("opencv", None):
        with pytest.raises(ValueError, match=r"set_image_backend\(backend\)"):
            paddle.vision.set_image_backend(bad)

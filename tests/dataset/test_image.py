"""Images as arrays: what PaddlePaddle with OpenCV makes of the same files and arrays, and what it would cut wrongly."""

import io
import pathlib
import pickle

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from PIL import Image
from proa.dataset import image

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "dataset_readers"
ANSWERS = dict(np.load(FIXTURES / "images.npz"))
FILES = {name.removeprefix("file "): data for name, data in ANSWERS.items() if name.startswith("file ")}
cases = module_at(FIXTURES / "cases.py")


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return cases.image_answers(paddle, FILES, str(tmp_path_factory.mktemp("images")))


@pytest.mark.parametrize("name", [name for name in ANSWERS if not name.startswith("file ")])
def test_as_opencv(found, name):
    ours, theirs = found[name], ANSWERS[name]
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_array_equal(ours, theirs)


def test_every_case_is_answered(found):
    assert {*found, *(f"file {name}" for name in FILES)} == set(ANSWERS) and len(found) > 60


def test_what_is_no_image(tmp_path):
    with pytest.raises(OSError, match="cannot identify"):
        image.load_image_bytes(b"no image")
    with pytest.raises(FileNotFoundError):
        image.load_image(str(tmp_path / "none.png"))


@pytest.mark.parametrize("crop", [image.center_crop, image.random_crop])
def test_crops_of_what_is_too_small(crop):
    with pytest.raises(ValueError, match=rf"{crop.__name__}\(size\).*im.shape=\(4, 9, 3\)"):
        crop(np.zeros((4, 9, 3), np.uint8), 5)


def test_orders_of_another_rank():
    with pytest.raises(ValueError, match=r"to_chw\(order\)"):
        image.to_chw(np.zeros((4, 9), np.uint8))


def test_results_may_be_written_to(found):
    assert found["load_image"].flags.writeable and found["load_image, grey"].flags.writeable
    assert image.load_image_bytes(FILES["png 16"].tobytes()).flags.writeable


def test_images_in_batches(tmp_path):
    path = str(cases.images.flowers(tmp_path)[0])
    label_of = {"jpg/image_00004.jpg": 4, "jpg/image_00002.jpg": 2, "jpg/image_00003.jpg": 3, "jpg/none.jpg": 9}
    listing = image.batch_images_from_tar(path, "part", label_of, num_per_batch=2)
    batches = []
    for line in open_lines(listing):
        with open(line, "rb") as file:
            batches.append(pickle.load(file))
    assert [batch["label"] for batch in batches] == [[2, 3], [4]]
    assert Image.open(io.BytesIO(batches[1]["data"][0])).size == (5, 4)
    pathlib.Path(path).unlink()
    assert image.batch_images_from_tar(path, "part", label_of) == listing  # what is written is not read again


def open_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()

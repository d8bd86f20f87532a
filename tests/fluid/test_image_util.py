"""`paddle.utils.image_util`, from which readers of pictures of 1.x import everything."""

import io

import numpy as np
import pytest

pytest.importorskip("PIL")
from proa.utils import image_util

IMAGE = np.arange(2 * 4 * 6 * 3, dtype="float32").reshape(2, 4, 6, 3)


def test_ten_parts_of_each():
    parts = image_util.oversample(list(IMAGE), (2, 3))  # sums are 1.8.5's
    assert parts.shape == (20, 2, 3, 3) and parts.dtype == np.float32
    assert parts.sum(axis=(1, 2, 3)).astype(int).tolist()[:10] == [234, 396, 882, 1044, 612, 234, 396, 882, 1044, 612]
    assert parts[5, 0, :, 0].tolist() == [6, 3, 0]


def test_a_picture_prepared():
    change = image_util.ImageTransformer((2, 0, 1), (2, 1, 0), np.array([1.0, 2.0, 3.0]))
    assert change.transformer(IMAGE[0])[:, 0, 0].tolist() == [1, -1, -3]
    with pytest.raises(ValueError, match="a picture of colours has three"):
        change.set_transpose((1, 0))
    assert image_util.ImageTransformer((1, 0), is_color=False).transformer(IMAGE[0, :, :, 0]).shape == (6, 4)


def test_squares():
    picture = IMAGE[0].transpose(2, 0, 1)
    assert image_util.crop_img(picture, 2)[0].tolist() == [[24, 27], [42, 45]]
    assert image_util.crop_img(picture, 6)[0, 0].tolist() == [0] * 6  # a row of zeros, the picture's four, and another
    np.random.seed(0)
    drawn = {tuple(image_util.crop_img(picture, 2, test=False)[0, 0]) for _ in range(200)}
    assert len(drawn) == 2 * 3 * 5  # each place, mirrored or not
    assert image_util.preprocess_img(picture, 1.0, 2, False)[:2].tolist() == [23, 26]


def test_files(tmp_path):
    picture = image_util.Image.new("RGB", (4, 2), (255, 0, 0))
    picture.save(tmp_path / "red.png")
    assert image_util.resize_image(image_util.load_image(tmp_path / "red.png"), 4).size == (8, 4)
    held = io.BytesIO()
    picture.save(held, "PNG")
    assert image_util.decode_jpeg(held.getvalue()).shape == (3, 2, 4)
    np.savez(tmp_path / "mean.npz", data_mean=np.arange(48.0))
    assert image_util.load_meta(tmp_path / "mean.npz", 4, 2)[0].tolist() == [[5, 6], [9, 10]]
    with pytest.raises(ValueError, match="the mean has 48 values"):
        image_util.load_meta(tmp_path / "mean.npz", 5, 2)

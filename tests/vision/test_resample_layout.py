"""What is resized lies in memory as it lay before."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.vision.resample_tables import resampled


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_images_with_their_channels_last_give_the_same(mode):
    images = np.random.default_rng(0).random((2, 5, 6, 3), "float32").transpose(0, 3, 1, 2)
    rows = paddle.to_tensor(np.ascontiguousarray(images))
    expected = paddle.nn.functional.interpolate(rows, scale_factor=2, mode=mode).numpy()
    found = paddle.nn.functional.interpolate(paddle.Tensor(images), scale_factor=2, mode=mode)
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("axis", [2, 3])
def test_channels_stay_last(axis):
    images = np.random.default_rng(0).random((2, 5, 6, 3), "float32").transpose(0, 3, 1, 2)
    positions = [0, 0, 1, 1, 4]
    found = resampled(np, images, axis, [(positions, None)])
    np.testing.assert_array_equal(found, images.take(positions, axis))
    assert found.strides[1] == images.itemsize

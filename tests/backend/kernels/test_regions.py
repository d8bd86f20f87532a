"""Regions of images in bins as loops, against NumPy: their values and the gradients by the images."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels.regions import put_in_planes
from proa.core.flags import flags_guard
from proa.ops.vision import roi_loops

pytestmark = needs_loops
ops = paddle.vision.ops
COUNTS = np.array([10, 0, 30], "int32")


def regions(dtype="float32"):
    """Boxes within images and across their borders; one turned around, one outside, one of a single place."""
    found = np.sort(np.random.default_rng(5).uniform(-8, 52, (40, 2, 2)), 1).reshape(40, 4).astype(dtype)
    found[3] = found[3][[2, 3, 0, 1]]
    found[5] = [100, 100, 120, 130]
    found[6] = [7, 7, 7, 7]
    return found


CALLS = {
    "roi_align": lambda x, boxes, counts: ops.roi_align(x, boxes, counts, 5, 0.5),
    "roi_align, twice": lambda x, boxes, counts: ops.roi_align(x, boxes, counts, (3, 4), 0.5, 2, aligned=False),
    "roi_pool": lambda x, boxes, counts: ops.roi_pool(x, boxes, counts, (3, 4), 0.5),
    "psroi_pool": lambda x, boxes, counts: ops.psroi_pool(x, boxes, counts, 4, 0.5),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients(name, dtype):
    found = []
    for engines in ("", "loops"):
        with flags_guard({"FLAGS_cpu_engines": engines}):
            x = paddle.to_tensor(normal(3, 32, 20, 24, dtype=dtype), stop_gradient=False)
            y = CALLS[name](x, paddle.to_tensor(regions(dtype)), paddle.to_tensor(COUNTS))
            (y * paddle.to_tensor(normal(*y.shape, seed=2, dtype=dtype))).sum().backward()
            found.append([y.numpy(), x.grad.numpy()])
    exact = 1e-5 if dtype == "float32" else 1e-12
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=exact, atol=exact)


def test_the_largest_and_where_it_is():
    x = normal(3, 32, 20, 24)
    x[0, 1, 3:9] = np.nan
    x[2, 5] = 1.0  # all alike: the first
    agree("roi_pool", roi_loops.maxima_by_loops, x, regions(), COUNTS, pooled_height=3, pooled_width=4,
          spatial_scale=0.5)


@pytest.mark.parametrize("name", CALLS)
def test_corners_that_are_no_numbers_are_numpys(name):
    boxes = regions()
    boxes[4, 1] = np.nan
    kernels = {"roi_align": roi_loops.align_by_loops, "roi_pool": roi_loops.maxima_by_loops,
               "psroi_pool": roi_loops.own_means_by_loops}
    kernel = kernels[name.partition(",")[0]]
    assert kernel(normal(3, 32, 20, 24), boxes, COUNTS) is NotImplemented


@pytest.mark.parametrize("place, image, dtype", [(12, 0, "int64"), (11, 1, "int64"), (11, 0, "int32")])
def test_places_outside_of_the_images_are_left_to_numpy(place, image, dtype):
    g, places = np.ones((2, 2, 1, 1), "float32"), np.full((2, 2, 1, 1), place, dtype)
    given = np.full(2, image, "int64")
    assert put_in_planes(g, given, places, (1, 2, 3, 4)) is NotImplemented

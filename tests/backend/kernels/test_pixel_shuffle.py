"""pixel_shuffle and pixel_unshuffle as loops."""

import numpy as np
import pytest
from comparing import agree, channels_last, needs_loops, normal
from proa.ops.core.operator import find

pytestmark = needs_loops


def _kernel(name):
    return find(name).kernels.declared[0].kernel


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8", "float16"])
@pytest.mark.parametrize("r,sizes", [(1, (3, 2)), (2, (5, 7)), (3, (4, 1))])
def test_pixels_that_lie_anyhow(r, sizes, dtype):
    x = (normal(2, 3 * r * r, *sizes) ** 2 * 9).astype(dtype)
    for image in x, channels_last(x), x[::-1], np.broadcast_to(x[:1], x.shape):
        y = agree("pixel_shuffle", _kernel("pixel_shuffle"), image, upscale_factor=r, rtol=0, atol=0)
        back = agree("pixel_unshuffle", _kernel("pixel_unshuffle"), y, downscale_factor=r, rtol=0, atol=0)
        np.testing.assert_array_equal(back, image)
        agree("pixel_unshuffle", _kernel("pixel_unshuffle"), channels_last(y), downscale_factor=r, rtol=0, atol=0)
    last = np.moveaxis(x, 1, 3)
    y = agree("pixel_shuffle", _kernel("pixel_shuffle"), last, upscale_factor=r, data_format="NHWC", rtol=0, atol=0)
    agree("pixel_unshuffle", _kernel("pixel_unshuffle"), y, downscale_factor=r, data_format="NHWC", rtol=0, atol=0)


def test_what_is_left_to_numpy():
    assert _kernel("pixel_shuffle")(normal(1, 4, 2, 2).astype("complex128"), upscale_factor=2) is NotImplemented

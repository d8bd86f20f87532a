"""Pooling of small images as loops against the NumPy kernel: overlap, padding, ceil_mode, what padding counts, NaN."""

import numpy as np
import pytest
from proa.backend.loops import is_ready
from proa.ops.nn import pool
from proa.ops.nn.pool import pool2d_op

pytestmark = pytest.mark.skipif(not is_ready(), reason="llvmlite is not installed")


@pytest.mark.parametrize("kernel,stride,padding", [(2, 2, 0), (3, 2, 1), (3, 1, 1), (2, 3, 0)])
@pytest.mark.parametrize("attrs", [
    {"pooling_type": "max"}, {"pooling_type": "avg"}, {"pooling_type": "avg", "exclusive": False},
    {"pooling_type": "avg", "ceil_mode": True}, {"pooling_type": "max", "data_format": "NHWC"}])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_equals_the_plain_kernel(kernel, stride, padding, attrs, dtype):
    x = np.random.default_rng(0).normal(size=(2, 5, 8, 8)).astype(dtype)
    x[0, 0, 0, 0] = np.nan
    attrs = dict(attrs, ksize=[kernel] * 2, strides=[stride] * 2, paddings=[padding] * 2)
    found = pool._pool_by_loops(x, **attrs)
    assert found is not NotImplemented
    np.testing.assert_allclose(found, pool2d_op.kernel(np, x, **attrs), rtol=1e-6, atol=1e-6)


def test_large_images_are_left():
    x = np.zeros((1, 1, 64, 64), "float32")
    assert pool._pool_by_loops(x, pooling_type="max", ksize=[2, 2], strides=[2, 2]) is NotImplemented
